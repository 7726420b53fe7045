"""A process that plays pairs for the one that has started it: `python -m tabiya.match.executors.process`.

Tasks and answers go through standard input and output, each behind four bytes of length. It ends, in the middle of a
pair if need be, when its input ends.
"""

from __future__ import annotations

import asyncio
import signal
from typing import BinaryIO

from tabiya.bots.gc_tuning import collect_rarely
from tabiya.bots.pool.frames import HEADER_BYTES, body_length
from tabiya.bots.pool.worker import take_pipes
from tabiya.match.executors.task import played_task
from tabiya.match.pairs import PairPlayer


def read_task(pipe: BinaryIO) -> bytes:
    """The next task; empty when there is none any more."""
    header = pipe.read(HEADER_BYTES)
    return pipe.read(body_length(header)) if len(header) == HEADER_BYTES else b""


async def serve(tasks: BinaryIO, answers: BinaryIO) -> None:
    """Play one pair after the other until the input ends."""
    player = PairPlayer()
    coming = asyncio.create_task(asyncio.to_thread(read_task, tasks))
    while task := await coming:
        playing = asyncio.create_task(played_task(player, task))
        # the next one is only sent behind this one's answer: what comes before is the end
        coming = asyncio.create_task(asyncio.to_thread(read_task, tasks))
        await asyncio.wait({playing, coming}, return_when=asyncio.FIRST_COMPLETED)
        if not playing.done():
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            break
        answer = playing.result()
        answers.write(len(answer).to_bytes(HEADER_BYTES, "big") + answer)
        answers.flush()
    await player.close()


def main() -> None:
    """Serve the process at the other end of the pipes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    collect_rarely()
    asyncio.run(serve(*take_pipes()))


if __name__ == "__main__":
    main()

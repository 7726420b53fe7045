"""One worker process as its supervisor sees it, with a process and a sandbox that only write down what is done."""

from __future__ import annotations

import asyncio

from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.bots.pool.frames import Answered, pack
from tabiya.bots.pool.local_process import ByteSink
from tabiya.bots.pool.process import WorkerProcess

MATCH = MatchInfo(match=1, game="tictactoe")
REQUEST = MoveRequest(
    match=1, game="tictactoe", ply=0, seat=0, position="--------- X", history_position="--------- X", budget_s=1.0,
    legal_moves=("b2",),
)  # fmt: skip


class Sink:
    """Its input, which is read by nobody."""

    def write(self, data: bytes) -> None:
        pass

    async def drain(self) -> None:
        pass

    def close(self) -> None:
        pass


class Unhurried:
    """A process that is killed and has not ended yet."""

    pid, name, status = 1, "1", "still ending"

    def __init__(self) -> None:
        self.stdin: ByteSink = Sink()
        self.stdout = asyncio.StreamReader()
        self.stderr: asyncio.StreamReader | None = None

    def kill(self) -> None:
        pass

    def close_pipe(self, number: int) -> None:
        pass

    async def wait(self) -> str:
        return "killed by signal 9"


class Noted:
    """A sandbox. did: what was done with it."""

    environment: dict[str, str] = {}  # noqa: RUF012 - nobody changes it
    has_loopback = True

    def __init__(self) -> None:
        self.did: list[str] = []

    def command(self, program: tuple[str, ...]) -> tuple[str, ...]:
        return program

    def started(self, pid: int) -> None:
        pass

    def freeze(self) -> None:
        self.did.append("freeze")

    def thaw(self) -> None:
        self.did.append("thaw")

    def ended(self) -> str:
        return ""


async def done_after_an_answer(*, killed: bool) -> list[str]:
    """What is done with the sandbox of a worker whose answer arrives, before it or after it is killed."""
    process, sandboxed = Unhurried(), Noted()
    worker = WorkerProcess(process, sandboxed)
    number, answer = await worker.ask(MATCH, REQUEST)
    if killed:
        worker.kill()
    process.stdout.feed_data(pack(Answered(number=number, reply=MoveReply(move="b2"))))
    assert (await answer).move == "b2"
    done = list(sandboxed.did)
    process.stdout.feed_eof()
    await worker.gone
    return done


async def test_a_worker_is_frozen_after_its_answer_but_not_once_it_is_killed() -> None:
    assert await done_after_an_answer(killed=False) == ["thaw", "freeze"]
    assert await done_after_an_answer(killed=True) == ["thaw", "thaw"]

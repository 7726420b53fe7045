"""The actor in a Dask worker: it runs a thinking process for a bot elsewhere, and passes bytes to and from it.

The process is that of every pool (bots/pool/worker.py), a child of Dask's worker: it can be killed, and Dask's worker
is always there to answer. It ends when the bot has not been heard of for `SILENCE_S`.
"""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from distributed import get_worker

from tabiya.bots.pool.local_process import LocalProcess
from tabiya.dask_cluster.build_id import build_id
from tabiya.dask_cluster.player_files import FOLDER, PlayerFiles
from tabiya.dask_cluster.silence import BEAT_S, SILENCE_S

ENDING_S = 1.0  # for the process to end what its player has started
MOST_READ = 1 << 20


def remote_build_id() -> str:
    """See `build_id`; by this name it can be asked for on another machine."""
    return build_id()


class WorkerActor:
    """An actor of Dask. Its methods run in the event loop of Dask's worker; an exception goes to the caller."""

    def __init__(self, files: PlayerFiles) -> None:
        worker = get_worker()
        self._address = worker.address
        self._player = files.unpacked(Path(worker.local_directory) / FOLDER)
        self._process: LocalProcess
        self._alarm: asyncio.TimerHandle | None = None

    async def start(self) -> tuple[str, int, str]:
        """Start the process: where it is, its id, and the player's text as it is here. Raises WorkerError."""
        self._process = await LocalProcess.start()
        self._restart_alarm()
        return self._address, self._process.pid, self._player

    async def write(self, data: bytes) -> None:
        """Write to the process. Data for a process that has ended is dropped."""
        with contextlib.suppress(ConnectionError, RuntimeError):
            self._process.stdin.write(data)

    async def read(self) -> bytes | str:
        """Read from the process: bytes, empty after a while without output; at the end a text, how it ended."""
        self._restart_alarm()
        try:
            data = await asyncio.wait_for(self._process.stdout.read(MOST_READ), BEAT_S)
        except TimeoutError:
            return b""
        if data:
            return data
        self._process.kill()  # what it has left behind
        return await self._process.wait()

    async def end(self) -> None:
        """Let the process end by itself, with the programs that it has started; a little later it is killed."""
        self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), ENDING_S)
        self._process.kill()

    async def kill(self) -> None:
        """Kill the process at once."""
        self._process.kill()

    def _restart_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = asyncio.get_running_loop().call_later(SILENCE_S, self._end_silently)

    def _end_silently(self) -> None:
        self._ending = asyncio.create_task(self.end())

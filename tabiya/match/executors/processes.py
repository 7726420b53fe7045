"""Pairs played by processes of this machine, one for each core; a process that is lost is replaced."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys

from tabiya.bots.pool.frames import HEADER_BYTES
from tabiya.match.executors.executor import MOST_LOST
from tabiya.match.executors.task import packed_task, unpack_answer
from tabiya.match.pairs import PlayedPair
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan

END_S = 5.0  # for a process to end with everything that it has started
COMMAND = (sys.executable, "-m", "tabiya.match.executors.process")
GONE = (asyncio.IncompleteReadError, ConnectionError)


class PairProcess:
    """One of them."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._tasks, self._answers = process, process.stdin, process.stdout
        self.name = f"process {process.pid}"

    @classmethod
    async def start(cls) -> PairProcess:
        """One that waits for a task. Raises MatchFailed."""
        try:
            process = await asyncio.create_subprocess_exec(
                *COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=os.name != "nt",  # Ctrl-C reaches it through us alone
            )
        except OSError as error:
            raise MatchFailed(f"no process can be started: {error.strerror or error}") from None
        return cls(process)

    async def play(self, task: bytes) -> bytes:
        """The answer to a task. Raises one of `GONE` if the process ends over it."""
        self._tasks.write(len(task).to_bytes(HEADER_BYTES, "big") + task)
        await self._tasks.drain()
        length = int.from_bytes(await self._answers.readexactly(HEADER_BYTES), "big")
        return await self._answers.readexactly(length)

    async def close(self) -> None:
        """End it, in the middle of a pair if need be, and wait until it has gone, also if this is cancelled."""
        self._tasks.close()
        try:
            with contextlib.suppress(asyncio.TimeoutError):
                # to the end of its output as well, or asyncio would keep the pipe when its loop is closed
                await asyncio.wait_for(asyncio.gather(self._process.wait(), self._answers.read()), END_S)
        finally:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


class ProcessExecutor:
    """An `Executor` with a fixed number of processes."""

    def __init__(self, processes: int) -> None:
        self.at_once, self.cores = processes, processes
        self._room = asyncio.Semaphore(processes)
        self._idle: list[PairProcess] = []
        self._all: set[PairProcess] = set()

    @property
    def workers(self) -> int:
        """See `Executor.workers`."""
        return len(self._all)

    async def play(self, plan: MatchPlan, pair: int) -> PlayedPair:
        """See `Executor.play`."""
        task = packed_task(plan, pair, takes_files=False)
        async with self._room:
            for _ in range(MOST_LOST):
                process = self._idle.pop() if self._idle else await self._started()
                try:
                    answer = await process.play(task)
                except GONE:
                    await self._end(process)
                    continue
                except BaseException:  # cancelled: its games are not needed any more
                    await self._end(process)
                    raise
                self._idle.append(process)
                return unpack_answer(answer).pair_by(process.name)
        raise MatchFailed(f"pair {pair + 1} is given up: {MOST_LOST} processes that played it crashed or were killed")

    async def close(self) -> None:
        """See `Executor.close`."""
        await asyncio.gather(*map(self._end, tuple(self._all)))

    async def _started(self) -> PairProcess:
        process = await PairProcess.start()
        self._all.add(process)
        return process

    async def _end(self, process: PairProcess) -> None:
        self._all.discard(process)
        await process.close()

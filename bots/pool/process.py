"""One worker process as its supervisor sees it: started, asked, told to stop, killed. Nothing here blocks."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.bots.players.time_limit import LOAD_S
from tabiya.bots.pool.errors import PlayerFailed, WorkerError, WorkerLost
from tabiya.bots.pool.frames import (
    HEADER_BYTES,
    Answered,
    Ask,
    Failed,
    Forget,
    FromWorker,
    Phase,
    Ready,
    Start,
    Stop,
    ToWorker,
    Where,
    body_length,
    pack,
    unpack,
)
from tabiya.bots.pool.walls import Walls
from tabiya.protocol.printable import printable

ENDING_S = 0.5
START_S = 60.0  # for the interpreter, before the worker says what it does
WHERE_S = 2.0  # for a worker that is not ready in time to say what it does
MOST_PRINTED, PRINTED_AT_ONCE = 1 << 20, 16_384  # bytes, of a worker behind walls in its whole life
# Behind walls somebody's program may write frames in the worker's name. More bytes in one than any answer has, and more
# frames than phases of a long start are no worker's.
LARGEST_WALLED_FRAME = 1 << 16
MOST_UNASKED = 1000
Report = Callable[[str], None]
HOME = Path(__file__).absolute().parents[3]  # not resolved: in a checkout tabiya/bots is a link
# -P and the folder in front: no file beside the started script is imported in place of a package.
PROGRAM = "import sys; sys.path.insert(0, {home!r}); from tabiya.bots.pool.worker import main; main()"


class WorkerProcess:
    """A started and warm worker. Made by `WorkerProcess.start`; thinks about one question at a time."""

    def __init__(
        self, process: asyncio.subprocess.Process, walls: Walls | None = None, report: Report = lambda text: None
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._walls, self._report = process, walls, report
        self._in, self._out = process.stdin, process.stdout
        self._number, self._unasked = 0, 0
        self._answers: dict[int, asyncio.Future[MoveReply]] = {}
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._entered = asyncio.Event()  # set with each phase
        self.warnings: tuple[str, ...] = ()
        """Of the player's class, once it is ready."""
        self._phase = Phase(name="the start", limit_s=START_S)
        self._reading = asyncio.create_task(self._read())
        self._printing = asyncio.create_task(self._print())
        self.gone: asyncio.Task[int] = asyncio.create_task(self._end())

    @classmethod
    async def start(
        cls, start_frame: Start, walls: Walls | None = None, report: Report = lambda text: None
    ) -> WorkerProcess:
        """A process whose player is built and warm.  Raises WorkerError when it does not get that far in time.

        walls: around it; it is frozen whenever it is not asked then.  report: is told what it prints behind walls.
        """
        command: tuple[str, ...] = (sys.executable, "-P", "-c", PROGRAM.format(home=str(HOME)))
        try:
            process = await asyncio.create_subprocess_exec(
                *(command if walls is None else walls.command(command)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if walls is None else subprocess.PIPE,
                env=None if walls is None else walls.environment,
                **_own_process_group(),
            )
        except OSError as error:
            raise WorkerError(f"the system starts no worker process: {error.strerror or error}") from error
        worker = cls(process, walls, report)
        if walls is not None:
            walls.started(process.pid)
        try:
            await worker._get_ready(start_frame)
        except BaseException:
            await worker.close()
            if not worker._ready.cancelled():
                worker._ready.exception()  # nobody asks for it any more, and asyncio would say so
            raise
        return worker

    async def _get_ready(self, start_frame: Start) -> None:
        """Wait until it is ready, each phase as long as it may take; then it says where it is, and may go on."""
        await self._send(start_frame)
        was_asked, loop = False, asyncio.get_running_loop()
        until = loop.time() + self._longest_start_s(start_frame)
        while True:
            self._entered.clear()
            entered = asyncio.create_task(self._entered.wait())
            limit_s = WHERE_S if was_asked else min(self._phase.limit_s, max(0.0, until - loop.time()))
            either: list[asyncio.Future[Any]] = [self._ready, entered]
            await asyncio.wait(either, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
            entered.cancel()
            if self._ready.done():
                self._rest()
                return self._ready.result()
            if loop.time() > until:
                was_asked = True
            if self._entered.is_set() and loop.time() < until:
                was_asked = False
            elif was_asked:
                late = f"{_safe(self._phase.name)} was not over after {self._phase.limit_s:g} s"
                raise WorkerError(f"the player {start_frame.player} cannot be started: {late}")
            else:
                was_asked = True
                await self._send(Where(phase=self._phase.name, limit_s=self._phase.limit_s))

    def _longest_start_s(self, start_frame: Start) -> float:
        """Behind walls the worker itself is not believed in how long a phase may take."""
        if self._walls is None:
            return math.inf
        return START_S + LOAD_S + start_frame.ready_s * max(1, len(start_frame.games))

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return not self._reading.done()

    async def ask(self, match: MatchInfo, request: MoveRequest) -> tuple[int, asyncio.Future[MoveReply]]:
        """Put a question; its number, for `stop`, and its answer to come.

        The answer raises PlayerFailed when the player has failed, WorkerLost when the process is gone.
        """
        self._number += 1
        answer: asyncio.Future[MoveReply] = asyncio.get_running_loop().create_future()
        self._answers[self._number] = answer
        if self.alive:
            if self._walls is not None:
                self._walls.thaw()
            await self._send(Ask(number=self._number, match=match, request=request))
        else:
            self._fail_all(exit_text(self._process.returncode))
        return self._number, answer

    async def stop(self, number: int) -> None:
        """Ask the player to answer this question at once."""
        await self._send(Stop(number=number))

    async def forget(self, match: int) -> None:
        """A match is over."""
        await self._send(Forget(match=match))

    def kill(self) -> None:
        """End the process, whatever it is doing, with those that it has started in its group."""
        if self._walls is not None:
            self._walls.thaw()  # what is frozen does not end everywhere
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self.pid, signal.SIGKILL)

    async def close(self, grace_s: float = 0.0) -> None:
        """End it and wait until it is gone.  grace_s: time to end by itself, with the programs it may have started."""
        self._in.close()
        if self._walls is not None:
            self._walls.thaw()
        if grace_s:
            await asyncio.wait([self.gone], timeout=grace_s)
        if not self.gone.done():
            self.kill()
        await asyncio.shield(self.gone)  # it is tidied up also if nobody waits for that any more

    async def _send(self, frame: ToWorker) -> None:
        # a dead worker is noticed by the reader
        with contextlib.suppress(ConnectionError, RuntimeError):
            self._in.write(pack(frame))
            await self._in.drain()

    async def _read(self) -> None:
        try:
            while True:
                length = body_length(await self._out.readexactly(HEADER_BYTES))
                if self._walls is not None and length > LARGEST_WALLED_FRAME:
                    raise ValueError(f"a frame of {length} bytes from behind walls")
                frame = unpack(await self._out.readexactly(length), FromWorker)
                self._count(frame)
                self._take(frame)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        except (ValueError, RecursionError):  # what it writes are no frames: it cannot be trusted with anything
            self.kill()
            self._close_pipe(1)  # its end is only seen when all has been read, and nobody reads any more

    def _close_pipe(self, number: int) -> None:
        self._process._transport.get_pipe_transport(number).close()  # type: ignore[attr-defined]

    async def _print(self) -> None:
        """Report what it prints behind walls, so much of it; what is printed beyond that fails."""
        if self._process.stderr is None:
            return
        left = MOST_PRINTED
        while left > 0 and (block := await self._process.stderr.read(PRINTED_AT_ONCE)):
            left -= len(block)
            for line in block.decode(errors="replace").splitlines():
                self._report(printable(line))
        if left <= 0:
            self._report(f"worker {self.pid} has printed more than {MOST_PRINTED >> 10} KB; the rest is not shown")
            self._close_pipe(2)

    def _rest(self) -> None:
        """Behind walls, nobody thinks whom nobody asks."""
        if self._walls is not None and not self._answers:
            self._walls.freeze()

    def _count(self, frame: FromWorker) -> None:
        """Raise ValueError when a worker behind walls says more than it is asked; reading it would stop all others."""
        if not isinstance(frame, Answered | Failed) or frame.number not in self._answers:
            self._unasked += 1
        if self._walls is not None and self._unasked > MOST_UNASKED:
            raise ValueError("frames without end")

    def _take(self, frame: FromWorker) -> None:
        match frame:
            case Phase():
                self._phase = frame
                self._entered.set()
            case Ready():
                self.warnings = tuple(map(printable, frame.warnings))
                if not self._ready.done():
                    self._ready.set_result(None)
            case Answered():
                self._resolve(frame.number, frame.reply, None)
            case Failed(number=0):
                if not self._ready.done():
                    failure = frame.failure
                    text = f"the player cannot be started: {_safe(failure.called)} failed: {_safe(failure.error)}"
                    self._ready.set_exception(WorkerError(text, failure))
            case Failed():
                self._resolve(frame.number, None, PlayerFailed(frame.failure))

    def _resolve(self, number: int, reply: MoveReply | None, error: Exception | None) -> None:
        answer = self._answers.pop(number, None)
        self._rest()
        if answer is None or answer.done():
            return
        if reply is not None:
            answer.set_result(reply)
        elif error is not None:
            answer.set_exception(error)

    async def _end(self) -> int:
        """Wait for the end, then fail everything that still waits for an answer."""
        await asyncio.wait([self._reading])
        # Its output ends when it ends; then what it has left behind is ended, too.
        exited = asyncio.create_task(self._process.wait())
        await asyncio.wait([exited], timeout=ENDING_S)
        self.kill()
        status = await exited
        self._in.close()
        remark = "" if self._walls is None else await asyncio.to_thread(self._walls.ended)
        how = exit_text(status) + (f": {remark}" if remark else "")
        await asyncio.wait([self._printing], timeout=ENDING_S)
        self._printing.cancel()
        if not self._ready.done():
            self._ready.set_exception(WorkerError(f"the worker process ended while it started ({how})"))
        self._fail_all(how)
        return status

    def _fail_all(self, how: str) -> None:
        for number in list(self._answers):
            self._resolve(number, None, WorkerLost(f"worker {self.pid} is gone ({how})"))


def _safe(text: str) -> str:
    """What a worker says, unable to command a terminal."""
    return "\n".join(map(printable, text.splitlines()))


def exit_text(status: int | None) -> str:
    """The exit status of a process in words."""
    if status is None:
        return "still ending"
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


def _own_process_group() -> dict[str, Any]:
    """Ctrl-C in the terminal goes to the supervisor alone, which ends its workers."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}

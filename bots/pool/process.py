"""One worker process as its supervisor sees it: started, asked, told to stop, killed. Nothing here blocks."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable
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
from tabiya.bots.pool.local_process import MOST_PRINTED, LocalProcess, RunningProcess, show_printed
from tabiya.bots.pool.sandbox import SandboxedProgram
from tabiya.protocol.printable import printable

ENDING_S = 0.5
START_S = 60.0  # for the interpreter, before the worker reports its first phase
WHERE_S = 2.0  # for a late worker to report its line
PRINTED_AT_ONCE = 16_384  # bytes
DISCARDED_AT_ONCE, DISCARD_PAUSE_S = 1 << 17, 0.01  # a player that prints without end waits for this on its own clock
# In a sandbox somebody's program may write frames in the worker's name. More bytes in one than any answer has, and more
# frames than phases of a long start are no worker's.
LARGEST_SANDBOXED_FRAME = 1 << 16
MOST_UNASKED = 1000
Report = Callable[[str], None]
Launch = Callable[[Start], Awaitable[tuple[RunningProcess, Start]]]
"""Starts a process elsewhere; with it comes the frame as it has to be there. Raises WorkerError."""


class WorkerProcess:
    """A started and warm worker. Made by `WorkerProcess.start`; thinks about one question at a time."""

    def __init__(
        self, process: RunningProcess, sandboxed: SandboxedProgram | None = None, report: Report = lambda text: None
    ) -> None:
        self._process, self._sandboxed, self._report = process, sandboxed, report
        self._in, self._out = process.stdin, process.stdout
        self._number, self._unasked = 0, 0
        self._answers: dict[int, asyncio.Future[MoveReply]] = {}
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._entered = asyncio.Event()  # set with each phase
        self.warnings: tuple[str, ...] = ()
        """Of the player's class, once it is ready."""
        self.players = 1
        """How many players it has run."""
        self._phase = Phase(name="the start", limit_s=START_S)
        self._asks_where = False
        self._is_ending = False
        self._reading = asyncio.create_task(self._read())
        self._printing = asyncio.create_task(self._show_output())
        self.gone: asyncio.Task[None] = asyncio.create_task(self._end())

    @classmethod
    async def start(
        cls,
        start_frame: Start,
        sandboxed: SandboxedProgram | None = None,
        report: Report = lambda text: None,
        launch: Launch | None = None,
    ) -> WorkerProcess:
        """A process whose player is built and warm.  Raises WorkerError when it does not get that far in time.

        sandboxed: its sandbox; it is frozen whenever it is not asked then.  report: is told what goes wrong.
        launch: starts it elsewhere, without a sandbox; on this machine if there is none.
        """
        if launch is None:
            worker = cls(await LocalProcess.start(sandboxed), sandboxed, report)
        else:
            process, start_frame = await launch(start_frame)
            worker = cls(process, None, report)
        try:
            await worker._get_ready(start_frame)
        except BaseException:
            await worker.close()
            _retrieve_error(worker._ready)
            raise
        return worker

    async def become(self, start_frame: Start) -> None:
        """Replace its player, warm as after a start. Ask nothing meanwhile. Raises WorkerError."""
        self._ready = asyncio.get_running_loop().create_future()
        self._phase = Phase(name="becoming another player", limit_s=START_S)
        self.players += 1
        try:
            await self._get_ready(start_frame)
        finally:
            _retrieve_error(self._ready)

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
                self._freeze_if_idle()
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
        """The time limit of a start; a worker in a sandbox cannot set its own."""
        if self._sandboxed is None:
            return math.inf
        return START_S + LOAD_S + start_frame.ready_s * max(1, len(start_frame.games))

    @property
    def pid(self) -> int:
        """The process's id, on its machine."""
        return self._process.pid

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return self._process.name

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return not self._reading.done()

    @property
    def is_idle(self) -> bool:
        """Whether it could run another player: it has no open request and no sandbox."""
        return self.alive and not self._answers and self._sandboxed is None

    async def ask(self, match: MatchInfo, request: MoveRequest) -> tuple[int, asyncio.Future[MoveReply]]:
        """Send a request; returns its number, for `stop`, and the future of its answer.

        The answer raises PlayerFailed when the player has failed, WorkerLost when the process is gone.
        """
        self._number += 1
        answer: asyncio.Future[MoveReply] = asyncio.get_running_loop().create_future()
        self._answers[self._number] = answer
        if self.alive:
            if self._sandboxed is not None:
                self._sandboxed.thaw()
            await self._send(Ask(number=self._number, match=match, request=request))
        else:
            self._fail_all(self._process.status)
        return self._number, answer

    async def stop(self, number: int) -> None:
        """Ask the player to answer this question at once."""
        await self._send(Stop(number=number))

    async def say_where(self, called: str, seconds: float) -> None:
        """Ask a late worker for its line, and report it.  called: what is late.  seconds: the time it has had."""
        self._asks_where = True
        await self._send(Where(phase=called, limit_s=seconds))

    async def forget(self, match: int) -> None:
        """A match is over."""
        await self._send(Forget(match=match))

    def kill(self) -> None:
        """End the process, whatever it is doing, with those that it has started in its group."""
        self._is_ending = True
        if self._sandboxed is not None:
            self._sandboxed.thaw()  # what is frozen does not end everywhere
        self._process.kill()

    async def close(self, grace_s: float = 0.0) -> None:
        """End it and wait until it is gone.  grace_s: time to end by itself, with the programs it may have started."""
        self._in.close()
        self._is_ending = True
        if self._sandboxed is not None:
            self._sandboxed.thaw()
        if grace_s:
            await asyncio.wait([self.gone], timeout=grace_s)
        if not self.gone.done():
            self.kill()
        await asyncio.shield(self.gone)  # the cleaning up goes on if this is cancelled

    async def _send(self, frame: ToWorker) -> None:
        # a dead worker is noticed by the reader
        with contextlib.suppress(ConnectionError, RuntimeError):
            self._in.write(pack(frame))
            await self._in.drain()

    async def _read(self) -> None:
        try:
            while True:
                length = body_length(await self._out.readexactly(HEADER_BYTES))
                if self._sandboxed is not None and length > LARGEST_SANDBOXED_FRAME:
                    raise ValueError(f"a frame of {length} bytes from a sandbox")
                frame = unpack(await self._out.readexactly(length), FromWorker)
                self._check_unasked(frame)
                self._handle(frame)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        except (ValueError, RecursionError):  # it does not write frames, so it is not trusted any more
            self.kill()
            self._process.close_pipe(1)  # its end is only seen when everything is read, and this has stopped reading

    async def _show_output(self) -> None:
        """Show what it prints in a sandbox, up to MOST_PRINTED bytes; the rest is read and discarded."""
        if self._process.stderr is None:
            return
        left = MOST_PRINTED
        while left > 0 and (block := await self._process.stderr.read(PRINTED_AT_ONCE)):
            left -= len(block)
            show_printed(block)
        if left <= 0:
            self._report(f"worker {self.name} has printed more than {MOST_PRINTED >> 10} KB; the rest is not shown")
            while await self._process.stderr.read(DISCARDED_AT_ONCE):  # noqa: ASYNC110 (a pause, no wait for an event)
                await asyncio.sleep(DISCARD_PAUSE_S)

    def _freeze_if_idle(self) -> None:
        """Freeze a sandboxed worker that has no open request; not one that is to end, which it could not then."""
        if self._sandboxed is not None and not self._answers and not self._is_ending:
            self._sandboxed.freeze()

    def _check_unasked(self, frame: FromWorker) -> None:
        """Raise ValueError when a sandboxed worker sends too many unrequested frames, which would block all others."""
        if not isinstance(frame, Answered | Failed) or frame.number not in self._answers:
            self._unasked += 1
        if self._sandboxed is not None and self._unasked > MOST_UNASKED:
            raise ValueError("frames without end")

    def _handle(self, frame: FromWorker) -> None:
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
                failure = frame.failure
                if self._ready.done():
                    if self._asks_where and failure.lines:  # of a player's author, whom it helps
                        self._asks_where = False
                        self._report("\n".join(map(printable, failure.text().splitlines())))
                else:
                    text = f"the player cannot be started: {_safe(failure.called)} failed: {_safe(failure.error)}"
                    self._ready.set_exception(WorkerError(text, failure))
            case Failed():
                self._resolve(frame.number, None, PlayerFailed(frame.failure))

    def _resolve(self, number: int, reply: MoveReply | None, error: Exception | None) -> None:
        answer = self._answers.pop(number, None)
        self._freeze_if_idle()
        if answer is None or answer.done():
            return
        if reply is not None:
            answer.set_result(reply)
        elif error is not None:
            answer.set_exception(error)

    async def _end(self) -> None:
        """Wait for the end, then fail everything that still waits for an answer."""
        await asyncio.wait([self._reading])
        # Its output ends when it ends; then what it has left behind is ended, too.
        exited = asyncio.create_task(self._process.wait())
        await asyncio.wait([exited], timeout=ENDING_S)
        self.kill()
        status = await exited
        self._in.close()
        remark = "" if self._sandboxed is None else await asyncio.to_thread(self._sandboxed.ended)
        how = status + (f": {remark}" if remark else "")
        await asyncio.wait([self._printing], timeout=ENDING_S)
        self._printing.cancel()
        if not self._ready.done():
            self._ready.set_exception(WorkerError(f"the worker process ended while it started ({how})"))
        self._fail_all(how)

    def _fail_all(self, how: str) -> None:
        for number in list(self._answers):
            self._resolve(number, None, WorkerLost(f"worker {self.name} is gone ({how})"))


def _retrieve_error(ready: asyncio.Future[None]) -> None:
    """Retrieve the error, so that asyncio does not warn about it."""
    if ready.done() and not ready.cancelled():
        ready.exception()


def _safe(text: str) -> str:
    """A worker's text without control characters."""
    return "\n".join(map(printable, text.splitlines()))

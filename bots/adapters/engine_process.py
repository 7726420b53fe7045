"""A program that is spoken to line by line from an event loop: nothing blocks, every line arrives by a callback.

Everything that can go wrong (missing, silent, dead, talking without end) becomes a ProgramError of one sentence.
Nothing here knows a protocol.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import subprocess
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import PurePath
from typing import Any, TypeVar

from tabiya.bots.adapters.orphan_reaper import OrphanReaper

LONGEST_LINE = 65_536  # bytes; a longer one is dropped
MOST_BYTES = 16 << 20  # of output about one question; a program that talks more talks without end
STDERR_LINES_KEPT = 5  # for the error message
QUIT_S = 0.5  # between the word to quit and the signal to die
OUT, ERR = 1, 2
OnLine = Callable[[str], object]


class ProgramError(RuntimeError):
    """A program that does not do its part; the message says which and how."""


T = TypeVar("T")
OnExit = Callable[[ProgramError], object]


class EngineProcess(asyncio.SubprocessProtocol):
    """One running program, made by `EngineProcess.start`."""

    def __init__(self, called: str, on_line: OnLine, on_exit: OnExit, reaper: OrphanReaper | None) -> None:
        """called: its file, for messages; otherwise as for `start`."""
        self._called, self._on_line, self._on_exit, self._reaper = called, on_line, on_exit, reaper
        self._partial_line, self._bytes = b"", 0
        self._early: list[Callable[[], object]] | None = []  # until whoever starts it knows that it runs
        self._last_words: deque[str] = deque(maxlen=STDERR_LINES_KEPT)
        self._is_ending = False  # by our will or reported already: what it still says is thrown away
        self._transport: Any = None
        self._stdin: Any = None
        self._lent: tuple[int, int] | None = None  # the ends of its pipes that a thread writes to and reads from
        self._readable: Any = None
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()

    @classmethod
    async def start(
        cls,
        command: tuple[str, ...],
        on_line: OnLine,
        on_exit: OnExit,
        reaper: OrphanReaper | None = None,
        environment: dict[str, str] | None = None,
        called: str = "",
        *,
        own_session: bool = True,
    ) -> EngineProcess:
        """Start the program. Raises ProgramError.

        on_line: called with every line of its output.  on_exit: called once if it ends without having been told to.
        reaper: ends the program if this process is killed.  environment: all of the program's, ours if None.  called:
        its file, for messages, where the command begins with another.  own_session: without a terminal; but Linux
        shares a busy processor out by sessions, so that it and we would wait for all others at every move.
        """
        loop = asyncio.get_running_loop()
        try:
            _, process = await loop.subprocess_exec(
                lambda: cls(called or command[0], on_line, on_exit, reaper),
                *command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                # either way Ctrl-C is for us, and the whole group can be ended
                start_new_session=os.name == "posix" and own_session,
                preexec_fn=os.setpgrp if os.name == "posix" and not own_session else None,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise ProgramError(f"{command[0]!r} cannot be started: {reason}") from None
        loop.call_soon(process._tell_early)  # runs when the caller has the process and waits for something else
        return process

    @property
    def name(self) -> str:
        """Its file name, for messages."""
        return PurePath(self._called).name

    @property
    def pid(self) -> int:
        """Its process id."""
        return int(self._transport.get_pid())

    def write(self, lines: list[str]) -> None:
        """Send lines. Does nothing when the program has ended; `on_exit` reports that."""
        self._bytes, words = 0, ("\n".join(lines) + "\n").encode()
        if self._lent is not None:
            self._write_now(self._lent[0], words)
        elif not self._stdin.is_closing():
            self._stdin.write(words)

    # --- lent to a thread ---

    @property
    def is_lent(self) -> bool:
        """Whether a thread reads from it."""
        return self._lent is not None

    def lend(self) -> None:
        """From now on one thread alone writes and reads (`read`), until it is taken back; not on Windows."""
        pipes = [self._stdin, self._transport.get_pipe_transport(OUT)]
        pipes[1].pause_reading()
        writes, reads = (pipe.get_extra_info("pipe") or pipe.get_extra_info("socket") for pipe in pipes)
        self._readable = select.poll()
        self._readable.register(reads.fileno(), select.POLLIN)
        self._lent = writes.fileno(), reads.fileno()

    def take_back(self) -> None:
        """The event loop reads again, what the program says from now on and its end."""
        self._lent = None
        with contextlib.suppress(RuntimeError):  # it is closed
            self._transport.get_pipe_transport(OUT).resume_reading()

    def read(self, wait_s: float) -> list[str]:
        """The lines that it says within this time. Raises EOFError when it can say nothing more."""
        assert self._lent is not None
        if not self._readable.poll(wait_s * 1000):
            return []
        try:
            data = os.read(self._lent[1], LONGEST_LINE)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            raise EOFError
        return self._lines_with(data)

    def _write_now(self, pipe: int, words: bytes) -> None:
        try:
            words = words[os.write(pipe, words) :]
        except BlockingIOError:
            pass
        except OSError:  # it has ended, which is seen when it is read
            return
        if words:  # it is slow to read
            self._loop.call_soon_threadsafe(self._stdin.write, words)

    async def close(self, farewell: str = "quit") -> None:
        """Ask it to quit, give it half a second while its output is thrown away, then kill it. Raises nothing."""
        self._is_ending = True
        self.write([farewell])
        self._stdin.close()
        await asyncio.wait([self.ended], timeout=QUIT_S)
        await self.kill()

    async def kill(self) -> None:
        """Kill it and the processes that it has started. Raises nothing."""
        self._is_ending = True
        self._kill_group()
        await asyncio.wait([self.ended], timeout=QUIT_S)
        self._transport.close()

    def _kill_group(self) -> None:
        if self.ended.done():  # its id may belong to another by now
            return
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self._transport.kill()

    # --- called by the event loop ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The program runs."""
        self._transport = transport
        self._stdin = self._transport.get_pipe_transport(0)
        self._stdin.set_write_buffer_limits(high=0)  # or uvloop would write at the end of its turn: for other games
        if self._reaper is not None:
            self._reaper.add(self.pid)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Output of the program."""
        if fd == ERR:
            self._last_words += [line[:200] for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
            return
        for line in self._lines_with(data):
            if not self._is_ending:
                self._tell(self._on_line, line)

    def _lines_with(self, data: bytes) -> list[str]:
        """The lines that this output completes."""
        self._bytes += len(data)
        if self._bytes > MOST_BYTES and not self._is_ending:
            self.fail(f"has said more than {MOST_BYTES >> 20} MB without an answer")
        *lines, self._partial_line = (self._partial_line + data).split(b"\n")
        if len(self._partial_line) > LONGEST_LINE:
            self._partial_line = b""
        return [line.decode("utf-8", "replace").strip() for line in lines]

    def connection_lost(self, error: Exception | None) -> None:
        """It has ended and all its output has been read."""
        self._kill_group()  # processes that it has left behind
        if not self.ended.done():
            self.ended.set_result(None)
        if self._reaper is not None:
            self._reaper.remove(self.pid)
        self._transport.close()
        self.fail(self._how_it_ended())

    def process_exited(self) -> None:
        """It has ended; a process that it has started may hold its output open, so `connection_lost` may not come."""
        self._loop.call_later(QUIT_S, self._fail_if_silent)

    def pipe_connection_lost(self, fd: int, error: Exception | None) -> None:
        """One of its pipes is closed; a program without output can answer nothing more."""
        if fd == OUT and not self._is_ending:
            self._loop.call_later(QUIT_S, self._fail_if_silent)

    def _fail_if_silent(self) -> None:
        if not self.ended.done():
            self.fail(self._how_it_ended())

    def _how_it_ended(self) -> str:
        code = self._transport.get_returncode()
        return "has closed its output" if code is None else f"has ended with exit code {code}"

    def fail(self, how: str) -> None:
        """End it for what it does, and report that. how: the rest of a sentence about it."""
        if not self._is_ending:
            self._is_ending = True
            self._kill_group()
            said = f"; its last words: {' | '.join(self._last_words)}" if self._last_words else ""
            error = ProgramError(f"{self.name!r} {how}{said}")
            if self._lent is None:
                self._tell(self._on_exit, error)
            else:  # its thread will see that it has ended
                self._loop.call_soon_threadsafe(self._on_exit, error)

    def _tell(self, hear: Callable[[T], object], what: T) -> None:
        if self._early is None:
            hear(what)
        else:
            self._early.append(partial(hear, what))

    def _tell_early(self) -> None:
        early, self._early = self._early or [], None
        for tell in early:
            tell()

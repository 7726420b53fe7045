"""A program that is spoken to line by line from an event loop: nothing blocks, every line arrives by a callback.

Everything that can go wrong (missing, silent, dead, talking without end) becomes a ProgramError of one sentence.
Nothing here knows a protocol.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import PurePath
from typing import Any, TypeVar

from tabiya.bots.adapters.orphan_reaper import OrphanReaper
from tabiya.bots.pool.local_process import MOST_PRINTED, show_printed

DEBIAN_GAMES = "/usr/games:/usr/local/games"
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


def _in_own_group(core: int | None) -> None:
    """Put the new process into its own group and on its core, before the program starts."""
    # a group, so that Ctrl-C is for us and all of it can be ended; no session: Linux shares out a busy processor by
    # sessions, and each move would wait for all other work twice
    os.setpgrp()
    if core is not None:
        os.sched_setaffinity(0, {core})


class EngineProcess(asyncio.SubprocessProtocol):
    """One running program, made by `EngineProcess.start`."""

    def __init__(self, called: str, on_line: OnLine, on_exit: OnExit, reaper: OrphanReaper | None, shows: bool) -> None:
        """called: its file, for messages; otherwise as for `start`."""
        self._called, self._on_line, self._on_exit, self._reaper = called, on_line, on_exit, reaper
        self._partial_line, self._bytes = b"", 0
        self._early: list[Callable[[], object]] | None = []  # until the caller of `start` has the process
        self._last_words: deque[str] = deque(maxlen=STDERR_LINES_KEPT)
        self._to_show = MOST_PRINTED if shows else 0  # bytes
        self._is_ending = False  # because we end it or have reported it: further output is discarded
        self._transport: Any = None
        self._stdin: Any = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @classmethod
    async def start(
        cls,
        command: tuple[str, ...],
        on_line: OnLine,
        on_exit: OnExit,
        reaper: OrphanReaper | None = None,
        environment: dict[str, str] | None = None,
        called: str = "",
        core: int | None = None,
        shows: bool = False,
    ) -> EngineProcess:
        """Start the program. Raises ProgramError.

        on_line: called with every line of its output.  on_exit: called once if it ends without having been told to.
        reaper: ends the program if this process is killed.  environment: all of the program's, ours if None.  called:
        its file, for messages, where the command begins with another.  core: the one it may run on with all that it
        starts, None for any; on Linux.  shows: whether what it prints as errors is shown.
        """
        loop = asyncio.get_running_loop()
        try:
            _, process = await loop.subprocess_exec(
                lambda: cls(called or command[0], on_line, on_exit, reaper, shows),
                *command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                preexec_fn=partial(_in_own_group, core) if os.name == "posix" else None,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise ProgramError(f"{command[0]!r} cannot be started: {reason}{_elsewhere(command[0])}") from None
        loop.call_soon(process._deliver_early)  # runs when the caller has the process and waits for something else
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
        self._bytes = 0
        if not self._stdin.is_closing():
            self._stdin.write(("\n".join(lines) + "\n").encode())

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
        if not self._stdin.is_closing():  # as it is if the program has ended already
            self._stdin.set_write_buffer_limits(high=0)  # or uvloop would write at the end of its turn: for other games
        if self._reaper is not None:
            self._reaper.add(self.pid)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Output of the program."""
        if fd == ERR:
            self._last_words += [line[:200] for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
            show_printed(data[: self._to_show])
            self._to_show = max(0, self._to_show - len(data))
            return
        self._bytes += len(data)
        if self._bytes > MOST_BYTES and not self._is_ending:
            self.fail(f"has said more than {MOST_BYTES >> 20} MB without an answer")
        *lines, self._partial_line = (self._partial_line + data).split(b"\n")
        if len(self._partial_line) > LONGEST_LINE:
            self._partial_line = b""
        for line in lines:
            if not self._is_ending:
                self._deliver(self._on_line, line.decode("utf-8", "replace").strip())

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
        asyncio.get_running_loop().call_later(QUIT_S, self._fail_if_silent)

    def pipe_connection_lost(self, fd: int, error: Exception | None) -> None:
        """One of its pipes is closed; a program without output can answer nothing more."""
        if fd == OUT and not self._is_ending:
            asyncio.get_running_loop().call_later(QUIT_S, self._fail_if_silent)

    def _fail_if_silent(self) -> None:
        if not self.ended.done():
            self.fail(self._how_it_ended())

    def _how_it_ended(self) -> str:
        code = self._transport.get_returncode()
        return "has closed its output" if code is None else f"has ended with exit code {code}"

    def fail(self, how: str) -> None:
        """Kill it because it misbehaves, and report why. how: the rest of a sentence about it."""
        if not self._is_ending:
            self._is_ending = True
            self._kill_group()
            output = f"; its last words: {' | '.join(self._last_words)}" if self._last_words else ""
            self._deliver(self._on_exit, ProgramError(f"{self.name!r} {how}{output}"))

    def _deliver(self, hear: Callable[[T], object], what: T) -> None:
        if self._early is None:
            hear(what)
        else:
            self._early.append(partial(hear, what))

    def _deliver_early(self) -> None:
        early, self._early = self._early or [], None
        for tell in early:
            tell()


def _elsewhere(program: str) -> str:
    """Where Debian has installed a program that the path of root and of services does not find."""
    if PurePath(program).name != program or not (found := shutil.which(program, path=DEBIAN_GAMES)):
        return ""
    return f"; it is {found}: write that, or add the folder to PATH"

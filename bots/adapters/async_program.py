"""A program that is spoken to line by line from an event loop: nothing waits, lines arrive by a call.

The twin of `program.py` for who runs many programs at once. Everything that can go wrong becomes a ProgramError of one
sentence. Nothing here knows a protocol.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from tabiya.bots.adapters.orphan_reaper import Guard
from tabiya.bots.adapters.program import LAST_WORDS, LONGEST_LINE, QUIT_S, ProgramError

MOST_BYTES = 16 << 20  # said about one question; a program that talks more talks without end
OUT, ERR = 1, 2
Hear = Callable[[str], object]
Gone = Callable[[ProgramError], object]


class LoopProgram(asyncio.SubprocessProtocol):
    """One running program, made by `LoopProgram.start`."""

    def __init__(self, command: tuple[str, ...], hear: Hear, gone: Gone, guard: Guard | None = None) -> None:
        """hear: is called with every line.  gone: once, when it has ended without having been told to.

        guard: ends it should this process be killed.
        """
        self.command, self._hear, self._gone, self._guard = command, hear, gone, guard
        self._rest, self._bytes = b"", 0
        self._said: deque[str] = deque(maxlen=LAST_WORDS)
        self._told = False  # to end; what it still says is thrown away
        self._transport: Any = None
        self._in: Any = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @classmethod
    async def start(cls, command: tuple[str, ...], hear: Hear, gone: Gone, guard: Guard | None = None) -> LoopProgram:
        """Start it. Raises ProgramError."""
        loop = asyncio.get_running_loop()
        try:
            _, program = await loop.subprocess_exec(
                lambda: cls(command, hear, gone, guard),
                *command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=os.name == "posix",  # Ctrl-C is for us; and the whole group can be ended
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise ProgramError(f"{command[0]!r} cannot be started: {reason}") from None
        return program

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return PurePath(self.command[0]).name

    @property
    def pid(self) -> int:
        """Its process id."""
        return int(self._transport.get_pid())

    def write(self, lines: list[str]) -> None:
        """Send lines; what a program that has gone is told is lost, and `gone` says so."""
        self._bytes = 0
        if not self._in.is_closing():
            self._in.write(("\n".join(lines) + "\n").encode())

    async def close(self, farewell: str = "quit") -> None:
        """Ask it to quit, give it half a second while what it says is thrown away, end it. Raises nothing."""
        self._told = True
        self.write([farewell])
        self._in.close()
        await asyncio.wait([self.ended], timeout=QUIT_S)
        await self.kill()

    async def kill(self) -> None:
        """End it at once, with the processes it has started. Raises nothing."""
        self._told = True
        self._kill()
        await asyncio.wait([self.ended], timeout=QUIT_S)
        self._transport.close()

    def _kill(self) -> None:
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
        self._in = self._transport.get_pipe_transport(0)
        if self._guard is not None:
            self._guard.keep(self.pid)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """It has said something."""
        if fd == ERR:
            self._said += [line[:200] for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
            return
        self._bytes += len(data)
        if self._bytes > MOST_BYTES and not self._told:
            self._lose(f"has said more than {MOST_BYTES >> 20} MB without an answer")
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            self._rest = b""
        for line in lines:
            if not self._told:
                self._hear(line.decode("utf-8", "replace").strip())

    def connection_lost(self, error: Exception | None) -> None:
        """It has ended and all it said has been heard."""
        self._kill()  # what it has started and left behind
        if not self.ended.done():
            self.ended.set_result(None)
        if self._guard is not None:
            self._guard.forget(self.pid)
        self._transport.close()
        self._lose(self._end())

    def process_exited(self) -> None:
        """It has ended; what it has started may hold its output open."""
        asyncio.get_running_loop().call_later(QUIT_S, self._silent)

    def pipe_connection_lost(self, fd: int, error: Exception | None) -> None:
        """One of its pipes is closed; a program without output can answer nothing more."""
        if fd == OUT and not self._told:
            asyncio.get_running_loop().call_later(QUIT_S, self._silent)

    def _silent(self) -> None:
        if not self.ended.done():
            self._lose(self._end())

    def _end(self) -> str:
        code = self._transport.get_returncode()
        return "has closed its output" if code is None else f"has ended with exit code {code}"

    def _lose(self, how: str) -> None:
        if not self._told:
            self._told = True
            self._kill()
            said = f"; its last words: {' | '.join(self._said)}" if self._said else ""
            self._gone(ProgramError(f"{self.name!r} {how}{said}"))

"""Starting the bot's program and ending it, with all that it has started itself."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from collections import deque
from pathlib import Path
from typing import Protocol

from tabiya.check.outcomes import CannotStart
from tabiya.processes.programs import exit_text, own_group, signal_group, with_address

LINES_KEPT = 40
LONGEST_LINE = 300
STOP_S = 2.0


class Launcher(Protocol):
    """Runs the bot, one at a time."""

    async def start(self, url: str) -> None:
        """Start it; it is to connect to `url`. Raises CannotStart."""

    async def stop(self) -> None:
        """End it, if it runs."""

    def ended(self) -> str | None:
        """How it has ended by itself, None while it runs."""

    def output(self) -> tuple[str, ...]:
        """The last lines it has printed since it was started."""


class CommandLauncher:
    """A program. `{url}` in the arguments is replaced by the address; without it the address is appended."""

    def __init__(self, command: tuple[str, ...], environment: dict[str, str], folder: Path | None = None) -> None:
        """environment: all of the program's, to which TABIYA_SERVER is added.  folder: where it runs; None: here."""
        self._command, self._environment, self._folder = command, environment, folder
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._lines: deque[str] = deque(maxlen=LINES_KEPT)

    @property
    def pid(self) -> int | None:
        """Of the process that runs now."""
        return self._process.pid if self._process is not None else None

    async def start(self, url: str) -> None:
        await self.stop()
        self._lines.clear()
        try:
            process = await asyncio.create_subprocess_exec(
                *with_address(self._command, url),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=self._environment | {"TABIYA_SERVER": url, "PYTHONUNBUFFERED": "1"},  # printed before it fails
                cwd=self._folder,
                **own_group(),
            )
        except (OSError, ValueError) as error:
            raise CannotStart(f"{self._command[0]!r} cannot be started: {error}") from None
        self._process = process
        self._reading = asyncio.create_task(self._read(process))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        rest = b""
        while block := await process.stdout.read(4096):
            # bounded: a program may print without ever ending a line
            *lines, rest = (rest + block)[-65_536:].split(b"\n")
            self._lines.extend(line.decode(errors="replace").rstrip()[:LONGEST_LINE] for line in lines)
        if rest:
            self._lines.append(rest.decode(errors="replace")[:LONGEST_LINE])

    async def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        signal_group(process.pid, hard=False)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), STOP_S)
        signal_group(process.pid, hard=True)  # also when it has ended: what it started may be left in its group
        await process.wait()
        if self._reading is not None:
            with contextlib.suppress(TimeoutError):  # a process outside its group may still hold the pipe
                await asyncio.wait_for(self._reading, STOP_S)

    def ended(self) -> str | None:
        code = self._process.returncode if self._process is not None else None
        return None if code is None else exit_text(code)

    def output(self) -> tuple[str, ...]:
        return tuple(self._lines)

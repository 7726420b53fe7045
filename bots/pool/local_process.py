"""A worker's process on this machine, and the interface that it shares with one on another machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

from tabiya.bots.pool.errors import WorkerError
from tabiya.bots.pool.sandbox import SandboxedProgram
from tabiya.protocol.printable import printable

HOME = Path(__file__).absolute().parents[3]  # not resolved: in a checkout tabiya/bots is a link
# -P and the folder in front: no file beside the started script is imported in place of a package.
MOST_PRINTED = 1 << 20  # bytes that are shown, of a program of somebody else in its whole life
PROGRAM = "import sys; sys.path.insert(0, {home!r}); from tabiya.bots.pool.worker import main; main()"


class ByteSink(Protocol):
    """Where bytes are written, such as `asyncio.StreamWriter`."""

    def write(self, data: bytes) -> None:
        """Send it, sooner or later. Raises ConnectionError or RuntimeError, or nothing, if nobody reads any more."""

    async def drain(self) -> None:
        """Wait while too much is on its way."""

    def close(self) -> None:
        """Close its input, so that the process ends."""


class RunningProcess(Protocol):
    """A worker's process. Its output ends when it ends."""

    pid: int
    """On its machine."""
    name: str
    """What it is called in reports."""
    stdin: ByteSink
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader | None

    @property
    def status(self) -> str:
        """Its exit status in words."""

    def kill(self) -> None:
        """End it, whatever it is doing, with those that it has started in its group. Raises nothing."""

    def close_pipe(self, number: int) -> None:
        """Read no more of its output, 1, or of what it prints, 2."""

    async def wait(self) -> str:
        """Wait until it has ended; how, in words."""


class LocalProcess:
    """A `RunningProcess` of this machine. Made by `start`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self.pid, self.name = process, process.pid, str(process.pid)
        self.stdin: ByteSink = process.stdin
        self.stdout, self.stderr = process.stdout, process.stderr

    @classmethod
    async def start(cls, sandboxed: SandboxedProgram | None = None) -> LocalProcess:
        """A worker that waits for its first frame.  sandboxed: its sandbox, None for none.  Raises WorkerError."""
        command: tuple[str, ...] = (sys.executable, "-P", "-c", PROGRAM.format(home=str(HOME)))
        try:
            process = await asyncio.create_subprocess_exec(
                *(command if sandboxed is None else sandboxed.command(command)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if sandboxed is None else subprocess.PIPE,
                env=None if sandboxed is None else sandboxed.environment,
                **_own_process_group(),
            )
        except OSError as error:
            raise WorkerError(f"no worker process can be started: {error.strerror or error}") from error
        if sandboxed is not None:
            sandboxed.started(process.pid)
        return cls(process)

    @property
    def status(self) -> str:
        """See `RunningProcess.status`."""
        status = self._process.returncode
        if status is None:
            return "still ending"
        return f"killed by signal {-status}" if status < 0 else f"exit status {status}"

    def kill(self) -> None:
        """See `RunningProcess.kill`."""
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self.pid, signal.SIGKILL)

    def close_pipe(self, number: int) -> None:
        """See `RunningProcess.close_pipe`."""
        self._process._transport.get_pipe_transport(number).close()  # type: ignore[attr-defined]

    async def wait(self) -> str:
        """See `RunningProcess.wait`."""
        await self._process.wait()
        return self.status


def show_printed(data: bytes) -> None:
    """What somebody's program has printed, on our standard error, unable to command a terminal."""
    for line in data.decode(errors="replace").splitlines():
        sys.stderr.write(f"{printable(line)}\n")
    sys.stderr.flush()


def _own_process_group() -> dict[str, Any]:
    """Ctrl-C in the terminal goes to the supervisor alone, which ends its workers."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}

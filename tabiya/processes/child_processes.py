"""Child processes of a command: started in order, stopped by id, nothing left behind."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tabiya.errors import UserError

STOP_S = 10.0  # a server ends within 8 (server_process.STOP_S)
POLL_S = 0.05  # how often a file that a child writes is looked for


class ChildProcesses:
    """The processes of one command, each a `tabiya` command itself; leaving the context stops them, newest first."""

    def __init__(self, logs: Path) -> None:
        """logs: folder for what they print, a file each."""
        self._logs = logs
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(
        self, name: str, arguments: list[str], environment: dict[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start `tabiya ARGUMENTS`; its output goes to a log file of that name. environment: added to ours."""
        with self._log(name).open("wb") as log:
            process = subprocess.Popen(
                ending_with_this_process([sys.executable, "-m", "tabiya", *arguments]),
                env=os.environ | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=os.name != "nt",  # Ctrl-C reaches them through `stop` alone, in our order
            )
        self._running.append((name, process))
        return process

    def _log(self, name: str) -> Path:
        safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in name)
        return self._logs / f"{safe}.log"

    def check(self) -> None:
        """Raise UserError if one has ended by itself, with its last lines of output."""
        for name, process in self._running:
            status = process.poll()
            if status is not None:
                lines = self._log(name).read_text(errors="replace").strip().splitlines()[-5:]
                raise UserError(f"{name} ended with status {status}: " + " / ".join(lines))

    def stop(self) -> None:
        """Ask each to stop, the newest first; kill what does not."""
        running, self._running = self._running[::-1], []  # a second call finds nothing to stop
        for _, process in running:
            with contextlib.suppress(OSError):  # it may be ending just now
                process.terminate()
        deadline = time.monotonic() + STOP_S  # one for all: several that hang take no longer than one
        try:
            for _, process in running:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(max(0.1, deadline - time.monotonic()))
        finally:  # also at a second Ctrl-C
            for _, process in running:
                process.kill()  # of one that has ended already, nothing
                process.wait()


def ending_with_this_process(command: list[str]) -> list[str]:
    """The command so started that it ends with us, where that can be had."""
    if sys.platform != "linux":
        return command
    return [sys.executable, "-m", "tabiya.processes.die_with_parent", str(os.getpid()), *command]


def wait_for_json(path: Path, children: ChildProcesses, timeout_s: float) -> dict[str, Any]:
    """The JSON object that a child writes to `path` when it is ready. Raises UserError if it dies or takes too long."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError, ValueError):  # not there yet, or not all of it
            value = json.loads(path.read_text())
            if isinstance(value, dict):
                return value
        children.check()
        time.sleep(POLL_S)
    raise UserError(f"the server was not ready after {timeout_s:.0f} seconds")

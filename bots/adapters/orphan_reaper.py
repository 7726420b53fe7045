"""Kills engines whose owner was killed: a process of its own that sleeps until its input ends.

A program usually quits when its input ends, but one that thinks or hangs does not, and a process that is killed with
SIGKILL can end nothing any more. So the owner tells the reaper of every program it starts and of every end; when the
reaper's input ends, it kills what is left, each by its id. Windows has no process groups; there it does nothing.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

PROGRAM = """
import os, signal, sys
alive = set()
for line in sys.stdin.buffer:
    pid = int(line)
    alive.add(pid) if pid > 0 else alive.discard(-pid)
for pid in alive:
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass
"""


class OrphanReaper:
    """Watches over programs that lead a process group each."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, pid: int) -> None:
        """A program has been started."""
        if os.name != "posix":
            return
        if self._process is None:
            command = [sys.executable, "-I", "-S", "-c", PROGRAM]
            with contextlib.suppress(OSError):  # no more processes: nothing that a game should end for either
                self._process = subprocess.Popen(command, stdin=subprocess.PIPE, bufsize=0, start_new_session=True)
        self._write(pid)

    def remove(self, pid: int) -> None:
        """It has ended, and its id may belong to another soon."""
        self._write(-pid)

    def close(self) -> None:
        """End the reaper; it kills what was not removed."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()
            process.wait()

    def _write(self, number: int) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):  # somebody has killed the reaper: nothing that a game should end for
                self._process.stdin.write(b"%d\n" % number)

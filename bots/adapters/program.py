"""A program that is spoken to line by line through its standard input and output.

Everything that can go wrong with it (missing, silent, dead, talking without end) becomes a ProgramError of one
sentence. Nothing here knows a protocol.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import IO

from tabiya.bots.adapters.orphan_reaper import Guard

LONGEST_LINE = 65_536
MOST_LINES = 4_096  # unread lines kept; then the program waits
LAST_WORDS = 5
QUIT_S = 0.5  # between the word to quit and the signal to die
LOOK_S = 0.25  # how long a silent program is waited for without a look whether it still runs


class ProgramError(RuntimeError):
    """A program that does not do its part; the message says which and how."""


class Program:
    """One running program. Used by one thread; `write` may also be called by another."""

    def __init__(self, command: tuple[str, ...]) -> None:
        """Start it. Raises ProgramError."""
        self.command = command
        self._lines: queue.Queue[bytes | None] = queue.Queue(MOST_LINES)
        self._said: deque[str] = deque(maxlen=LAST_WORDS)
        self._lock = threading.Lock()
        self._ended = self._heard_all = False
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=os.name == "posix",  # Ctrl-C is for us; and the whole group can be ended
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise ProgramError(f"{command[0]!r} cannot be started: {reason}") from None
        self._guard = Guard()
        self._guard.keep(self._process.pid)
        self._readers = [self._read(self._process.stdout, self._keep), self._read(self._process.stderr, self._hear)]

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return os.path.basename(self.command[0])  # noqa: PTH119 (a command may be no path at all)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it has been seen to end."""
        return self._ended

    def write(self, line: str) -> None:
        """Send one line. Raises ProgramError when the program has gone."""
        assert self._process.stdin is not None
        try:
            with self._lock:
                self._process.stdin.write(line.encode() + b"\n")
                self._process.stdin.flush()
        except (OSError, ValueError):
            self._ended = True
            raise self._gone() from None

    def read(self, deadline_s: float) -> str | None:
        """The next line without its end, None when none comes before `deadline_s` (of time.monotonic()).

        Raises ProgramError when the program has ended.
        """
        if self._ended:
            raise self._gone()
        while (left_s := deadline_s - time.monotonic()) > 0:  # later nothing counts: some talk without end
            has_run = self._process.poll() is None
            try:
                line = self._lines.get(timeout=min(left_s, LOOK_S))
            except queue.Empty:
                if has_run:
                    continue
                line = None  # what it has started holds its output open
            if line is None:
                self._ended = self._heard_all = True
                raise self._gone()
            return line.decode("utf-8", "replace").strip()
        return None

    def close(self, farewell: str = "quit") -> None:
        """Ask it to quit, give it half a second, end it, and take back all that it holds. Raises nothing."""
        with contextlib.suppress(ProgramError):
            self.write(farewell)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._drain(time.monotonic() + QUIT_S)
        self.kill()

    def kill(self) -> None:
        """End it at once, with the processes it has started. Raises nothing."""
        if os.name == "posix":
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        self._guard.forget(self._process.pid)
        self._guard.close()
        self._ended = True
        self._drain(time.monotonic() + QUIT_S)
        for reader in self._readers:
            reader.join(timeout=QUIT_S)
        if not any(reader.is_alive() for reader in self._readers):  # else a stranger has inherited the pipes
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()

    def _drain(self, deadline_s: float) -> None:
        """Throw away what it still says until it has ended: a program whose pipe is full cannot quit."""
        while not self._heard_all and time.monotonic() < deadline_s:
            with contextlib.suppress(queue.Empty):
                self._heard_all = self._lines.get(timeout=0.01) is None

    def _gone(self) -> ProgramError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=QUIT_S)
        for reader in self._readers:  # what it said last may still be on its way
            reader.join(timeout=QUIT_S)
        code = self._process.poll()
        how = "has closed its output" if code is None else f"has ended with exit code {code}"
        said = f"; its last words: {' | '.join(self._said)}" if self._said else ""
        return ProgramError(f"{self.name!r} {how}{said}")

    def _keep(self, line: bytes | None) -> None:
        self._lines.put(line)

    def _hear(self, line: bytes | None) -> None:
        if line is not None and line.strip():
            self._said.append(line.decode("utf-8", "replace").strip()[:200])

    def _read(self, pipe: IO[bytes] | None, take: Callable[[bytes | None], None]) -> threading.Thread:
        assert pipe is not None

        def run() -> None:
            with contextlib.suppress(OSError, ValueError):
                while line := pipe.readline(LONGEST_LINE):
                    take(line)
            take(None)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

"""Checkpoints of SQLite's write-ahead log in their own thread, so that no move waits for one.

Left to itself SQLite does that inside a commit, and every move of that batch waits for the disk: `python -m
benchmarks.storage --rate 10000`, with and without `--checkpoint-inside`, shows what it costs the slowest hundredth.
The writer still does it if this thread falls far behind.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from pathlib import Path

from tabiya.storage.sql.sqlite_engine import connect

ROWS = 200
"""Rows written since the last round that start the next one; chosen, not measured."""

PAUSE_S = 0.02
"""Between two rounds, since each waits for the disk; chosen, not measured."""


class Checkpointer:
    """The thread and its connection."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows = 0
        self._due = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tabiya-checkpoint", daemon=True)
        self.round_over = threading.Event()

    def start(self) -> None:
        self._thread.start()

    def wrote(self, rows: int) -> None:
        """Called by the writer after each commit, and by no other thread."""
        self._rows += rows
        if self._rows >= ROWS:
            self._rows = 0
            self._due.set()

    def stop(self) -> None:
        """Return when the connection is closed."""
        self._stopping.set()
        self._due.set()
        if self._thread.ident is not None:  # it was started
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._due.wait()
            self._due.clear()
            # the writer meets the same error and reports it
            with contextlib.suppress(sqlite3.Error), contextlib.closing(connect(self._path, "rw")) as connection:
                self._work(connection)

    def _work(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA synchronous=NORMAL").fetchall()
        while not self._stopping.is_set():
            # PASSIVE does not wait: parts of the log that a reader still needs are checkpointed the next time
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            self.round_over.set()
            self._stopping.wait(PAUSE_S)
            self._due.wait()
            self._due.clear()

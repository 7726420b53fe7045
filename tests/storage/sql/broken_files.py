"""SQLite files with a page that the disk has lost."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path


def break_page_with(file: Path, mark: str) -> None:
    """Overwrite the first page in which this text stands, as a failing disk does. No store may have the file open."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    content = bytearray(file.read_bytes())
    place = content.index(mark.encode())
    start = place - place % size
    content[start : start + size] = b"\xff" * size
    file.write_bytes(content)

"""Copies of a SQLite database: made while a server writes, and put back when none does."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from tabiya.storage.address import parse_address
from tabiya.storage.errors import CannotOpen, StoreError
from tabiya.storage.sql.db_errors import sentence
from tabiya.storage.sql.sqlite_engine import connect, lock_file


def copy_database(source: Path, target: Path) -> None:
    """A consistent copy, complete or not there at all.  Raises `StoreError` if the target exists or the copy fails."""
    if target.exists():
        raise StoreError(f"{target} exists already; give another name")
    if not target.parent.is_dir():
        raise StoreError(f"there is no folder {target.parent}")
    unfinished = target.with_name(target.name + ".part")
    try:
        unfinished.unlink(missing_ok=True)
        with contextlib.closing(connect(source, "rw")) as from_, contextlib.closing(connect(unfinished, "rwc")) as to:
            from_.backup(to)
            # one file instead of three, in any journal mode of the source
            to.execute("PRAGMA journal_mode=DELETE").fetchall()
        unfinished.replace(target)
    except (sqlite3.Error, OSError) as error:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise StoreError(f"{source} could not be copied to {target}: {error}") from error


def restore(url: str, backup: Path, *, replace: bool = False) -> None:
    """Put a copy back at an address; see `restore_database`.  PostgreSQL brings its own tool.  Raises `StoreError`."""
    address = parse_address(url)
    if address.kind == "memory":
        raise StoreError("a store in memory cannot be restored")
    if address.kind == "postgresql":
        raise StoreError(f"a PostgreSQL database is restored with its own tool: pg_restore --dbname=NAME {backup}")
    restore_database(backup, address.path, replace=replace)


def restore_database(backup: Path, target: Path, *, replace: bool = False) -> None:
    """Put a copy back as the database.  Raises `StoreError`: no such copy, damaged, target exists or is in use.

    replace: overwrite an existing database, which no server may be using.
    """
    if not backup.is_file():
        raise CannotOpen(f"there is no backup at {backup}")
    _check_whole(backup)
    if target.exists() and not replace:
        raise StoreError(f"{target} exists already; --replace puts the backup in its place")
    with contextlib.closing(lock_file(target)):  # no server can begin to use it meanwhile
        fresh = target.with_name(target.name + ".restored")
        fresh.unlink(missing_ok=True)
        copy_database(backup, fresh)
        # They belong to the database that goes away. First, or SQLite would play its log into the new file.
        for ending in ("-wal", "-shm"):
            target.with_name(target.name + ending).unlink(missing_ok=True)
        fresh.replace(target)


def _check_whole(backup: Path) -> None:
    try:
        with contextlib.closing(connect(backup, "ro")) as connection:
            (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error as error:
        raise CannotOpen(f"{backup} is no usable backup: {sentence(error)}") from error
    if answer != "ok":
        raise CannotOpen(f"{backup} is damaged: {answer}")
    if "matches" not in tables:
        raise CannotOpen(f"{backup} is an SQLite database, but not Tabiya's")

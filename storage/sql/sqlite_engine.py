"""Connections to a SQLite file as Tabiya wants them."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import stat
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Engine, NullPool, QueuePool, create_engine, event

from tabiya.storage.errors import CannotOpen, DatabaseInUse
from tabiya.storage.sql.db_errors import sqlite_sentence
from tabiya.storage.store import Durability

log = logging.getLogger("tabiya.storage")
WAIT_FOR_LOCK_S = 5.0
CACHE_KIB = 32_000
"""Of the writer, at most. Each running match has a page of its own; SQLite's usual 2,000 are too few for a thousand,
and three moves in four then read it again."""
OWNER_ONLY = 0o600
SIDE_FILE_SUFFIXES = ("-wal", "-shm", ".lock")
MOST_PAGES_IN_LOG = 32_000
"""When the writer carries over the log itself (`storage/sql/checkpoint.py` should have done so long before): 125 MiB.

At a quarter of that it did so every three to five seconds, waiting for the disk several times while moves waited for it
(docs/measurements/server-speed.md). After a kill a log as long as this takes 0.04 s to read.
"""


def connect(path: Path, mode: Literal["ro", "rw", "rwc"]) -> sqlite3.Connection:
    """A plain connection that begins no transaction by itself.  mode: "rwc" creates a missing file, for its owner."""
    if mode == "rwc":
        # An empty file is an empty database. SQLite itself would let everybody read it, and gives -wal and -shm the
        # mode of the file they belong to. What is in the way SQLite meets too, and says it better.
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNER_ONLY))
    address = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(address, uri=True, timeout=WAIT_FOR_LOCK_S, isolation_level=None, check_same_thread=False)


def take_from_others(path: Path) -> None:
    """If we own the database, make it readable by us only, and log it."""
    if os.name == "nt":
        return
    for each in (path, *(path.with_name(path.name + ending) for ending in SIDE_FILE_SUFFIXES)):
        with contextlib.suppress(OSError):  # not there, or on a disk that knows no owners
            found = each.stat()
            mode = stat.S_IMODE(found.st_mode)
            if found.st_uid != os.geteuid() or not mode & 0o077:
                continue
            each.chmod(mode & 0o700)
            if each == path and (now := stat.S_IMODE(each.stat().st_mode)) != mode:
                log.warning(
                    "%s could be read by other users of this machine; now its owner alone can (mode %04o is now %04o)",
                    path, mode, now,
                )  # fmt: skip


def writing_engine(path: Path, durability: Durability, *, create: bool = False) -> Engine:
    """An engine whose transactions take the write lock when they begin; one new connection for each `connect`."""
    synchronous = "FULL" if durability == "power" else "NORMAL"
    settings = (
        "journal_mode=WAL",
        f"synchronous={synchronous}",
        f"fullfsync={'ON' if durability == 'power' else 'OFF'}",  # on macOS a sync leaves data in the disk's cache
        "foreign_keys=ON",
        "secure_delete=ON",  # a secret that is overwritten by its hash is not left in the file
        f"cache_size=-{CACHE_KIB}",
        f"wal_autocheckpoint={MOST_PAGES_IN_LOG}",
        f"journal_size_limit={4096 * MOST_PAGES_IN_LOG}",
    )
    engine = create_engine("sqlite://", creator=lambda: connect(path, "rwc" if create else "rw"), poolclass=NullPool)
    # IMMEDIATE: a transaction that reads first and then wants to write is refused at once if another has written since
    return _prepared(engine, settings, "BEGIN IMMEDIATE")


def reading_engine(path: Path, connections: int) -> Engine:
    """An engine that cannot write; each transaction sees one state of the data."""
    # rw, although `query_only` forbids writes: a reader of a WAL file must be able to make its -shm file
    engine = create_engine(
        "sqlite://", creator=lambda: connect(path, "rw"), poolclass=QueuePool, pool_size=connections, max_overflow=0
    )
    return _prepared(engine, ("query_only=ON",), "BEGIN")


def _prepared(engine: Engine, settings: tuple[str, ...], begin: str) -> Engine:
    @event.listens_for(engine, "connect")
    def _set_up(connection: Any, _record: Any) -> None:
        for setting in settings:
            connection.execute(f"PRAGMA {setting}").fetchall()

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql(begin)

    return engine


def lock_file(path: Path) -> sqlite3.Connection:
    """Hold the database for one server until the connection is closed or the process dies.

    The lock is SQLite's own, on a file beside: it works on every system and no dead process can leave it behind.
    Raises `DatabaseInUse`.
    """
    beside = path.with_name(path.name + ".lock")
    try:
        lock = connect(beside, "rwc")
    except sqlite3.Error as error:
        raise CannotOpen(f"{beside} cannot be made: {sqlite_sentence(str(error)) or error}") from error
    try:
        lock.execute("PRAGMA busy_timeout=0")
        lock.execute("PRAGMA journal_mode=MEMORY").fetchall()  # a server that is killed leaves no journal behind
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        if "locked" not in str(error):
            raise CannotOpen(f"{beside} cannot be locked: {error}") from error
        raise DatabaseInUse(f"{path} is in use by another Tabiya server; stop it or give another database") from error
    return lock

"""SQLite: one thread writes, through its own connection; two more read."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from tabiya.storage.address import Address
from tabiya.storage.errors import CannotOpen, HostEnded, StoreError
from tabiya.storage.group_commit import Batch
from tabiya.storage.sql.backup import copy_database
from tabiya.storage.sql.checkpoint import Checkpointer
from tabiya.storage.sql.database import P, Query, Resolve, T, WriteFailures
from tabiya.storage.sql.db_errors import sentence
from tabiya.storage.sql.schema.revision import EMPTY, check_revision, revision_of
from tabiya.storage.sql.sqlite_engine import reading_engine, take_from_others, writing_engine
from tabiya.storage.sql.statements.batch_writes import commit_batch, commit_moves
from tabiya.storage.sql.statements.hosts import check_host
from tabiya.storage.store import Durability

READERS = 2  # chosen, not measured: a second one so that a long export does not hold up the pages
BEAT_S = 1.0  # between two looks of a host that has nothing to write whether it was ended


class SqliteDatabase:
    """See `Database`.  The file must exist and have the right schema."""

    def __init__(
        self, address: Address, durability: Durability, owner: sqlite3.Connection | None, host: int = 0
    ) -> None:
        """host: 0 for none."""
        self.address, self._host = address, host
        self._loop = asyncio.get_running_loop()
        # only by a host that was ended: a running server keeps the file for itself
        self.given_up: asyncio.Future[str] = self._loop.create_future()
        self._checkpointer = Checkpointer(address.path)
        self._writer = _Writer(address.path, durability, host)
        self._batches: SimpleQueue[Batch | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._engine = reading_engine(address.path, READERS)
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="tabiya-read")
        self._owner = owner

    def start(self, resolve: Resolve) -> None:
        # a daemon thread: a server that is killed need not wait for the disk
        self._thread = threading.Thread(target=self._write, args=(resolve,), name="tabiya-write", daemon=True)
        self._thread.start()
        self._checkpointer.start()

    def write_batch(self, batch: Batch) -> None:
        self._batches.put(batch)

    def _write(self, resolve: Resolve) -> None:
        while (batch := self._next_batch()) is not None:
            self._writer.write(batch)
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._report_end()  # before the answers, which say so, too
                self._loop.call_soon_threadsafe(resolve, batch)
            self._checkpointer.wrote(len(batch))  # after the answers, which need not wait for it
        self._checkpointer.stop()
        self._writer.close()

    def _next_batch(self) -> Batch | None:
        """What is to be written next; None at the end. A host that waits for it looks now and then whether it may."""
        while True:
            try:
                return self._batches.get(timeout=BEAT_S if self._host and not self._writer.ended else None)
            except Empty:
                self._writer.write([])
                with contextlib.suppress(RuntimeError):
                    self._report_end()

    def _report_end(self) -> None:
        if self._writer.ended:
            self._loop.call_soon_threadsafe(self._give_up, self._writer.ended)

    def _give_up(self, why: str) -> None:
        if not self.given_up.done():
            self.given_up.set_result(why)

    async def read(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:

        def ask() -> T:
            with self._engine.connect() as connection:
                return query(connection, *args, **kwargs)

        try:
            return await self._loop.run_in_executor(self._readers, ask)
        except (DBAPIError, OSError) as error:
            raise StoreError(f"{self.address} cannot be read: {sentence(error)}") from error

    async def backup(self, path: Path) -> None:
        await self._loop.run_in_executor(self._readers, copy_database, self.address.path, path)

    async def close(self) -> None:
        self._batches.put(None)
        if self._thread is not None:
            await self._loop.run_in_executor(None, self._thread.join)
        await self._loop.run_in_executor(None, self._readers.shutdown)
        self._engine.dispose()
        if self._owner is not None:  # last: from here on another server may open the file
            self._owner.close()


class _Writer:
    """The writing connection, used by one thread only."""

    def __init__(self, path: Path, durability: Durability, host: int) -> None:
        self._path, self._host = path, host
        self.ended = ""  # why the host may write nothing any more
        self._file = _identity(path)
        self._engine = writing_engine(path, durability)
        self._connection: Connection | None = None
        self._failures = WriteFailures(path, time.monotonic)

    def write(self, batch: Batch) -> None:
        """Commit, or give every write its error."""
        if self._failures.is_paused(batch):
            return
        try:
            connection = self._connected()
            if self._host or not commit_moves(connection, batch):
                commit_batch(connection, batch, self._check_host)
            self._failures.succeeded()
        except HostEnded as error:
            self.ended = str(error)
            for pending in batch:
                pending.value, pending.error = None, error
        except Exception as error:
            self._failures.failed(batch, error)
            self.close()

    def _check_host(self, connection: Connection) -> None:
        if self._host:
            check_host(connection, self._host)

    def _connected(self) -> Connection:
        # one stat a batch: a deleted file would still take rows, which are lost
        if _identity(self._path) != self._file:
            raise OSError("the file was removed or replaced while it was in use; restart the server")
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(DBAPIError):
                self._connection.close()
            self._connection = None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def prepare_file(path: Path, *, create: bool, writable: bool, read_only: bool = False) -> None:
    """Make sure that the file is a database of our schema; creates it if allowed.  Raises `CannotOpen`.

    writable: also take it from other users of the machine, and find out now whether it can be written; else a database
    that is there is only looked at, so that a command does not stand in a running server's way.  read_only: an empty
    one is refused and not filled.
    """
    check_place(path, create=create)
    try:
        if writable or not path.exists() or not _is_current(reading_engine(path, 1)):
            if read_only:
                raise CannotOpen(EMPTY)
            _fill_if_empty(writing_engine(path, "process", create=create))
        if writable:
            take_from_others(path)  # only now that it is known to be ours: another program's file keeps its mode
    except (DBAPIError, OSError) as error:
        raise CannotOpen(f"{path} cannot be opened: {sentence(error)}") from error
    except CannotOpen as error:
        raise type(error)(f"{path} cannot be opened: {error}") from error


def _is_current(engine: Engine) -> bool:
    """False for an empty database.  Raises `WrongSchema`."""
    try:
        with engine.connect() as connection:
            found = revision_of(connection)
    finally:
        engine.dispose()
    if found is not None:
        check_revision(found)
    return found is not None


def _fill_if_empty(engine: Engine) -> None:
    with engine.connect() as connection, connection.begin():
        found = revision_of(connection)
        if found is None:
            from tabiya.storage.sql.schema.migrate import migrate  # alembic takes a quarter of a second to load

            migrate(connection)
        else:
            check_revision(found)


def check_may_write(path: Path, host: int) -> None:
    """Raise `CannotOpen` if the host of this number was ended, or never was."""
    engine = reading_engine(path, 1)
    try:
        with engine.connect() as connection:
            check_host(connection, host)
    except HostEnded as error:
        raise CannotOpen(f"{path} cannot be opened: {error}") from error
    finally:
        engine.dispose()


def check_place(path: Path, *, create: bool) -> None:
    """Raise `CannotOpen` if no file can be there, or if none is and none may be created."""
    if path.is_dir():
        raise CannotOpen(f"{path} cannot be opened: it is a folder")
    if not path.parent.is_dir():
        raise CannotOpen(f"{path} cannot be opened: there is no folder {path.parent}")
    if not create and not path.exists():
        raise CannotOpen(f"there is no database at {path}")

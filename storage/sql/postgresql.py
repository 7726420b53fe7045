"""PostgreSQL: one task writes, through its own connection; a small pool reads."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from sqlalchemy import Connection, NullPool, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from tabiya.storage.address import Address
from tabiya.storage.errors import CannotOpen, DatabaseInUse, HostEnded, StoreError
from tabiya.storage.group_commit import Batch, PendingWrite
from tabiya.storage.sql.advisory_locks import UPGRADE_LOCK
from tabiya.storage.sql.database import P, Query, Resolve, T, WriteFailures
from tabiya.storage.sql.db_errors import sentence
from tabiya.storage.sql.postgresql_engine import (
    IN_USE,
    MOVED,
    check_session,
    check_writable,
    engine_for,
    hold_host_lock,
    opening,
    take_ownership,
)
from tabiya.storage.sql.schema.revision import EMPTY, check_revision, revision_of
from tabiya.storage.sql.statements.acknowledged import is_of_match, is_stored
from tabiya.storage.sql.statements.batch_writes import commit_batch
from tabiya.storage.sql.statements.hosts import check_host
from tabiya.storage.store import Durability

BEAT_S = 1.0  # between two words of the writer to the database at most: by them others know that the server lives

TAKEN_OVER = "another server has taken over the database; its matches go on there"
LOST = (
    "the database has lost moves that it had acknowledged, as when a replica without them takes its place; "
    "start the server again: its matches go on from what is stored"
)

# "off" would lose acknowledged moves when PostgreSQL itself dies; the stronger settings of replicated servers stay
_DURABLE = text(
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
)

# A commit whose answer was lost with its connection may wait for its replica still. The same write, tried again, finds
# its row, writes nothing and would wait for nobody. A transaction that puts something into the log, which nobody reads,
# waits for all before it.
_AWAIT_REPLICAS = text("SELECT pg_logical_emit_message(true, 'tabiya', '')")


class PostgresDatabase:
    """See `Database`.  The database must have the right schema."""

    def __init__(
        self,
        address: Address,
        durability: Durability,
        *,
        exclusive: bool,
        readers: int,
        read_only: bool = False,
        host: int = 0,
    ) -> None:
        """read_only: PostgreSQL itself refuses all writes. host: 0 for none."""
        self.address = address
        self._loop = asyncio.get_running_loop()
        self._writer = _Writer(address, durability, exclusive=exclusive, host=host)
        # A query of several statements sees one state of the data. After a restart of the server the pool holds dead
        # connections, hence the ping.
        self._engine = engine_for(address, pool_size=readers, max_overflow=0, pool_pre_ping=True).execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=read_only
        )
        self.given_up = self._writer.given_up
        self._batches: asyncio.Queue[Batch | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Connect the writer now, so that a wrong address shows when the server starts.  Raises `CannotOpen`."""
        await opening(self.address, self._writer.connect)

    def start(self, resolve: Resolve) -> None:
        self._task = self._loop.create_task(self._write(resolve), name="tabiya-write")

    def write_batch(self, batch: Batch) -> None:
        self._batches.put_nowait(batch)

    async def _write(self, resolve: Resolve) -> None:
        while True:
            try:
                async with asyncio.timeout(BEAT_S):
                    batch = await self._batches.get()
            except TimeoutError:
                await self._writer.beat()
                continue
            if batch is None:
                return
            await self._writer.write(batch)
            resolve(batch)

    async def read(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            async with self._engine.connect() as connection:
                return await connection.run_sync(query, *args, **kwargs)
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(f"{self.address} cannot be read: {sentence(error)}") from error

    async def backup(self, path: Path) -> None:
        """Always raises: PostgreSQL brings its own tool."""
        raise StoreError(
            f"a PostgreSQL database is copied with its own tool: pg_dump --format=custom --file={path} NAME"
        )

    async def close(self) -> None:
        self._batches.put_nowait(None)
        if self._task is not None:
            await self._task
        await self._writer.close()
        await self._engine.dispose()


class _Writer:
    """The writing connection."""

    def __init__(self, address: Address, durability: Durability, *, exclusive: bool, host: int) -> None:
        self._durability = durability
        self._exclusive, self._host = exclusive, host
        self.given_up: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        # read committed: a statement that waited for a lock sees rows committed meanwhile
        self._engine = engine_for(address, poolclass=NullPool, isolation_level="READ COMMITTED")
        self._connection: AsyncConnection | None = None
        self._last: PendingWrite | None = None  # that was acknowledged, of a match
        self._failures = WriteFailures(address, asyncio.get_running_loop().time)

    async def write(self, batch: Batch) -> None:
        """Commit, or give every write its error."""
        if self._failures.is_paused(batch):
            return
        try:
            connection = await self.connect()
            await connection.run_sync(commit_batch, batch, self._check_host)
            self._failures.succeeded()
            self._last = next((pending for pending in reversed(batch) if is_of_match(pending)), self._last)
        except HostEnded as error:
            for pending in batch:
                pending.value, pending.error = None, error
        except Exception as error:
            self._failures.failed(batch, error)
            await self._release_connection()

    async def beat(self) -> None:
        """Send a sign of life while this is the server's connection; notice if another server has replaced it.

        A host notices that the server has ended it.
        """
        if not (self._exclusive or self._host) or self.given_up.done():
            return
        try:
            connection = await self.connect()
            async with connection.begin():
                await connection.execute(text("SELECT 1"))
                await connection.run_sync(self._check_host)
        except Exception:  # an error shows at the next write
            await self._release_connection()

    async def connect(self) -> AsyncConnection:
        """The connection, a new one if it was lost."""
        if self._connection is None:
            connection = await self._engine.connect()
            try:
                await connection.run_sync(self._set_up)
                if self._exclusive or self._host:
                    await check_session(self._engine, connection)
            except BaseException:
                await connection.close()
                raise
            self._connection = connection
        return self._connection

    def _set_up(self, connection: Connection) -> None:
        with connection.begin():
            connection.execute(_DURABLE)
            if self._durability == "power":
                _check_syncs(connection)
            if not (self._exclusive or self._host):
                return
            owned = not self._exclusive or take_ownership(connection)
            if self._host:
                check_writable(connection)
                self._check_host(connection)
                if not hold_host_lock(connection):
                    raise DatabaseInUse(MOVED)
            is_whole = self._last is None or is_stored(connection, self._last)
            connection.execute(_AWAIT_REPLICAS)
        if not owned:
            self._give_up(TAKEN_OVER)
            raise DatabaseInUse(IN_USE)
        if not is_whole:
            self._give_up(LOST)
            raise CannotOpen(LOST)

    def _check_host(self, connection: Connection) -> None:
        """Raise `HostEnded`, and give up, if this is the writer of a host that may not write any more."""
        if self._host:
            try:
                check_host(connection, self._host)
            except HostEnded as error:
                self._give_up(str(error))
                raise

    def _give_up(self, why: str) -> None:
        if not self.given_up.done():
            self.given_up.set_result(why)

    async def _release_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                await connection.invalidate()
                await connection.close()

    async def close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(SQLAlchemyError, OSError):
                await self._connection.close()
        await self._engine.dispose()


def _check_syncs(connection: Connection) -> None:
    """Raise `CannotOpen` if the database's server does not wait for its disk, which we cannot set."""
    for setting in ("fsync", "full_page_writes"):
        if connection.scalar(text(f"SHOW {setting}")) != "on":
            what = f"the PostgreSQL server runs with {setting}=off and may lose what it has acknowledged"
            raise CannotOpen(f"{what} when the power fails; turn it on there, or do without durability power")


async def prepare_database(address: Address, *, read_only: bool = False) -> None:
    """Make sure that the database has our schema; fills an empty one, unless it is only read.  Raises `CannotOpen`."""
    engine = engine_for(address, poolclass=NullPool)

    async def prepare() -> None:
        async with engine.connect() as connection:
            await connection.run_sync(_prepare, read_only)

    await opening(address, prepare)


def _prepare(connection: Connection, read_only: bool) -> None:
    with connection.begin():
        found = revision_of(connection)
    if found is None and read_only:
        raise CannotOpen(EMPTY)
    if found is None:
        from tabiya.storage.sql.schema.migrate import migrate  # alembic takes a quarter of a second to load

        with connection.begin():
            # another server may have filled it while we waited: then there is nothing left to migrate
            connection.execute(text(f"SELECT pg_advisory_xact_lock({UPGRADE_LOCK})"))
            migrate(connection)
    else:
        check_revision(found)

"""PostgreSQL: one task writes, through its own connection; a small pool reads."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, NullPool, make_url, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from tabiya.storage.address import Address
from tabiya.storage.errors import CannotOpen, DatabaseInUse, StoreError
from tabiya.storage.group_commit import Batch
from tabiya.storage.sql.database import P, Query, Resolve, T, WriteFailures
from tabiya.storage.sql.db_errors import sentence
from tabiya.storage.sql.schema.revision import check_revision, revision_of
from tabiya.storage.sql.statements.batch_writes import commit_batch
from tabiya.storage.store import Durability

READERS = 4  # connections; chosen, not measured: more than for SQLite, for here the server does the work of a query
CONNECT_S = 10.0
STATEMENT_S = 60.0
# any number will do; it must only be ours
OWNER_LOCK = 0x7AB1_7A00
UPGRADE_LOCK = 0x7AB1_7A01

# "off" would lose acknowledged moves when PostgreSQL itself dies; the stronger settings of replicated servers stay
_DURABLE = text(
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
)


class PostgresDatabase:
    """See `Database`.  The database must have the right schema."""

    def __init__(self, address: Address, durability: Durability, *, exclusive: bool) -> None:
        self.address = address
        self._loop = asyncio.get_running_loop()
        self._writer = _Writer(address, durability, exclusive=exclusive)
        # A query of several statements sees one state of the data. After a restart of the server the pool holds dead
        # connections, hence the ping.
        self._engine = engine_for(address, pool_size=READERS, max_overflow=0, pool_pre_ping=True).execution_options(
            isolation_level="REPEATABLE READ"
        )
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
        while (batch := await self._batches.get()) is not None:
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

    def __init__(self, address: Address, durability: Durability, *, exclusive: bool) -> None:
        self._durability = durability
        self._exclusive = exclusive
        self._engine = engine_for(address, poolclass=NullPool)
        self._connection: AsyncConnection | None = None
        self._failures = WriteFailures(address, asyncio.get_running_loop().time)

    async def write(self, batch: Batch) -> None:
        """Commit, or give every write its error."""
        if self._failures.is_paused(batch):
            return
        try:
            connection = await self.connect()
            await connection.run_sync(commit_batch, batch)
            self._failures.succeeded()
        except Exception as error:
            self._failures.failed(batch, error)
            await self._let_go()

    async def connect(self) -> AsyncConnection:
        """The connection, made anew if it was lost."""
        if self._connection is None:
            connection = await self._engine.connect()
            try:
                await connection.run_sync(self._set_up)
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
            # of the session: it goes with the connection, also when this process is killed
            owned = not self._exclusive or connection.scalar(text(f"SELECT pg_try_advisory_lock({OWNER_LOCK})"))
        if not owned:
            raise DatabaseInUse("it is in use by another Tabiya server; stop it or give another database")

    async def _let_go(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                await connection.invalidate()
                await connection.close()

    async def close(self) -> None:
        """Let go of the database."""
        if self._connection is not None:
            with contextlib.suppress(SQLAlchemyError, OSError):
                await self._connection.close()
        await self._engine.dispose()


def _check_syncs(connection: Connection) -> None:
    """Raise `CannotOpen` if the database's server does not wait for its disk, so that no setting of ours can help."""
    for setting in ("fsync", "full_page_writes"):
        if connection.scalar(text(f"SHOW {setting}")) != "on":
            what = f"the PostgreSQL server runs with {setting}=off and may lose what it has acknowledged"
            raise CannotOpen(f"{what} when the power fails; turn it on there, or do without durability power")


def engine_for(address: Address, statement_s: float | None = STATEMENT_S, **options: Any) -> AsyncEngine:
    """An engine for the address.  statement_s: None to wait for ever.  Raises `CannotOpen` if it has no meaning."""
    try:
        url = _driver_url(make_url(address.target))
    except (SQLAlchemyError, ValueError) as error:
        raise CannotOpen(f"the database address {address} cannot be understood") from error
    arguments = {
        "timeout": CONNECT_S,
        "command_timeout": statement_s,
        # our queries are short: PostgreSQL would take longer to compile one than to answer it
        "server_settings": {"application_name": "tabiya", "jit": "off"},
    }
    # hide_parameters: an error that is logged is not to tell the values, among them hashes of tokens
    return create_async_engine(url, connect_args=arguments, hide_parameters=True, **options)


def _driver_url(url: URL) -> URL:
    # libpq's name for it, which is what people have at hand
    mode = url.query.get("sslmode")
    if mode is not None:
        url = url.difference_update_query(["sslmode"]).update_query_dict({"ssl": mode})
    return url.set(drivername="postgresql+asyncpg")


async def prepare_database(address: Address) -> None:
    """Make sure that the database has our schema; fills an empty one.  Raises `CannotOpen`."""
    engine = engine_for(address, poolclass=NullPool)

    async def prepare() -> None:
        async with engine.connect() as connection:
            await connection.run_sync(_prepare)

    await opening(address, prepare)


def _prepare(connection: Connection) -> None:
    with connection.begin():
        found = revision_of(connection)
    if found is None:
        from tabiya.storage.sql.schema.migrate import migrate  # alembic takes a quarter of a second to load

        with connection.begin():
            # another server may have filled it while we waited: then there is nothing left to migrate
            connection.execute(text(f"SELECT pg_advisory_xact_lock({UPGRADE_LOCK})"))
            migrate(connection)
    else:
        check_revision(found)


async def opening(address: Address, connect: Callable[[], Awaitable[T]]) -> T:
    """Run something that connects, and say in one sentence why it cannot.  Raises `CannotOpen`."""
    try:
        return await connect()
    except CannotOpen as error:
        raise type(error)(f"{address} cannot be opened: {error}") from error
    except TimeoutError as error:
        raise CannotOpen(f"{address} cannot be opened: no answer within {CONNECT_S:.0f} s") from error
    except (SQLAlchemyError, OSError, TypeError, ValueError) as error:
        raise CannotOpen(f"{address} cannot be opened: {_why(error)}") from error


def _why(error: BaseException) -> str:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    if isinstance(cause, TypeError):
        return "a parameter of the address is not known"
    return sentence(error)

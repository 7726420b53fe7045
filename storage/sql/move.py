"""Copies a whole database into an empty one, SQLite or PostgreSQL."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, NullPool, Select, Table, Text, func, insert, literal, select, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.util import await_only, greenlet_spawn

from tabiya.storage.address import Address, parse_address
from tabiya.storage.errors import CannotOpen, DatabaseInUse, StoreError
from tabiya.storage.sql.advisory_locks import UPGRADE_LOCK
from tabiya.storage.sql.db_errors import sentence
from tabiya.storage.sql.postgresql_engine import (
    HOSTS_STILL_PLAY,
    IN_USE,
    check_session,
    engine_for,
    keep_hosts_away,
    opening,
    take_ownership,
)
from tabiya.storage.sql.schema.migrate import migrate
from tabiya.storage.sql.schema.revision import UNFINISHED, VERSION_TABLE, check_revision, revision_of
from tabiya.storage.sql.schema.tables import METADATA
from tabiya.storage.sql.sqlite import check_place
from tabiya.storage.sql.sqlite_engine import lock_file, reading_engine, writing_engine
from tabiya.storage.sql.statements.integrity import faults_in
from tabiya.storage.sql.upgrade import current

ROWS_AT_ONCE = 2_000
CHARACTERS_AT_ONCE = 4_000_000
"""Of a batch in memory: a row may hold a program of some megabytes."""


async def move(source_url: str, target_url: str, moved: Callable[[str, int], object]) -> list[str]:
    """Copy all rows of a database that no server uses into an empty one; the faults that the target then has.

    The target gets its tables here; a missing file is made.  moved: told the name of each table and the number of its
    rows when all of them have arrived.  The source is only read, and if anything fails nothing is left in the target.
    If the process is killed, a mark is left by which no server starts there, until the move has been made again.
    Raises `StoreError`.
    """
    source, target = parse_address(source_url), parse_address(target_url)
    if "memory" in (source.kind, target.kind):
        raise StoreError("a store in memory cannot be moved")
    if source == target:
        raise StoreError(f"{source} is source and target; give another target")
    if await _revision(source, create=False) is None:
        raise CannotOpen(f"{source} is empty: there is nothing to move")
    await _revision(target, create=True)
    async with _owned(source, writing=False) as from_, _owned(target, writing=True) as to:
        try:
            return await greenlet_spawn(_move, from_, to, moved)
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(f"{source} could not be moved to {target}: {sentence(error)}") from error
        except CannotOpen as error:
            raise type(error)(f"{target} cannot be moved to: {error}") from error


async def _revision(address: Address, *, create: bool) -> str | None:
    """None for an empty database.  Raises `CannotOpen`, also if this program does not read the revision."""
    if address.kind == "sqlite":
        check_place(address.path, create=create)
        if not address.path.exists():
            return None
    try:
        found = await current(address.target)
        if create and found is not None:
            found = found.removeprefix(UNFINISHED) or None
        if found is not None:
            check_revision(found)
    except CannotOpen as error:
        named = str(address) in str(error)
        raise error if named else type(error)(f"{address} cannot be opened: {error}") from error
    return found


@contextlib.asynccontextmanager
async def _owned(address: Address, *, writing: bool) -> AsyncIterator[Connection]:
    """A connection to a database that no server uses, and none can begin to use meanwhile."""
    if address.kind == "sqlite":
        with (
            contextlib.closing(lock_file(address.path)),
            (_written if writing else _read)(address.path) as connection,
        ):
            yield connection
        return
    engine = engine_for(address, None, poolclass=NullPool)  # a statement may count all moves
    if not writing:
        engine = engine.execution_options(isolation_level="REPEATABLE READ")  # all tables at one moment
    asking = await opening(address, engine.connect)
    try:
        await opening(address, lambda: asking.run_sync(_own))
        await opening(address, lambda: check_session(engine, asking))
        assert asking.sync_connection is not None
        yield asking.sync_connection
    finally:
        await asking.close()


def _own(connection: Connection) -> None:
    with connection.begin():
        owned, is_left = take_ownership(connection), keep_hosts_away(connection)
    if not owned or not is_left:
        raise DatabaseInUse(HOSTS_STILL_PLAY if owned else IN_USE)


@contextlib.contextmanager
def _read(path: Path) -> Iterator[Connection]:
    engine = reading_engine(path, 1)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


@contextlib.contextmanager
def _written(path: Path) -> Iterator[Connection]:
    """A connection to a file, which is gone again if it was not there before and something fails."""
    made = not path.exists()
    try:
        with writing_engine(path, "power", create=True).connect() as connection:
            yield connection
    except BaseException:
        if made:
            for ending in ("", "-wal", "-shm"):
                path.with_name(path.name + ending).unlink(missing_ok=True)
        raise


def _move(source: Connection, target: Connection, moved: Callable[[str, int], object]) -> list[str]:
    with _marked(target), source.begin(), target.begin():
        _make_tables(target)
        for table in METADATA.sorted_tables:  # what is referred to before what refers to it
            moved(table.name, _copy(table, source, target))
        _go_on_numbering(target)
        return faults_in(target)


@contextlib.contextmanager
def _marked(target: Connection) -> Iterator[None]:
    """Until the move is committed the target says that it is unfinished; no more if the move fails."""
    with target.begin():
        _mark(target)
    try:
        yield
    except BaseException:
        with contextlib.suppress(SQLAlchemyError, OSError), target.begin():
            _clear_unfinished_mark(target)
        raise


def _mark(target: Connection) -> None:
    """Raise `CannotOpen` if the target has rows."""
    found = revision_of(target)
    if found is None:
        target.execute(text(f"CREATE TABLE {VERSION_TABLE} AS SELECT '{UNFINISHED}' AS version_num"))
        return
    for table in METADATA.sorted_tables if found != UNFINISHED else ():
        if target.execute(select(table).limit(1)).first() is not None:
            raise CannotOpen(f"it is not empty, there are rows in its table {table.name}; give an empty one")
    if not found.startswith(UNFINISHED):
        _set_revision(target, UNFINISHED + found)


def _clear_unfinished_mark(target: Connection) -> None:
    revision = (revision_of(target) or "").removeprefix(UNFINISHED)
    if revision:
        _set_revision(target, revision)
    else:
        target.execute(text(f"DROP TABLE {VERSION_TABLE}"))


def _set_revision(target: Connection, revision: str) -> None:
    target.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = :revision"), {"revision": revision})  # noqa: S608


def _make_tables(target: Connection) -> None:
    if target.dialect.name == "postgresql":
        target.execute(text(f"SELECT pg_advisory_xact_lock({UPGRADE_LOCK})"))
    _clear_unfinished_mark(target)
    if revision_of(target) is None:
        migrate(target)


def _copy(table: Table, source: Connection, target: Connection) -> int:
    """The number of rows, after a check that all have arrived. Raises `StoreError`."""
    count, longest = source.execute(_size(table)).one()
    at_once = max(1, min(ROWS_AT_ONCE, CHARACTERS_AT_ONCE // (longest or 1)))
    streamed = source.execute(select(table), execution_options={"yield_per": at_once})
    for part in streamed.mappings().partitions():
        try:
            target.execute(insert(table), [dict(row) for row in part])
        except DBAPIError as error:
            why = _text_with_nul(part) or sentence(error)
            raise StoreError(f"the rows of {table.name} could not be moved: {why}") from error
        await_only(asyncio.sleep(0))  # otherwise Ctrl-C would have no effect before the end
    arrived = target.scalar(select(func.count()).select_from(table))
    if arrived != count:
        raise StoreError(f"{count} rows of {table.name} should have been moved, but {arrived} arrived")
    return int(count)


def _size(table: Table) -> Select[int, Any]:
    """How many rows there are, and the most characters that one has."""
    texts = [func.coalesce(func.length(column), 0) for column in table.c if isinstance(column.type, Text)]
    longest: Any = func.max(sum(texts, literal(0)))
    return select(func.count(), longest).select_from(table)


def _text_with_nul(rows: Sequence[Mapping[Any, Any]]) -> str:
    """Where the first text is that SQLite takes and PostgreSQL does not; empty if none is."""
    for row in rows:
        for name, value in row.items():
            if isinstance(value, str) and "\0" in value:
                begins = next(iter(row.values()))
                return (
                    f"in the row that begins with {begins!r:.40}, {name} has a character NUL, which PostgreSQL refuses"
                )
    return ""


def _go_on_numbering(target: Connection) -> None:
    """New rows get numbers after the highest.  SQLite does that by itself."""
    if target.dialect.name != "postgresql":
        return
    for table in METADATA.sorted_tables:
        column = table.autoincrement_column
        if column is not None:
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            # of an empty table the highest is NULL, and nothing is set
            target.execute(select(func.setval(sequence, select(func.max(column)).scalar_subquery())))

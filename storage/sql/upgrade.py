"""Bring a database to the schema of this program."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sqlalchemy import Connection, NullPool, text
from sqlalchemy.exc import DBAPIError

from tabiya.storage.address import Address, parse_address
from tabiya.storage.errors import CannotOpen, StoreError
from tabiya.storage.sql.advisory_locks import UPGRADE_LOCK
from tabiya.storage.sql.backup import copy_database
from tabiya.storage.sql.db_errors import sentence
from tabiya.storage.sql.postgresql_engine import engine_for, opening
from tabiya.storage.sql.schema.migrate import migrate
from tabiya.storage.sql.schema.revision import check_revision, revision_of
from tabiya.storage.sql.schema.tables import REVISION
from tabiya.storage.sql.sqlite_engine import writing_engine


async def current(url: str) -> str | None:
    """The revision of a database; None if it is empty.  Raises `CannotOpen`."""
    address = parse_address(url)
    if address.kind == "memory":
        raise StoreError("a store in memory has no schema")
    if address.kind == "sqlite":
        return await asyncio.to_thread(_sqlite_revision, address.path)
    return await _postgresql(address, upgrading=False)


async def upgrade(url: str) -> str:
    """Upgrade a database, also an empty one; the revision it then has.  Already upgraded is no error.

    Of an SQLite file with data a copy named `FILE.schema-OLD.bak` is made first.  Raises `StoreError`.
    """
    address = parse_address(url)
    if address.kind == "memory":
        raise StoreError("a store in memory has no schema")
    if address.kind == "sqlite":
        await asyncio.to_thread(_upgrade_sqlite, address.path)
    else:
        await _postgresql(address, upgrading=True)
    return REVISION


def _sqlite_revision(path: Path) -> str | None:
    if not path.is_file():
        raise CannotOpen(f"there is no database at {path}")
    try:
        with writing_engine(path, "process").connect() as connection:
            return revision_of(connection)
    except DBAPIError as error:
        raise CannotOpen(f"{path} cannot be opened: {sentence(error)}") from error


def _upgrade_sqlite(path: Path) -> None:
    found = _sqlite_revision(path)
    if found is not None and found < REVISION:
        copy_database(path, _free_name(path, found))
    try:
        with writing_engine(path, "process").connect() as connection, connection.begin():
            _upgrade_connection(connection)
    except DBAPIError as error:
        raise StoreError(f"{path} could not be upgraded: {sentence(error)}") from error


def _free_name(path: Path, revision: str) -> Path:
    name = f"{path.name}.schema-{revision}"
    names = [f"{name}.bak", *(f"{name}-{number}.bak" for number in range(2, 1000))]
    return next(path.with_name(free) for free in names if not path.with_name(free).exists())


async def _postgresql(address: Address, *, upgrading: bool) -> str | None:
    engine = engine_for(address, None, poolclass=NullPool)  # a migration may count all moves

    async def run() -> str | None:
        async with engine.connect() as connection:
            return await connection.run_sync(_upgrade_locked if upgrading else revision_of)

    return await opening(address, run)


def _upgrade_locked(connection: Connection) -> str:
    with connection.begin():
        connection.execute(text(f"SELECT pg_advisory_xact_lock({UPGRADE_LOCK})"))
        return _upgrade_connection(connection)  # another may have upgraded it while we waited for the lock


def _upgrade_connection(connection: Connection) -> str:
    found = revision_of(connection)
    if found is None or found < REVISION:
        migrate(connection)
    else:
        check_revision(found)
    return REVISION

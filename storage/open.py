"""`open_store`: from an address to a store."""

from __future__ import annotations

import asyncio

from tabiya.storage.address import Address, parse_address
from tabiya.storage.memory import MemoryStore
from tabiya.storage.store import Durability, Store


async def open_store(
    url: str, *, create: bool = True, durability: Durability = "process", exclusive: bool = False
) -> Store:
    """The store at an address: a file path, `sqlite:///path`, `postgresql://user@host/name` or `memory:`.

    An empty database gets its tables; an older one must be upgraded by command.
    create: whether a missing SQLite file may be made.  durability: "process" survives the death of any process, "power"
    also power loss, at the price of one wait for the disk per commit.  PostgreSQL waits in either case, unless its own
    server is set not to; with "power" such a one is refused.  exclusive: for a server; refuses a second one.
    Raises `CannotOpen` with one sentence, in which no password stands.
    """
    address = parse_address(url)
    if address.kind == "memory":
        return MemoryStore()
    if address.kind == "sqlite":
        return await _open_sqlite(address, create, durability, exclusive)
    return await _open_postgresql(address, durability, exclusive)


async def _open_sqlite(address: Address, create: bool, durability: Durability, exclusive: bool) -> Store:
    # here, so that a store in memory works without SQLAlchemy
    from tabiya.storage.sql.sqlite import SqliteDatabase, prepare_file
    from tabiya.storage.sql.sqlite_engine import lock_file
    from tabiya.storage.sql.store import SqlStore

    await asyncio.to_thread(prepare_file, address.path, create=create, writable=exclusive)
    return SqlStore(SqliteDatabase(address, durability, lock_file(address.path) if exclusive else None))


async def _open_postgresql(address: Address, durability: Durability, exclusive: bool) -> Store:
    from tabiya.storage.sql.postgresql import PostgresDatabase, prepare_database
    from tabiya.storage.sql.store import SqlStore

    await prepare_database(address)
    backend = PostgresDatabase(address, durability, exclusive=exclusive)
    try:
        await backend.connect()
    except BaseException:  # also when it is cancelled: its connection would stay open
        await backend.close()
        raise
    return SqlStore(backend)

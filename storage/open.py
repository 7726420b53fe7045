"""`open_store`: from an address to a store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tabiya.storage.address import Address, parse_address
from tabiya.storage.errors import CannotOpen, DatabaseInUse
from tabiya.storage.memory import MemoryStore
from tabiya.storage.store import Durability, Store

READERS = 4  # chosen, not measured: more than for SQLite, for here the database's server does the work of a query


async def open_store(
    url: str,
    *,
    create: bool = True,
    durability: Durability = "process",
    exclusive: bool = False,
    standby: Callable[[str], None] | None = None,
    readers: int = READERS,
    read_only: bool = False,
    host: int = 0,
) -> Store:
    """The store at an address: a file path, `sqlite:///path`, `postgresql://user@host/name` or `memory:`.

    An empty database gets its tables; an older one must be upgraded by command.
    create: whether a missing SQLite file may be made.  durability: "process" survives the death of any process, "power"
    also power loss, at the price of one wait for the disk per commit.  PostgreSQL waits in either case, unless its own
    server is set not to; with "power" such a one is refused.  exclusive: for a server; refuses a second one.  standby:
    with it, a second one waits instead until the first is gone, and says so by this; with PostgreSQL only.
    readers: connections to PostgreSQL that answer what is asked, each made when it is needed.
    read_only: nothing can be saved, and an empty database stays empty and is refused.
    host: the number of the host whose store it is.  It is not exclusive, and saves nothing any more once the server has
    ended that host.
    Raises `CannotOpen` with one sentence, in which no password stands.
    """
    address = parse_address(url)
    if standby is not None and address.kind != "postgresql":
        raise CannotOpen(f"{address} cannot be shared: a second server waits on PostgreSQL only")
    if address.kind == "memory":
        if read_only or host:
            raise CannotOpen("a database in memory cannot be used by another process")
        return MemoryStore()
    if address.kind == "sqlite":
        return await _open_sqlite(address, create and not read_only, durability, exclusive, read_only, host)
    if read_only:
        return await _read_postgresql(address, durability, readers)
    return await _open_postgresql(address, durability, exclusive, standby, readers, host)


async def _open_sqlite(
    address: Address, create: bool, durability: Durability, exclusive: bool, read_only: bool, host: int
) -> Store:
    # here, so that a store in memory works without SQLAlchemy
    from tabiya.storage.sql.sqlite import SqliteDatabase, check_may_write, prepare_file
    from tabiya.storage.sql.sqlite_engine import lock_file
    from tabiya.storage.sql.store import SqlStore

    await asyncio.to_thread(prepare_file, address.path, create=create, writable=exclusive, read_only=read_only)
    if host:
        await asyncio.to_thread(check_may_write, address.path, host)
    owner = lock_file(address.path) if exclusive else None
    return SqlStore(SqliteDatabase(address, durability, owner, host), read_only=read_only)


async def _open_postgresql(
    address: Address,
    durability: Durability,
    exclusive: bool,
    standby: Callable[[str], None] | None,
    readers: int,
    host: int,
) -> Store:
    from tabiya.storage.sql.postgresql import PostgresDatabase, prepare_database
    from tabiya.storage.sql.standby import wait_until_unowned
    from tabiya.storage.sql.store import SqlStore

    await prepare_database(address, read_only=host != 0)  # a host finds what its server has made
    while True:
        if standby is not None:
            await wait_until_unowned(address, standby)
        backend = PostgresDatabase(address, durability, exclusive=exclusive, readers=readers, host=host)
        try:
            await backend.connect()
        except DatabaseInUse:
            await backend.close()
            if standby is None:
                raise
        except BaseException:  # also when it is cancelled: its connection would stay open
            await backend.close()
            raise
        else:
            return SqlStore(backend)


async def _read_postgresql(address: Address, durability: Durability, readers: int) -> Store:
    from tabiya.storage.sql.postgresql import PostgresDatabase, prepare_database
    from tabiya.storage.sql.store import SqlStore

    await prepare_database(address, read_only=True)
    database = PostgresDatabase(address, durability, exclusive=False, readers=readers, read_only=True)
    return SqlStore(database, read_only=True)

"""Connections to a PostgreSQL as Tabiya wants them.

To the first of several hosts that may be written; and to no pooler that gives each transaction another connection,
where a lock is to be held.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg
from sqlalchemy import URL, Connection, make_url, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from tabiya.storage.address import Address
from tabiya.storage.errors import CannotOpen, HostEnded
from tabiya.storage.sql.advisory_locks import HOSTS_LOCK, OWNER_LOCK
from tabiya.storage.sql.db_errors import POOLER_UNSUPPORTED, sentence
from tabiya.storage.sql.schema.tables import not_ended

CONNECT_S = 10.0
STATEMENT_S = 60.0
UNLOCK = text(f"SELECT pg_advisory_unlock({OWNER_LOCK})")
IN_USE = "it is in use by another Tabiya server; stop it or give another database"
HOSTS_STILL_PLAY = "hosts still play its matches; end them first"
MOVED = "it is being moved; start this host again when that is done"
READ_ONLY = (
    "it permits read-only transactions alone, as a standby does; give the address of the one that may be written"
)
USUAL_PORT = 5432
SESSION_CHECKS = 20  # at least as many as a pooler keeps connections; PgBouncer's default_pool_size
NEXT_HOST = (
    OSError,  # TimeoutError is one
    asyncpg.CannotConnectNowError,
    asyncpg.PostgresConnectionError,
)
SESSION_ATTRS = ("read-write", "any", "primary", "standby", "prefer-standby", "read-only")
SEVERAL_HOSTS = re.compile(r"(postgresql://(?:[^/?]*@)?)([^/?@]*,[^/?@]*)(.*)", re.DOTALL)

T = TypeVar("T")
not_ended.dialect_options["postgresql"]["where"] = not_ended.dialect_options["sqlite"]["where"]


def engine_for(address: Address, statement_s: float | None = STATEMENT_S, **options: Any) -> AsyncEngine:
    """An engine for the address.  statement_s: None to wait forever.  Raises `CannotOpen` if it has no meaning."""
    try:
        url = _driver_url(address.target)
        engine = create_async_engine(
            url,
            connect_args={"async_creator_fn": _Connector(statement_s).connect},
            hide_parameters=True,  # an error that is logged is not to tell the values, among them hashes of tokens
            **options,
        )
        engine.dialect.create_connect_args(url)  # raises an error if it is invalid
    except (SQLAlchemyError, ValueError) as error:
        raise CannotOpen(f"the database address {address} cannot be understood") from error
    if (wanted := url.query.get("target_session_attrs", SESSION_ATTRS[0])) not in SESSION_ATTRS:
        raise CannotOpen(f"target_session_attrs={wanted} in the database address: give {', '.join(SESSION_ATTRS)}")
    return engine


def _driver_url(target: str) -> URL:
    hosts = list[str]()
    if several := SEVERAL_HOSTS.fullmatch(target):
        target, hosts = several[1] + several[3], several[2].split(",")
    url = make_url(target)
    if hosts:
        url = url.update_query_dict({"host": [host if ":" in host else f"{host}:{USUAL_PORT}" for host in hosts]})
    # libpq's name for it, which is what people have at hand
    mode = url.query.get("sslmode")
    if mode is not None:
        url = url.difference_update_query(["sslmode"]).update_query_dict({"ssl": mode})
    return url.set(drivername="postgresql+asyncpg")


class _Connector:
    """Connects to the first host that will do, and next time to that one first."""

    def __init__(self, statement_s: float | None) -> None:
        self._statement_s = statement_s
        self._first: tuple[Any, Any] | None = None

    async def connect(self, **given: Any) -> Any:
        """An asyncpg connection.  given: as for `asyncpg.connect`; host and port may be lists."""
        if not isinstance(given.get("host"), list):
            return await self._connected(**given)
        # reads from a replica may be older than acknowledged writes
        given.setdefault("target_session_attrs", "read-write")
        places = list(zip(given.pop("host"), given.pop("port"), strict=True))
        problems = []
        for host, port in sorted(places, key=lambda place: place != self._first):
            try:
                connection = await self._connected(**given, host=host, port=port)
            except NEXT_HOST as error:
                problems.append(f"{host}:{port}: {sentence(error)}")
            else:
                self._first = host, port
                return connection
        raise ConnectionError("; ".join(problems))

    async def _connected(self, **given: Any) -> Any:
        try:
            connection = await asyncpg.connect(
                **given,
                timeout=CONNECT_S,
                command_timeout=self._statement_s,
                server_settings={"application_name": "tabiya"},
            )
        except asyncpg.TargetServerAttributeNotMatched:
            raise ConnectionError(f"it is not {given['target_session_attrs']}") from None
        # Our queries are short: PostgreSQL would take longer to compile one than to answer it. Said here, because
        # PgBouncer refuses a setting that it does not know when a connection begins.
        await connection.execute("SET jit = off")
        return connection


def take_ownership(connection: Connection) -> bool:
    """Hold the database for one server until the connection is closed or the process dies; False if another does.

    Raises `CannotOpen` if nothing can be written.
    """
    check_writable(connection)
    return bool(connection.scalar(text(f"SELECT pg_try_advisory_lock({OWNER_LOCK})")))


def hold_host_lock(connection: Connection) -> bool:
    """Say, as long as the connection lasts, that a host plays; False while the database is being moved."""
    return bool(connection.scalar(text(f"SELECT pg_try_advisory_lock_shared({HOSTS_LOCK})")))


def keep_hosts_away(connection: Connection) -> bool:
    """Let no host play until the connection is closed; False if one does."""
    return bool(connection.scalar(text(f"SELECT pg_try_advisory_lock({HOSTS_LOCK})")))


def check_writable(connection: Connection) -> None:
    """Raise `CannotOpen` if nothing can be written."""
    if connection.scalar(text("SHOW transaction_read_only")) != "off":
        raise CannotOpen(READ_ONLY)


async def check_session(engine: AsyncEngine, owner: AsyncConnection) -> None:
    """Raise `CannotOpen` if a pooler gives the connection that has just taken a lock or settings to others as well.

    A pooler makes up the number of the process by which a query is cancelled; so who is told the true one has none
    in between.  Else other transactions are begun until one of them is given the connection that has the lock.
    """
    async with owner.begin():
        process = await _process(owner)
    raw = await owner.get_raw_connection()
    if raw.driver_connection.get_server_pid() == process:  # type: ignore[union-attr]
        return
    async with engine.connect() as other:
        for _ in range(SESSION_CHECKS):
            async with other.begin():
                if await _process(other) == process:
                    await other.execute(UNLOCK)  # or it would stay with the pooler
                    raise CannotOpen(POOLER_UNSUPPORTED)
    async with owner.begin():
        if await _process(owner) != process:
            raise CannotOpen(POOLER_UNSUPPORTED)


async def _process(connection: AsyncConnection) -> int:
    """The number of the process of PostgreSQL that answers now."""
    return int(await connection.scalar(text("SELECT pg_backend_pid()")) or 0)


async def opening(address: Address, connect: Callable[[], Awaitable[T]]) -> T:
    """Run something that connects, and say in one sentence why it cannot.  Raises `CannotOpen`."""
    try:
        return await connect()
    except CannotOpen as error:
        raise type(error)(f"{address} cannot be opened: {error}") from error
    except HostEnded as error:
        raise CannotOpen(f"{address} cannot be opened: {error}") from error
    except TimeoutError as error:
        raise CannotOpen(f"{address} cannot be opened: no answer within {CONNECT_S:.0f} s") from error
    except (SQLAlchemyError, OSError, TypeError, ValueError) as error:
        raise CannotOpen(f"{address} cannot be opened: {_why(error)}") from error


def _why(error: BaseException) -> str:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    if isinstance(cause, TypeError):
        return "a parameter of the address is not known"
    return sentence(cause)

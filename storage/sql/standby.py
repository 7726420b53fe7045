"""A second server on the same PostgreSQL: it waits until the first one stops, dies or hangs, and then owns it.

Who owns the database holds a lock of its session, and writes by that session alone. So a server that was cut off cannot
write any more, whenever it wakes up: the session is gone, and with it the lock.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection, NullPool, text
from sqlalchemy.exc import SQLAlchemyError

from tabiya.storage.address import Address
from tabiya.storage.sql.advisory_locks import HOLDERS, OWNER_LOCK, halves
from tabiya.storage.sql.db_errors import sentence
from tabiya.storage.sql.postgresql_engine import engine_for

log = logging.getLogger("tabiya.storage")

POLL_S = 0.5
GONE_S = 1.5  # without an owner: after a restart of PostgreSQL the one of before may come back first
HANGS_S = 3.0  # without a word of the owner, which says one a second at least (BEAT_S)
SILENT = "extract(epoch FROM clock_timestamp() - state_change) AS silent_s"
OWNER = text(f"SELECT pid, wait_event IS NOT DISTINCT FROM 'ClientRead' AS is_idle, {SILENT} {HOLDERS}")  # noqa: S608
CUT_OFF = text("SELECT pg_terminate_backend(:pid)")


async def wait_until_unowned(address: Address, say: Callable[[str], None]) -> None:
    """Wait until no server owns the database; one that hangs is cut off. Raises CannotOpen for a wrong address.

    say: called with a sentence whenever the reason for waiting changes.
    """
    engine, loop = engine_for(address, poolclass=NullPool), asyncio.get_running_loop()
    gone_since_s: float | None = None
    reported = ""
    try:
        while gone_since_s is None or loop.time() < gone_since_s + GONE_S:
            try:
                async with engine.connect() as connection:
                    owner = await connection.run_sync(_owner)
                    if owner and owner.hangs:
                        log.warning("the server that owns the database is silent for %.1f s: cut off", owner.silent_s)
                        await connection.execute(CUT_OFF, {"pid": owner.pid})
                        return
            except (SQLAlchemyError, OSError, TimeoutError) as error:
                now = f"{address} does not answer: {sentence(error)}"
            else:
                now = f"{address} is in use by another server; this one takes over when that is gone" if owner else ""
            if now and now != reported:
                reported = now
                say(now)
            gone_since_s = None if now else gone_since_s or loop.time()
            await asyncio.sleep(POLL_S)
    finally:
        await engine.dispose()


class _Owner(NamedTuple):
    """The connection of the server that owns the database. silent_s: since it last said or was answered something.

    is_idle: whether the database waits for it, also in the middle of a statement.
    """

    pid: int
    is_idle: bool
    silent_s: float

    @property
    def hangs(self) -> bool:
        """Whether the server is silent, and the database is not just slow."""
        return self.is_idle and self.silent_s > HANGS_S


def _owner(connection: Connection) -> _Owner | None:
    found = connection.execute(OWNER, halves(OWNER_LOCK)).one_or_none()
    return _Owner(found.pid, found.is_idle, float(found.silent_s)) if found else None

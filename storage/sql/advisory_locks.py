"""The numbers of our advisory locks in PostgreSQL, who holds one, and waiting behind hosts that stand still.

A session whose client has stopped within a transaction keeps its locks. The database's own
`idle_in_transaction_session_timeout` does not end each of them: between the preparation of a statement and its
execution a session counts as active, though it waits for its client. So anyone who waits for the locks cuts it off.
"""

from __future__ import annotations

from sqlalchemy import Connection, Executable, text
from sqlalchemy.exc import DBAPIError

from tabiya.storage.sql.db_errors import sqlstate

# an arbitrary number that only Tabiya uses
OWNER_LOCK = 0x7AB1_7A00
UPGRADE_LOCK = 0x7AB1_7A01
RESULTS_LOCK = 0x7AB1_7A02
HOSTS_LOCK = 0x7AB1_7A03  # shared by all hosts
HOST_STALL_S = 3.0  # of a host within a transaction at most
POLL_S = 0.5  # between two looks for such a host
HOLDERS = (
    "FROM pg_locks JOIN pg_stat_activity AS activity USING (pid) "
    "WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND classid = :upper AND objid = :lower "
    "AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
"""The sessions that hold the lock of `halves`."""
_CUT_OFF = text(
    f"SELECT pg_terminate_backend(pid) {HOLDERS} AND wait_event = 'ClientRead' AND xact_start IS NOT NULL "
    "AND clock_timestamp() - state_change > make_interval(secs => :seconds)"
)
_TIMEOUT = text("SELECT set_config('lock_timeout', :ms, true)")
_NOT_IN_TIME = "55P03"  # SQLSTATE


def halves(lock: int) -> dict[str, int]:
    """The number of a lock as pg_locks splits it into two columns."""
    return {"upper": lock >> 32, "lower": lock & (2**32 - 1)}


def wait_for(connection: Connection, lock: Executable) -> None:
    """Carry out a statement that waits for locks; hosts that stand still within a transaction are cut off meanwhile."""
    while True:
        try:
            with connection.begin_nested():
                connection.execute(_TIMEOUT, {"ms": f"{1_000 * POLL_S:.0f}"})
                connection.execute(lock)
                connection.execute(_TIMEOUT, {"ms": "0"})
                return
        except DBAPIError as error:
            if sqlstate(error) != _NOT_IN_TIME:
                raise
        connection.execute(_CUT_OFF, {**halves(HOSTS_LOCK), "seconds": HOST_STALL_S})

"""Which host plays which match; a host that the server has ended cannot write any more.

The locks of a transaction are taken before anything else, always in this order, so that of two that write at the same
time neither can wait for the other: the row of a host, then the order of results.
"""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, insert, select, text, update

from tabiya.storage.errors import DamagedRows, host_ended, no_successor
from tabiya.storage.group_commit import Batch
from tabiya.storage.records import HostRecord
from tabiya.storage.sql.advisory_locks import RESULTS_LOCK, wait_for
from tabiya.storage.sql.schema.tables import hosts, matches
from tabiya.storage.sql.statements.reads import NOT_ENDED
from tabiya.storage.sql.statements.row_types import RowTypes
from tabiya.storage.writes import FinishMatch, HostWrite, MoveMatches, RegisterHost

TYPES = RowTypes(select(hosts))
# made once: it is asked in every transaction of a host
_HOST = select(hosts.c.ended_at).where(hosts.c.number == bindparam("host")).with_for_update(read=True)
_TRY_IN_ORDER = text(f"SELECT pg_try_advisory_xact_lock({RESULTS_LOCK})")
_IN_ORDER = text(f"SELECT pg_advisory_xact_lock({RESULTS_LOCK})")


def check_host(connection: Connection, host: int) -> None:
    """Keep the server from ending this host before the transaction is over.  Raises `HostEnded`."""
    row = connection.execute(_HOST, {"host": host}).one_or_none()
    if row is None or row.ended_at is not None:
        raise host_ended(host, known=row is not None)


def lock_for(connection: Connection, batch: Batch) -> None:
    """Wait for what the hosts that the batch ends are just committing; then for results that others are committing.

    Results would else become visible in another order than that of their numbers, and who has asked for those after
    the highest one would never see the rest.
    """
    if connection.dialect.name != "postgresql":  # a file has one writer
        return
    writes = [pending.write for pending in batch]
    if ended := [write.host for write in writes if isinstance(write, MoveMatches)]:
        rows = select(hosts.c.number).where(hosts.c.number.in_(ended)).order_by(hosts.c.number)
        wait_for(connection, rows.with_for_update(key_share=True))
    if any(isinstance(write, FinishMatch) for write in writes) and not connection.scalar(_TRY_IN_ORDER):
        wait_for(connection, _IN_ORDER)


def apply_to_hosts(connection: Connection, write: HostWrite) -> int | None:
    """Carry out a write; the verb's value."""
    if isinstance(write, RegisterHost):
        adding = insert(hosts).values(name=write.name, began_at=write.began_at).returning(hosts.c.number)
        return int(connection.execute(adding).scalar_one())
    if not write.to:
        raise no_successor(write.host)
    this = hosts.c.number == write.host, hosts.c.ended_at.is_(None)
    connection.execute(update(hosts).where(*this).values(ended_at=write.ended_at))
    for place, host in enumerate(write.to):
        its = matches.c.host == write.host, matches.c.id % len(write.to) == place
        connection.execute(update(matches).where(*its, NOT_ENDED).values(host=host))
    return None


def read_hosts(connection: Connection) -> tuple[HostRecord, ...]:
    """All hosts, the newest last.  Raises `DamagedRows`."""
    rows = connection.execute(select(hosts).order_by(hosts.c.number)).all()
    for row in rows:
        if (problem := TYPES.problem(row)) is not None:
            raise DamagedRows(f"the host {row.number!r:.40} cannot be read: {problem}")
    return tuple(HostRecord(**row._mapping) for row in rows)

"""Leases of programs to workers: granted, renewed, and ended together with the result.

The row of a program is locked while its lease is looked at, and rows that somebody else has locked are passed over
(PostgreSQL; SQLite has one writer, and its statements leave the clause out): the database is the queue.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict
from sqlalchemy import Connection, insert, select, update

from tabiya.storage.derived import after_lease, after_run, new_lease, purpose_of
from tabiya.storage.errors import DamagedRows
from tabiya.storage.program_records import Lease, LeaseKind, ProgramId, Usage
from tabiya.storage.sql.schema.tables import leases, programs
from tabiya.storage.sql.statements.hosted_programs import IS_OPEN, keep_examination, program_of, use_program
from tabiya.storage.sql.statements.row_types import RowTypes
from tabiya.storage.writes import EndLease, GrantLease, LeaseWrite, ProlongLeases, RenewLeases

TYPES = RowTypes(select(leases))
MEASURED = ("measured_turns", "turns_cpu_s", "examination_cpu_s", "peak_mb")


def leases_of_open_programs(connection: Connection) -> tuple[Lease, ...]:
    """The last lease of each program that plays or waits to be examined, the oldest program first."""
    query = select(leases).join(programs, leases.c.program_id == programs.c.id).where(IS_OPEN).order_by(programs.c.id)
    return tuple(map(_lease_of, connection.execute(query)))


def apply_to_leases(connection: Connection, write: LeaseWrite) -> Lease | frozenset[ProgramId] | bool | None:
    """Carry out a write; the verb's value."""
    match write:
        case GrantLease():
            return _grant(connection, write)
        case RenewLeases(held, now, expires_at):
            still = [program_id for program_id, fence in held if _open_lease(connection, program_id, fence, now)]
            connection.execute(update(leases).where(leases.c.program_id.in_(still)).values(expires_at=expires_at))
            return frozenset(still)
        case ProlongLeases(expires_at):
            short = (leases.c.ended_at.is_(None), leases.c.expires_at < expires_at)
            connection.execute(update(leases).where(*short).values(expires_at=expires_at))
        case EndLease():
            return _end(connection, write)
    return None


def _grant(connection: Connection, write: GrantLease) -> Lease | None:
    for program_id, kind in write.wanted:
        row = connection.execute(
            select(programs).where(programs.c.id == program_id).with_for_update(skip_locked=True)
        ).one_or_none()
        last = _last_lease(connection, program_id)
        if row is None or purpose_of(program_of(row)) != kind or (last and last.is_open(write.now)):
            continue
        lease = new_lease(write, program_id, kind, last)
        if last is None:
            connection.execute(insert(leases).values(asdict(lease)))
        else:
            _replace(connection, lease)
        return lease
    return None


def _end(connection: Connection, write: EndLease) -> bool:
    lease = _open_lease(connection, write.program_id, write.fence, write.now)
    if lease is None:
        return False
    _replace(connection, after_lease(lease, write))
    if write.used is not None:
        _count(connection, write.program_id, lease.kind, write.used)
    if write.outcome in ("good", "refused"):
        keep_examination(connection, write.program_id, write.outcome, write.text)
        if write.outcome == "good":
            owner = connection.scalars(select(programs.c.bot_id).where(programs.c.id == write.program_id)).one()
            use_program(connection, owner, write.program_id)
    return True


def _count(connection: Connection, program_id: ProgramId, kind: LeaseKind, used: Usage) -> None:
    this = programs.c.id == program_id
    program = after_run(
        program_of(connection.execute(select(programs).where(this).with_for_update()).one()), kind, used
    )
    values = {name: getattr(program, name) for name in MEASURED}
    connection.execute(update(programs).where(this).values(values))


def _open_lease(connection: Connection, program_id: ProgramId, fence: int, now: float) -> Lease | None:
    lease = _last_lease(connection, program_id)
    return lease if lease is not None and lease.fence == fence and lease.is_open(now) else None


def _last_lease(connection: Connection, program_id: ProgramId) -> Lease | None:
    query = select(leases).where(leases.c.program_id == program_id).with_for_update()
    row = connection.execute(query).one_or_none()
    return None if row is None else _lease_of(row)


def _replace(connection: Connection, lease: Lease) -> None:
    connection.execute(update(leases).where(leases.c.program_id == lease.program_id).values(asdict(lease)))


def _lease_of(row: Any) -> Lease:
    if (problem := TYPES.problem(row)) is not None:
        raise DamagedRows(f"the lease of program {row.program_id!r:.40} cannot be read: {problem}")
    return Lease(**row._mapping)

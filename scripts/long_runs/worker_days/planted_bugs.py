"""Bugs put into leases on purpose, to test that the days find them. The product has none of them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from tabiya.storage.derived import after_run
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.program_records import Lease, LeaseOutcome, ProgramId, Usage
from tabiya.storage.store import Store
from tabiya.storage.writes import EndLease, RenewLeases


@contextlib.contextmanager
def no_fence() -> Iterator[None]:
    """Every worker that reports on a program counts as the one that runs it now."""

    def open_lease(tables: MemoryTables, program: ProgramId, fence: int, now: float) -> Lease | None:
        lease = tables.leases.get(program)
        return lease if lease is not None and lease.ended_at is None else None

    with patch.object(MemoryTables, "_open_lease", open_lease):
        yield


@contextlib.contextmanager
def two_transactions() -> Iterator[None]:
    """The result of a lease is saved first, and the lease is ended in a second transaction."""
    plain = MemoryTables._end_lease

    def end(tables: MemoryTables, write: EndLease) -> bool:
        done = plain(tables, write)
        if done and write.outcome != "stopped":
            lease = tables.leases[write.program_id]
            tables.leases[write.program_id] = replace(lease, ended_at=None, outcome=None)
        return done

    async def end_lease(
        store: Store,
        program: ProgramId,
        fence: int,
        outcome: LeaseOutcome,
        text: str,
        *,
        now: float,
        used: Usage | None = None,
    ) -> bool:
        counted: bool = await store._save(EndLease(program, fence, now, outcome, text, used))
        if counted and outcome != "stopped":
            await store._save(EndLease(program, fence, now, "stopped", ""))
        return counted

    with patch.object(MemoryTables, "_end_lease", end), patch.object(Store, "end_lease", end_lease):
        yield


@contextlib.contextmanager
def dead_heartbeat() -> Iterator[None]:
    """A heartbeat keeps the leases that its worker claims, even if another has them by now."""
    plain = MemoryTables.apply_to_leases

    def apply(tables: MemoryTables, write: Any) -> Any:
        if not isinstance(write, RenewLeases):
            return plain(tables, write)
        still = frozenset(program for program, _ in write.held if program in tables.leases)
        for program in still:
            tables.leases[program] = replace(tables.leases[program], expires_at=write.expires_at)
        return still

    with patch.object(MemoryTables, "apply_to_leases", apply):
        yield


@contextlib.contextmanager
def late_usage() -> Iterator[None]:
    """The use of a run is added even if its report comes too late or for the second time."""
    plain = MemoryTables._end_lease

    def end(tables: MemoryTables, write: EndLease) -> bool:
        done = plain(tables, write)
        if not done and write.used is not None:
            program = tables.programs[write.program_id]
            tables.programs[program.id] = after_run(program, "play", write.used)
        return done

    with patch.object(MemoryTables, "_end_lease", end):
        yield


PLANTED: dict[str, Callable[[], contextlib.AbstractContextManager[None]]] = {
    "no-fence": no_fence,
    "two-transactions": two_transactions,
    "dead-heartbeat": dead_heartbeat,
    "late-usage": late_usage,
}

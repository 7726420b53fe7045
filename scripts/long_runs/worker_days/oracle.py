"""Checks leases in all failures, by the durable writes, and by the workers' answers and actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.program_records import LeaseKind, ProgramId, Usage
from tabiya.storage.writes import EndLease, GrantLease, ProlongLeases, RenewLeases, UseProgram, Write

Key = tuple[ProgramId, int]  # a program and the fence of its lease


class Oracle:
    """Follows every write, and reports faults, a sentence each. counts: of events."""

    def __init__(self, tables: MemoryTables, now: Callable[[], float], fault: Callable[[str], None]) -> None:
        self._tables, self._now, self._fault = tables, now, fault
        self._newest: dict[ProgramId, int] = {}
        self._until: dict[Key, float] = {}  # as long as a lease may be reported
        self._ended = set[Key]()
        self._failures = Counter[ProgramId]()
        self._kinds: dict[Key, LeaseKind] = {}
        self._used: dict[ProgramId, tuple[int, float, float, float]] = {}
        self.effects = Counter[Key]()
        self.counts = Counter[str]()

    def committed(self, write: Write, value: Any, before: tuple[Any, ...]) -> None:
        """A write is durable. before: `state_of` its program before it."""
        match write:
            case GrantLease() if value is not None:
                self._kinds[value.program_id, value.fence] = value.kind
                self._granted((value.program_id, value.fence), write)
            case RenewLeases(held, now, expires_at):
                for key in held:
                    if self._may_be_reported(key, now):
                        self._until[key] = expires_at
            case ProlongLeases(expires_at):
                for program, fence in self._newest.items():
                    if (program, fence) not in self._ended:
                        self._until[program, fence] = max(expires_at, self._until[program, fence])
            case EndLease():
                self._check_report(write, before)
            case UseProgram(_, program) if program is not None:
                self._failures[program] = 0
        if isinstance(write, EndLease | UseProgram) and write.program_id is not None:
            self._compare(write.program_id)

    def state_of(self, write: Write) -> tuple[Any, ...]:
        """The fields of a program that the end of a lease may change."""
        if not isinstance(write, EndLease):
            return ()
        program, lease = self._tables.programs[write.program_id], self._tables.leases.get(write.program_id)
        failures = lease and lease.failures, lease and lease.last_words
        return program.state, program.report, *failures, *self._measured(write.program_id)

    def _measured(self, program: ProgramId) -> tuple[int, float, float, float]:
        kept = self._tables.programs[program]
        return kept.measured_turns, kept.turns_cpu_s, kept.examination_cpu_s, kept.peak_mb

    def _granted(self, key: Key, write: GrantLease) -> None:
        program, fence = key
        self.counts["leases"] += 1
        older = (program, self._newest.get(program, 0))
        if self._may_be_reported(older, write.now):
            self._fault(f"program {program} is leased again while lease {older[1]} is open")
        if fence <= older[1]:
            self._fault(f"lease {fence} of program {program} comes after lease {older[1]}")
        self.counts["leases that ran out"] += older[1] > 0 and older not in self._ended
        self._newest[program], self._until[key] = fence, write.expires_at

    def _may_be_reported(self, key: Key, now: float) -> bool:
        return key not in self._ended and self._newest.get(key[0]) == key[1] and now <= self._until[key]

    def _check_report(self, write: EndLease, before: tuple[Any, ...]) -> None:
        key = write.program_id, write.fence
        in_time = self._may_be_reported(key, write.now)
        if self.state_of(write) != before:
            self.counts[f"{write.outcome} counted"] += 1
            self.effects[key] += 1
            if not in_time and self.effects[key] == 1:
                self._fault(f"what is told of lease {key[1]} of program {key[0]} counts after its end: {write.outcome}")
            if self.effects[key] > 1:
                self._fault(f"what came of lease {key[1]} of program {key[0]} counts twice: {write.outcome}")
        elif not in_time:
            self.counts["too late or doubled"] += 1
        if not in_time:
            return
        lease = self._tables.leases[write.program_id]
        if lease.ended_at is not None:
            self._ended.add(key)
        if self.effects[key] <= 1 and write.used is not None:
            self._count_usage(key, write.used)
        if self.effects[key] <= 1 and write.outcome in ("failed", "played"):
            self._failures[key[0]] = self._failures[key[0]] + 1 if write.outcome == "failed" else 0

    def _count_usage(self, key: Key, used: Usage) -> None:
        turns, turns_s, examinations_s, peak_mb = self._used.get(key[0], (0, 0.0, 0.0, 0.0))
        is_turn = self._kinds[key] == "play"
        self._used[key[0]] = (
            turns + is_turn,
            turns_s + is_turn * used.cpu_s,
            examinations_s + (not is_turn) * used.cpu_s,
            max(peak_mb, used.peak_mb),
        )

    def _compare(self, program: ProgramId) -> None:
        expected = self._used.get(program, (0, 0.0, 0.0, 0.0))
        if self._measured(program) != expected:
            self._fault(f"program {program} has used {self._measured(program)}; told in time was {expected}")
        lease = self._tables.leases.get(program)
        if lease is not None and lease.failures != self._failures[program]:
            self._fault(f"program {program} has {lease.failures} failures; told in time were {self._failures[program]}")

    def answered(self, key: Key, outcome: str, *, counted: bool) -> None:
        """The server has told a worker whether its report counts."""
        counts = outcome in ("good", "refused", "failed")
        if counts and counted and not self.effects[key]:
            self._fault(f"a report of lease {key[1]} of program {key[0]} is said to count, and nothing came of it")
        if counts and not counted and not self.effects[key] and self._may_be_reported(key, self._now()):
            self._fault(f"a report of lease {key[1]} of program {key[0]} is refused though it is in time")

    def look(self, believed: Iterable[Iterable[ProgramId]]) -> None:
        """No two workers may run a program and believe that it is theirs. believed: by each."""
        for program, several in Counter(chain.from_iterable(believed)).items():
            if several > 1:
                self._fault(f"{several} workers run program {program} at the same time and believe that it is theirs")

"""The twin of the writer and its disk: saves are committed late, in batches, sometimes not at all, and outlive a crash.

Durable is what was committed when the process was killed. A batch under way at that moment is one transaction: it is
there as a whole or not at all.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from random import Random
from typing import Any

from scripts.long_runs.simulation.environment.loop import Process, SimulatedLoop
from tabiya.storage.errors import SaveFailed, StoreError
from tabiya.storage.group_commit import Batch
from tabiya.storage.memory import MemoryStore
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.writes import Write

BEAT_S = 1.0
SLOW_S = 1.0  # at most, for a commit of a process whose way to the disk is slow
CUT = "the disk of the simulation cannot be reached"
TAKEN_OVER = "the disk of the simulation is another server's"
READING_VERBS = (
    "match",
    "moves",
    "move_lists",
    "unfinished_matches",
    "list_matches",
    "results",
    "ending_counts",
    "bot",
    "bot_by_name",
    "bot_by_token_hash",
    "list_bots",
    "tournament",
    "list_tournaments",
    "ended_tournaments",
    "tournament_matches",
    "hosts",
    "hosts_of_matches",
    "whole_matches",
    "setting",
)


class Disk:
    """The durable writes, and the behaviour of the disk. committed: called with every write that gets durable."""

    def __init__(self, loop: SimulatedLoop, draw: Random, usual_s: float, committed: Callable[[Write], None]) -> None:
        self.loop, self._draw, self._usual_s, self._committed = loop, draw, usual_s, committed
        self.tables = MemoryTables()
        self.slow_until_s = self.failing_until_s = self.forgetful_until_s = 0.0
        self.slow_s = 0.0
        self.slow_until_s_of: defaultdict[Process, float] = defaultdict(float)
        self.cut_until_s: defaultdict[Process, float] = defaultdict(float)
        self.writing = loop.world
        """The process whose writes were committed last."""
        self.owner: Process | None = None
        """The server whose store was opened last: no server before it writes any more."""
        self.failures = 0
        self._under_way: dict[Process, tuple[SimulatedStore, Batch]] = {}

    def store(self, process: Process, host: int = 0, *, owns: bool = False) -> SimulatedStore:
        """The store of a server that starts now and owns what is stored, or of the host with this number."""
        if owns:
            self.owner = process
        return SimulatedStore(self, process, host, owns=owns)

    def apply(self, write: Write) -> Any:
        """Commit one write."""
        value = self.tables.apply(write)
        self._committed(write)
        return value

    def take(self, store: SimulatedStore, batch: Batch) -> None:
        """A batch has left for the disk."""
        self._under_way[store.process] = store, batch
        seconds = self._draw.expovariate(1 / self._usual_s)
        if self.loop.time() < self.slow_until_s:
            seconds += self._draw.random() * self.slow_s
        if self.loop.time() < self.slow_until_s_of[store.process]:
            seconds += self._draw.random() * SLOW_S
        self.loop.call_in(self.loop.world, self.loop.time() + seconds, self._commit, store, batch)

    def _commit(self, store: SimulatedStore, batch: Batch) -> None:
        if not store.process.alive:
            return
        del self._under_way[store.process]
        now_s = self.loop.time()
        if now_s < self.failing_until_s:
            self._fail(batch, "the disk of the simulation is full")
        elif self.is_cut(store.process):
            self._fail(batch, CUT)
        else:
            self.writing = store.process
            store.commit(batch, self.apply)
            if now_s < self.forgetful_until_s:
                self._fail(batch, "the answer of the simulation's disk was lost")
        self.loop.call_later(
            self._draw.random() * self._usual_s, self.loop.arrives, store.process, self, store.resolve, batch
        )

    def _fail(self, batch: Batch, why: str) -> None:
        self.failures += len(batch)
        for pending in batch:
            pending.error = pending.error or SaveFailed(why)

    def died(self, process: Process) -> None:
        """The process was killed: what was under way is committed as a whole, or not at all."""
        under_way = self._under_way.pop(process, None)
        if under_way is not None and self._draw.random() < 0.5:
            store, batch = under_way
            self.writing = process
            store.commit(batch, self.apply)

    def is_cut(self, process: Process) -> bool:
        """Whether this process cannot reach the disk."""
        return self.loop.time() < self.cut_until_s[process]

    def reading_s(self) -> float:
        """How long a read takes."""
        return self._draw.random() * self._usual_s


class SimulatedStore(MemoryStore):
    """A `Store` whose saves and reads take time. Created while its process acts."""

    def __init__(self, disk: Disk, process: Process, host: int = 0, *, owns: bool = False) -> None:
        super().__init__(disk.tables, host=host)
        self.disk, self.process, self._owns = disk, process, owns
        if owns or host:
            self._loop.call_later(BEAT_S, self._beat)

    def is_taken_over(self) -> bool:
        """Whether another server owns what is stored."""
        return self._owns and self.disk.owner is not self.process

    def commit(self, batch: Batch, apply: Callable[[Write], Any]) -> None:
        """As of `MemoryStore`; nothing of it if another server has taken over."""
        if not self.is_taken_over():
            super().commit(batch, apply)
        for pending in batch if self.is_taken_over() else ():
            self.disk.failures += 1
            pending.error = SaveFailed(TAKEN_OVER)

    def _beat(self) -> None:
        """As in a database: a process that writes nothing notices, too, that it may no longer write."""
        refused = self.tables.refusal(self.host)
        if (refused is not None or self.is_taken_over()) and not self.disk.is_cut(self.process):
            if not self.given_up.done():
                self.given_up.set_result(str(refused or TAKEN_OVER))
        else:
            self._loop.call_later(BEAT_S, self._beat)

    def _write_batch(self, batch: Batch) -> None:
        if self.process.alive:
            self.disk.take(self, batch)


def _slow(verb: str) -> Any:
    plain = getattr(MemoryStore, verb)

    async def read(self: SimulatedStore, *args: Any, **kwargs: Any) -> Any:
        await asyncio.sleep(self.disk.reading_s())
        if self.disk.is_cut(self.process):
            self.disk.failures += 1
            raise StoreError(CUT)
        found = await plain(self, *args, **kwargs)
        await asyncio.sleep(self.disk.reading_s())
        return found

    read.__doc__ = plain.__doc__
    return read


for _verb in READING_VERBS:
    setattr(SimulatedStore, _verb, _slow(_verb))

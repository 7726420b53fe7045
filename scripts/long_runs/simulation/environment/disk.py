"""The twin of the writer and its disk: saves are committed late, in batches, sometimes not at all, and outlive a crash.

Durable is what was committed when the process was killed. A batch under way at that moment is one transaction: it is
there as a whole or not at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

from scripts.long_runs.simulation.environment.loop import Process, SimulatedLoop
from tabiya.storage.errors import SaveFailed
from tabiya.storage.group_commit import Batch, apply_each
from tabiya.storage.memory import MemoryStore
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.writes import Write

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
    "setting",
)


class Disk:
    """What is durable, and in which mood the disk is. committed: told of every write that is durable from now on."""

    def __init__(self, loop: SimulatedLoop, draw: Random, usual_s: float, committed: Callable[[Write], None]) -> None:
        self.loop, self._draw, self._usual_s, self._committed = loop, draw, usual_s, committed
        self.tables = MemoryTables()
        self.slow_until_s = self.failing_until_s = self.forgetful_until_s = 0.0
        self.slow_s = 0.0
        self.failures = 0
        self._under_way: dict[Process, Batch] = {}

    def store(self, process: Process) -> SimulatedStore:
        """The store of a server that starts now."""
        return SimulatedStore(self, process)

    def apply(self, write: Write) -> Any:
        """Commit one write."""
        value = self.tables.apply(write)
        self._committed(write)
        return value

    def take(self, store: SimulatedStore, batch: Batch) -> None:
        """A batch has left for the disk."""
        self._under_way[store.process] = batch
        seconds = self._draw.expovariate(1 / self._usual_s)
        if self.loop.time() < self.slow_until_s:
            seconds += self._draw.random() * self.slow_s
        self.loop.call_in(self.loop.world, self.loop.time() + seconds, self._commit, store, batch)

    def _commit(self, store: SimulatedStore, batch: Batch) -> None:
        if not store.process.alive:
            return
        del self._under_way[store.process]
        now_s = self.loop.time()
        if now_s < self.failing_until_s:
            self._fail(batch, "the disk of the simulation is full")
        else:
            apply_each(batch, self.apply)
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
        batch = self._under_way.pop(process, None)
        if batch is not None and self._draw.random() < 0.5:
            apply_each(batch, self.apply)

    def reading_s(self) -> float:
        """How long a read takes."""
        return self._draw.random() * self._usual_s


class SimulatedStore(MemoryStore):
    """A `Store` whose saves and reads take time. Created while its process acts."""

    def __init__(self, disk: Disk, process: Process) -> None:
        super().__init__(disk.tables)
        self.disk, self.process = disk, process

    def _write_batch(self, batch: Batch) -> None:
        if self.process.alive:
            self.disk.take(self, batch)

    def resolve(self, batch: Batch) -> None:
        """A batch has come back."""
        self.writer.resolve(batch)


def _slow(verb: str) -> Any:
    plain = getattr(MemoryStore, verb)

    async def read(self: SimulatedStore, *args: Any, **kwargs: Any) -> Any:
        await asyncio.sleep(self.disk.reading_s())
        found = await plain(self, *args, **kwargs)
        await asyncio.sleep(self.disk.reading_s())
        return found

    read.__doc__ = plain.__doc__
    return read


for _verb in READING_VERBS:
    setattr(SimulatedStore, _verb, _slow(_verb))

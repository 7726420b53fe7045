"""Batching for group commit; the commit itself is the `write_batch` callback.

Four steps: `submit` queues a write, `_take_batch` takes what is queued, `write_batch` (a thread, a task, a dictionary)
commits it, `resolve` calls back.  One batch is in flight at a time.  What is submitted meanwhile is the next batch, so
latency is one commit and throughput grows with load by itself, without a timer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from tabiya.storage.errors import SaveFailed, StoreClosed, StoreError
from tabiya.storage.histogram import Histogram
from tabiya.storage.writes import Write

MOST_IN_A_BATCH = 1000
"""Keeps one transaction in the tens of milliseconds, however much was queued while the database was unreachable."""

MOST_NOTIFIED_AT_ONCE = 128
"""Callbacks in one turn of the event loop: each makes and sends a turn, some 30 microseconds."""

log = logging.getLogger("tabiya.storage")


Done = Callable[[StoreError | None], object]
"""Called on the event loop with None when the write is committed, else with what went wrong."""


class PendingWrite:
    """A submitted write: its callback, and after the commit its value or its error."""

    __slots__ = ("done", "error", "value", "write")

    def __init__(self, write: Write, done: Done) -> None:
        self.write = write
        self.done = done
        self.value: Any = None
        self.error: StoreError | None = None


Batch = list[PendingWrite]
WriteBatch = Callable[[Batch], object]


class GroupCommit:
    """Gathers writes into batches and hands whole batches back, in the order of submission.

    write_batch: starts committing a batch and returns at once.  When that is over and each pending write has its value
    or error, `resolve` must be called with the same batch on the event loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, write_batch: WriteBatch, most: int = MOST_IN_A_BATCH) -> None:
        self._loop = loop
        self._write_batch = write_batch
        self.most = most
        self._queued: Batch = []
        self._to_notify: Batch = []
        self._in_flight = 0
        self._busy = False
        self._closed = False
        self._drained: asyncio.Future[None] | None = None
        self.batches = 0
        self.took = Histogram()  # of finished batches
        self.longest_s = 0.0  # of them, since it was asked for
        self.errors = 0  # writes that the database did not take
        self._sent_s = 0.0

    @property
    def waiting(self) -> int:
        """Writes submitted and not yet answered."""
        return len(self._queued) + self._in_flight + len(self._to_notify)

    def submit(self, pending: PendingWrite) -> None:
        """Queue a write for the next batch.  Raises `StoreClosed`."""
        if self._closed:
            raise StoreClosed("the store is closed")
        self._queued.append(pending)
        if not self._busy:
            self._busy = True
            # not at once: what else is submitted in this turn of the loop goes into the same transaction
            self._loop.call_soon(self._take_batch)

    def resolve(self, batch: Batch) -> None:
        """Call back for each write of a finished batch; the next batch is sent first, so that it commits meanwhile."""
        took_s = self._loop.time() - self._sent_s
        self.took.add(took_s)
        self.longest_s = max(self.longest_s, took_s)
        self._in_flight = 0
        self._take_batch()
        self._to_notify += batch
        if len(self._to_notify) == len(
            batch
        ):  # otherwise callbacks of an earlier batch are under way, and these follow
            self._notify_some()

    def _notify_some(self) -> None:
        """In order, in slices: the first callers need not wait until the last has been called."""
        slice_, self._to_notify = self._to_notify[:MOST_NOTIFIED_AT_ONCE], self._to_notify[MOST_NOTIFIED_AT_ONCE:]
        if self._to_notify:
            self._loop.call_soon(self._notify_some)
        for pending in slice_:
            self._notify(pending)
        if not self._to_notify and not self._busy:
            self._notify_drained()

    async def close(self) -> None:
        """Take nothing more, and return when everything taken has been answered."""
        self._closed = True
        if self.waiting:
            if self._drained is None:
                self._drained = self._loop.create_future()
            await asyncio.shield(self._drained)  # one future for all who close: none may cancel it for the others

    def _take_batch(self) -> None:
        if not self._queued:
            self._busy = False
            return
        batch, self._queued = self._queued[: self.most], self._queued[self.most :]
        self._in_flight = len(batch)
        self.batches += 1
        self._sent_s = self._loop.time()
        self._write_batch(batch)

    def take_longest_s(self) -> float:
        """How long the longest batch took since this was asked for last, in seconds."""
        longest_s, self.longest_s = self.longest_s, 0.0
        return longest_s

    def _notify_drained(self) -> None:
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)

    def _notify(self, pending: PendingWrite) -> None:
        if pending.error is not None:
            self.errors += 1
        try:
            pending.done(pending.error)
        except Exception:
            # one caller's fault must not keep the answer from the others
            log.exception("the answer to %r could not be delivered", pending.write)


def apply_each(batch: Batch, apply: Callable[[Write], Any]) -> None:
    """Apply the writes one by one; a failure fails that write and the later ones of the same group, and no others.

    apply: returns the write's value, or raises `StoreError` and leaves nothing behind.
    """
    failed: set[object] = set()
    for pending in batch:
        group = pending.write.group
        if group in failed:
            pending.error = SaveFailed("an earlier write of the same match failed")
            continue
        try:
            pending.value = apply(pending.write)
        except StoreError as error:
            pending.error = error
            failed.add(group)

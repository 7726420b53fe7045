"""Group commit without the commit: what gathers, what goes next, who is told.

One batch is away at a time.  Whatever is submitted meanwhile is the next batch, so latency is one commit and throughput
grows with load by itself; no timer.  How a batch is committed (a thread, a task, a dictionary) is the `commit` given.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from tabiya.storage.errors import SaveFailed, StoreClosed, StoreError
from tabiya.storage.store import Done
from tabiya.storage.writes import Write

MOST_IN_A_BATCH = 1000
"""So that one transaction stays in the tens of milliseconds however long the database was away."""

MOST_TOLD_AT_ONCE = 128
"""A turn takes some 30 microseconds to make and send."""

log = logging.getLogger("tabiya.storage")


class Ticket:
    """A write under way: who waits for it, and afterwards its value or its error."""

    __slots__ = ("done", "error", "value", "write")

    def __init__(self, write: Write, done: Done) -> None:
        self.write = write
        self.done = done
        self.value: Any = None
        self.error: StoreError | None = None


Batch = list[Ticket]
Commit = Callable[[Batch], object]


class BatchWriter:
    """Gathers writes into batches and hands whole batches back, in the order of submission.

    commit: starts committing a batch and returns at once.  When that is over and each ticket carries its value or
    error, somebody calls `settled` with the same batch on the event loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, commit: Commit, most: int = MOST_IN_A_BATCH) -> None:
        self._loop = loop
        self._commit = commit
        self.most = most
        self._gathered: Batch = []
        self._untold: Batch = []
        self._away = 0
        self._busy = False
        self._closed = False
        self._drained: asyncio.Future[None] | None = None
        self.batches = 0

    @property
    def waiting(self) -> int:
        """Writes submitted and not yet answered."""
        return len(self._gathered) + self._away + len(self._untold)

    def submit(self, ticket: Ticket) -> None:
        """Take a write; it leaves with the next batch.  Raises `StoreClosed`."""
        if self._closed:
            raise StoreClosed("the store is closed")
        self._gathered.append(ticket)
        if not self._busy:
            self._busy = True
            self._loop.call_soon(self._send_next)

    def settled(self, batch: Batch) -> None:
        """Tell everybody in a batch that came back; the next batch leaves first, so that it commits meanwhile."""
        self._away = 0
        self._send_next()
        self._untold += batch
        if len(self._untold) == len(batch):
            self._tell_some()

    def _tell_some(self) -> None:
        """In order, and not all in one turn of the loop: what the first are sent need not wait for that of the last."""
        told, self._untold = self._untold[:MOST_TOLD_AT_ONCE], self._untold[MOST_TOLD_AT_ONCE:]
        if self._untold:
            self._loop.call_soon(self._tell_some)
        for ticket in told:
            self._tell(ticket)
        if not self._untold and not self._busy:
            self._tell_drained()

    async def close(self) -> None:
        """Take nothing more, and return when everything taken has been answered."""
        self._closed = True
        if self.waiting:
            if self._drained is None:
                self._drained = self._loop.create_future()
            await asyncio.shield(self._drained)

    def _send_next(self) -> None:
        if not self._gathered:
            self._busy = False
            return
        batch, self._gathered = self._gathered[: self.most], self._gathered[self.most :]
        self._away = len(batch)
        self.batches += 1
        self._commit(batch)

    def _tell_drained(self) -> None:
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)

    def _tell(self, ticket: Ticket) -> None:
        try:
            ticket.done(ticket.error)
        except Exception:
            # one caller's fault must not keep the answer from the others
            log.exception("the answer to %r could not be delivered", ticket.write)


def settle_each(batch: Batch, apply: Callable[[Write], Any]) -> None:
    """Apply the writes one by one; a failure fails its ticket and the later ones of the same group, nobody else's.

    apply: returns the write's value, or raises `StoreError` and leaves nothing behind.
    """
    failed: set[object] = set()
    for ticket in batch:
        group = ticket.write.group
        if group in failed:
            ticket.error = SaveFailed("an earlier write of the same match failed")
            continue
        try:
            ticket.value = apply(ticket.write)
        except StoreError as error:
            ticket.error = error
            failed.add(group)

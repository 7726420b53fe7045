"""The database as the store uses it: commit a batch, answer a query, make a copy."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection

from tabiya.storage.address import Address
from tabiya.storage.errors import SaveFailed
from tabiya.storage.group_commit import Batch
from tabiya.storage.sql.db_errors import sentence

log = logging.getLogger("tabiya.storage")

P = ParamSpec("P")
T = TypeVar("T")

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 1.0
"""The server retries a failed save after pauses of its own, and longer ones here would add to them."""

Resolve = Callable[[Batch], object]
Query = Callable[Concatenate[Connection, P], T]


class Database(Protocol):
    """One database.  Everything is called on the event loop."""

    address: Address
    given_up: asyncio.Future[str]

    def start(self, resolve: Resolve) -> None:
        """Begin to take batches; `resolve` is called on the event loop with each that is finished."""

    def write_batch(self, batch: Batch) -> None:
        """Start committing a batch; at most one is in flight at a time."""

    async def read(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Answer in a transaction of its own.  Raises `StoreError`."""

    async def backup(self, path: Path) -> None:
        """Write a consistent copy.  Raises `StoreError`."""

    async def close(self) -> None:
        """Close the database; no batch is in flight."""


class WriteFailures:
    """What both writers do when their database fails: every write gets the error, and for a while nothing is tried.

    The pause doubles with every failure in a row, up to LONGEST_PAUSE_S.
    """

    def __init__(self, name: object, clock: Callable[[], float]) -> None:
        """name: of the database, for people and logs.  clock: seconds."""
        self._name, self._clock = name, clock
        self._pause_s = self._until = 0.0
        self._reason = ""

    def is_paused(self, batch: Batch) -> bool:
        """True during the pause after a failure; the batch then fails for the same reason."""
        paused = self._clock() < self._until
        if paused:
            self._fail(batch)
        return paused

    def succeeded(self) -> None:
        """The next failure begins with the shortest pause again."""
        self._pause_s = self._until = 0.0

    def failed(self, batch: Batch, error: Exception) -> None:
        """Fail the batch, and begin or prolong the pause."""
        reason = f"{self._name}: {sentence(error)}"
        if not self._pause_s or reason != self._reason:  # once, not every second
            log.warning("could not save %d rows in %s", len(batch), reason)
        self._reason = reason
        self._fail(batch)
        self._pause_s = min(LONGEST_PAUSE_S, max(FIRST_PAUSE_S, 2 * self._pause_s))
        self._until = self._clock() + self._pause_s

    def _fail(self, batch: Batch) -> None:
        for pending in batch:
            # a value may stand there already, from before the transaction failed
            pending.value, pending.error = None, SaveFailed(self._reason)

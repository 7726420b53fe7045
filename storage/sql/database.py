"""What the store needs from a database: commit a batch, answer a query, make a copy."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection

from tabiya.storage.address import Address
from tabiya.storage.errors import SaveFailed
from tabiya.storage.group_commit import Batch
from tabiya.storage.sql.backoff import Backoff
from tabiya.storage.sql.db_errors import sentence

log = logging.getLogger("tabiya.storage")

P = ParamSpec("P")
T = TypeVar("T")

Resolve = Callable[[Batch], object]
Query = Callable[Concatenate[Connection, P], T]


class Database(Protocol):
    """One database.  Everything is called on the event loop."""

    address: Address

    def start(self, resolve: Resolve) -> None:
        """Begin to take batches; `resolve` is called on the event loop with each that is finished."""

    def write_batch(self, batch: Batch) -> None:
        """Start committing a batch; at most one is in flight at a time."""

    async def read(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Answer in a transaction of its own.  Raises `StoreError`."""

    async def backup(self, path: Path) -> None:
        """Write a consistent copy.  Raises `StoreError`."""

    async def close(self) -> None:
        """Let go of the database; no batch is in flight."""


class WriteFailures:
    """What both writers do when their database fails: every write gets the error, and for a while nothing is tried."""

    def __init__(self, name: object, clock: Callable[[], float]) -> None:
        """name: of the database, for people and logs.  clock: seconds."""
        self._name, self._clock = name, clock
        self._backoff = Backoff()
        self._reason = ""

    def is_paused(self, batch: Batch) -> bool:
        """True during the pause after a failure; the batch then fails for the same reason."""
        paused = self._backoff.left_s(self._clock()) > 0
        if paused:
            self._fail(batch)
        return paused

    def succeeded(self) -> None:
        """The next failure begins with the shortest pause again."""
        self._backoff.succeeded()

    def failed(self, batch: Batch, error: Exception) -> None:
        """Fail the batch, and begin or prolong the pause."""
        log.warning("could not save %d rows in %s: %s", len(batch), self._name, sentence(error))
        self._reason = f"{self._name}: {sentence(error)}"
        self._fail(batch)
        self._backoff.failed(self._clock())

    def _fail(self, batch: Batch) -> None:
        for pending in batch:
            pending.value, pending.error = None, SaveFailed(self._reason)

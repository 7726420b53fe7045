"""What the store needs from a database: commit a batch, answer a question, make a copy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection

from tabiya.storage.address import Address
from tabiya.storage.errors import SaveFailed
from tabiya.storage.group_commit import Batch

P = ParamSpec("P")
T = TypeVar("T")

Settled = Callable[[Batch], object]
Question = Callable[Concatenate[Connection, P], T]


class Backend(Protocol):
    """One database.  Everything is called on the event loop."""

    address: Address

    def start(self, settled: Settled) -> None:
        """Begin to take batches; `settled` is called on the event loop with each that is over."""

    def commit(self, batch: Batch) -> None:
        """Start committing a batch; at most one is away at a time."""

    async def read(self, question: Question[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Answer in a transaction of its own.  Raises `StoreError`."""

    async def backup(self, path: Path) -> None:
        """Write a consistent copy.  Raises `StoreError`."""

    async def close(self) -> None:
        """Let go of the database; no batch is away."""


def fail(batch: Batch, reason: str) -> None:
    """Answer everybody in a batch that was not committed."""
    for ticket in batch:
        ticket.value, ticket.error = None, SaveFailed(reason)

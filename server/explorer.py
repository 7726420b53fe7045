"""The searches of the textbooks' algorithms, and reviews of games, as the server sees them.

The server plays no game, searches and judges nothing; who starts it may give it an explorer. `tabiya serve` gives it
one that does so in processes of its own.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Protocol

from tabiya.storage.records import ReviewRecord


class NoAnswer(Exception):
    """A question has none; the text is one sentence for a person."""


class ExplorerBusy(Exception):
    """Too many questions wait; the text says so."""


class Explorer(Protocol):
    """Answers questions about searches, and reviews games.

    A question is a mapping of fields, those of `SearchRequest` in server/web/schemas/explorer_requests.py that are not
    as usual. All raise ValueError where it cannot be asked so, NoAnswer, and ExplorerBusy.
    """

    def search(self, question: Mapping[str, Any]) -> AsyncGenerator[int | bytes]:
        """How many nodes have been visited, now and then; at last the recorded search, for a page."""

    async def calls(self, question: Mapping[str, Any], visit: int) -> bytes:
        """The listing line by line at a visit, as JSON."""

    async def difference(self, question: Mapping[str, Any], other: Mapping[str, Any]) -> bytes:
        """What only one of two searches of the same tree visited, and why, as JSON."""

    def listings(self) -> bytes:
        """All listings with their lines, as JSON."""

    def examples(self) -> bytes:
        """Searches that the textbooks' examples and claims are shown by, by name, as JSON."""

    async def exercises(self, asked: Mapping[str, Any]) -> bytes:
        """A sheet of exercises with its solutions, as JSON. asked: fields of `ExercisesRequest`."""

    def review(self, game: str, start: str, moves: Sequence[str]) -> AsyncGenerator[int | ReviewRecord]:
        """How many moves of a game are judged, now and then; at last all of them, as they are kept beside a match."""

    async def close(self) -> None:
        """End what runs."""

"""The server's interface to searches of the textbooks' algorithms and to reviews of games.

The server plays no game, searches and judges nothing; who starts it may give it an explorer. `tabiya serve` gives it
one that does so in processes of its own.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Protocol

from tabiya.storage.records import ReviewRecord


class NoAnswer(Exception):
    """There is no answer; the text is one sentence for a person."""


class ExplorerBusy(Exception):
    """Too many requests wait; the text says so."""


class Explorer(Protocol):
    """Answers questions about searches, and reviews games.

    A question is a mapping of fields, those of `SearchRequest` in server/web/schemas/explorer_requests.py that are not
    as usual. All raise ValueError where it cannot be asked so, NoAnswer, and ExplorerBusy.
    """

    def search(self, question: Mapping[str, Any]) -> AsyncGenerator[int | bytes]:
        """Now and then the number of visited nodes, at the end the recorded search, for a page."""

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
        """Now and then the number of judged moves of a game, at the end all of them, as stored with a match."""

    async def close(self) -> None:
        """Stop all searches and reviews."""

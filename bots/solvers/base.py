"""The interface of an exact endgame solver; solving_engine.py calls it."""

from __future__ import annotations

from typing import Protocol

from tabiya.bots.search.limits import SearchResult, StopToken
from tabiya.games.position import Position


class EndingSolver(Protocol):
    """Finds exact results near the end of a game. An evaluator offers one by `ending_solver`."""

    def expected_s(self, position: Position) -> float:
        """Seconds that it will take, roughly, to say who wins."""

    def search(
        self,
        position: Position,
        time_s: float | None = None,
        nodes: int | None = None,
        stop: StopToken | None = None,
    ) -> SearchResult:
        """The best move; depth 0 when the limits came before any proof.

        Then `lines` begin with the moves to choose from; without any, all are.
        """

    def forget(self) -> None:
        """Forget what earlier searches have found."""

    def warm(self, position: Position) -> None:
        """Compile, or load from the cache, all that a match from there will call."""

"""Between the playing engine's player and what solves a game's endings exactly."""

from __future__ import annotations

from typing import Protocol

from bots.search.limits import SearchResult, StopToken
from games.position import Position

TRIED_SHARE = 0.6  # of the time for a move: what is then not solved leaves time to search


class EndingSolver(Protocol):
    """Finds exact results near the end of a game. A brain offers one by `ending_solver`."""

    def expected_s(self, position: Position) -> float:
        """Seconds that it will take, roughly, to say who wins."""

    def search(
        self,
        position: Position,
        time_s: float | None = None,
        nodes: int | None = None,
        stop: StopToken | None = None,
    ) -> SearchResult:
        """The best move; depth 0 when the limits came before any proof."""

    def forget(self) -> None:
        """What earlier searches have found is not used again."""

    def warm(self) -> None:
        """Compile, or load from the cache, all that a match will call."""


def solve_in_time(
    solver: EndingSolver, position: Position, time_s: float, stop: StopToken
) -> tuple[SearchResult | None, float]:
    """What the solver has proved (None: nothing, or not tried) and the seconds that took.

    time_s: for the move. It is tried when it will probably be done within TRIED_SHARE of it.
    """
    if solver.expected_s(position) > TRIED_SHARE * time_s:
        return None, 0.0
    found = solver.search(position, time_s=TRIED_SHARE * time_s, stop=stop)
    return (found if found.depth > 0 else None), found.time_s

"""Nim by its rule, as a solver of endings that knows every position."""

from __future__ import annotations

from tabiya.bots.players.perfect_nim import best_moves, is_won, read_heaps
from tabiya.bots.search.limits import Line, SearchResult, StopToken
from tabiya.bots.search.scores import MATE, WON
from tabiya.games.position import Position


class NimSolver:
    """See bots/players/perfect_nim.py."""

    def expected_s(self, position: Position) -> float:
        """No time at all."""
        return 0.0

    def warm(self, position: Position) -> None:
        """Nothing is compiled."""

    def forget(self) -> None:
        """Nothing is remembered."""

    def search(
        self,
        position: Position,
        time_s: float | None = None,
        nodes: int | None = None,
        stop: StopToken | None = None,
    ) -> SearchResult:
        """A winning move if there is one. `depth` is the number of objects. No limit is ever reached."""
        heaps = read_heaps(position.text())
        heap, take = best_moves(heaps)[0]
        pv, value = (f"{chr(ord('a') + heap)}{take}",), int(WON) + 1
        if not is_won(heaps):
            value = -value
        elif take == sum(heaps.sizes):
            value = int(MATE) - 1
        return SearchResult(pv[0], value, sum(heaps.sizes), 0, pv, 0.0, exact=True, lines=(Line(value, pv),))

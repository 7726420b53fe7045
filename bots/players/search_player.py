"""A player that searches: one algorithm, to a depth, for a time, or as its clock allows."""

from __future__ import annotations

from bots.players.catalogue import brain_for
from bots.players.time_plan import SOFT_SHARE, UNTIMED_S, plan_time
from bots.rules import position_of
from bots.search.engine import TABLE_MB, Search, Searcher, SearchResult, StopToken
from bots.search.values import WON
from bots.think import ThinkMatch, ThinkRequest, Thought
from games.registry import load_game


class SearchPlayer:
    """Plays every game; keeps one searcher per game, made when first needed."""

    def __init__(
        self,
        algorithm: Search,
        depth: int | None = None,
        time_s: float | None = None,
        *,
        ties: bool = False,
        table_mb: float = TABLE_MB,
    ) -> None:
        """depth: plies at most.  time_s: seconds for every move, the clock permitting; without, it manages its clock.

        ties: equal moves are drawn by lot with the request's seed instead of taking the first.
        """
        self._algorithm, self._depth, self._time_s = algorithm, depth, time_s
        self._ties, self._table_mb = ties, table_mb
        self._searchers: dict[str, Searcher] = {}
        self._stop = StopToken()

    def new_match(self, match: ThinkMatch) -> None:
        """Get the memory ready. The first match of a game compiles its search, or loads it from the cache.

        Nothing is carried over from one search to the next.
        """
        self._searcher(match.game)

    def choose(self, request: ThinkRequest) -> Thought:
        """The move the search finds; the only move at once."""
        self._stop = StopToken()
        position = position_of(request.game, request.history_position, request.history_moves)
        legal = position.legal_moves()
        if len(legal) == 1:
            return Thought(move=legal[0], text="the only move")
        plan = plan_time(request, self._time_s, UNTIMED_S if self._depth is None else request.budget_s / SOFT_SHARE)
        result = self._searcher(request.game).search(
            position,
            depth=self._depth,
            time_s=plan.hard_s,
            soft_s=plan.soft_s,
            stop=self._stop,
            seed=request.seed if self._ties else None,
        )
        return _thought(result, request)

    def stop(self) -> None:
        """Make a running `choose` answer with what it has."""
        self._stop.stop()

    def _searcher(self, game: str) -> Searcher:
        if game not in self._searchers:
            searcher = Searcher(brain_for(load_game(game)), self._algorithm, table_mb=self._table_mb)
            searcher.warm(load_game(game).start())
            self._searchers[game] = searcher
        return self._searchers[game]


def _thought(result: SearchResult, request: ThinkRequest) -> Thought:
    return Thought(
        move=result.move,
        depth=result.depth,
        score=result.value,
        nodes=result.nodes,
        pv=result.pv,
        time_ms=round(result.time_s * 1000),
        text=result.text if abs(result.value) > WON else "",
        accept_draw=request.draw_offered and result.depth > 0 and result.value <= 0,
    )

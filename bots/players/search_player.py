"""Players that search: to a depth, for a time, or as their clock allows."""

from __future__ import annotations

import random
from collections.abc import Callable

from tabiya.bots.engine.engine import TABLE_MB
from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.players.lazy_rules import position_of
from tabiya.bots.players.time_plan import UNTIMED_S, TimePlan, plan_time
from tabiya.bots.search.limits import SearchResult, StopToken
from tabiya.bots.search.scores import WON
from tabiya.bots.solvers.solving_engine import SolvingEngine
from tabiya.games.contract import Game
from tabiya.games.position import Position
from tabiya.games.registry import load_game

NEAR_LINES = 4  # the most moves that one is drawn from


class SearchPlayer:
    """What all players that search have in common: the only move at once, a plan for the time, the reply."""

    accepts_draws = True

    def __init__(self, depth: int | None = None, time_s: float | None = None, nodes: int | None = None) -> None:
        """depth: plies at most.  time_s: seconds for every move, the clock permitting; without, by its clock.

        nodes: for every move.
        """
        self._depth, self._time_s, self._nodes = depth, time_s, nodes
        self._is_fixed = depth is not None or nodes is not None
        self._stop = StopToken()

    def new_match(self, match: MatchInfo) -> None:
        """Get the memory ready. The first match of a game compiles its search, or loads it from the cache."""
        raise NotImplementedError

    def choose(self, request: MoveRequest) -> MoveReply:
        """The move the search finds; the only move at once."""
        self._stop = StopToken()
        position = position_of(request.game, request.history_position, request.history_moves)
        legal = position.legal_moves()
        if len(legal) == 1:
            return MoveReply(move=legal[0], text="the only move")
        untimed_s = request.budget_s if self._is_fixed else UNTIMED_S  # the depth is to be reached
        plan = plan_time(request, self._time_s, untimed_s, position.game.max_plies)
        found = self._search(request, position, plan)
        return MoveReply(
            move=found.move,
            depth=found.depth,
            score=found.value if found.depth else None,  # stopped before the first iteration: nothing was judged
            nodes=found.nodes,
            pv=found.pv,
            time_ms=round(found.time_s * 1000, 3),
            text=found.text if abs(found.value) > WON else "",
            accept_draw=self.accepts_draws and request.draw_offered and found.depth > 0 and found.value <= 0,
        )

    def stop(self) -> None:
        """Make a running `choose` answer with the best move so far."""
        self._stop.stop()

    def _search(self, request: MoveRequest, position: Position, plan: TimePlan) -> SearchResult:
        raise NotImplementedError


class EnginePlayer(SearchPlayer):
    """The playing engine. What it learned about a match it remembers until the next.

    Where a game has a solver of its endings, that is asked first as soon as it will probably answer in time. With a
    fixed depth or number of nodes the engine is alone and starts every move from nothing, so that the same question has
    the same answer: with a margin, the same for the same seed.
    """

    def __init__(
        self,
        depth: int | None = None,
        time_s: float | None = None,
        nodes: int | None = None,
        *,
        table_mb: float = TABLE_MB,
        threads: int = 1,
        margin: int = 0,
        evaluator_of: Callable[[Game], Evaluator] = evaluator_for,
    ) -> None:
        """table_mb: for the transposition table.  threads: that search together.  evaluator_of: by game.

        margin: one of the moves that are at most so many hundredths of the game's unit behind the best is played,
        at random.
        """
        super().__init__(depth, time_s, nodes)
        self._table_mb, self._threads, self._margin, self._evaluator_of = table_mb, threads, margin, evaluator_of
        self._engines: dict[str, SolvingEngine] = {}

    def new_match(self, match: MatchInfo) -> None:
        self._engine(match.game).forget()

    def _search(self, request: MoveRequest, position: Position, plan: TimePlan) -> SearchResult:
        found = self._engine(request.game).search(
            position,
            plan,
            solves=True,
            stop=self._stop,
            depth=self._depth,
            nodes=self._nodes,
            remember=not self._is_fixed,
            lines=NEAR_LINES if self._margin else 1,
        )
        return pick_near_best(found, self._margin, request.seed)

    def _engine(self, game: str) -> SolvingEngine:
        if game not in self._engines:
            evaluator = self._evaluator_of(load_game(game))
            engine = SolvingEngine(evaluator, self._table_mb, self._threads, solves=not self._is_fixed)
            engine.warm(load_game(game).start())
            self._engines[game] = engine
        return self._engines[game]


def pick_near_best(found: SearchResult, margin: int, seed: int) -> SearchResult:
    """The result with a random line, by the seed, of those that are at most `margin` behind the best.

    In a decided game it is the best line: a won game is not given away at random.
    """
    near = [line for line in found.lines if line.value >= found.value - margin and abs(line.value) <= WON]
    if margin == 0 or len(near) < 2 or abs(found.value) > WON:
        return found
    line = random.Random(seed).choice(near)
    return found._replace(move=line.pv[0], value=line.value, pv=line.pv)

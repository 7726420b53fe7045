"""The playing engine with what solves the game's endings, where there is such a solver.

engine = SolvingEngine(evaluator_for(game), table_mb=64)
found = engine.search(position, plan_time(request), solves=True)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tabiya.bots.engine.engine import TABLE_MB, Engine, Report
from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.players.time_plan import TimePlan
from tabiya.bots.search.kernel_calls import ended_value
from tabiya.bots.search.limits import SearchResult, StopToken
from tabiya.games.position import Position
from tabiya.games.rules import DRAW

TRIED_SHARE = (
    0.6  # of the time for a move: what takes longer is not tried, and what is not solved leaves time to search
)
GLANCE_S = 0.002  # for a search that was stopped while nothing was proved: so its move was at least looked at


class SolvingEngine:
    """The solver is asked first, as soon as it will probably answer in time; the engine whenever it does not."""

    def __init__(
        self, evaluator: Evaluator, table_mb: float = TABLE_MB, threads: int = 1, *, solves: bool = True
    ) -> None:
        """table_mb: for the transposition table, and for the solver's.  solves: false for the engine alone."""
        self._engine = Engine(evaluator, table_mb=table_mb, threads=threads)
        self._solver = evaluator.ending_solver(table_mb) if solves else None

    @property
    def fullness(self) -> float:
        """Which part of the transposition table the last search has written, 0 to 1."""
        return self._engine.fullness

    def warm(self, position: Position) -> None:
        """Compile, or load from the cache, all that a match will call; `position` is any in which a move is legal."""
        self._engine.warm(position)
        if self._solver is not None:
            self._solver.warm(position)

    def ended_value(self, position: Position) -> int:
        """The value, see bots/search/scores.py, of a position whose game is over; a draw's if it is not."""
        outcome = position.outcome()
        winner = None if outcome is None else outcome.winner
        return int(ended_value(self._engine.evaluator, position.state, np.int64(DRAW if winner is None else winner)))

    def forget(self) -> None:
        """Forget what the engine's searches have learned; what the solver has proved stays true."""
        self._engine.forget()

    def search(
        self,
        position: Position,
        plan: TimePlan | None,
        *,
        solves: bool,
        stop: StopToken | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        remember: bool = False,
        lines: int = 1,
        moves: Sequence[str] = (),
        report: Report | None = None,
    ) -> SearchResult:
        """The best move of `position`. plan: the time for it, None without limit; all else as in `Engine.search`.

        solves: whether the solver may answer, which knows no depth, no nodes, no second line and no chosen moves.
        """
        stop, spent_s = stop or StopToken(), 0.0
        if solves and plan is not None and self._solver is not None:
            if self._solver.expected_s(position) <= TRIED_SHARE * plan.hard_s:
                solved = self._solver.search(position, time_s=TRIED_SHARE * plan.hard_s, stop=stop)
                if solved.depth > 0:
                    return solved
                spent_s, moves = solved.time_s, tuple(line.pv[0] for line in solved.lines)
            if stop.stopped:
                return with_solver_time(self._engine.search(position, time_s=GLANCE_S, remember=remember), spent_s)
            plan = plan.after(spent_s)
        found = self._engine.search(
            position,
            depth=depth,
            time_s=None if plan is None else plan.hard_s,
            soft_s=None if plan is None else plan.soft_s,
            nodes=nodes,
            stop=stop,
            remember=remember,
            lines=lines,
            moves=moves,
            report=None if report is None else lambda known: report(with_solver_time(known, spent_s)),
        )
        return with_solver_time(found, spent_s)


def with_solver_time(found: SearchResult, spent_s: float) -> SearchResult:
    """The result with the seconds that the solver took before, without a proof."""
    return found._replace(time_s=found.time_s + spent_s) if spent_s else found

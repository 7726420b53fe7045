"""The Python side of the search for wins by fours and threes.

found = ThreatSolver(evaluator).search(position, time_s=0.1)
found.depth, found.pv
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

import numpy as np

from tabiya.bots.search.clock import SECOND_NS, now_ns
from tabiya.bots.search.kernel_calls import line_texts
from tabiya.bots.search.limits import DEEPEST, Limits, Line, SearchResult, StopToken, checked, timer
from tabiya.bots.search.record import EVERY_NODES, new_record
from tabiya.bots.search.scores import MATE, PLIES
from tabiya.bots.solvers.mnk.proof_search import WORK, find_win
from tabiya.bots.solvers.mnk.threats import NOBODY
from tabiya.games.position import Position
from tabiya.games.rules import State

if TYPE_CHECKING:
    from tabiya.bots.evaluators.base import Evaluator

SHORTEST_LINE = 4  # k from which on fours and threes are rare enough to be worth a search of their own
MOST_NODES = 100_000  # a quarter of a second or so
SHARE = 0.1  # of the time that is allowed, for a win, and again for moves that do not lose: mostly there is neither
NO_MOVE = int(NOBODY)
REACH = 2  # columns and rows from a stone to what may be a good move


class ThreatSolver:
    """Finds wins by fours and threes, and moves that let the opponent have none.

    Searches from several threads wait for one another.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        """evaluator: of the m,n,k games."""
        self._game = evaluator
        self._work = new_record(WORK)
        self._stack = np.zeros(PLIES + 1, evaluator.state).view(np.recarray)
        self._lock = threading.Lock()

    def expected_s(self, position: Position) -> float:
        """Next to nothing; never worth it where lines are short."""
        return 0.0 if position.state.k >= SHORTEST_LINE else math.inf

    def warm(self, position: Position) -> None:
        """Compile, or load from the cache, all that a match from there will call; nothing where lines are short."""
        if self.expected_s(position) < math.inf:
            self.search(position, nodes=1)

    def forget(self) -> None:
        """Forget what earlier searches have found."""
        self._work["table"][:] = 0

    def search(
        self,
        position: Position,
        time_s: float | None = None,
        nodes: int | None = None,
        stop: StopToken | None = None,
    ) -> SearchResult:
        """A win by fours and threes, if one is found: at most `depth` plies long, whatever the opponent does.

        Depth 0 if not: there is none, or a limit came first: SHARE of time_s seconds, so many nodes (positions looked
        at, by itself at most MOST_NODES), `stop` from another thread. Then `lines` are the moves, near stones, after
        which the opponent is not seen to win so, looked for within such limits again; no lines where it does not even
        threaten to win, and where every move loses.
        Raises ValueError when the game is over or a limit is out of range.
        """
        checked(position, None, time_s, nodes, None)
        share_s, most, token = (
            None if time_s is None else SHARE * time_s,
            min(nodes or MOST_NODES, MOST_NODES),
            stop or StopToken(),
        )
        with self._lock:
            started_ns, game, work = now_ns(), self._game, self._work
            plies = self._find(position.state, share_s, most, token)
            depth, spent = int(work.plies), int(work.nodes)
            self._stack[0] = position.state
            pv = line_texts(game, self._stack, work["line"][:plies]) if plies else position.legal_moves()[:1]
            value = int(MATE) - depth if depth else 0
            lines = (Line(value, pv),) if depth else self._safe_moves(position, share_s, most, token)
        return SearchResult(
            pv[0], value, depth, spent, pv, (now_ns() - started_ns) / SECOND_NS, exact=False, lines=lines
        )

    def _safe_moves(self, position: Position, time_s: float | None, nodes: int, stop: StopToken) -> tuple[Line, ...]:
        """See `search`. A move that was not looked at when a limit came is not left out."""
        ends_ns = None if time_s is None else now_ns() + int(time_s * SECOND_NS)

        def loses(state: State, most: int, move: int = NO_MOVE) -> bool:
            nonlocal nodes
            left_s = None if ends_ns is None else (ends_ns - now_ns()) / SECOND_NS
            if nodes <= 0 or (left_s is not None and left_s <= 0):
                return False
            plies = self._find(state, left_s, min(most, nodes), stop, move)
            nodes -= int(self._work.nodes)
            return plies > 0

        passed = position.state.copy()
        passed.side = 1 - passed.side
        if not loses(passed, nodes):
            return ()
        most = int(self._work.nodes) + EVERY_NODES
        near = near_stones(position)
        return tuple(Line(0, (move,)) for move, code in near.items() if not loses(position.state, most, code))

    def _find(self, state: State, time_s: float | None, nodes: int, stop: StopToken, move: int = NO_MOVE) -> int:
        """How many plies of a win by fours and threes are in the line; 0 for none. move: see `find_win`."""
        work = self._work
        work.nodes = work.stop = 0
        Limits(DEEPEST, time_s, nodes, None).begin(work, nodes)
        self._stack[0] = state
        with stop.watching(work), timer(work, time_s):
            return int(find_win(self._game, self._stack, work, np.int64(move)))


def near_stones(position: Position) -> dict[str, int]:
    """The legal moves at most REACH columns and rows from a stone, with their numbers."""
    columns, legal = int(position.state.columns), dict(zip(position.legal_moves(), position.move_codes(), strict=True))
    stones = set(range(columns * int(position.state.rows))) - set(legal.values())
    steps = range(-REACH, REACH + 1)
    near = {(at % columns + dx, at // columns + dy) for at in stones for dx in steps for dy in steps}
    return {move: code for move, code in legal.items() if (code % columns, code // columns) in near}

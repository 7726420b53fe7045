"""The Python side of the search for wins by fours.

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
from tabiya.bots.search.limits import Line, SearchResult, StopToken, checked, timer
from tabiya.bots.search.record import new_record
from tabiya.bots.search.scores import MATE, PLIES
from tabiya.bots.solvers.mnk.threats import WORK, shortest_attack
from tabiya.games.position import Position

if TYPE_CHECKING:
    from tabiya.games.contract import Game

SHORTEST_LINE = 4  # k from which on fours are rare enough to be worth a search of their own
MOST_NODES = 200_000  # a tenth of a second or two
SALT = 0x9E3779B97F4A7C15


class ThreatSolver:
    """Finds wins by fours; says nothing where there are none. Searches from several threads wait for one another."""

    def __init__(self, game: Game) -> None:
        """game: an evaluator of the m,n,k games."""
        self._game = game
        self._work = new_record(WORK)
        self._stack = np.zeros(PLIES + 1, game.state).view(np.recarray)
        self._lock = threading.Lock()

    def expected_s(self, position: Position) -> float:
        """Next to nothing; never worth it where lines are short."""
        return 0.0 if position.state.k >= SHORTEST_LINE else math.inf

    def warm(self, position: Position) -> None:
        """Compile, or load from the cache, all that a match from there will call; nothing where lines are short."""
        if self.expected_s(position) < math.inf:
            self.search(position, nodes=1)

    def forget(self) -> None:
        """What earlier searches have found is not used again."""
        self._work.salt = (int(self._work.salt) + SALT) % 2**64

    def search(
        self,
        position: Position,
        time_s: float | None = None,
        nodes: int | None = None,
        stop: StopToken | None = None,
    ) -> SearchResult:
        """The win by the fewest fours, if there is one: `depth` plies long, whatever the opponent does.

        Depth 0 and any move if there is none, or the limits came first: time_s seconds, so many nodes (positions looked
        at, by itself at most MOST_NODES), `stop` from another thread.
        Raises ValueError when the game is over or a limit is out of range.
        """
        limits = checked(position, None, time_s, nodes, None)
        with self._lock:
            work, started_ns = self._work, now_ns()
            work.nodes = work.stop = 0
            limits.begin(work, min(nodes or MOST_NODES, MOST_NODES))
            self._stack[0] = position.state
            with (stop or StopToken()).watching(work), timer(work, time_s):
                plies = int(shortest_attack(self._game, self._stack, work))
            spent, seconds = int(work.nodes), (now_ns() - started_ns) / SECOND_NS
            pv = line_texts(self._game, self._stack, work["line"][:plies]) if plies else position.legal_moves()[:1]
        value = int(MATE) - plies if plies else 0
        return SearchResult(pv[0], value, plies, spent, pv, seconds, exact=False, lines=(Line(value, pv),))

"""The Python side of the plain searches, as the textbooks have them: what the playing engine is measured by.

searcher = Searcher(evaluator_for(game), Search.ALPHABETA)
result = searcher.search(position, depth=5, time_s=0.5)
result.move, result.value, result.pv
"""

from __future__ import annotations

import threading
from dataclasses import fields
from enum import Enum

import numpy as np

from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.search.clock import SECOND_NS, now_ns
from tabiya.bots.search.kernel_calls import key_of, line_texts
from tabiya.bots.search.limits import (
    NOTHING_YET,
    Iteration,
    Limits,
    SearchResult,
    StopToken,
    checked,
    timer,
)
from tabiya.bots.search.record import HISTORY_KEYS, PLAIN, Options, new_record, work_type
from tabiya.bots.search.root import Algorithm, AlphaBeta, Minimax, search_root
from tabiya.bots.search.scores import PLIES
from tabiya.games.position import Position


class Search(Enum):
    """The algorithms by name."""

    MINIMAX = "minimax"
    ALPHABETA = "alphabeta"

    @property
    def kernel(self) -> Algorithm:
        """The algorithm as compiled code knows it."""
        return Minimax() if self is Search.MINIMAX else AlphaBeta()


class Searcher:
    """One algorithm on one game, with its memory. Searches from several threads wait for one another."""

    def __init__(self, evaluator: Evaluator, algorithm: Search = Search.ALPHABETA, options: Options = PLAIN) -> None:
        self.evaluator, self.algorithm, self.options = evaluator, algorithm, options
        self._work = new_record(work_type(evaluator.width))
        self._stack = np.zeros(PLIES + 1, evaluator.state).view(np.recarray)
        self._lock = threading.Lock()

    def search(
        self,
        position: Position,
        depth: int | None = None,
        time_s: float | None = None,
        nodes: int | None = None,
        soft_s: float | None = None,
        stop: StopToken | None = None,
        seed: int | None = None,
    ) -> SearchResult:
        """The best move of `position` within the limits; without any limit the deepest search there is.

        depth: 1..64 plies.  time_s: seconds after which it ends wherever it is.  soft_s: seconds after which no deeper
        iteration begins.  nodes: ends within 256 after so many.  stop: ends it from another thread.  seed: equal moves
        are drawn by lot with it; None takes the first.
        Depth, nodes and seed given, the result is always the same.
        Raises ValueError when the game is over or a limit is out of range.
        """
        limits = checked(position, depth, time_s, nodes, soft_s)
        with self._lock:
            self._prepare(position, limits, seed)
            with (stop or StopToken()).watching(self._work), timer(self._work, limits.time_s):
                return self._deepen(limits)

    def warm(self, position: Position) -> None:
        """Compile, or load from the cache, all that a match will call; `position` is any in which a move is legal."""
        self.search(position, depth=1)
        key_of(position.game, position.state)

    def _prepare(self, position: Position, limits: Limits, seed: int | None) -> None:
        work = self._work
        for field in fields(Options):
            work[field.name] = getattr(self.options, field.name)
        work.ties, work.random = int(seed is not None), (seed or 0) % 2**64
        work.nodes = work.stop = work.root_count = 0
        limits.begin(work, limits.nodes)
        keys = position.earlier_keys[-HISTORY_KEYS:]
        work.earlier = len(keys)
        work["keys"][: len(keys)] = keys
        self._stack[0] = position.state

    def _deepen(self, limits: Limits) -> SearchResult:
        """One iteration to the whole depth; one after another where time or nodes may end it before."""
        work, started_ns = self._work, now_ns()
        depth = 1 if limits.limited else limits.depth
        done, line = NOTHING_YET, np.zeros(0, np.int32)
        while True:
            work.root_depth = depth
            value = int(search_root(self.algorithm.kernel, self.evaluator, self._stack, work))
            if work.stop:
                break
            done = Iteration(depth, value, exact=not work.guesses)
            line = work["line"][0, : int(work.line_length[0])].copy()
            if depth >= limits.depth or done.is_final or limits.is_late(started_ns):
                break
            depth += 1
        moves = line_texts(self.evaluator, self._stack, line if len(line) else np.array([work.best], np.int32))
        seconds = (now_ns() - started_ns) / SECOND_NS
        return SearchResult(moves[0], done.value, done.depth, int(work.nodes), moves, seconds, done.exact)

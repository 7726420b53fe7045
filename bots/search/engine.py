"""The Python side of the search.

searcher = Searcher(brain_for(game), PVS)
result = searcher.search(position, depth=8, time_s=0.5)
result.move, result.value, result.pv
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from bots.players.base import Brain
from bots.search.bridge import earlier_keys, key_of, line_texts
from bots.search.clock import HAS_CLOCK, SECOND_NS, now_ns
from bots.search.root import Algorithm, AlphaBeta, Minimax, PrincipalVariation, search_root
from bots.search.values import PLIES, plies_to_end, value_text
from bots.search.work import ENGINE, HISTORY_KEYS, PLAIN, Options, new_record, new_table, work_type
from games.position import Position

DEEPEST = PLIES - 36  # room for quiescence and forced moves below the last iteration
TABLE_MB = 16.0
NO_LIMIT = 2**62


class Search(Enum):
    """The algorithms by name, with the switches they are known with."""

    MINIMAX = "minimax"
    ALPHABETA = "alphabeta"
    PVS = "pvs"

    @property
    def kernel(self) -> Algorithm:
        """The algorithm as compiled code knows it."""
        return _KERNELS[self]

    @property
    def usual(self) -> Options:
        """The textbook's switches, or the playing engine's."""
        return ENGINE if self is Search.PVS else PLAIN


_KERNELS: dict[Search, Algorithm] = {
    Search.MINIMAX: Minimax(),
    Search.ALPHABETA: AlphaBeta(),
    Search.PVS: PrincipalVariation(),
}


class StopToken:
    """Ends searches from another thread, at once and for good."""

    def __init__(self) -> None:
        self._stopped = False
        self._works: list[Any] = []

    @property
    def stopped(self) -> bool:
        """Whether `stop` has been called."""
        return self._stopped

    def stop(self) -> None:
        """Make every search that holds this token return what it has."""
        self._stopped = True
        for work in list(self._works):
            work.stop = 1

    @contextlib.contextmanager
    def watching(self, work: Any) -> Iterator[None]:
        """While inside, `stop` reaches `work`. Listed first and looked at second, so that no stop is missed."""
        self._works.append(work)
        if self._stopped:
            work.stop = 1
        try:
            yield
        finally:
            self._works.pop()


class SearchResult(NamedTuple):
    """What a search found. value: for the side to move, see bots/search/values.py.

    depth: of the last finished iteration; 0 when stopped before any, then value is 0 and the move is only a good guess.
    exact: no evaluation took part, more depth cannot change the value.
    """

    move: str
    value: int
    depth: int
    nodes: int
    pv: tuple[str, ...]
    time_s: float
    exact: bool

    @property
    def text(self) -> str:
        """The value for people."""
        return value_text(self.value)


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search ends, checked."""

    depth: int
    time_s: float | None
    nodes: int | None
    soft_s: float | None


class Searcher:
    """One algorithm on one game, with its memory. Searches from several threads wait for one another."""

    def __init__(
        self, brain: Brain, algorithm: Search = Search.PVS, options: Options | None = None, table_mb: float = TABLE_MB
    ) -> None:
        """options: None for the algorithm's usual ones.  table_mb: size of the transposition table, if it has one."""
        self.brain, self.algorithm = brain, algorithm
        self.options = algorithm.usual if options is None else options
        self._work = new_record(work_type(brain.width))
        self._stack = np.zeros(PLIES + 1, brain.state).view(np.recarray)
        self._table = new_table(table_mb if self.options.table else 0)
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
        if position.outcome() is not None or not position.legal_moves():
            raise ValueError(f"the game is over, there is nothing to search: {position.text()}")
        limits = _checked(depth, time_s, nodes, soft_s)
        with self._lock:
            self._prepare(position, limits, seed)
            with (stop or StopToken()).watching(self._work), _timer(self._work, limits.time_s):
                return self._deepen(position, limits)

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
        work["killers"][:] = -1
        work["history"][:] = 0
        work.salt = (int(work.salt) + 0x9E3779B97F4A7C15) % 2**64
        work.node_limit = NO_LIMIT if limits.nodes is None else limits.nodes
        work.deadline_ns = 0
        if limits.time_s is not None and HAS_CLOCK:
            work.deadline_ns = now_ns() + int(limits.time_s * SECOND_NS)
        keys = earlier_keys(position)[-HISTORY_KEYS:]
        work.earlier = len(keys)
        work["keys"][: len(keys)] = keys
        self._stack[0] = position.state

    def _deepen(self, position: Position, limits: Limits) -> SearchResult:
        """Iterate until a limit is reached or more depth cannot change the value."""
        work, started_ns = self._work, now_ns()
        limited = limits.time_s is not None or limits.nodes is not None
        depth = 1 if limited or self.options.table else limits.depth
        done, line = _NOTHING, np.zeros(0, np.int32)
        while True:
            work.root_depth = depth
            value = int(search_root(self.algorithm.kernel, self.brain, self._stack, work, self._table))
            if work.stop:
                break
            done = _Iteration(depth, value, exact=not work.guesses)
            line = work["line"][0, : int(work.line_length[0])].copy()
            late = limits.soft_s is not None and now_ns() >= started_ns + limits.soft_s * SECOND_NS
            if depth >= max(limits.depth, int(work.ends)) or done.is_final or late:
                break
            depth += 1
        moves = line_texts(self.brain, self._stack, line if len(line) else np.array([work.best], np.int32))
        seconds = (now_ns() - started_ns) / SECOND_NS
        return SearchResult(moves[0], done.value, done.depth, int(work.nodes), moves, seconds, done.exact)


class _Iteration(NamedTuple):
    """What the last finished iteration found."""

    depth: int
    value: int
    exact: bool

    @property
    def is_final(self) -> bool:
        """Whether no evaluation took part, or the nearest possible end has been found."""
        distance = plies_to_end(self.value)
        return self.exact or (distance is not None and distance <= self.depth)


_NOTHING = _Iteration(0, 0, exact=False)


def _checked(depth: int | None, time_s: float | None, nodes: int | None, soft_s: float | None) -> Limits:
    if depth is not None and not 1 <= depth <= DEEPEST:
        raise ValueError(f"a search is 1 to {DEEPEST} plies deep, not {depth}")
    if time_s is not None and not 0 <= time_s <= 10**6:
        raise ValueError(f"a search takes 0 to 1000000 seconds, not {time_s}")
    if nodes is not None and nodes < 1:
        raise ValueError(f"a search visits at least 1 node, not {nodes}")
    return Limits(DEEPEST if depth is None else depth, time_s, nodes, soft_s)


@contextlib.contextmanager
def _timer(work: Any, time_s: float | None) -> Iterator[None]:
    """Where compiled code has no clock to read, a thread sets the stop flag when the time is over."""
    if HAS_CLOCK or time_s is None:
        yield
        return
    token = StopToken()
    timer = threading.Timer(time_s, token.stop)
    with token.watching(work):
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()

"""The Python side of the playing engine.

engine = Engine(brain_for(game), threads=2)
result = engine.search(position, time_s=0.5)
result.move, result.value, result.pv
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from bots.engine.memory import memory_type
from bots.engine.options import ENGINE, NAMES, Options
from bots.engine.search import search
from bots.engine.table import AGES, NO_MOVE, new_table
from bots.players.base import Brain
from bots.search.bridge import earlier_keys, is_in_check, key_of, line_texts
from bots.search.clock import SECOND_NS, now_ns
from bots.search.limits import NOTHING_YET, Iteration, Limits, SearchResult, StopToken, checked, timer
from bots.search.values import INFINITE, PLIES, WON, plies_to_end
from bots.search.work import HISTORY_KEYS, new_record
from games.position import Position

TABLE_MB = 16.0
SALT = 0x9E3779B97F4A7C15
COUNTS = ("nodes", "stop", "value", "settled", "null_from", "guesses")
NARROW_DEPTH = 5  # from this iteration on the window is narrow at first
FULL = int(INFINITE)
NARROW, WIDEST = 24, 800  # hundredths to either side; doubled until the value is inside


class Engine:
    """The playing engine on one game, with its memory. Searches from several threads wait for one another."""

    def __init__(self, brain: Brain, options: Options = ENGINE, table_mb: float = TABLE_MB, threads: int = 1) -> None:
        """table_mb: size of the transposition table, if it has one.  threads: that search together, on one table."""
        if threads < 1:
            raise ValueError(f"a search needs at least 1 thread, not {threads}")
        self.brain, self.options = brain, options
        self._table = new_table(table_mb if options.table else 0)
        self._hands = [_Hand(brain, self._table) for _ in range(threads)]
        self._salt = self._age = 0
        self._lock = threading.Lock()

    def forget(self) -> None:
        """What earlier searches have learned is not used again."""
        self._salt = (self._salt + SALT) % 2**64
        for hand in self._hands:
            hand.forget()

    def search(
        self,
        position: Position,
        depth: int | None = None,
        time_s: float | None = None,
        nodes: int | None = None,
        soft_s: float | None = None,
        stop: StopToken | None = None,
        *,
        remember: bool = False,
    ) -> SearchResult:
        """The best move of `position` within the limits; without any limit the deepest search there is.

        depth: 1..64 plies.  time_s: seconds after which it ends wherever it is.  soft_s: seconds after which no deeper
        iteration begins.  nodes: ends within 256 for each thread after so many.  stop: ends it from another thread.
        remember: use what earlier searches learned, as of the same match.
        On one thread, depth and nodes given and nothing remembered, the result is always the same.
        Raises ValueError when the game is over or a limit is out of range.
        """
        limits = checked(position, depth, time_s, nodes, soft_s)
        with self._lock:
            if not remember:
                self.forget()
            self._age = (self._age + 1) % AGES
            self._prepare(position, limits)
            with self._stoppable(stop or StopToken(), limits):
                return self._search_together(limits)

    def warm(self, position: Position) -> None:
        """Compile, or load from the cache, all that a match will call; `position` is any in which a move is legal."""
        self.search(position, depth=1)
        key_of(position.game, position.state)

    def _prepare(self, position: Position, limits: Limits) -> None:
        keys = earlier_keys(position)[-HISTORY_KEYS:]
        share = None if limits.nodes is None else max(1, limits.nodes // len(self._hands))
        for hand in self._hands:
            hand.prepare(position, self.options, keys)
            hand.work.salt, hand.work.age = self._salt, self._age
            limits.begin(hand.work, share)

    @contextlib.contextmanager
    def _stoppable(self, stop: StopToken, limits: Limits) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for hand in self._hands:
                stack.enter_context(stop.watching(hand.work))
                stack.enter_context(timer(hand.work, limits.time_s))
            yield

    def _search_together(self, limits: Limits) -> SearchResult:
        """The first hand decides when it is over and what is answered; the others fill the table for it."""
        started_ns, (first, *others) = now_ns(), self._hands
        threads = [
            threading.Thread(target=hand.deepen, args=(limits, started_ns, number % 2))
            for number, hand in enumerate(others, start=1)
        ]
        for thread in threads:
            thread.start()
        try:
            first.deepen(limits, started_ns, 0)
        finally:
            for hand in others:
                hand.work.stop = 1
            for thread in threads:
                thread.join()
        moves = line_texts(self.brain, first.stack, first.line)
        nodes = sum(int(hand.work.nodes) for hand in self._hands)
        done, seconds = first.done, (now_ns() - started_ns) / SECOND_NS
        return SearchResult(moves[0], done.value, done.depth, nodes, moves, seconds, done.exact)


class _Hand:
    """One thread's part of a search."""

    def __init__(self, brain: Brain, table: Any) -> None:
        self.brain, self.table = brain, table
        self.work = new_record(memory_type(brain.width))
        self.stack = np.zeros(PLIES + 1, brain.state).view(np.recarray)
        self.done = NOTHING_YET
        self.line = np.zeros(0, np.int32)
        self.first = 0

    def forget(self) -> None:
        for name in ("successes", "answers", "follow_ups"):
            self.work[name][:] = 0

    def prepare(self, position: Position, options: Options, keys: list[int]) -> None:
        work = self.work
        for name in NAMES:
            work[name] = getattr(options, name)
        for name in COUNTS:
            work[name] = 0
        work.best = NO_MOVE
        work["killer_moves"][:] = NO_MOVE
        work.checked[0] = int(is_in_check(self.brain, position.state))
        work.earlier = len(keys)
        work["keys"][: len(keys)] = keys
        self.stack[0] = position.state
        self.first = position.check_move(position.legal_moves()[0])
        self.done, self.line = NOTHING_YET, np.zeros(0, np.int32)

    def deepen(self, limits: Limits, started_ns: int, ahead: int) -> None:
        """Iterate until a limit is reached or more depth cannot change the value.

        ahead: plies that the first iteration is deeper, so that threads do not all search the same.
        """
        work = self.work
        depth = 1 + ahead if limits.limited or work.table else limits.depth
        while True:
            work.root_depth = depth
            value = self._iterate(depth)
            if work.stop:
                break
            self.done = Iteration(depth, value, exact=not work.guesses)
            self._keep_line()
            if depth >= max(limits.depth, int(work.ends)) or self._is_final() or limits.is_late(started_ns):
                break
            depth += 1
        if work.stop and work.settled:  # the part of the last iteration that was finished is better than the one before
            self.done = Iteration(self.done.depth, int(work.value), exact=False)
            self._keep_line()
        if not len(self.line):
            first = int(work.best) if work.best != NO_MOVE else int(self.first)
            self.line = np.array([first], np.int32)

    def _is_final(self) -> bool:
        """Whether more depth is in vain. A nearer end than the one found may have been pruned: so twice its depth."""
        distance = plies_to_end(self.done.value)
        return self.done.exact or (distance is not None and 2 * distance <= self.done.depth)

    def _iterate(self, depth: int) -> int:
        """One iteration: its value, the line in work.line[0]; void when work.stop is set."""
        work = self.work
        work.settled, last, width = 0, int(work.value), NARROW
        narrow = work.aspiration and depth >= NARROW_DEPTH and abs(last) < WON
        low, high = (last - width, last + width) if narrow else (-FULL, FULL)
        while True:
            work.guesses = 0
            value = int(search(self.brain, self.stack, work, self.table, depth, low, high, 0))
            if work.stop or low < value < high:
                return value
            width = 2 * width if width < WIDEST else 2 * FULL
            low = max(-FULL, value - width) if value <= low else low
            high = min(FULL, value + width) if value >= high else high

    def _keep_line(self) -> None:
        self.line = self.work["line"][0, : int(self.work.line_length[0])].copy()

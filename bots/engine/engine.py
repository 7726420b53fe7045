"""The Python side of the playing engine.

engine = Engine(brain_for(game), threads=2)
result = engine.search(position, time_s=0.5)
result.move, result.value, result.pv
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from bots.engine.memory import memory_type
from bots.engine.options import ENGINE, NAMES, Options
from bots.engine.patience import Patience
from bots.engine.search import search
from bots.engine.table import AGES, MARKS, NO_MOVE, new_table, written_by
from bots.players.base import Brain
from bots.search.bridge import candidates_of, is_in_check, key_of, line_texts
from bots.search.clock import SECOND_NS, now_ns
from bots.search.limits import NOTHING_YET, Iteration, Limits, Line, SearchResult, StopToken, checked, timer
from bots.search.values import INFINITE, PLIES, WON, plies_to_end
from bots.search.work import HISTORY_KEYS, new_record
from games.position import Position

TABLE_MB = 16.0
COUNTS = (
    *("nodes", "stop", "value", "settled", "null_from", "guesses", "deepest"),
    *("root_count", "root_depth", "effort"),
)
LEARNED = ("successes", "answers", "follow_ups", "errors")
NARROW_DEPTH = 5  # from this iteration on the window is narrow at first
WARM_WORDS = 2**27  # of a table: a gigabyte; a larger one may be more than there is
FULL = int(INFINITE)
NARROW, WIDEST = 24, 800  # hundredths to either side; doubled until the value is inside

Report = Callable[[SearchResult], None]


class Engine:
    """The playing engine on one game, with its memory. Searches from several threads wait for one another."""

    def __init__(self, brain: Brain, options: Options = ENGINE, table_mb: float = TABLE_MB, threads: int = 1) -> None:
        """table_mb: size of the transposition table, if it has one.  threads: that search together, on one table."""
        if threads < 1:
            raise ValueError(f"a search needs at least 1 thread, not {threads}")
        self.brain, self.options = brain, options
        self._table = new_table(table_mb if options.table else 0)
        self._hands = [_Hand(brain, self._table) for _ in range(threads)]
        self._age = 0
        self._has_searched = False
        self._lock = threading.Lock()

    def forget(self) -> None:
        """What earlier searches have learned is not used again, and takes no place from what the next one learns."""
        if self._has_searched:
            self._table.view(np.uint64)[:] = 0
            self._has_searched = False
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
        lines: int = 1,
        moves: Sequence[str] = (),
        report: Report | None = None,
    ) -> SearchResult:
        """The best move of `position` within the limits; without any limit the deepest search there is.

        depth: 1..64 plies.  time_s: seconds after which it ends wherever it is.  soft_s: seconds after which no deeper
        iteration begins, with the switch patience more in doubt and less where all is clear; not below time_s: none.
        nodes: ends within 256 for each thread after so many.  stop: ends it from another thread.  remember: use what
        earlier searches learned, as of the same match.  lines: how many of the best moves get exact values and lines
        of their own.  moves: legal ones, the only ones to choose from; none for all.  report: is told after every
        iteration what is known so far.
        On one thread, depth and nodes given and nothing remembered, the result is always the same.
        Raises ValueError when the game is over, a limit is out of range, or a move is not legal.
        """
        limits = checked(position, depth, time_s, nodes, soft_s)
        with self._lock:
            if not remember:
                self.forget()
            self._has_searched = True
            self._age = (self._age + 1) % AGES
            self._prepare(position, limits)
            self._choose_from(position, lines, moves)
            with self._stoppable(stop or StopToken(), limits):
                return self._search_together(limits, report)

    @property
    def fullness(self) -> float:
        """Which part of the table the last search has written, 0 to 1, judged by a thousand entries."""
        return written_by(self._table, self._age)

    def warm(self, position: Position) -> None:
        """Compile, or load from the cache, all that a match will call; `position` is any in which a move is legal.

        The table gets its memory, too, which the machine gives when it is first written to: for 64 MB, up to 79 ms were
        measured, and it would be on the clock of a first move.
        """
        Engine(self.brain, self.options, table_mb=0).search(position, depth=1)  # nothing of its own is written to
        key_of(position.game, position.state)
        if not self._has_searched:
            self._table.view(np.uint64)[:WARM_WORDS] = 0

    def _prepare(self, position: Position, limits: Limits) -> None:
        keys = position.earlier_keys[-HISTORY_KEYS:]
        share = None if limits.nodes is None else max(1, limits.nodes // len(self._hands))
        if len(self._hands) > 1:
            self._table[-MARKS:].check[:] = 0  # of a search that was stopped
        for hand in self._hands:
            hand.prepare(position, self.options, keys)
            hand.work.age, hand.work.threads = self._age, len(self._hands)
            limits.begin(hand.work, share)

    def _choose_from(self, position: Position, lines: int, moves: Sequence[str]) -> None:
        """Write down the moves of the root, where it is not simply all of them."""
        choice = [position.check_move(move) for move in moves]
        if lines > 1 and not choice:
            choice = candidates_of(self.brain, position.state)
        for hand in self._hands:
            hand.choice, hand.asked = choice, min(lines, len(choice) or 1)
            hand.restrict(choice if moves else [])

    @contextlib.contextmanager
    def _stoppable(self, stop: StopToken, limits: Limits) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for hand in self._hands:
                stack.enter_context(stop.watching(hand.work))
                stack.enter_context(timer(hand.work, limits.time_s))
            yield

    def _search_together(self, limits: Limits, report: Report | None) -> SearchResult:
        """The first hand decides when it is over and what is answered; the others fill the table for it."""
        started_ns, (first, *others) = now_ns(), self._hands
        threads = [threading.Thread(target=hand.deepen, args=(limits, started_ns, first)) for hand in others]
        for thread in threads:
            thread.start()
        tell = None if report is None else lambda: report(self._result(started_ns))
        try:
            first.deepen(limits, started_ns, first, tell)
        finally:
            for hand in others:
                hand.work.stop = 1
            for thread in threads:
                thread.join()
        return self._result(started_ns)

    def _result(self, started_ns: int) -> SearchResult:
        """What is known now."""
        first = self._hands[0]
        lines = tuple(Line(found.value, line_texts(self.brain, first.stack, found.codes)) for found in first.found)
        nodes = sum(int(hand.work.nodes) for hand in self._hands)
        done, seconds = first.done, (now_ns() - started_ns) / SECOND_NS
        best, deepest = lines[0].pv, int(first.work.deepest)
        return SearchResult(best[0], lines[0].value, done.depth, nodes, best, seconds, done.exact, deepest, lines)


class _Found(NamedTuple):
    """A line as move numbers (int32), and its value."""

    value: int
    codes: Any

    @property
    def first(self) -> int:
        return int(self.codes[0])


class _Hand:
    """One thread's part of a search."""

    def __init__(self, brain: Brain, table: Any) -> None:
        self.brain, self.table = brain, table
        self.work = new_record(memory_type(brain.width))
        self.stack = np.zeros(PLIES + 1, brain.state).view(np.recarray)
        self.done = NOTHING_YET
        self.found: list[_Found] = []  # the best line first; as many as are asked for
        self.choice: list[int] = []
        self.first, self.asked = 0, 1

    def forget(self) -> None:
        for name in LEARNED:
            self.work[name][:] = 0

    def learn_from(self, other: _Hand) -> None:
        for name in LEARNED:
            self.work[name][:] = other.work[name]

    def prepare(self, position: Position, options: Options, keys: Sequence[int]) -> None:
        work = self.work
        for name in NAMES:
            work[name] = getattr(options, name)
        for name in COUNTS:
            work[name] = 0
        work.best, work.line_length[0] = NO_MOVE, 0
        work["killer_moves"][:] = NO_MOVE
        work["excluded"][:] = NO_MOVE
        work.checked[0] = int(is_in_check(self.brain, position.state))
        work.earlier = len(keys)
        work["keys"][: len(keys)] = keys
        self.stack[0] = position.state
        self.first = position.check_move(position.legal_moves()[0])
        self.done, self.found = NOTHING_YET, []

    def restrict(self, moves: list[int]) -> None:
        """Search only these at the root; none for all."""
        self.work.root_count = len(moves)
        self.work["root_moves"][: len(moves)] = moves

    def deepen(self, limits: Limits, started_ns: int, leader: _Hand, tell: Callable[[], None] | None = None) -> None:
        """Iterate until a limit is reached or more depth cannot change the value.

        leader: whose iterations are not to be fallen behind; what it has learned is begun with, for threads that judge
        moves alike have more to share.  tell: is called after every iteration.
        """
        work, patience = self.work, Patience()
        depth = 1 if limits.limited or work.table or tell else limits.depth
        while True:
            work.root_depth, before = depth, int(work.nodes)
            if leader is not self:
                self.learn_from(leader)
            if not (self._find_one(depth) if self.asked == 1 else self._find_several(depth)):
                break
            if tell is not None:
                tell()
            if work.patience:
                patience.after(
                    self.found[0].first, self.done.value, int(work.effort) / max(1, int(work.nodes) - before)
                )
            late = limits.is_late(started_ns, patience.factor)
            if depth >= max(limits.depth, int(work.ends)) or self._is_final() or late:
                break
            depth = max(depth + 1, int(leader.work.root_depth))
        if not self.found:
            self.found = [_Found(0, self._line())]

    def _find_one(self, depth: int) -> bool:
        """One iteration for the best line; whether it came to its end."""
        work = self.work
        value = self._iterate(depth)
        if not work.stop:
            self.done = Iteration(depth, value, exact=not work.guesses)
            self.found = [_Found(value, self._line())]
        elif work.settled:  # the part of the last iteration that was finished is better than the one before
            self.done = Iteration(self.done.depth, int(work.value), exact=False)
            self.found = [_Found(int(work.value), self._line())]
        return not work.stop

    def _find_several(self, depth: int) -> bool:
        """One iteration for each line asked for: each time without the first moves of the lines before."""
        work, found, exact = self.work, list[_Found](), True
        before = {line.first: line.value for line in self.found}
        while len(found) < self.asked:
            taken = {line.first for line in found}
            self.restrict([move for move in self.choice if move not in taken])
            hints = [(move, value) for move, value in before.items() if move not in taken]
            work.best, work.value = hints[0] if hints else (NO_MOVE, work.value)
            value = self._iterate(depth)
            if work.stop:
                break
            exact = exact and not work.guesses
            found.append(_Found(value, self._line()))
        firsts = {line.first for line in found}
        kept = [line for line in self.found if line.first not in firsts]
        self.found = [*sorted(found, key=lambda line: -line.value), *kept][: self.asked]
        if found:
            done = depth if not work.stop else self.done.depth
            self.done = Iteration(done, self.found[0].value, exact=exact and not work.stop)
        return not work.stop

    def _is_final(self) -> bool:
        """Whether more depth is in vain. A nearer end than the one found may have been pruned: so twice its depth."""
        distance = plies_to_end(self.done.value)
        return self.done.exact or (self.asked == 1 and distance is not None and 2 * distance <= self.done.depth)

    def _iterate(self, depth: int) -> int:
        """One iteration: its value, the line in work.line[0]; void when work.stop is set."""
        work = self.work
        work.settled, last, width = 0, int(work.value), NARROW
        narrow = work.aspiration and depth >= NARROW_DEPTH and abs(last) < WON
        low, high = (last - width, last + width) if narrow else (-FULL, FULL)
        while True:
            work.guesses = 0
            value = int(search(self.brain, self.stack, work, self.table, depth, low, high, 0, 0))
            if work.stop or low < value < high:
                return value
            width = 2 * width if width < WIDEST else 2 * FULL
            low = max(-FULL, value - width) if value <= low else low
            high = min(FULL, value + width) if value >= high else high

    def _line(self) -> Any:
        """The line of the last iteration; its best move alone if it was stopped after beginning anew, wider."""
        work = self.work
        best = int(work.best) if work.best != NO_MOVE else (self.choice or [self.first])[0]
        return work["line"][0, : int(work.line_length[0])].copy() if work.line_length[0] else np.array([best], np.int32)

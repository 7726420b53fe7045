"""One thread's part of a search: iterations ever deeper, and what is known of the best lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tabiya.bots.engine.depth_sync import DepthSync, FinishedDepth
from tabiya.bots.engine.options import NAMES, Options
from tabiya.bots.engine.search import search
from tabiya.bots.engine.state import thread_state_type
from tabiya.bots.engine.time_scaling import TimeScaling
from tabiya.bots.engine.transposition_table import NO_MOVE
from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.search.kernel_calls import is_in_check
from tabiya.bots.search.limits import NOTHING_YET, Iteration, Limits
from tabiya.bots.search.record import new_record
from tabiya.bots.search.scores import INFINITE, PLIES, WON, plies_to_end
from tabiya.games.position import Position

COUNTS = (
    *("nodes", "stop", "value", "has_partial", "null_from", "inexact_nodes", "deepest"),
    *("root_count", "root_depth", "effort"),
)
NARROW_DEPTH = 5  # from this iteration on the window is narrow at first; chosen, not tuned, as are the widths
FULL = int(INFINITE)
NARROW, WIDEST = 24, 800  # hundredths to either side; doubled until the value is inside


class Found(NamedTuple):
    """A line as move numbers (int32), and its value."""

    value: int
    codes: Any

    @property
    def first(self) -> int:
        return int(self.codes[0])


class SearchThread:
    """One thread's part of a search."""

    def __init__(self, evaluator: Evaluator, table: Any, histories: Any) -> None:
        """table, histories: of all threads that search together."""
        self.evaluator, self.table, self.histories = evaluator, table, histories
        self.work = new_record(thread_state_type(evaluator.width))
        self.stack = np.zeros(PLIES + 1, evaluator.state).view(np.recarray)
        self.done = NOTHING_YET
        self.found: list[Found] = []  # the best line first; as many as are asked for
        self.choice: list[int] = []
        self.first, self.asked = 0, 1
        self.effort = 0.0  # which part of the last iteration's nodes went into its best move

    def forget(self) -> None:
        self.work["errors"][:] = 0

    def prepare(self, position: Position, options: Options, keys: Sequence[int]) -> None:
        work = self.work
        for name in NAMES:
            work[name] = getattr(options, name)
        for name in COUNTS:
            work[name] = 0
        work.best, work.line_length[0] = NO_MOVE, 0
        work["excluded"][:] = NO_MOVE
        work.checked[0] = int(is_in_check(self.evaluator, position.state))
        work.earlier = len(keys)
        work["keys"][: len(keys)] = keys
        self.stack[0] = position.state
        self.first = position.check_move(position.legal_moves()[0])
        self.done, self.found = NOTHING_YET, []

    def restrict(self, moves: list[int]) -> None:
        """Search only these at the root; none for all."""
        self.work.root_count = len(moves)
        self.work["root_moves"][: len(moves)] = moves

    @property
    def flag(self) -> int:
        """Its stop flag, see depth_sync.py."""
        return int(self.work.stop)

    @flag.setter
    def flag(self, flag: int) -> None:
        self.work.stop = flag

    @property
    def depth(self) -> int:
        """The depth of its present iteration."""
        return int(self.work.root_depth)

    def deepen(
        self, limits: Limits, started_ns: int, sync: DepthSync, notify: Callable[[], None] | None = None
    ) -> None:
        """Iterate until a limit is reached or more depth cannot change the value.

        sync: of all threads; an iteration that another one has finished is not finished here.  notify: called after
        every iteration.
        """
        work, scaling = self.work, TimeScaling()
        depth = 1 if limits.limited or work.table or notify else limits.depth
        while True:
            work.root_depth, before = depth, int(work.nodes)
            if self._find_one(depth) if self.asked == 1 else self._find_several(depth):
                self.effort = int(work.effort) / max(1, int(work.nodes) - before)
                if self.asked == 1:
                    sync.report_depth(
                        self, FinishedDepth(self.done, self.found, int(work.best), int(work.value), self.effort)
                    )
            elif sync.adopt_latest(self):
                self._adopt(sync.last)
            else:
                break
            if notify is not None:
                notify()
            if work.patience:
                scaling.after(self.found[0].first, self.done.value, self.effort)
            late = limits.is_late(started_ns, scaling.factor)
            if self.done.depth >= max(limits.depth, int(work.ends)) or self._is_final() or late:
                break
            depth = self.done.depth + 1
        if sync.last.done.depth > self.done.depth:
            self._adopt(sync.last)
        if not self.found:
            self.found = [Found(0, self._line())]

    def _adopt(self, last: FinishedDepth) -> None:
        self.done, self.found, self.effort = last.done, list(last.found), last.effort
        self.work.best, self.work.value = last.best, last.value

    def _find_one(self, depth: int) -> bool:
        """One iteration for the best line; whether it came to its end."""
        work = self.work
        value = self._iterate(depth)
        if not work.stop:
            self.done = Iteration(depth, value, exact=not work.inexact_nodes)
            self.found = [Found(value, self._line())]
        elif work.has_partial:  # the part of the last iteration that was finished is better than the one before
            self.done = Iteration(self.done.depth, int(work.value), exact=False)
            self.found = [Found(int(work.value), self._line())]
        return not work.stop

    def _find_several(self, depth: int) -> bool:
        """One iteration for each line asked for: each time without the first moves of the lines before."""
        work, found, exact = self.work, list[Found](), True
        before = {line.first: line.value for line in self.found}
        while len(found) < self.asked:
            taken = {line.first for line in found}
            self.restrict([move for move in self.choice if move not in taken])
            hints = [(move, value) for move, value in before.items() if move not in taken]
            work.best, work.value = hints[0] if hints else (NO_MOVE, work.value)
            value = self._iterate(depth)
            if work.stop:
                break
            exact = exact and not work.inexact_nodes
            found.append(Found(value, self._line()))
        firsts = {line.first for line in found}
        kept = [line for line in self.found if line.first not in firsts]
        self.found = [*sorted(found, key=lambda line: -line.value), *kept][: self.asked]
        if found:
            done = depth if not work.stop else self.done.depth
            self.done = Iteration(done, self.found[0].value, exact=exact and not work.stop)
        return not work.stop

    def _is_final(self) -> bool:
        """Whether more depth is useless. A nearer end than the one found may have been pruned: so twice its depth."""
        distance = plies_to_end(self.done.value)
        return self.done.exact or (self.asked == 1 and distance is not None and 2 * distance <= self.done.depth)

    def _iterate(self, depth: int) -> int:
        """One iteration: its value, the line in work.line[0]; void when work.stop is set."""
        work = self.work
        work.has_partial, last, width = 0, int(work.value), NARROW
        narrow = work.aspiration and depth >= NARROW_DEPTH and abs(last) < WON
        low, high = (last - width, last + width) if narrow else (-FULL, FULL)
        while True:
            work.inexact_nodes = 0
            value = int(search(self.evaluator, self.stack, work, self.table, self.histories, depth, low, high, 0, 0))
            if work.stop or low < value < high:
                return value
            width = 2 * width if width < WIDEST else 2 * FULL
            low = max(-FULL, value - width) if value <= low else low
            high = min(FULL, value + width) if value >= high else high

    def _line(self) -> Any:
        """The line of the last iteration; its best move alone if it was stopped after beginning again, wider."""
        work = self.work
        best = int(work.best) if work.best != NO_MOVE else (self.choice or [self.first])[0]
        return work["line"][0, : int(work.line_length[0])].copy() if work.line_length[0] else np.array([best], np.int32)

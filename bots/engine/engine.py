"""The Python side of the playing engine.

engine = Engine(evaluator_for(game), threads=2)
result = engine.search(position, time_s=0.5)
result.move, result.value, result.pv
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tabiya.bots.engine.depth_sync import DepthSync
from tabiya.bots.engine.options import ENGINE, Options
from tabiya.bots.engine.search_thread import SearchThread
from tabiya.bots.engine.state import clear_histories, clear_killers, new_histories
from tabiya.bots.engine.transposition_table import AGES, EXTRA_ENTRIES, new_table, written_by
from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.search.clock import SECOND_NS, now_ns
from tabiya.bots.search.kernel_calls import candidates_of, key_of, line_texts
from tabiya.bots.search.limits import Limits, Line, SearchResult, StopToken, checked, timer
from tabiya.bots.search.record import HISTORY_KEYS
from tabiya.games.position import Position

TABLE_MB = 16.0
WARM_WORDS = 2**27  # of a table: a gigabyte; a larger one may be more than there is

Report = Callable[[SearchResult], None]


class Engine:
    """The playing engine on one game, with its memory. Searches from several threads wait for one another."""

    def __init__(
        self, evaluator: Evaluator, options: Options = ENGINE, table_mb: float = TABLE_MB, threads: int = 1
    ) -> None:
        """table_mb: size of the transposition table, if it has one.  threads: that search together, on one table."""
        if threads < 1:
            raise ValueError(f"a search needs at least 1 thread, not {threads}")
        self.evaluator, self.options = evaluator, options
        self._table = new_table(table_mb if options.table else 0)
        self._histories = new_histories()
        self._workers = [SearchThread(evaluator, self._table, self._histories) for _ in range(threads)]
        self._age = 0
        self._has_searched = False
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Forget what earlier searches have learned; the next one may overwrite it."""
        if self._has_searched:
            self._table.view(np.uint64)[:] = 0
            self._has_searched = False
        clear_histories(self._histories)
        for worker in self._workers:
            worker.forget()

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
        nodes: ends within 256 for each thread after so many, 512 of several.  stop: ends it from another thread.
        remember: use what earlier searches learned, as of the same match.  lines: how many of the best moves get exact
        values and lines of their own.  moves: legal ones, the only ones to choose from; none for all.  report: called
        after every iteration what is known so far.
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
            token = stop or StopToken()
            with self._stoppable(token, limits):
                return self._search_together(limits, token, report)

    @property
    def fullness(self) -> float:
        """Which part of the table the last search has written, 0 to 1, judged by a thousand entries."""
        return written_by(self._table, self._age)

    def warm(self, position: Position) -> None:
        """Compile, or load from the cache, all that a match will call; `position` is any in which a move is legal.

        The table gets its memory, too, which the machine gives when it is first written to: for 64 MB, up to 79 ms were
        measured, and it would be on the clock of a first move.
        """
        Engine(self.evaluator, self.options, table_mb=0).search(position, depth=1)  # nothing of its own is written to
        key_of(position.game, position.state)
        if not self._has_searched:
            self._table.view(np.uint64)[:WARM_WORDS] = 0

    def _prepare(self, position: Position, limits: Limits) -> None:
        keys = position.earlier_keys[-HISTORY_KEYS:]
        share = None if limits.nodes is None else max(1, limits.nodes // len(self._workers))
        if len(self._workers) > 1:
            self._table[-EXTRA_ENTRIES:].view(np.uint64)[:] = 0  # of earlier searches
        clear_killers(self._histories)
        for worker in self._workers:
            worker.prepare(position, self.options, keys)
            worker.work.age, worker.work.threads = self._age, len(self._workers)
            limits.begin(worker.work, share)

    def _choose_from(self, position: Position, lines: int, moves: Sequence[str]) -> None:
        """Set the moves to choose from at the root, and how many lines are wanted."""
        choice = [position.check_move(move) for move in moves]
        if lines > 1 and not choice:
            choice = candidates_of(self.evaluator, position.state)
        for worker in self._workers:
            worker.choice, worker.asked = choice, min(lines, len(choice) or 1)
            worker.restrict(choice if moves else [])

    @contextlib.contextmanager
    def _stoppable(self, stop: StopToken, limits: Limits) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for worker in self._workers:
                stack.enter_context(stop.watching(worker.work))
                stack.enter_context(timer(worker.work, limits.time_s))
            yield

    def _search_together(self, limits: Limits, stop: StopToken, report: Report | None) -> SearchResult:
        """Search with all threads; the first decides when to end and what to answer. Raises what any of them raises."""
        started_ns, (first, *others) = now_ns(), self._workers
        sync = DepthSync(self._workers, lambda: stop.stopped or limits.is_over(started_ns))
        errors: list[Exception] = []

        def assist(worker: SearchThread) -> None:
            try:
                worker.deepen(limits, started_ns, sync)
            except Exception as error:  # whatever an author's evaluation raises
                errors.append(error)
                sync.end(self._workers)

        threads = [threading.Thread(target=assist, args=(worker,)) for worker in others]
        for thread in threads:
            thread.start()
        notify = None if report is None else lambda: report(self._result(started_ns))
        try:
            first.deepen(limits, started_ns, sync, notify)
        finally:
            sync.end(others)
            for thread in threads:
                thread.join()
        if errors:
            raise errors[0]
        return self._result(started_ns)

    def _result(self, started_ns: int) -> SearchResult:
        """The result so far."""
        first = self._workers[0]
        lines = tuple(Line(found.value, line_texts(self.evaluator, first.stack, found.codes)) for found in first.found)
        nodes = sum(int(worker.work.nodes) for worker in self._workers)
        done, seconds = first.done, (now_ns() - started_ns) / SECOND_NS
        best, deepest = lines[0].pv, int(first.work.deepest)
        return SearchResult(best[0], lines[0].value, done.depth, nodes, best, seconds, done.exact, deepest, lines)

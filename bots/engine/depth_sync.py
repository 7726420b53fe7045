"""Several threads deepen together: an iteration is over for all as soon as one of them has finished it.

The others would finish it, too, with much of the same work, and answer nothing else: they take over what was found, and
all begin the next iteration at the same time.

The stop flag, which compiled code reads at every node, has three values. `OVERTAKEN` is set only where the flag is
`GO_ON`; a stop at the same moment can still be overwritten, so a thread that reads `OVERTAKEN` looks again for a stop
by the user and for the end of the time before it goes on (`adopt_latest`). Compiled code itself looks again at the
limits of nodes and time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from tabiya.bots.search.limits import NOTHING_YET, Iteration

GO_ON, STOPPED, OVERTAKEN = 0, 1, 2  # values of a record's stop flag


class FinishedDepth(NamedTuple):
    """What the first thread that finished an iteration knows.

    found: the lines, see search_thread.py.  best, value: what the next iteration begins with.  effort: which part of
    this one's nodes went into its best move.
    """

    done: Iteration
    found: Sequence[Any]
    best: int
    value: int
    effort: float


class SyncedThread(Protocol):
    """A thread's part of a search, as `DepthSync` sees it."""

    @property
    def flag(self) -> int:
        """GO_ON, STOPPED or OVERTAKEN."""

    @flag.setter
    def flag(self, flag: int) -> None: ...

    @property
    def depth(self) -> int:
        """The depth of its present iteration."""


class DepthSync:
    """The threads of one search, and how far the first of them is."""

    def __init__(self, runners: Sequence[SyncedThread], must_stop: Callable[[], bool]) -> None:
        """must_stop: whether the search has been stopped, or its time is over."""
        self._runners, self._must_stop = runners, must_stop
        self._lock = threading.Lock()
        self._over = False
        self.last = FinishedDepth(NOTHING_YET, (), 0, 0, 0.0)

    def report_depth(self, runner: SyncedThread, finished: FinishedDepth) -> None:
        """`runner` has finished an iteration; threads in an iteration no deeper are stopped as OVERTAKEN."""
        with self._lock:
            if self._over or finished.done.depth <= self.last.done.depth:
                return
            self.last = finished
            for other in self._runners:
                if other is not runner and other.depth <= finished.done.depth and other.flag == GO_ON:
                    other.flag = OVERTAKEN

    def adopt_latest(self, runner: SyncedThread) -> bool:
        """Whether the stopped `runner` was only overtaken; then it goes on from `last`."""
        with self._lock:
            if runner.flag != OVERTAKEN:
                return False
            runner.flag = GO_ON
            if self._over or self._must_stop():
                runner.flag = STOPPED
            return runner.flag == GO_ON

    def end(self, others: Sequence[SyncedThread]) -> None:
        """End the search: nothing is reported any more, and these threads are stopped."""
        with self._lock:
            self._over = True
            for other in others:
                other.flag = STOPPED

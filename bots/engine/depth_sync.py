"""Several threads deepen together: an iteration is over for all as soon as one of them has finished it.

The others would finish it, too, with much of the same work, and answer nothing else: they take over what was found, and
all begin the next iteration at the same time.

A thread inside compiled code is told by its stop flag, so the flag can mean two things, and a stop that somebody else
asks for at that moment must not be lost: `RELIEVED` is written over no other stop knowingly, and who was relieved looks
at everything else that can have stopped it before it goes on (`catch_up`). The limits of nodes and time are looked at
again by the compiled code itself.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from tabiya.bots.search.limits import NOTHING_YET, Iteration

GO_ON, STOPPED, RELIEVED = 0, 1, 2  # what a record's stop flag says


class Finished(NamedTuple):
    """What the first thread that finished an iteration knows.

    found: the lines, see hand.py.  best, value: what the next iteration begins with.  effort: which part of this one's
    nodes went into its best move.
    """

    done: Iteration
    found: Sequence[Any]
    best: int
    value: int
    effort: float


class Runner(Protocol):
    """A thread's part of a search, as the relay sees it."""

    @property
    def flag(self) -> int:
        """GO_ON, STOPPED or RELIEVED."""

    @flag.setter
    def flag(self, flag: int) -> None: ...

    @property
    def depth(self) -> int:
        """Of the iteration that it is in."""


class Relay:
    """The threads of one search, and how far the first of them is."""

    def __init__(self, runners: Sequence[Runner], must_stop: Callable[[], bool]) -> None:
        """must_stop: whether somebody has stopped the search, or its time is over."""
        self._runners, self._must_stop = runners, must_stop
        self._lock = threading.Lock()
        self._over = False
        self.last = Finished(NOTHING_YET, (), 0, 0, 0.0)

    def hand_on(self, runner: Runner, finished: Finished) -> None:
        """`runner` has finished an iteration: all that are no further need not finish theirs."""
        with self._lock:
            if self._over or finished.done.depth <= self.last.done.depth:
                return
            self.last = finished
            for other in self._runners:
                if other is not runner and other.depth <= finished.done.depth and other.flag == GO_ON:
                    other.flag = RELIEVED

    def catch_up(self, runner: Runner) -> bool:
        """Whether the stopped `runner` was only relieved, by `last`, and goes on from there."""
        with self._lock:
            if runner.flag != RELIEVED:
                return False
            runner.flag = GO_ON
            if self._over or self._must_stop():
                runner.flag = STOPPED
            return runner.flag == GO_ON

    def end(self, others: Sequence[Runner]) -> None:
        """It is over, for these too."""
        with self._lock:
            self._over = True
            for other in others:
                other.flag = STOPPED

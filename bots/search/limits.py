"""When a search ends, how it is stopped, and what it answers: the same for every search here.

result = searcher.search(position, depth=8, time_s=0.5)
result.move, result.value, result.pv
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tabiya.bots.search.clock import HAS_CLOCK, SECOND_NS, now_ns
from tabiya.bots.search.scores import PLIES, plies_to_end, value_text
from tabiya.games.position import Position

DEEPEST = PLIES - 36  # room for quiescence and forced moves below the last iteration
NO_LIMIT = 2**62


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
        for work in self._works:
            work.stop = 1

    @contextlib.contextmanager
    def watching(self, work: Any) -> Iterator[None]:
        """In this context `stop` reaches `work`. Registered before the flag is read, so that no stop is missed."""
        self._works = [*self._works, work]
        if self._stopped:
            work.stop = 1
        try:
            yield
        finally:
            self._works = [other for other in self._works if other is not work]


class Line(NamedTuple):
    """A line of moves and its value for the side to move."""

    value: int
    pv: tuple[str, ...]


class SearchResult(NamedTuple):
    """What a search found. value: for the side to move, see bots/search/scores.py.

    depth: of the last finished iteration; 0 when stopped before any, then value is 0 and the move is only a good guess.
    exact: no evaluation took part, more depth cannot change the value.  deepest: the last ply that was looked at, 0 if
    it is not counted.  lines: the best, second best and so on, each with another first move, as many as were asked for.
    """

    move: str
    value: int
    depth: int
    nodes: int
    pv: tuple[str, ...]
    time_s: float
    exact: bool
    deepest: int = 0
    lines: tuple[Line, ...] = ()

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

    @property
    def limited(self) -> bool:
        """Whether anything but the depth may end it."""
        return self.time_s is not None or self.nodes is not None

    def begin(self, work: Any, nodes: int | None) -> None:
        """Write them into a search's record; its clock runs from now.  nodes: of this record's thread."""
        work.node_limit = NO_LIMIT if nodes is None else nodes
        work.deadline_ns = 0
        if self.time_s is not None and HAS_CLOCK:
            work.deadline_ns = now_ns() + int(self.time_s * SECOND_NS)

    def is_over(self, started_ns: int) -> bool:
        """Whether the time is used up."""
        return self.time_s is not None and now_ns() >= started_ns + self.time_s * SECOND_NS

    def is_late(self, started_ns: int, factor: float = 1.0) -> bool:
        """Whether no deeper iteration may begin. factor: by which the planned time is stretched.

        A planned time equal to the limit was asked for as such, and all of it is used.
        """
        if self.soft_s is None or (self.time_s is not None and self.soft_s >= self.time_s):
            return False
        return now_ns() >= started_ns + factor * self.soft_s * SECOND_NS


class Iteration(NamedTuple):
    """What the last finished iteration found."""

    depth: int
    value: int
    exact: bool

    @property
    def is_final(self) -> bool:
        """Whether no evaluation took part, or the nearest possible end has been found."""
        distance = plies_to_end(self.value)
        return self.exact or (distance is not None and distance <= self.depth)


NOTHING_YET = Iteration(0, 0, exact=False)


def checked(
    position: Position, depth: int | None, time_s: float | None, nodes: int | None, soft_s: float | None
) -> Limits:
    """The limits of a search of this position. Raises ValueError when the game is over or a limit is out of range."""
    if position.outcome() is not None or not position.legal_moves():
        raise ValueError(f"the game is over, there is nothing to search: {position.text()}")
    if depth is not None and not 1 <= depth <= DEEPEST:
        raise ValueError(f"a search is 1 to {DEEPEST} plies deep, not {depth}")
    if time_s is not None and not 0 <= time_s <= 10**6:
        raise ValueError(f"a search takes 0 to 1000000 seconds, not {time_s}")
    if nodes is not None and nodes < 1:
        raise ValueError(f"a search visits at least 1 node, not {nodes}")
    return Limits(DEEPEST if depth is None else depth, time_s, nodes, soft_s)


@contextlib.contextmanager
def timer(work: Any, time_s: float | None) -> Iterator[None]:
    """Where compiled code has no clock to read, a thread sets the stop flag when the time is over."""
    if HAS_CLOCK or time_s is None:
        yield
        return
    token = StopToken()
    alarm = threading.Timer(time_s, token.stop)
    with token.watching(work):
        alarm.start()
        try:
            yield
        finally:
            alarm.cancel()
            alarm.join()

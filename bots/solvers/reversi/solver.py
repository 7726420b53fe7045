"""The Python side of the exact solver.

solver = Solver()
found = solver.search(position, time_s=2.0)
found.move, found.value, found.exact
"""

from __future__ import annotations

import threading
from typing import NamedTuple

from tabiya.bots.search.clock import SECOND_NS, now_ns
from tabiya.bots.search.limits import Line, SearchResult, StopToken, checked, timer
from tabiya.bots.search.record import new_record
from tabiya.bots.search.scores import WON
from tabiya.bots.solvers.reversi.endgame import RESULT, estimate, solve
from tabiya.bots.solvers.reversi.table import NO_SQUARE, WORK, new_table
from tabiya.games.compiled.bits import U
from tabiya.games.position import Position

TABLE_MB = 16.0
FULL = int(RESULT)
FIRST_NODES_PER_S = 2e7  # until it has been measured, each time by half ...
MEASURED_S = 0.02  # ... in a search of so many seconds
# Nodes to find out who wins, about: half of the positions with 20 empty squares need 0.5 million, one in ten 5 million;
# with two squares more five times as many (from games of the engine against itself).
NODES_AT_20, GROWTH = 1.5e6, 2.3


class Solution(NamedTuple):
    """What is known of a position. square: of the best move found, None if none is; NO_SQUARE for a pass.

    result: discs won by, for the side to move; if not exact, `square` wins, draws or loses as its sign says.
    """

    square: int | None
    result: int
    exact: bool


NOTHING_KNOWN = Solution(None, 0, exact=False)


class Solver:
    """Solves endings exactly. What it has found stays true, and helps the next search.

    Searches from several threads wait for one another.
    """

    def __init__(self, table_mb: float = TABLE_MB) -> None:
        """table_mb: size of the table."""
        self._table = new_table(table_mb)
        self._work = new_record(WORK)
        self._lock = threading.Lock()
        self._nodes_per_s = FIRST_NODES_PER_S

    def expected_s(self, position: Position) -> float:
        """Seconds to find out who wins, about; far off for some positions."""
        return NODES_AT_20 * GROWTH ** (_empty_squares(position) - 20) / self._nodes_per_s

    def warm(self, position: Position) -> None:
        """Compile, or load from the cache, all that a match will call; and have the table get its memory.

        How long that takes says nothing of the speed of a search.
        """
        self.forget()
        self.search(position, nodes=1)
        self._nodes_per_s = FIRST_NODES_PER_S

    def forget(self) -> None:
        """Forget what earlier searches have found."""
        with self._lock:
            self._table.fill(0)

    def search(
        self,
        position: Position,
        time_s: float | None = None,
        nodes: int | None = None,
        stop: StopToken | None = None,
    ) -> SearchResult:
        """The best move of `position`: first whether it wins, draws or loses, then by how many discs.

        time_s: seconds after which it ends wherever it is.  nodes: ends within some 20,000 after so many.  stop: ends
        it from another thread.  A node is one move made.
        Exact unless it was ended. Then depth is 0 if nothing is known and `move` any; otherwise `move` has been proved
        to win (by so many discs at least), or to draw, as `value` says.
        Raises ValueError when the game is over or a limit is out of range.
        """
        limits = checked(position, None, time_s, nodes, None)
        with self._lock:
            work, started_ns = self._work, now_ns()
            work.nodes = work.stop = work.next_look = 0
            work.best, work.value = NO_SQUARE, 0
            work.age = (int(work.age) + 1) % 2**30
            limits.begin(work, nodes)
            with (stop or StopToken()).watching(work), timer(work, time_s):
                found = self._solve(position)
            spent, seconds = int(work.nodes), (now_ns() - started_ns) / SECOND_NS
        if seconds >= MEASURED_S:
            self._nodes_per_s = (self._nodes_per_s + spent / seconds) / 2  # one search may have stood still
        move = position.legal_moves()[0] if found.square is None else _text(found.square)
        depth = 0 if found.square is None else _empty_squares(position)
        line = Line(_value(found.result), (move,))
        return SearchResult(
            move, line.value, depth, spent, line.pv, seconds, found.exact, lines=(line,) if depth else ()
        )

    def _solve(self, position: Position) -> Solution:
        guess = 2 * round(int(estimate(self._work, U(position.state.mine), U(position.state.theirs))) / 200)
        sign, square = self._within(position, -1, 1)
        if sign is None or sign == 0:
            return NOTHING_KNOWN if sign is None else Solution(square, 0, exact=True)
        low, high = (2, FULL) if sign > 0 else (-FULL - 2, -2)  # below all results: that it is no less names a square
        while low < high:  # results are even: each window says whether the guess is right, or on which side it is wrong
            guess = max(low, min(high, guess))
            found, square = self._within(position, guess - 1, guess + 1)
            if found is None:
                return Solution(square, max(1, int(self._work.value)), exact=False) if sign > 0 else NOTHING_KNOWN
            low, high = found if found >= guess else low, found if found <= guess else high
            guess = found
        return Solution(square, low, exact=True)

    def _within(self, position: Position, low: int, high: int) -> tuple[int | None, int]:
        """The result within a window, None if it was stopped; and the best square so far."""
        work, state = self._work, position.state
        value = int(solve(work, self._table, U(state.mine), U(state.theirs), low, high, 0))
        return (None if work.stop else value), int(work.best)


def _empty_squares(position: Position) -> int:
    return 64 - (int(position.state.mine) | int(position.state.theirs)).bit_count()


def _text(square: int) -> str:
    return "pass" if square == NO_SQUARE else f"{'abcdefgh'[square % 8]}{square // 8 + 1}"


def _value(result: int) -> int:
    return 0 if result == 0 else int(WON) + result if result > 0 else result - int(WON)

"""The evaluation that 004 names for Connect 5: fours, threes and twos, counted on the board or by what a move changes.

A four is a window of five cells in a row with four stones of one side and none of the other: so what counts can still
become a five. On boards with another k the windows have k cells, and what lacks one, two or three stones counts alike.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tabiya.bots.evaluators.mnk.evaluator import REACH, MnkEvaluator, near_moves
from tabiya.bots.evaluators.mnk.lines import MOVER, OTHER, count_windows
from tabiya.games.compiled.bits import ONE, ZERO, U, bit, popcount
from tabiya.games.compiled.jit import njit
from tabiya.games.mnk.rules import has
from tabiya.games.rules import State

WINDOW_SCORES = np.array([0, 400, 60, 8, 0, 0, 0, 0], np.int64)  # of a window by the stones it lacks: fours weigh most
FIVE = np.int64(10_000)  # what completing a line changes
MOST = np.int64(15_000)
NARROW = np.int64(1)


@njit
def window_score(state: Any, stones: Any) -> Any:
    """What a window with so many stones of one side, and none of the other, counts."""
    if stones == 0:
        return np.int64(0)
    return FIVE if stones == state.k else WINDOW_SCORES[state.k - stones]


@njit
def along_line(state: Any, cell: Any, dx: Any, dy: Any) -> Any:
    """The mover's stones, the other's, and the cells there are on the line through `cell`: three sets.

    Bit k - 1 is `cell` itself, bit k - 1 + i the cell i steps along (dx, dy); no more than k - 1 steps either way.
    """
    x, y, reach = cell % state.columns, cell // state.columns, state.k - 1
    mine, theirs, board = ZERO, ZERO, ZERO
    for step in range(-reach, reach + 1):
        at_x, at_y = x + step * dx, y + step * dy
        if 0 <= at_x < state.columns and 0 <= at_y < state.rows:
            here = bit(step + reach)
            board |= here
            at = at_y * state.columns + at_x
            if has(state.stones, state.side, at):
                mine |= here
            elif has(state.stones, 1 - state.side, at):
                theirs |= here
    return mine, theirs, board


@njit
def score_change(state: Any, cell: Any) -> Any:
    """By how much a stone of the mover on `cell` raises the mover's side of the count: k windows in each direction."""
    total = np.int64(0)
    window = bit(state.k) - ONE
    for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        mine, theirs, board = along_line(state, cell, dx, dy)
        for first in range(state.k):
            cells = window << U(first)
            if board & cells != cells:
                continue
            own, other = popcount(mine & cells), popcount(theirs & cells)
            if other == 0:
                total += window_score(state, own + 1) - window_score(state, own)
            elif own == 0:
                total += window_score(state, other)
    return total


class CountingEvaluator(MnkEvaluator):
    """Fours, threes and twos; `priority` is exactly what the move changes of it."""

    exact_gains: ClassVar[int] = int(MOST) // 3  # below that nothing is cut off, before the move and after it

    def evaluate(self, state: State) -> Any:
        counts, _winning = count_windows(state)
        total = np.int64(0)
        for missing in range(1, state.k):
            total += WINDOW_SCORES[missing] * (counts[MOVER, missing] - counts[OTHER, missing])
        return max(-MOST, min(MOST, total))

    def priority(self, state: State, move: int) -> Any:
        return score_change(state, move)


class NarrowEvaluator(CountingEvaluator):
    """The same, looking only at cells that touch a stone."""

    def candidates(self, state: State, moves: Any) -> Any:
        return near_moves(self, state, moves, NARROW)


assert NARROW < REACH

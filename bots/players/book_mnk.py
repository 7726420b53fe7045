"""The evaluation that 004 names for Connect 5: fours, threes and twos, counted on the board or by what a move changes.

A four is a window of five cells in a row with four stones of one side and none of the other: so what counts can still
become a five. On boards with another k the windows have k cells, and what lacks one, two or three stones counts alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bots.players.mnk import REACH, MnkBrain, near_moves
from bots.players.mnk_lines import COUNTS, MOVER, OTHER, WORDS, scan
from games.compiled.jit import njit
from games.contract import State
from games.mnk.rules import has

WORTH = np.array([0, 400, 60, 8, 0, 0, 0, 0], np.int64)  # of a window by the stones it lacks: fours weigh most
FIVE = np.int64(10_000)  # what completing a line changes
MOST = np.int64(15_000)
NARROW = np.int64(1)


@njit(nogil=True)
def worth(state: Any, stones: Any) -> Any:
    """What a window with so many stones of one side, and none of the other, counts."""
    if stones == 0:
        return np.int64(0)
    return FIVE if stones == state.k else WORTH[state.k - stones]


@njit(nogil=True)
def window_gain(state: Any, seat: Any, x: Any, y: Any, dx: Any, dy: Any) -> Any:
    """What a stone of `seat` changes in one window that begins at (x, y) and holds the stone's cell.

    Zero for windows that leave the board.
    """
    last_x, last_y = x + (state.k - 1) * dx, y + (state.k - 1) * dy
    if not (0 <= x < state.columns and 0 <= last_x < state.columns and y >= 0 and 0 <= last_y < state.rows):
        return np.int64(0)
    mine, theirs = 0, 0
    for i in range(state.k):
        cell = (y + i * dy) * state.columns + x + i * dx
        mine += has(state.stones, seat, cell)
        theirs += has(state.stones, 1 - seat, cell)
    if theirs == 0:
        return worth(state, mine + 1) - worth(state, mine)
    return worth(state, theirs) if mine == 0 else np.int64(0)


@njit(nogil=True)
def gain(state: Any, cell: Any) -> Any:
    """By how much a stone of the mover on `cell` raises the mover's side of the count: k windows in each direction."""
    x, y = cell % state.columns, cell // state.columns
    total = np.int64(0)
    for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        for back in range(state.k):
            total += window_gain(state, state.side, x - back * dx, y - back * dy, dx, dy)
    return total


class CountingBrain(MnkBrain):
    """Fours, threes and twos; `priority` is exactly what the move changes of it."""

    def evaluate(self, state: State) -> Any:
        counts = np.zeros((2, COUNTS), np.int64)
        scan(state, counts, np.zeros((2, WORDS), np.uint64))
        total = np.int64(0)
        for missing in range(1, state.k):
            total += WORTH[missing] * (counts[MOVER, missing] - counts[OTHER, missing])
        return max(-MOST, min(MOST, total))

    def priority(self, state: State, move: int) -> Any:
        return gain(state, move)


class NarrowBrain(CountingBrain):
    """The same, looking only at cells that touch a stone."""

    def candidates(self, state: State, moves: Any) -> Any:
        return near_moves(self, state, moves, NARROW)


assert NARROW < REACH

"""What plays the m,n,k games well: lines counted by what they lack, forced replies, moves near the stones.

Source of the idea of counting fours, threes and twos, and of looking near the stones: docs/sources.md#connect-5
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from bots.players.base import FORCING, Brain
from bots.players.mnk_lines import COUNTS, MOST_ROWS, MOVER, OPEN, OTHER, cells_of, near_stones, scan
from games.compiled.bits import ONE, ZERO, lsb
from games.contract import State
from games.mnk import Mnk
from games.mnk.rules import run

WORTH = np.array([0, 250, 70, 14, 2, 1, 0], np.int32)  # of a window, by how many stones it lacks
TO_MOVE = 30
WINS_AT_ONCE, LOSES_NEXT, MAKES_OPEN_FOUR = 9_000, -8_000, 7_000
MUST_ANSWER = 300  # what an open three of the opponent costs
MOST_SCORE = 6_000
SMALL_BOARD = 36  # up to so many cells every empty cell is a candidate
REACH = 2
SOLVED_CELLS = 10
ROW_WORTH = np.array([0, 8, 40, 200, 400, 400, 400], np.int32)  # of stones in a row beside a move


@njit(nogil=True)
def write_cells(columns: Any, state: Any, moves: Any) -> Any:
    """Write the cells of a board of column sets as moves; return how many."""
    count = 0
    for y in range(state.rows):
        left = columns[y]
        while left != ZERO:
            moves[count] = y * state.columns + lsb(left)
            count += 1
            left &= left - ONE
    return count


@njit(nogil=True)
def stones_beside(state: Any, seat: Any, cell: Any, dx: Any, dy: Any) -> Any:
    """How many stones of `seat` a stone on `cell` would join along one direction, both ways, at most k - 1."""
    return min(run(state, seat, cell, dx, dy) + run(state, seat, cell, -dx, -dy), state.k - 1)


class MnkBrain(Brain, Mnk):
    """For every board and every k up to 7."""

    width = 400

    def evaluate(self, state: State) -> Any:
        counts = np.zeros((2, COUNTS), np.int64)
        winning = scan(state, counts)
        if counts[MOVER, 1] > 0:
            return np.int64(WINS_AT_ONCE)
        if counts[OTHER, 1] > 0 and cells_of(winning[OTHER]) > 1:
            return np.int64(LOSES_NEXT)
        if counts[OTHER, 1] == 0 and counts[MOVER, OPEN] > 0 and state.k > 3:
            return np.int64(MAKES_OPEN_FOUR)
        score = TO_MOVE - MUST_ANSWER * min(counts[OTHER, OPEN], 3)
        for missing in range(1, state.k):
            score += WORTH[missing] * (counts[MOVER, missing] - counts[OTHER, missing])
        return np.int64(max(-MOST_SCORE, min(MOST_SCORE, score)))

    def candidates(self, state: State, moves: Any) -> Any:
        """On boards of more than SMALL_BOARD cells only what is near a stone."""
        if state.winner < 0 and state.columns * state.rows > SMALL_BOARD and state.count > 0:
            near = np.zeros(MOST_ROWS, np.uint64)
            if near_stones(state, near, REACH) > 0:
                return np.int64(write_cells(near, state, moves))
        return np.int64(self.generate(state, moves))

    def forced(self, state: State, moves: Any) -> Any:
        """A winning cell alone, else the cells on which the opponent would win."""
        if state.winner >= 0:
            return np.int64(0)
        winning = scan(state, np.zeros((2, COUNTS), np.int64))
        if write_cells(winning[MOVER], state, moves) > 0:
            return np.int64(1)
        return np.int64(write_cells(winning[OTHER], state, moves))

    def priority(self, state: State, move: int) -> Any:
        """Stones in a row that the move makes or breaks up."""
        seat = state.side
        worth = 0
        longest = 0
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            mine = stones_beside(state, seat, move, dx, dy)
            theirs = stones_beside(state, 1 - seat, move, dx, dy)
            worth += ROW_WORTH[mine] + ROW_WORTH[theirs] * 3 // 4
            longest = max(longest, 2 * mine + 1, 2 * theirs)
        if longest >= 2 * (state.k - 2) and state.k > 3:
            return np.int64(FORCING + longest)
        return np.int64(worth)

    def mobile(self, state: State, moves: Any) -> Any:
        return np.int64(0 if state.winner >= 0 else state.columns * state.rows - state.count)

    def solve_depth(self, state: State) -> Any:
        empty = state.columns * state.rows - state.count
        return np.int64(empty if empty <= SOLVED_CELLS else 0)

"""What plays the m,n,k games well: lines counted by what they lack, forced replies, moves near the stones.

Source of the idea of counting fours, threes and twos, and of looking near the stones: docs/sources.md#connect-5
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.base import FORCING, Evaluator
from tabiya.bots.evaluators.mnk.lines import (
    MOVER,
    OPEN,
    OTHER,
    STEPS,
    answers_to_open_threes,
    cells_of,
    count_windows,
    near_stones,
    starts_of,
    write_cells,
)
from tabiya.bots.solvers.base import EndingSolver
from tabiya.bots.solvers.mnk.solver import ThreatSolver
from tabiya.games.compiled.jit import njit
from tabiya.games.mnk import Mnk
from tabiya.games.mnk.rules import has
from tabiya.games.rules import State

WINDOW_SCORES = np.array([0, 250, 70, 22, 1, 1, 0], np.int32)  # of a window, by how many stones it lacks
TO_MOVE = 110
WINS_AT_ONCE, LOSES_NEXT, MAKES_OPEN_FOUR = 9_000, -8_000, 7_000
MOST_SCORE = 6_000
SMALL_BOARD = 36  # up to so many cells every empty cell is a candidate
REACH = np.int64(2)
SOLVED_CELLS = 10
ROW_SCORES = np.array([0, 8, 40, 200, 400, 400, 400], np.int32)  # of stones in a row beside a move


@njit
def stones_from(state: Any, seat: Any, x: Any, y: Any, dx: Any, dy: Any) -> Any:
    """How many stones of `seat` stand in a row beyond column x, row y along (dx, dy), at most k - 1."""
    columns, rows, most = np.int64(state.columns), np.int64(state.rows), np.int64(state.k - 1)
    length = 0
    while length < most:
        x, y = x + dx, y + dy
        if not (0 <= x < columns and 0 <= y < rows and has(state.stones, seat, y * columns + x)):
            break
        length += 1
    return length


@njit
def stones_beside(state: Any, seat: Any, x: Any, y: Any, dx: Any, dy: Any) -> Any:
    """How many stones of `seat` a stone there would join along one direction, both ways, at most k - 1."""
    both = stones_from(state, seat, x, y, dx, dy) + stones_from(state, seat, x, y, -dx, -dy)
    return min(both, np.int64(state.k - 1))


@njit
def near_moves(game: Any, state: Any, moves: Any, reach: Any) -> Any:
    """Write the moves within `reach` columns and rows of a stone, on small or empty boards all; return how many."""
    if state.winner < 0 and state.columns * state.rows > SMALL_BOARD and state.count > 0:
        count = write_cells(near_stones(state, reach), state, moves)
        if count > 0:
            return np.int64(count)
    return np.int64(game.generate(state, moves))


class MnkEvaluator(Evaluator, Mnk):
    """For every board and every k up to 7."""

    width = 400

    def evaluate(self, state: State) -> Any:
        counts, winning = count_windows(state)
        if counts[MOVER, 1] > 0:
            return np.int64(WINS_AT_ONCE)
        if counts[OTHER, 1] > 0 and cells_of(winning[OTHER], starts_of(state)) > 1:
            return np.int64(LOSES_NEXT)
        if counts[OTHER, 1] == 0 and counts[MOVER, OPEN] > 0 and state.k > 3:
            return np.int64(MAKES_OPEN_FOUR)
        score = TO_MOVE
        for missing in range(1, state.k):
            score += WINDOW_SCORES[missing] * (counts[MOVER, missing] - counts[OTHER, missing])
        return np.int64(max(-MOST_SCORE, min(MOST_SCORE, score)))

    def candidates(self, state: State, moves: Any) -> Any:
        """On boards of more than SMALL_BOARD cells only what is near a stone."""
        return near_moves(self, state, moves, REACH)

    def forced(self, state: State, moves: Any) -> Any:
        """A winning cell alone, else the cells on which the opponent would win, else what answers an open three.

        A side that has no open three too and leaves one alone without making a four loses to the four at both ends.
        """
        if state.winner >= 0:
            return np.int64(0)
        counts, winning = count_windows(state)
        if write_cells(winning[MOVER], state, moves) > 0:
            return np.int64(1)
        if counts[OTHER, 1] == 0 and counts[OTHER, OPEN] > 0 and counts[MOVER, OPEN] == 0 and state.k > 3:
            return np.int64(write_cells(answers_to_open_threes(state), state, moves))
        return np.int64(write_cells(winning[OTHER], state, moves))

    def priority(self, state: State, move: int) -> Any:
        """Stones in a row that the move makes or breaks up."""
        seat, x, y = np.int64(state.side), move % np.int64(state.columns), move // np.int64(state.columns)
        score = 0
        longest = 0
        for dx, dy in STEPS:
            mine = stones_beside(state, seat, x, y, dx, dy)
            theirs = stones_beside(state, 1 - seat, x, y, dx, dy)
            score += ROW_SCORES[mine] + ROW_SCORES[theirs] * 3 // 4
            longest = max(longest, 2 * mine + 1, 2 * theirs)
        if longest >= 2 * (state.k - 2) and state.k > 3:
            return np.int64(FORCING + longest)
        return np.int64(score)

    def mobile(self, state: State, moves: Any) -> Any:
        return np.int64(0 if state.winner >= 0 else state.columns * state.rows - state.count)

    def ending_solver(self, table_mb: float) -> EndingSolver:
        """See bots/solvers/mnk/solver.py."""
        return ThreatSolver(self)

    def solve_depth(self, state: State) -> Any:
        empty = state.columns * state.rows - state.count
        return np.int64(empty if empty <= SOLVED_CELLS else 0)

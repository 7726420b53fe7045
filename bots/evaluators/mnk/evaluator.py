"""What plays the m,n,k games well: lines counted by what they lack, forced replies, moves near the stones.

Source of the idea of counting fours, threes and twos, and of looking near the stones: docs/sources.md#connect-5
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.base import FORCING, Evaluator
from tabiya.bots.evaluators.mnk.lines import (
    FIRST,
    MOVER,
    OPEN,
    OTHER,
    START,
    STEPS,
    answers_to_open_threes,
    cell_at,
    cells_of,
    cells_of_windows,
    count_windows,
    empty_cells,
    empty_sets,
    has_double,
    lacking,
    near_stones,
    read_board,
    starts_of,
    windows_along,
    write_cells,
)
from tabiya.bots.solvers.base import EndingSolver
from tabiya.bots.solvers.mnk.solver import SHORTEST_LINE, ThreatSolver
from tabiya.games.compiled.bits import ONE, ZERO, lsb
from tabiya.games.compiled.jit import njit
from tabiya.games.compiled.several_sets import put, union
from tabiya.games.mnk import Mnk
from tabiya.games.mnk.rules import WORDS as STONE_WORDS
from tabiya.games.rules import State

WINDOW_SCORES = np.array([0, 250, 70, 22, 1, 1, 0], np.int32)  # of a window, by how many stones it lacks
TO_MOVE = 110
SWING = 100  # 60 plays as well, 160 worse
WINS_AT_ONCE, LOSES_NEXT, MAKES_OPEN_FOUR, MAKES_DOUBLE = 9_000, -8_000, 7_000, 5_000
MOST_SCORE = 4_000
SMALL_BOARD = 36  # up to so many cells every empty cell is a candidate
REACH = np.int64(2)
SOLVED_CELLS = 10
CELLS = 400
# of a cell, by whose window it is in, MOVER's or OTHER's, and by how many stones that lacks
CELL_SCORES = np.array([[0, FORCING + 400, FORCING + 200, 40], [0, FORCING + 300, 150, 30]], np.int32)
FEW = CELL_SCORES.shape[1]


@njit
def score_cells(state: Any) -> Any:
    """How good a move on each cell looks: the sum of its best windows, one of each side in each direction.

    int64[CELLS].
    """
    words, sets, scores = read_board(state), empty_sets(np.int64(2)), np.zeros(CELLS, np.int64)
    starts, k, columns, kept, cells = starts_of(state), np.int64(state.k), np.int64(state.columns), sets[0], sets[1]
    for dx, dy in STEPS:
        for who in range(2):
            windows, left = windows_along(words, k, who, dx, dy), empty_cells(words)
            for missing in range(1, min(k, FEW)):
                found = lacking(windows, k, missing)
                if union(found) != ZERO:
                    best = left & cells_of_windows(found, kept, starts, FIRST, k, dx, dy)
                    left = left & ~best
                    put(cells, START, best)
                    for i in range(starts):
                        while cells[i] != ZERO:
                            scores[cell_at(i, lsb(cells[i]), starts, columns)] += CELL_SCORES[who, missing]
                            cells[i] &= cells[i] - ONE
    return scores


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
        if counts[OTHER, 1] == 0 and counts[MOVER, 2] > 0 and state.k >= SHORTEST_LINE:
            if counts[MOVER, OPEN] > 0:
                return np.int64(MAKES_OPEN_FOUR)
            if has_double(state):
                return np.int64(MAKES_DOUBLE)
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
        if counts[OTHER, 1] == 0 and counts[OTHER, OPEN] > 0 and counts[MOVER, OPEN] == 0 and state.k >= SHORTEST_LINE:
            return np.int64(write_cells(answers_to_open_threes(state), state, moves))
        return np.int64(write_cells(winning[OTHER], state, moves))

    def priority(self, state: State, move: int) -> Any:
        return score_cells(state)[move]

    def prioritise(self, state: State, moves: Any, count: int, scores: Any) -> None:
        """Lines that a move makes or breaks up."""
        found = score_cells(state)
        for i in range(count):
            scores[i] = found[moves[i]]

    def swing(self, state: State) -> Any:
        return np.int64(SWING if state.k >= SHORTEST_LINE and state.columns * state.rows > SMALL_BOARD else 0)

    def may_pass(self, state: State) -> Any:
        """Unless the opponent threatens to win: one more stone never harms."""
        counts, _ = count_windows(state)
        return counts[OTHER, 1] == 0 and counts[OTHER, OPEN] == 0

    def skip_turn(self, state: State, child: State) -> None:
        for seat in range(2):
            for word in range(STONE_WORDS):
                child.stones[seat, word] = state.stones[seat, word]
        child.columns, child.rows, child.k, child.count = state.columns, state.rows, state.k, state.count
        child.side, child.winner = 1 - state.side, state.winner

    def mobile(self, state: State, moves: Any) -> Any:
        return np.int64(0 if state.winner >= 0 else state.columns * state.rows - state.count)

    def ending_solver(self, table_mb: float) -> EndingSolver:
        """See bots/solvers/mnk/solver.py."""
        return ThreatSolver(self)

    def solve_depth(self, state: State) -> Any:
        empty = state.columns * state.rows - state.count
        return np.int64(empty if empty <= SOLVED_CELLS else 0)

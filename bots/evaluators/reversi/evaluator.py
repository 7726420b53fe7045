"""What the engine asks about reversi: an evaluation by shapes, an order of moves, the exact end."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.base import FORCING, Evaluator
from tabiya.bots.evaluators.reversi.patterns import score_of
from tabiya.bots.solvers.base import EndingSolver
from tabiya.bots.solvers.reversi.move_order import CORNERS
from tabiya.bots.solvers.reversi.solver import Solver
from tabiya.games.compiled.bits import ONE, ZERO, U, popcount
from tabiya.games.reversi import Reversi
from tabiya.games.reversi.discs import playable, turned
from tabiya.games.reversi.rules import PASS
from tabiya.games.rules import State

SOLVED_EMPTIES = 12
SWING = 400  # hundredths of a disc, by which the engine prunes; docs/measurements/evaluations.md#reversi: its worth

# how early a square is tried: corners, then edges and the middle, last what gives corners away
SQUARE_SCORES = np.array(
    [
        *(900, -120, 60, 40, 40, 60, -120, 900),
        *(-120, -300, -20, -20, -20, -20, -300, -120),
        *(60, -20, 20, 10, 10, 20, -20, 60),
        *(40, -20, 10, 10, 10, 10, -20, 40),
        *(40, -20, 10, 10, 10, 10, -20, 40),
        *(60, -20, 20, 10, 10, 20, -20, 60),
        *(-120, -300, -20, -20, -20, -20, -300, -120),
        *(900, -120, 60, 40, 40, 60, -120, 900),
    ],
    np.int32,
)


class ReversiEvaluator(Evaluator, Reversi):
    """Shapes with fitted weights; the last empty squares are solved."""

    width = 64

    def evaluate(self, state: State) -> Any:
        return score_of(state.mine, state.theirs)

    def priority(self, state: State, move: int) -> Any:
        """Corners, then the moves that leave the fewest replies."""
        if move == PASS:
            return np.int64(0)
        disc = ONE << U(move)
        over = turned(disc, state.mine, state.theirs)
        replies = popcount(playable(state.theirs ^ over, state.mine | over | disc))
        score = np.int64(SQUARE_SCORES[move]) - 40 * replies
        return np.int64(FORCING + score) if disc & CORNERS != ZERO else score

    def swing(self, state: State) -> Any:
        """Zero where the end is seen: there nothing is guessed."""
        return np.int64(SWING if 64 - popcount(state.mine | state.theirs) > SOLVED_EMPTIES else 0)

    def mobile(self, state: State, moves: Any) -> Any:
        return np.int64(playable(state.mine, state.theirs) != ZERO or playable(state.theirs, state.mine) != ZERO)

    def margin(self, state: State) -> Any:
        """Discs of difference, the empty squares counted for the winner (rules of the World Othello Federation)."""
        lead = popcount(state.mine) - popcount(state.theirs)
        empty = 64 - popcount(state.mine) - popcount(state.theirs)
        return np.int64(abs(lead) + empty)

    def solve_depth(self, state: State) -> Any:
        empty = 64 - popcount(state.mine | state.theirs)
        return np.int64(empty if empty <= SOLVED_EMPTIES else 0)

    def ending_solver(self, table_mb: float) -> EndingSolver:
        """See bots/solvers/reversi/solver.py."""
        return Solver(table_mb)

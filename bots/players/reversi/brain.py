"""What plays reversi well: replies, corners and the squares beside them, frontier, safe edges, and the exact end.

The terms are the usual ones of the literature (docs/sources.md#reversi-evaluation); the
weights are our own, in hundredths of a disc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bots.players.base import FORCING, Brain
from bots.players.endings import EndingSolver
from bots.players.reversi.solver import Solver
from games.compiled.bits import ONE, ZERO, U, popcount
from games.compiled.jit import njit
from games.contract import State
from games.reversi import Reversi
from games.reversi.discs import playable, turned
from games.reversi.rules import PASS

CORNERS = U(0x8100000000000081)
X_SQUARES = U(0x0042000000004200)  # diagonally beside a corner
C_SQUARES = U(0x4281000000008142)  # beside a corner on the edge
NOT_A, NOT_H = U(0xFEFEFEFEFEFEFEFE), U(0x7F7F7F7F7F7F7F7F)
EDGES = (U(0xFF), U(0xFF00000000000000), U(0x0101010101010101), U(0x8080808080808080))
S1, S7, S8, S9 = U(1), U(7), U(8), U(9)

REPLY, CORNER, X_SQUARE, C_SQUARE, FRONTIER, SAFE, DISC = 70, 800, -300, -130, -14, 110, 6
MOST_SCORE = 6_400
SOLVED_EMPTIES = 12

# how early a square is tried: corners, then edges and the middle, last what gives corners away
SQUARE_WORTH = np.array(
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


@njit(nogil=True)
def neighbours(squares: Any) -> Any:
    """The squares that touch one of `squares` (which may be among them)."""
    wide = squares | ((squares & NOT_H) << S1) | ((squares & NOT_A) >> S1)
    return wide | (wide << S8) | (wide >> S8)


@njit(nogil=True)
def safe_edge_discs(mine: Any) -> Any:
    """Discs on the edges joined to a corner by discs of the same colour: they can never turn."""
    safe = mine & CORNERS
    for edge in EDGES:
        row = mine & edge
        grown = row & CORNERS
        for _ in range(6):
            grown |= row & ((grown << S8) | (grown >> S8) | ((grown & NOT_H) << S1) | ((grown & NOT_A) >> S1))
        safe |= grown
    return safe


@njit(nogil=True)
def standing(mine: Any, theirs: Any) -> Any:
    """The worth of the discs of one side, its replies left out."""
    empty = ~(mine | theirs)
    exposed = neighbours(empty & CORNERS)  # beside a corner that can still be lost
    score = CORNER * popcount(mine & CORNERS) + FRONTIER * popcount(mine & neighbours(empty))
    score += X_SQUARE * popcount(mine & X_SQUARES & exposed) + C_SQUARE * popcount(mine & C_SQUARES & exposed)
    if mine & CORNERS != ZERO:
        score += SAFE * popcount(safe_edge_discs(mine))
    return score + DISC * popcount(mine)


class ReversiBrain(Brain, Reversi):
    """Mobility and corners; the last empty squares are solved."""

    width = 64

    def evaluate(self, state: State) -> Any:
        mine, theirs = state.mine, state.theirs
        score = REPLY * (popcount(playable(mine, theirs)) - popcount(playable(theirs, mine)))
        score += standing(mine, theirs) - standing(theirs, mine)
        return np.int64(max(-MOST_SCORE, min(MOST_SCORE, score)))

    def priority(self, state: State, move: int) -> Any:
        """Corners, then the moves that leave the fewest replies."""
        if move == PASS:
            return np.int64(0)
        disc = ONE << U(move)
        over = turned(disc, state.mine, state.theirs)
        replies = popcount(playable(state.theirs ^ over, state.mine | over | disc))
        worth = np.int64(SQUARE_WORTH[move]) - 40 * replies
        return np.int64(FORCING + worth) if disc & CORNERS != ZERO else worth

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
        """See solver.py."""
        return Solver(table_mb)

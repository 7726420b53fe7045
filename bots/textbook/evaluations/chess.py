"""The evaluations of chess in the books' forms: men on squares and mobility, and the bare values of the pieces.

The books' listings and their twins are compared by nodes and by speed, so what they call must stay as it is while the
players' evaluation (bots/evaluators/chess/evaluator.py) grows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.chess.bitboards import reach_of
from tabiya.bots.evaluators.chess.endings import mop_up
from tabiya.bots.evaluators.chess.evaluator import ChessEvaluator
from tabiya.bots.evaluators.chess.piece_square import EARLIEST, EARLY, LATE, PHASE
from tabiya.games.chess.board import BISHOP, KING, KNIGHT, occupied_squares
from tabiya.games.compiled.bits import ONE, ZERO, lsb, popcount
from tabiya.games.compiled.jit import njit
from tabiya.games.rules import State

VALUES = np.array([100, 300, 300, 500, 900], np.int64)  # pawn, knight, bishop, rook, queen
PAIR_EARLY, PAIR_LATE = 22, 40
REACH_SCORES = np.array([0, 4, 4, 2, 1, 0], np.int64)  # of each square a man reaches
REACH_USUAL = np.array([0, 4, 6, 6, 12, 0], np.int64)  # so many squares are neither good nor bad
TEMPO = 12


@njit
def mobility(state: Any, seat: Any) -> Any:
    """The worth of the squares that knights, bishops, rooks and queens of `seat` can go to."""
    own, occupied = state.colours[seat], occupied_squares(state)
    score = np.int64(0)
    for kind in range(KNIGHT, KING):
        men = state.pieces[kind] & own
        while men != ZERO:
            reached = popcount(reach_of(np.int64(kind), lsb(men), occupied) & ~own)
            score += REACH_SCORES[kind] * (reached - REACH_USUAL[kind])
            men &= men - ONE
    return score


@njit
def men_of(state: Any, seat: Any) -> Any:
    """Worth of the men of `seat` early and late, and what they add to the phase."""
    own = state.colours[seat]
    early, late, phase = np.int64(0), np.int64(0), np.int64(0)
    for kind in range(6):
        men = state.pieces[kind] & own
        while men != ZERO:
            square = lsb(men)
            early += EARLY[seat, kind, square]
            late += LATE[seat, kind, square]
            phase += PHASE[kind]
            men &= men - ONE
    if popcount(state.pieces[BISHOP] & own) > 1:
        early, late = early + PAIR_EARLY, late + PAIR_LATE
    return early, late, phase


class BookEvaluator(ChessEvaluator):
    """What the forms of the books use unless told otherwise: men on squares, the bishop pair, mobility."""

    def evaluate(self, state: State) -> Any:
        side = np.int64(state.side)
        early, late, phase = men_of(state, side)
        other_early, other_late, other_phase = men_of(state, 1 - side)
        earliness = min(phase + other_phase, EARLIEST)
        score = ((early - other_early) * earliness + (late - other_late) * (EARLIEST - earliness)) // EARLIEST
        score += mobility(state, side) - mobility(state, 1 - side) + TEMPO
        return np.int64(score + mop_up(state, side) - mop_up(state, 1 - side))


@njit
def material(state: Any, seat: Any) -> Any:
    """The men of `seat` in hundredths of a pawn, the king left out."""
    total = np.int64(0)
    for kind in range(KING):
        total += VALUES[kind] * popcount(state.pieces[kind] & state.colours[seat])
    return total


class MaterialEvaluator(ChessEvaluator):
    """The evaluation that 000 names: what pieces are worth and nothing of where they stand."""

    def evaluate(self, state: State) -> Any:
        side = np.int64(state.side)
        return np.int64(material(state, side) - material(state, 1 - side))

"""What pawns are worth by their structure, on the way to promotion, and before their king."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.chess.bitboards import (
    FIRST_FILE,
    ahead,
    all_ahead,
    beside,
    rank_of,
    steps_between,
)
from tabiya.games.chess.board import KING, PAWN, king_square
from tabiya.games.compiled.bits import ONE, ZERO, U, bit, lsb, popcount
from tabiya.games.compiled.jit import njit


@njit
def structure(pawns: Any, theirs: Any, seat: Any, weights: Any) -> Any:
    """What the pawns of `seat` are worth to each other."""
    behind = all_ahead(pawns, 1 - seat)
    files = all_ahead(pawns, seat) | behind | pawns
    guarded = beside(ahead(pawns, seat))
    stopped = ahead(pawns, seat) & beside(ahead(theirs, 1 - seat)) & ~(guarded | all_ahead(guarded, seat))
    total = np.int64(weights.isolated * popcount(pawns & ~beside(files)))
    total += weights.doubled * popcount(pawns & behind) + weights.backward * popcount(stopped)
    linked = pawns & (guarded | beside(pawns))
    while linked != ZERO:
        total += weights.linked[rank_of(lsb(linked), seat)]
        linked &= linked - ONE
    return total


@njit
def passed_pawns(state: Any, pawns: Any, theirs: Any, seat: Any, taken: Any, weights: Any) -> Any:
    """What the pawns of `seat` that no pawn can stop are worth. taken: squares that they cannot safely step on."""
    stopped = all_ahead(theirs, 1 - seat)
    passed = pawns & ~(stopped | beside(stopped) | theirs | all_ahead(pawns, 1 - seat))
    total = np.int64(0)
    if passed == ZERO:
        return total
    ours, other = king_square(state, seat), king_square(state, 1 - seat)
    while passed != ZERO:
        square = lsb(passed)
        passed &= passed - ONE
        rank, goal = rank_of(square, seat), square + 8 - 16 * seat
        total += weights.passed[rank]
        total += weights.passed_own_king[rank] * steps_between(ours, goal)
        total += weights.passed_other_king[rank] * steps_between(other, goal)
        if taken & bit(goal) == ZERO:
            total += weights.passed_free[rank]
    return total


@njit
def shelter(state: Any, pawns: Any, theirs: Any, seat: Any, weights: Any) -> Any:
    """How the pawns of both sides stand before the king of `seat`."""
    king = state.pieces[KING] & state.colours[seat]
    first = ahead(king | beside(king), seat)
    second = ahead(first, seat)
    third = ahead(second, seat)
    far = ahead(third | ahead(third, seat), seat)
    total = weights.shield[0] * popcount(first & pawns) + weights.shield[1] * popcount(second & pawns)
    total += weights.storm[0] * popcount((first | second | third) & theirs) + weights.storm[1] * popcount(far & theirs)
    file = king_square(state, seat) & 7
    for at in range(max(0, file - 1), min(7, file + 1) + 1):
        squares = FIRST_FILE << U(at)
        if squares & pawns == ZERO:
            total += weights.king_file[np.int64(squares & theirs == ZERO)]
    return np.int64(total)


@njit
def pawn_sets(state: Any, seat: Any) -> Any:
    """The pawns of `seat` and what they attack."""
    pawns = state.pieces[PAWN] & state.colours[seat]
    return pawns, beside(ahead(pawns, seat))

"""The last three empty squares, each number by code of its own: most positions of an endgame search are these.

Every function returns the final difference in discs for the side to move, empty squares counted for the winner,
fail-soft with respect to the window; `work.nodes` counts the moves made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.solvers.reversi.flips import AROUND, turned_by
from tabiya.games.compiled.bits import ONE, ZERO, U, lsb, msb, popcount
from tabiya.games.compiled.jit import njit

WORST = np.int64(-65)  # below every result
SQUARES, HALF = np.int64(64), np.int64(32)


@njit
def final_difference(mine: Any, theirs: Any) -> Any:
    """The result when neither side can move."""
    own, other = popcount(mine), popcount(theirs)
    if own > other:
        return SQUARES - 2 * other
    return 2 * own - SQUARES if own < other else np.int64(0)


@njit
def turns_over(square: Any, mine: Any, theirs: Any) -> Any:
    """As `turned_by`, sooner where no disc of the opponent stands beside the square."""
    return ZERO if AROUND[square] & theirs == ZERO else turned_by(square, mine, theirs)


@njit
def last_one(work: Any, mine: Any, theirs: Any, square: Any) -> Any:
    """One empty square."""
    over = turns_over(square, mine, theirs)
    own = popcount(mine)
    if over != ZERO:
        work.nodes += 1
        return 2 * (own + popcount(over) + 1) - SQUARES
    over = turns_over(square, theirs, mine)
    if over != ZERO:
        work.nodes += 1
        return 2 * (own - popcount(over)) - SQUARES
    return 2 * own - SQUARES + (2 if own >= HALF else 0)


@njit
def last_two(work: Any, mine: Any, theirs: Any, first: Any, second: Any, alpha: Any, beta: Any) -> Any:
    """Two empty squares. A side that cannot play passes."""
    best = WORST
    over = turns_over(first, mine, theirs)
    if over != ZERO:
        work.nodes += 1
        best = -last_one(work, theirs ^ over, mine | over | ONE << U(first), second)
        if best >= beta:
            return best
    over = turns_over(second, mine, theirs)
    if over != ZERO:
        work.nodes += 1
        best = max(best, -last_one(work, theirs ^ over, mine | over | ONE << U(second), first))
    if best != WORST:
        return best
    over = turns_over(first, theirs, mine)
    if over != ZERO:
        work.nodes += 1
        best = -last_one(work, mine ^ over, theirs | over | ONE << U(first), second)
        if best >= -alpha:
            return -best
    over = turns_over(second, theirs, mine)
    if over != ZERO:
        work.nodes += 1
        best = max(best, -last_one(work, mine ^ over, theirs | over | ONE << U(second), first))
    return -best if best != WORST else final_difference(mine, theirs)


@njit
def best_of_three(work: Any, mine: Any, theirs: Any, a: Any, b: Any, c: Any, alpha: Any, beta: Any) -> Any:
    """The best of the moves on three empty squares; WORST when none is legal."""
    best = WORST
    for _ in range(3):
        over = turns_over(a, mine, theirs)
        if over != ZERO:
            work.nodes += 1
            value = -last_two(work, theirs ^ over, mine | over | ONE << U(a), b, c, -beta, -max(alpha, best))
            if value > best:
                best = value
                if best >= beta:
                    return best
        a, b, c = b, c, a
    return best


@njit
def last_three(work: Any, mine: Any, theirs: Any, empty: Any, odd: Any, alpha: Any, beta: Any) -> Any:
    """Three empty squares; first one in a quadrant of the board with an odd number of them (`odd`)."""
    first = lsb(empty & odd)
    empty ^= ONE << U(first)
    second, third = lsb(empty), msb(empty)
    best = best_of_three(work, mine, theirs, first, second, third, alpha, beta)
    if best != WORST:
        return best
    best = best_of_three(work, theirs, mine, first, second, third, -beta, -alpha)
    return -best if best != WORST else final_difference(mine, theirs)

"""Exact search of the last squares: principal variation search in whole discs.

| empty squares | order of moves | what ends a node early |
| --- | --- | --- |
| 1 to 3 | the square alone in its quadrant of the board first | code of its own: last_empties.py |
| 4 to PARITY_EMPTIES | parity | |
| more | move_order.py | stable discs; the table (from TABLE_FROM), the children's entries in it (from CHILDREN_FROM) |

A result is the final difference in discs for the side to move, empty squares counted for the winner (rules of the World
Othello Federation); nothing is guessed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.search.clock import now_ns
from tabiya.bots.solvers.reversi.last_empties import (
    SQUARES,
    WORST,
    final_difference,
    last_three,
    turns_over,
)
from tabiya.bots.solvers.reversi.move_order import WIDEST, list_moves, look_ahead, select_best
from tabiya.bots.solvers.reversi.parity import QUADRANT, odd_quadrants
from tabiya.bots.solvers.reversi.stable_discs import stable_discs
from tabiya.bots.solvers.reversi.table import NO_SQUARE, TABLE_FROM, find, keep
from tabiya.games.compiled.bits import ONE, ZERO, U, lsb, popcount
from tabiya.games.compiled.jit import njit
from tabiya.games.reversi.discs import playable

RESULT = np.int64(64)  # the largest
VOID = np.int64(0)
UNDECIDED = np.int64(-100)
PARITY_EMPTIES = 6  # empty squares up to which there is neither table nor order but parity
CHILDREN_FROM = 9  # empty squares from which on the children's entries are looked at first
STABLE_FROM = 7  # empty squares from which on stable discs are counted ...
ESTIMATE_DEPTH = np.int64(4)  # FFO 40 to 45: 250 to 1,800 nodes
LOOK_EVERY = 20_000  # nodes between two looks at the clock
# ... if alpha is at least so much, by empty squares: with less it hardly ever helps
STABLE_ALPHA = np.array([max(-16 + 4 * (n - 6), 2 * n - 14) if n < 20 else 24 for n in range(65)], np.int64)


@njit
def must_stop(work: Any) -> Any:
    """Whether the search must end now: the flag is read each time, clock and limit every LOOK_EVERY nodes."""
    if work.nodes >= work.next_look:
        work.next_look = work.nodes + LOOK_EVERY
        if work.nodes >= work.node_limit or (work.deadline_ns != 0 and now_ns() >= work.deadline_ns):
            work.stop = 1
    return work.stop != 0


@njit
def solve_by_parity(work: Any, mine: Any, theirs: Any, odd: Any, alpha: Any, beta: Any) -> Any:
    """The result with four to PARITY_EMPTIES empty squares, fail-soft in the window. A side that cannot play passes.

    odd: the quadrants with an odd number of empty squares.
    """
    empty, best = ~(mine | theirs), WORST
    left = popcount(empty)
    for part in range(2):
        squares = empty & odd if part == 0 else empty & ~odd
        while squares != ZERO:
            square = lsb(squares)
            squares &= squares - ONE
            over = turns_over(square, mine, theirs)
            if over == ZERO:
                continue
            work.nodes += 1
            disc, low = ONE << U(square), max(alpha, best)
            other, own, then = theirs ^ over, mine | over | disc, odd ^ QUADRANT[square]
            if left == 4:
                value = -last_three(work, other, own, empty ^ disc, then, -beta, -low)
            else:
                value = -solve_by_parity(work, other, own, then, -beta, -low)
            if value > best:
                best = value
                if best >= beta:
                    return best
    if best != WORST:
        return best
    if playable(theirs, mine) == ZERO:
        return final_difference(mine, theirs)
    return -solve_by_parity(work, theirs, mine, odd, -beta, -alpha)


@njit
def decided_by_stable_discs(mine: Any, theirs: Any, empty: Any, alpha: Any) -> Any:
    """An upper bound that is not above alpha, or UNDECIDED: the opponent keeps its stable discs."""
    if empty >= STABLE_FROM and alpha >= STABLE_ALPHA[empty]:
        most = SQUARES - 2 * popcount(stable_discs(theirs, mine))
        if most <= alpha:
            return np.int64(most)
    return UNDECIDED


@njit
def decided_by_child(work: Any, table: Any, mine: Any, theirs: Any, count: Any, beta: Any, ply: Any) -> Any:
    """A lower bound, not below beta, that the table proves by one of the moves listed; or UNDECIDED."""
    for i in range(count):
        over, disc = work.turned[ply, i], ONE << U(work.squares[ply, i])
        child = find(table, theirs ^ over, mine | over | disc)
        if child >= 0 and -np.int64(table[child].high) >= beta:
            return -np.int64(table[child].high)
    return UNDECIDED


@njit(cache=True)
def solve(  # noqa: C901 (a node is one recursion: a compiled function may call itself, others not in turn)
    work: Any, table: Any, mine: Any, theirs: Any, alpha: Any, beta: Any, ply: Any
) -> Any:
    """The result v of best play with respect to the window, fail-soft; alpha < beta.

    alpha < v < beta: v is the result r; v <= alpha: r <= v; v >= beta: r >= v.  Void when work.stop is set.
    At the root (ply 0) a square that is better than alpha is left in work.best, its bound in work.value, at once: if
    the search is stopped then, it still is the best found so far.
    """
    empty = SQUARES - popcount(mine | theirs)
    if empty <= PARITY_EMPTIES and empty >= 3 and ply > 0:
        free = ~(mine | theirs)
        odd = odd_quadrants(free)
        if empty == 3:
            return last_three(work, mine, theirs, free, odd, alpha, beta)
        return solve_by_parity(work, mine, theirs, odd, alpha, beta)
    if must_stop(work):
        return VOID
    hint, inside = NO_SQUARE, ply > 0
    place = find(table, mine, theirs) if empty >= TABLE_FROM else np.int64(-1)
    if place >= 0:
        hint = np.int64(table[place].square)
    if inside:
        if place >= 0:
            low, high = np.int64(table[place].low), np.int64(table[place].high)
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
            alpha, beta = max(alpha, low), min(beta, high)
        bound = decided_by_stable_discs(mine, theirs, empty, alpha)
        if bound != UNDECIDED:
            return bound
    squares = playable(mine, theirs)
    if squares == ZERO:
        if playable(theirs, mine) == ZERO:
            return final_difference(mine, theirs)
        return -solve(work, table, theirs, mine, -beta, -alpha, ply + 1)
    count = list_moves(work, table, mine, theirs, squares, empty, hint, ply)
    if inside and empty >= CHILDREN_FROM:
        bound = decided_by_child(work, table, mine, theirs, count, beta, ply)
        if bound != UNDECIDED:
            return bound
    best, best_square = WORST, NO_SQUARE
    for i in range(count):
        square, low = select_best(work, ply, np.int64(i), count), max(alpha, best)
        over = work.turned[ply, i]
        other, own = theirs ^ over, mine | over | ONE << U(square)
        work.nodes += 1
        top = beta if i == 0 else low + 1
        value = -solve(work, table, other, own, -top, -low, ply + 1)
        if top <= value < beta:
            value = -solve(work, table, other, own, -beta, -low, ply + 1)
        if work.stop != 0:
            return VOID
        if value > best:
            best, best_square = value, square
            if ply == 0 and best > alpha:
                work.best, work.value = square, best
            if best >= beta:
                break
    least, most = best if best > alpha else -RESULT, best if best < beta else RESULT
    if empty >= TABLE_FROM:
        keep(work, table, mine, theirs, empty, least, most, best_square)
    return best


@njit(cache=True)
def estimate(work: Any, mine: Any, theirs: Any) -> Any:
    """The result, about, in hundredths of a disc: with a good guess of it narrow windows are enough."""
    return look_ahead(work, mine, theirs, ESTIMATE_DEPTH, -WIDEST, WIDEST)

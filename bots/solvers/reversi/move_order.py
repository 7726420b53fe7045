"""Which move first, for the exact solver: the sooner a refutation is tried, the less is searched.

With many empty squares a short search by a rough judgement decides; with fewer, how few replies a move leaves (*fastest
first*: such subtrees are small, and few replies are good in themselves), corners, and parity: the side that moves into
a quadrant of the board with an odd number of empty squares usually has the last move there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.reversi.patterns import score_of
from tabiya.bots.solvers.reversi.flips import turned_by
from tabiya.bots.solvers.reversi.last_empties import final_difference
from tabiya.bots.solvers.reversi.parity import odd_quadrants
from tabiya.bots.solvers.reversi.stable_discs import around
from tabiya.bots.solvers.reversi.table import TABLE_FROM, bucket_of
from tabiya.games.compiled.bits import ONE, ZERO, U, lsb, popcount
from tabiya.games.compiled.jit import njit
from tabiya.games.compiled.prefetch import prefetch
from tabiya.games.reversi.discs import playable

CORNERS = U(0x8100000000000081)
LOOK_AHEAD = 13  # empty squares from which on a short search orders the moves, and replies count less
DEEPER_FROM = np.array([16, 18, 20], np.int64)  # empty squares from which on it is a ply deeper
REPLIES_PART = 5  # a reply less is then worth 2 discs
WIPED_OUT, HINTED = np.int64(1 << 25), np.int64(1 << 24)
OVER, WIDEST = np.int64(100), np.int64(100_000)  # the worth of a disc; beyond all scores
# in the order by replies
FEWER_REPLIES, EXPOSED, ODD, CORNER = np.int64(1_024), np.int64(32), np.int64(512), np.int64(2_048)


@njit
def look_ahead(work: Any, mine: Any, theirs: Any, depth: Any, alpha: Any, beta: Any) -> Any:
    """A short alpha-beta search by the evaluation, fail-soft."""
    if depth == 0:
        return score_of(mine, theirs)
    squares = playable(mine, theirs)
    if squares == ZERO:
        if playable(theirs, mine) == ZERO:
            return OVER * final_difference(mine, theirs)
        return -look_ahead(work, theirs, mine, depth, -beta, -alpha)
    best = -WIDEST
    while squares != ZERO:
        square = lsb(squares)
        squares &= squares - ONE
        over = turned_by(square, mine, theirs)
        work.nodes += 1
        mine_then = mine | over | ONE << U(square)
        best = max(best, -look_ahead(work, theirs ^ over, mine_then, depth - 1, -beta, -max(alpha, best)))
        if best >= beta:
            break
    return best


@njit
def score_by_replies(mine: Any, theirs: Any, disc: Any, odd: Any) -> Any:
    """The score of a move after which the discs stand so, `theirs` to move. disc: the square played, a set."""
    replies = playable(theirs, mine)
    score = -FEWER_REPLIES * (popcount(replies) + popcount(replies & CORNERS))
    score -= EXPOSED * popcount(around(mine) & ~(mine | theirs))
    if disc & odd != ZERO:
        score += ODD
    if disc & CORNERS != ZERO:
        score += CORNER
    return np.int64(score)


@njit
def list_moves(work: Any, table: Any, mine: Any, theirs: Any, squares: Any, empty: Any, hint: Any, ply: Any) -> Any:
    """Write the moves on `squares` with what they turn over and a score for their order; return how many.

    hint: the square to try first, if any.
    """
    odd, count = odd_quadrants(~(mine | theirs)), np.int64(0)
    depth = np.int64(0)
    for least in DEEPER_FROM:
        depth += np.int64(empty >= least)
    while squares != ZERO:
        square = lsb(squares)
        squares &= squares - ONE
        over, disc = turned_by(square, mine, theirs), ONE << U(square)
        own, other = mine | over | disc, theirs ^ over
        if empty > TABLE_FROM:
            prefetch(table, bucket_of(table, other, own))
        if other == ZERO:
            score = WIPED_OUT
        elif square == hint:
            score = HINTED
        else:
            score = score_by_replies(own, other, disc, odd)
            if empty >= LOOK_AHEAD:
                score = score // REPLIES_PART - look_ahead(work, other, own, depth, -WIDEST, WIDEST)
        work.squares[ply, count], work.turned[ply, count], work.scores[ply, count] = square, over, score
        count += 1
    return count


@njit
def select_best(work: Any, ply: Any, i: Any, count: Any) -> Any:
    """Put the best of the moves from number i on in place i; return its square."""
    scores, squares, turned = work.scores[ply], work.squares[ply], work.turned[ply]
    top = i
    for j in range(i + 1, count):
        if scores[j] > scores[top]:
            top = j
    if top != i:
        scores[i], scores[top] = scores[top], scores[i]
        squares[i], squares[top] = squares[top], squares[i]
        turned[i], turned[top] = turned[top], turned[i]
    return np.int64(squares[i])

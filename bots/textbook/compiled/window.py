"""Alpha-beta by the contracts of the books.

The twin of 000-alphabeta, 000-negamax-alphabeta, 000-alphabeta-strict, 001-alphabeta, 001-alphabeta-checked,
002-maxab-minab, 002-ab, 004-alphabeta-printed and 004-alphabeta-corrected.
"""

from __future__ import annotations

from typing import Any

from tabiya.bots.search.node_path import interrupted, keep_line
from tabiya.bots.search.scores import high_below, low_below, sign_of
from tabiya.bots.textbook.compiled.leaf import INFINITY, NOTHING, leaf
from tabiya.bots.textbook.compiled.order import LEAF, cut, next_move, open_node
from tabiya.bots.textbook.compiled.record import BOUND, HARD
from tabiya.games.compiled.jit import njit


@njit
def alphabeta(game: Any, stack: Any, work: Any, depth: Any, alpha: Any, beta: Any, ply: Any) -> Any:
    """The value of stack[ply] for the side to move with respect to the window; void when work.stop is set.

    work.fail says what is returned from outside the window: SOFT the best seen, HARD its edge, BOUND (002) alpha from
    below and the best seen from above.  work.resets forgets alpha (004 as printed).  work.strict: equal is no cut.
    """
    if interrupted(work):
        return NOTHING
    count = open_node(game, stack, work, depth, ply)
    if count == LEAF:
        return leaf(game, stack, work, ply)
    low = -INFINITY if work.resets != 0 else alpha
    best = -INFINITY
    for i in range(count):
        move = next_move(work, ply, i, count)
        game.make(stack[ply], move, stack[ply + 1])
        sign = sign_of(game, stack[ply], stack[ply + 1])
        near, far = low_below(sign, low, beta), high_below(sign, low, beta)
        value = sign * alphabeta(game, stack, work, depth - 1, near, far, ply + 1)
        if work.stop != 0:
            return NOTHING
        best = max(best, value)
        if value > low:
            low = value
            keep_line(work, ply, move)
        if low > beta or (low == beta and work.strict == 0):
            cut(game, stack[ply], work, ply, move, count - 1 - i, depth)
            break
    if work.fail == HARD:
        return min(low, beta)
    return low if work.fail == BOUND else best

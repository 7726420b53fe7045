"""Minimax without a window, and preclusion.

The twin of 000-minimax, 000-negamax, 000-greedy, 001-minimax, 001-triangular, 002-negamax, 002-max-min, 002-preclusion,
003-minmax, 003-negamax, 004-minimax and 004-lookahead.
"""

from __future__ import annotations

from typing import Any

from tabiya.bots.search.node_path import interrupted, keep_line
from tabiya.bots.search.scores import sign_of
from tabiya.bots.textbook.compiled.leaf import INFINITY, NOTHING, leaf
from tabiya.bots.textbook.compiled.order import LEAF, cut, next_move, open_node
from tabiya.games.compiled.jit import njit


@njit
def minimax(game: Any, stack: Any, work: Any, depth: Any, ply: Any) -> Any:
    """The exact value of stack[ply] for the side to move, `depth` plies deep; void when work.stop is set."""
    if interrupted(work):
        return NOTHING
    count = open_node(game, stack, work, depth, ply)
    if count == LEAF:
        return leaf(game, stack, work, ply)
    best = -INFINITY
    for i in range(count):
        move = next_move(work, ply, i, count)
        game.make(stack[ply], move, stack[ply + 1])
        value = sign_of(game, stack[ply], stack[ply + 1]) * minimax(game, stack, work, depth - 1, ply + 1)
        if work.stop != 0:
            return NOTHING
        if value > best:
            best = value
            keep_line(work, ply, move)
        if best >= work.enough:
            cut(game, stack[ply], work, ply, move, count - 1 - i, depth)
            break
    return best

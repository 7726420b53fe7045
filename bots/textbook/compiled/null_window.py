"""Principal variation search, fail-hard: the twin of 001-alphabetapvs and 001-alphabetapvs-checked."""

from __future__ import annotations

from typing import Any

from tabiya.bots.search.node_path import interrupted, keep_line
from tabiya.bots.search.scores import high_below, low_below, sign_of
from tabiya.bots.textbook.compiled.leaf import NOTHING, leaf
from tabiya.bots.textbook.compiled.order import LEAF, cut, next_move, open_node
from tabiya.games.compiled.jit import njit


@njit
def alphabetapvs(game: Any, stack: Any, work: Any, depth: Any, alpha: Any, beta: Any, ply: Any) -> Any:
    """The value of stack[ply] for the side to move, within the window; void when work.stop is set.

    Once a move has raised alpha the others get a null window, and again the full one where that was no proof.
    """
    if interrupted(work):
        return NOTHING
    count = open_node(game, stack, work, depth, ply)
    if count == LEAF:
        return leaf(game, stack, work, ply)
    pvfound = False
    for i in range(count):
        move = next_move(work, ply, i, count)
        game.make(stack[ply], move, stack[ply + 1])
        sign = sign_of(game, stack[ply], stack[ply + 1])
        near, far = low_below(sign, alpha, beta), high_below(sign, alpha, beta)
        if pvfound:
            least = low_below(sign, alpha, alpha + 1)
            value = sign * alphabetapvs(game, stack, work, depth - 1, least, least + 1, ply + 1)
            if alpha < value < beta:
                work.researches += 1
                value = sign * alphabetapvs(game, stack, work, depth - 1, near, far, ply + 1)
        else:
            value = sign * alphabetapvs(game, stack, work, depth - 1, near, far, ply + 1)
        if work.stop != 0:
            return NOTHING
        if value > alpha:
            keep_line(work, ply, move)
            if value >= beta:
                cut(game, stack[ply], work, ply, move, count - 1 - i, depth)
                return beta
            alpha, pvfound = value, True
    return alpha

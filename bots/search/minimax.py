"""Plain minimax: every line to the same depth. The measure of what all other algorithms must return."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.search.leaf_evaluation import EVASION_PLIES, leaf_value
from tabiya.bots.search.node_path import interrupted, keep_line, repeated
from tabiya.bots.search.scores import DRAWN, INFINITE, final_value
from tabiya.games.compiled.jit import njit
from tabiya.games.contract import ONGOING


@njit
def minimax(game: Any, stack: Any, work: Any, depth: Any, ply: Any) -> Any:
    """The exact value of stack[ply], `depth` plies deep, for the side to move (negamax form).

    Promises the minimax value of the tree whose leaves are `leaf_value`; void when work.stop is set.
    """
    if interrupted(work):
        return DRAWN
    state = stack[ply]
    work.line_length[ply] = 0
    if repeated(game, state, game.key(state), work, ply):
        return DRAWN
    if depth <= 0:
        return leaf_value(game, stack, work, -INFINITE, INFINITE, ply, EVASION_PLIES)
    moves = work.moves[ply]
    count = np.int64(game.candidates(state, moves))
    outcome = np.int64(game.outcome(state, count))
    if outcome != ONGOING:
        return final_value(game, state, outcome, ply)
    best = -INFINITE
    for i in range(count):
        move = np.int64(moves[i])
        game.make(state, move, stack[ply + 1])
        value = -minimax(game, stack, work, depth - 1, ply + 1)
        if work.stop != 0:
            return DRAWN
        if value > best:
            best = value
            keep_line(work, ply, move)
    return best

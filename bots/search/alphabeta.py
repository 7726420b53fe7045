"""Alpha-beta as in the textbooks: negamax, fail-soft, moves in the order of the generator (or of `order.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.search.leaf_evaluation import EVASION_PLIES, leaf_value
from tabiya.bots.search.move_order import next_move, score_moves
from tabiya.bots.search.node_path import interrupted, keep_line, repeated
from tabiya.bots.search.scores import DRAWN, INFINITE, final_value
from tabiya.games.compiled.jit import njit
from tabiya.games.contract import ONGOING


@njit
def alphabeta(game: Any, stack: Any, work: Any, depth: Any, alpha: Any, beta: Any, ply: Any) -> Any:
    """The value v of stack[ply] with respect to the window, fail-soft; alpha < beta.

    Let m be the minimax value of the same tree. alpha < v < beta: v = m.  v <= alpha: m <= v.  v >= beta: m >= v.
    Void when work.stop is set.
    """
    if interrupted(work):
        return DRAWN
    state = stack[ply]
    work.line_length[ply] = 0
    if repeated(game, state, game.key(state), work, ply):
        return DRAWN
    if depth <= 0:
        return leaf_value(game, stack, work, alpha, beta, ply, EVASION_PLIES)
    count = np.int64(game.candidates(state, work.moves[ply]))
    outcome = np.int64(game.outcome(state, count))
    if outcome != ONGOING:
        return final_value(game, state, outcome, ply)
    score_moves(game, state, work, ply, count)
    best = -INFINITE
    for i in range(count):
        move = next_move(work, ply, i, count)
        game.make(state, move, stack[ply + 1])
        value = -alphabeta(game, stack, work, depth - 1, -beta, -max(alpha, best), ply + 1)
        if work.stop != 0:
            return DRAWN
        if value > best:
            best = value
            if best > alpha:
                keep_line(work, ply, move)
                if best >= beta:
                    break
    return best

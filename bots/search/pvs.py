"""Principal variation search: the first move gets the full window, the others must prove that they are better."""

from __future__ import annotations

from typing import Any

import numpy as np

from bots.players.base import FORCING
from bots.search.leaves import EVASION_PLIES, leaf_value
from bots.search.order import NO_MOVE, SECOND_KILLER, list_moves, next_move, remember_cutoff, score_moves
from bots.search.path import interrupted, keep_line, repeated
from bots.search.table import MISS, hint, probe, store
from bots.search.values import DRAWN, INFINITE, PLIES, final_value
from bots.search.work import EXACT, LOWER, UPPER
from games.compiled.jit import njit
from games.contract import ONGOING

FULL_MOVES, FULL_DEPTH = 3, 3  # the first moves, and nodes of less depth, are never reduced
LATE_MOVES, LATE_DEPTH = 10, 6  # from these on by two plies


@njit(nogil=True)
def reduction(work: Any, i: Any, depth: Any, score: Any) -> Any:
    """By how many plies move number `i` of a node is searched less at first: late, quiet moves seldom matter."""
    if work.reductions == 0 or i < FULL_MOVES or depth < FULL_DEPTH or score >= SECOND_KILLER:
        return np.int64(0)
    return np.int64(2 if i >= LATE_MOVES and depth >= LATE_DEPTH else 1)


@njit(nogil=True)
def depth_below(work: Any, count: Any, depth: Any, ply: Any) -> Any:
    """The depth left after a move: one less, but a forced move costs none."""
    return depth if count == 1 and work.forced != 0 and ply < 2 * work.root_depth else depth - 1


@njit(nogil=True)
def pvs(game: Any, stack: Any, work: Any, table: Any, depth: Any, alpha: Any, beta: Any, ply: Any) -> Any:
    """The value v of stack[ply] with respect to the window, fail-soft; alpha < beta.

    With all switches off, or with table and exact_depth only, as alphabeta promises: alpha < v < beta: v is the minimax
    value.  The switches reductions and forced search another tree (deeper where it matters); table without exact_depth
    may answer from a deeper search.  Void when work.stop is set.
    """
    if interrupted(work):
        return DRAWN
    work.line_length[ply] = 0
    state, scores = stack[ply], work.scores[ply]
    key = game.key(state)
    if repeated(game, state, key, work, ply):
        return DRAWN
    if depth <= 0 or ply >= PLIES - 2:
        return leaf_value(game, stack, work, alpha, beta, ply, EVASION_PLIES)
    key ^= work.salt
    known = probe(work, table, key, depth, alpha, beta, ply)
    if known != MISS:
        return known
    guesses = work.guesses
    count = list_moves(game, state, work, ply)
    outcome = np.int64(game.outcome(state, count))
    if outcome != ONGOING:
        return final_value(game, state, outcome, ply)
    score_moves(game, state, work, ply, count, hint(table, key))
    below = depth_below(work, count, depth, ply)
    best, best_move, bound = -INFINITE, NO_MOVE, UPPER
    for i in range(count):
        move = next_move(work, ply, i, count)
        game.make(state, move, stack[ply + 1])
        low = max(alpha, best)
        if i == 0:
            value = -pvs(game, stack, work, table, below, -beta, -low, ply + 1)
        else:
            less = reduction(work, i, depth, scores[i])
            value = -pvs(game, stack, work, table, below - less, -low - 1, -low, ply + 1)
            if less > 0 and value > low:
                value = -pvs(game, stack, work, table, below, -low - 1, -low, ply + 1)
            if low < value < beta:
                value = -pvs(game, stack, work, table, below, -beta, -low, ply + 1)
        if work.stop != 0:
            return DRAWN
        if value > best:
            best, best_move = value, move
            if best > alpha:
                bound = EXACT
                keep_line(work, ply, move)
                if best >= beta:
                    bound = LOWER
                    if scores[i] < FORCING:
                        remember_cutoff(game, state, work, ply, move, depth)
                    break
    store(work, table, key, depth, best_move, best, bound, work.guesses != guesses, ply)
    return best

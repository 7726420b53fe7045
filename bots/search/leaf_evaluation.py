"""The value of a leaf: exact where the game has ended, an evaluation elsewhere, after quiescence if asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.search.move_order import bring_best
from tabiya.bots.search.node_path import interrupted
from tabiya.bots.search.scores import DRAWN, INFINITE, PLIES, final_value
from tabiya.games.compiled.jit import njit
from tabiya.games.contract import ONGOING

EVASION_PLIES = np.int64(4)  # so deep into quiescence all replies to an attack are searched


@njit
def assess(game: Any, stack: Any, work: Any, ply: Any) -> Any:
    """The evaluation of stack[ply] by itself, exact at ends of games; counts a guess when it is not exact."""
    state = stack[ply]
    outcome = np.int64(game.outcome(state, game.mobile(state, work.moves[ply])))
    if outcome != ONGOING:
        return final_value(game, state, outcome, ply)
    work.guesses += 1
    return np.int64(game.evaluate(state))


@njit
def leaf_value(game: Any, stack: Any, work: Any, alpha: Any, beta: Any, ply: Any, evasions: Any) -> Any:
    """The value of stack[ply] without further depth, for the side to move.

    Without the switch quiescence its assessment, exact. With it, fail-soft in (alpha, beta), the value once noisy moves
    are played out, where the mover may also stand pat.  Both depend on the position alone.  evasions: for how many more
    plies an attacked mover searches every reply instead (start with EVASION_PLIES).  The caller has counted this node.
    """
    state, moves, scores = stack[ply], work.moves[ply], work.scores[ply]
    if evasions > 0 and work.quiescence != 0 and ply < PLIES - 2 and game.in_check(state):
        count = np.int64(game.generate(state, moves))
        outcome = np.int64(game.outcome(state, count))
        if outcome != ONGOING:
            return final_value(game, state, outcome, ply)
        best = -INFINITE
    else:
        best = assess(game, stack, work, ply)
        if work.quiescence == 0 or best >= beta or ply >= PLIES - 2:
            return best
        count = np.int64(game.noisy(state, moves))
    for i in range(count):
        scores[i] = game.priority(state, np.int64(moves[i]))
    for i in range(count):
        move = bring_best(moves, scores, i, count)
        if interrupted(work):
            return DRAWN
        game.make(state, move, stack[ply + 1])
        value = -leaf_value(game, stack, work, -beta, -max(alpha, best), ply + 1, evasions - 1)
        if value > best:
            best = value
            if best >= beta:
                break
    return best

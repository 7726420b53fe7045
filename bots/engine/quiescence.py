"""The value of a leaf: exact where the game has ended, else an evaluation once noisy moves are played out."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.engine.correction_history import corrected
from tabiya.bots.engine.move_order import EVEN, next_move
from tabiya.bots.engine.transposition_table import (
    EXACT,
    LOWER,
    MISS,
    NO_MOVE,
    UNKNOWN,
    UPPER,
    cutoff_value,
    evaluation_in,
    is_timeless,
    move_of,
    prefetch_bucket,
    probe,
    store,
)
from tabiya.bots.evaluators.base import FORCING
from tabiya.bots.search.node_path import interrupted
from tabiya.bots.search.scores import DRAWN, INFINITE, PLIES, WON, final_value, high_below, low_below, sign_of
from tabiya.games.compiled.bits import ZERO
from tabiya.games.compiled.jit import njit
from tabiya.games.rules import ONGOING

EVASION_PLIES = np.int64(4)  # so deep into quiescence all replies to an attack are searched; chosen, not measured
HINTED = np.int64(1 << 28)
NO_DEPTH = np.int64(0)
QUIET_EVASIONS = 2
DELTA = 2  # swings that a capture may gain beside the material


@njit
def raw_evaluation(game: Any, state: Any, work: Any, data: Any) -> Any:
    """The evaluation of a position in which the game goes on, from the table if it is there; counts a guess."""
    work.inexact_nodes += 1
    known = evaluation_in(data)
    return np.int64(game.evaluate(state)) if known == UNKNOWN else known


@njit
def is_useless_capture(game: Any, state: Any, work: Any, move: Any, alpha: Any, standing: Any, swing: Any) -> Any:
    """Whether a noisy move loses material, or wins too little to reach the window."""
    if work.exchange == 0:
        return False
    least = EVEN
    if work.delta != 0 and swing > 0 and alpha < WON:
        least = np.int64(max(EVEN, alpha - standing - DELTA * swing))
    return not game.exchange(state, move, least)


@njit
def is_left_out(
    game: Any, state: Any, work: Any, move: Any, attacked: Any, more_quiet: Any, alpha: Any, standing: Any, swing: Any
) -> Any:
    """Whether quiescence leaves a move out: a useless capture, or a late quiet reply to a check.

    more_quiet: such replies up to this one since a reply was found that is not mated.
    """
    if attacked:
        return work.evasion_pruning != 0 and more_quiet > QUIET_EVASIONS
    return is_useless_capture(game, state, work, move, alpha, standing, swing)


@njit
def score_noisy(game: Any, state: Any, moves: Any, scores: Any, count: Any, hint: Any) -> None:
    """Fill `scores`: `hint`, the table's move, first, the others as the evaluator says."""
    for i in range(count):
        move = np.int64(moves[i])
        scores[i] = HINTED if move == hint else np.int64(game.priority(state, move))


@njit
def quiesce(game: Any, stack: Any, work: Any, table: Any, alpha: Any, beta: Any, ply: Any, evasions: Any) -> Any:
    """The value of stack[ply] without further depth, for the side to move; fail-soft in (alpha, beta).

    Without the switch quiescence its evaluation, exact at ends of games. With it the value once noisy moves are played
    out, where the mover may also stand pat.
    evasions: for how many more plies an attacked mover searches every reply instead (start with
    EVASION_PLIES).
    The caller has counted this node and set work.checked[ply].
    """
    state, moves, scores = stack[ply], work.moves[ply], work.scores[ply]
    work.deepest = max(work.deepest, ply)
    key, timeless = game.key(state), is_timeless(game, state)
    data = probe(work, table, key) if timeless else ZERO
    known = cutoff_value(work, data, NO_DEPTH, alpha, beta, ply)
    if known != MISS:
        return known
    inexact_nodes = np.int64(work.inexact_nodes)
    attacked = evasions > 0 and work.quiescence != 0 and ply < PLIES - 2 and work.checked[ply] != 0
    count = np.int64(game.generate(state, moves)) if attacked else np.int64(game.mobile(state, moves))
    outcome = np.int64(game.outcome(state, count))
    if outcome != ONGOING:
        return final_value(game, state, outcome, ply)
    evaluation, best, swing, standing = UNKNOWN, -INFINITE, np.int64(0), np.int64(0)
    if not attacked:
        evaluation = raw_evaluation(game, state, work, data)
        standing = corrected(game, state, work, evaluation, ply)
        best = standing
        if work.quiescence == 0 or ply >= PLIES - 2:
            return best
        if best >= beta:
            if timeless:
                store(work, table, key, NO_DEPTH, NO_MOVE, best, LOWER, inexact_nodes, evaluation, ply)
            return best
        swing = np.int64(game.swing(state))
        count = np.int64(game.noisy(state, moves))
    score_noisy(game, state, moves, scores, count, move_of(data))
    best_move, bound, more_quiet = NO_MOVE, UPPER, np.int64(0)
    for i in range(count):
        move = next_move(work, ply, i, count)
        more_quiet += np.int64(best > -WON and scores[i] < FORCING)
        if is_left_out(game, state, work, move, attacked, more_quiet, max(alpha, best), standing, swing):
            continue
        if interrupted(work):
            return DRAWN
        game.make(state, move, stack[ply + 1])
        prefetch_bucket(table, game.key(stack[ply + 1]))
        work.slots[ply] = game.slot(state, move)
        work.checked[ply + 1] = np.int64(evasions > 1 and game.in_check(stack[ply + 1]))
        low, sign = max(alpha, best), sign_of(game, state, stack[ply + 1])
        near, far = low_below(sign, low, beta), high_below(sign, low, beta)
        value = sign * quiesce(game, stack, work, table, near, far, ply + 1, evasions - 1)
        if work.stop != 0:
            return DRAWN
        if value > best:
            best, best_move = value, move
            if best > alpha:
                bound = EXACT
                if best >= beta:
                    bound = LOWER
                    break
    if timeless:
        store(work, table, key, NO_DEPTH, best_move, best, bound, inexact_nodes, evaluation, ply)
    return best

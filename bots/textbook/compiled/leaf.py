"""What a position is worth without looking further: the compiled `Board.eval` and `Board.estimate`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.base import EVALUATION_LIMIT
from tabiya.bots.search.scores import final_value, high_below, low_below, sign_of
from tabiya.bots.textbook.compiled.record import INFINITE, ONE, UNKNOWN
from tabiya.games.compiled.jit import njit
from tabiya.games.rules import DRAW, ONGOING

INFINITY = np.int64(1_000_000)  # as in bots/textbook/node.py
DEEPEST = 90  # as in bots/textbook/quiescence.py
NOTHING, UNIT = np.int64(0), np.int64(1)


@njit
def select_best(moves: Any, scores: Any, i: Any, count: Any) -> Any:
    """One step of a selection sort: the best of moves[i:count] goes to slot i; returned. Ties keep their order."""
    best = i
    for j in range(i + 1, count):
        if scores[j] > scores[best]:
            best = j
    move, score = moves[best], scores[best]
    for j in range(best, i, -1):
        moves[j], scores[j] = moves[j - 1], scores[j - 1]
    moves[i], scores[i] = move, score
    return np.int64(move)


@njit
def third_time(game: Any, stack: Any, work: Any, ply: Any) -> Any:
    """Whether stack[ply] has stood on the board twice before, in the search or before its root (by key)."""
    state = stack[ply]
    reach = min(np.int64(game.repeats(state)), ply + work.earlier)
    step = 2 if game.takes_turns() else 1
    if reach < 4 * step:
        return False
    key = game.key(state)
    seen = 0
    for back in range(2 * step, reach + 1, step):
        if back <= ply:
            seen += game.key(stack[ply - back]) == key
        else:
            seen += work.keys[work.earlier + ply - back] == key
    return seen >= 2


@njit
def end_of(game: Any, stack: Any, work: Any, ply: Any, count: Any) -> Any:
    """How the game has ended at stack[ply], as `Game.outcome` tells it, the third repetition included; or ONGOING.

    count: zero exactly when no move is legal.
    """
    outcome = np.int64(game.outcome(stack[ply], count))
    if outcome == ONGOING and third_time(game, stack, work, ply):
        return np.int64(DRAW)
    return outcome


@njit
def end_value(game: Any, state: Any, work: Any, outcome: Any, ply: Any) -> Any:
    """The value of an ended game for the side to move."""
    if outcome % 3 == DRAW:
        return NOTHING
    if work.wins == ONE:
        return UNIT if outcome % 3 == game.to_move(state) else -UNIT
    if work.wins == INFINITE:
        return INFINITY if outcome % 3 == game.to_move(state) else -INFINITY
    return final_value(game, state, outcome, ply)


@njit
def evaluation(game: Any, state: Any, work: Any) -> Any:
    """The evaluation for the side to move while the game goes on."""
    return NOTHING if work.wins == ONE else np.int64(game.evaluate(state))


@njit
def evaluation_of_leaf(game: Any, stack: Any, work: Any, ply: Any) -> Any:
    """The same value from the parent's evaluation and what the move changed of it, where that is known to be exact.

    On a large board a move changes little: one evaluation and as many changes as there are moves, instead of an
    evaluation for each (004).
    """
    if work.exact_gains == 0 or work.wins == ONE or ply == 0:
        return evaluation(game, stack[ply], work)
    above = ply - 1
    if work.before[above] == UNKNOWN:
        work.before[above] = game.evaluate(stack[above])
    if abs(work.before[above]) >= work.exact_gains:
        return evaluation(game, stack[ply], work)
    changed = work.before[above] + np.int64(game.priority(stack[above], np.int64(work.played[above])))
    return sign_of(game, stack[above], stack[ply]) * changed


@njit
def estimate(game: Any, stack: Any, work: Any, ply: Any) -> Any:
    """Exact when the game is over, else the whole evaluation."""
    state = stack[ply]
    outcome = end_of(game, stack, work, ply, game.mobile(state, work.moves[ply]))
    if outcome != ONGOING:
        return end_value(game, state, work, outcome, ply)
    return evaluation(game, state, work)


@njit
def quiesce(game: Any, stack: Any, work: Any, alpha: Any, beta: Any, ply: Any) -> Any:
    """The value when each side may stop or make a noisy move; fail-soft. As bots/textbook/quiescence.py."""
    state, moves, scores = stack[ply], work.moves[ply], work.scores[ply]
    outcome = end_of(game, stack, work, ply, game.mobile(state, moves))
    if outcome != ONGOING:
        return end_value(game, state, work, outcome, ply)
    best = evaluation(game, state, work)
    if best >= beta or ply >= DEEPEST:
        return best
    count = np.int64(game.noisy(state, moves))
    for i in range(count):
        scores[i] = game.priority(state, np.int64(moves[i]))
    for i in range(count):
        game.make(state, select_best(moves, scores, i, count), stack[ply + 1])
        work.quiet += 1
        low, sign = max(alpha, best), sign_of(game, state, stack[ply + 1])
        near, far = low_below(sign, low, beta), high_below(sign, low, beta)
        best = max(best, sign * quiesce(game, stack, work, near, far, ply + 1))
        if best >= beta or work.stop != 0:
            break
    return best


@njit
def leaf(game: Any, stack: Any, work: Any, ply: Any) -> Any:
    """The value of a leaf: exact when the game is over, else by the switches; counts it."""
    work.leaves += 1
    state = stack[ply]
    outcome = end_of(game, stack, work, ply, game.mobile(state, work.moves[ply]))
    if outcome != ONGOING:
        return end_value(game, state, work, outcome, ply)
    work.inexact_nodes += 1
    if work.quiescence != 0:
        value = quiesce(game, stack, work, -INFINITY, INFINITY, ply)
    else:
        value = evaluation_of_leaf(game, stack, work, ply)
    if work.grain == 1 or work.wins == ONE or abs(value) > EVALUATION_LIMIT:
        return value
    return -(-value // work.grain) if value < 0 else value // work.grain

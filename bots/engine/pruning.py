"""What the engine does not search, or less deeply: guesses that are nearly always right and save most of the tree.

All margins are in units of `game.swing(state)`: how much a quiet move may change the evaluation. Games that say
nothing (zero) are never judged by their evaluation alone.

The depths and shares are usual ones of chess programs, not tuned one by one; what each switch with its numbers is worth
in a game is measured by `tabiya bench ablation`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabiya.bots.engine.move_order import FROM_TABLE, HISTORY_LIMIT, SECOND_KILLER, is_quiet
from tabiya.bots.engine.transposition_table import (
    EXACT,
    LOWER,
    NO_MOVE,
    UNKNOWN,
    UPPER,
    bound_of,
    depth_of,
    move_of,
    value_in,
)
from tabiya.bots.search.scores import WON
from tabiya.games.compiled.jit import njit

FULL_MOVES, FULL_DEPTH = 2, 3  # the first moves, and nodes of less depth, are never reduced
LOG_DEPTHS = LOG_MOVES = 64
REDUCTION_STARTS, REDUCTION_SLOPE = (0.6, 0.9), 2.3  # of games without and with a `swing`
HISTORY_STEP = HISTORY_LIMIT // 2  # so much of a move's history is worth a ply
REDUCTIONS = np.array(
    [
        [
            [
                int(start + math.log(depth) * math.log(move) / REDUCTION_SLOPE) if depth and move else 0
                for move in range(LOG_MOVES)
            ]
            for depth in range(LOG_DEPTHS)
        ]
        for start in REDUCTION_STARTS
    ],
    np.int8,
)
REVERSE_DEPTH, LATE_DEPTH, FUTILE_DEPTH, EXCHANGE_DEPTH = 7, 8, 7, 7
NULL_DEPTH, VERIFIED_DEPTH = 3, 10
INTERNAL_DEPTH = 4
NOTHING, LONGER, SHORTER = np.int64(0), np.int64(1), np.int64(-1)
SINGULAR_DEPTH, SINGULAR_PLIES, SINGULAR_SHARE = 5, 3, 50  # of a swing for each ply


@njit
def lacks_table_move(work: Any, depth: Any, hint: Any) -> Any:
    """Whether a node is searched one ply less because nothing says which move comes first; not near the end."""
    return work.internal_reduction != 0 and work.ends == 0 and depth >= INTERNAL_DEPTH and hint == NO_MOVE


@njit
def reduction(
    work: Any, depth: Any, i: Any, score: Any, ply: Any, swing: Any, open_window: Any, improving: Any, cut: Any
) -> Any:
    """By how many plies move number `i` of a node is searched less at first: late, quiet moves seldom matter.

    At the root they are reduced less where games are judged by their evaluation, for there a combination begins with a
    move that looks bad.  Near the end of the game none is, so that all of it is seen.
    """
    if (
        work.late_reductions == 0
        or work.ends > 0
        or depth < FULL_DEPTH
        or i < FULL_MOVES
        or (not is_quiet(score) and score > 0)
    ):
        return NOTHING
    less = np.int64(REDUCTIONS[np.int64(swing > 0), min(depth, LOG_DEPTHS - 1), min(i, LOG_MOVES - 1)])
    if score >= SECOND_KILLER:
        less -= 1
    elif is_quiet(score):
        less -= np.int64(score) // HISTORY_STEP
    if open_window:
        less -= 1
    if ply == 0 and swing > 0:
        less -= 1
    if not improving:
        less += 1
    if work.checked[ply + 1] != 0:
        less -= 1
    if swing > 0 and work.scores[ply, 0] == FROM_TABLE:  # where a capture is best, quiet moves seldom are
        less += 1
    if cut and work.cut_reductions != 0:
        less += 1
    return np.int64(max(NOTHING, min(less, depth - 2)))


@njit
def is_reverse_futile(work: Any, depth: Any, beta: Any, evaluation: Any, swing: Any, improving: Any) -> Any:
    """Whether the evaluation is so far above the window that no search of this depth would bring it down."""
    return (
        work.reverse_futility != 0
        and depth <= REVERSE_DEPTH
        and abs(beta) < WON
        and evaluation - swing * (depth - np.int64(improving)) * 3 // 4 >= beta
    )


@njit
def bounded_by_table(work: Any, data: Any, evaluation: Any, ply: Any) -> Any:
    """`evaluation` (or UNKNOWN), or the value in the table, of any depth, where that bounds it."""
    bound = bound_of(data)
    if work.bounded_evaluation == 0 or evaluation == UNKNOWN or bound == 0:
        return evaluation
    value = value_in(data, ply)
    if abs(value) >= WON:
        return evaluation
    if bound == EXACT or (bound == LOWER and value > evaluation) or (bound == UPPER and value < evaluation):
        return value
    return evaluation


@njit
def may_be_singular(work: Any, data: Any, depth: Any, swing: Any, ply: Any, without: Any) -> Any:
    """Whether it pays to see if the table's move is the only good one: it is deeply known to be good."""
    return (
        work.singular != 0
        and swing > 0
        and depth >= SINGULAR_DEPTH
        and 0 < ply < 2 * work.root_depth
        and without == NO_MOVE
        and move_of(data) != NO_MOVE
        and bound_of(data) != UPPER
        and depth_of(data) >= depth - SINGULAR_PLIES
        and abs(value_in(data, ply)) < WON
    )


@njit
def singular_bound(data: Any, depth: Any, swing: Any, ply: Any) -> Any:
    """What other moves must reach for the table's move not to be the only good one: a little less than its value."""
    return np.int64(value_in(data, ply) - depth * swing // SINGULAR_SHARE)


@njit
def singular_extension(value: Any, target: Any, data: Any, beta: Any, ply: Any) -> Any:
    """How many plies deeper the table's move is searched when the others together have reached `value`."""
    if value < target:
        return LONGER  # it is the only good one
    return SHORTER if value_in(data, ply) >= beta else NOTHING  # one of several that refute


@njit
def may_try_null_move(game: Any, state: Any, work: Any, depth: Any, beta: Any, ply: Any, evaluation: Any) -> Any:
    """Whether a null move is worth trying: the mover is above the window, and passing is worse than some move."""
    return (
        work.null_move != 0
        and depth >= NULL_DEPTH
        and evaluation >= beta
        and beta > -WON
        and ply >= work.null_from
        and work.passed[ply - 1] == 0
        and game.may_pass(state)
    )


@njit
def null_depth(depth: Any, beta: Any, evaluation: Any, swing: Any) -> Any:
    """The depth below a null move."""
    return np.int64(depth - 4 - depth // 4 - min((evaluation - beta) // (2 * swing), np.int64(3)))


@njit
def is_pruned(
    game: Any,
    state: Any,
    work: Any,
    depth: Any,
    i: Any,
    move: Any,
    score: Any,
    alpha: Any,
    evaluation: Any,
    swing: Any,
    improving: Any,
) -> Any:
    """Whether move number `i` of a node, not the first, need not be searched at all. Checks always need it."""
    if not is_quiet(score):
        return loses_exchange(game, state, work, depth, move, score, -swing * depth)
    late = work.late_pruning != 0 and depth <= LATE_DEPTH and i >= (3 + depth * depth) >> (0 if improving else 1)
    futile = work.futility != 0 and depth <= FUTILE_DEPTH and evaluation + swing * (depth + 1) <= alpha
    if late or futile:
        return not game.gives_check(state, move)
    return loses_exchange(game, state, work, depth, move, score, -swing * depth // 2)


@njit
def loses_exchange(game: Any, state: Any, work: Any, depth: Any, move: Any, score: Any, least: Any) -> Any:
    """Whether near the leaves the captures on the move's target win less than `least`, a negative number."""
    if work.exchange_pruning == 0 or depth > EXCHANGE_DEPTH or score >= SECOND_KILLER:
        return False
    return not game.exchange(state, move, np.int64(least))

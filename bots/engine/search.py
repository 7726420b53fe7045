"""A node of the tree: principal variation search with everything that the switches turn on."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.engine.abdada import clear_mark, marks_moves, next_unmarked, rank_of, set_mark
from tabiya.bots.engine.correction_history import corrected, note_error
from tabiya.bots.engine.move_order import LOSING, is_quiet, list_moves, score_moves, update_histories
from tabiya.bots.engine.pruning import (
    VERIFIED_DEPTH,
    bounded_by_table,
    is_pruned,
    is_reverse_futile,
    lacks_table_move,
    may_be_singular,
    may_try_null_move,
    null_depth,
    reduction,
    singular_bound,
    singular_extension,
)
from tabiya.bots.engine.pv_sharing import is_published, publish, published_value, read_published
from tabiya.bots.engine.quiescence import EVASION_PLIES, quiesce, raw_evaluation
from tabiya.bots.engine.state import NO_SLOT
from tabiya.bots.engine.transposition_table import (
    EXACT,
    LOWER,
    MISS,
    NO_MOVE,
    UNKNOWN,
    UPPER,
    bound_of,
    cutoff_value,
    is_timeless,
    move_of,
    prefetch_bucket,
    probe,
    store,
    value_in,
)
from tabiya.bots.search.node_path import interrupted, keep_line, repeated
from tabiya.bots.search.scores import DRAWN, INFINITE, MATE, PLIES, WON, final_value, high_below, low_below, sign_of
from tabiya.games.compiled.bits import ZERO
from tabiya.games.compiled.jit import njit
from tabiya.games.rules import DRAW, ONGOING

SOME_MOVE, ONE_PLY, NO_PLY = np.int64(1), np.int64(1), np.int64(0)
OPEN, CUT = np.int64(0), np.int64(1)  # what is expected of a node: anything, or a value above the window


@njit
def make(game: Any, stack: Any, work: Any, table: Any, move: Any, ply: Any) -> None:
    """Write the position after `move` into stack[ply + 1], and what the path remembers of it."""
    game.make(stack[ply], move, stack[ply + 1])
    prefetch_bucket(table, game.key(stack[ply + 1]))
    work.slots[ply] = game.slot(stack[ply], move)
    work.passed[ply] = 0
    work.checked[ply + 1] = np.int64(game.in_check(stack[ply + 1]))


@njit
def skip_turn(game: Any, stack: Any, work: Any, table: Any, ply: Any) -> None:
    """Write the position after a pass into stack[ply + 1]."""
    game.skip_turn(stack[ply], stack[ply + 1])
    prefetch_bucket(table, game.key(stack[ply + 1]))
    work.slots[ply] = NO_SLOT
    work.passed[ply] = 1
    work.checked[ply + 1] = 0


@njit
def depth_below(work: Any, count: Any, depth: Any, ply: Any) -> Any:
    """The depth left after a move: one less, but a forced move costs none (unless the caller restricted the root)."""
    alone = count == 1 and (ply > 0 or work.root_count == 0)
    return depth if alone and work.forced != 0 and ply < 2 * work.root_depth else depth - 1


@njit
def extension(work: Any, ply: Any, longer: Any) -> Any:
    """By how many plies the move just made at `ply` is searched deeper: a check by one.  longer: a singular move."""
    check = np.int64(work.check_extension != 0 and work.checked[ply + 1] != 0 and ply < 2 * work.root_depth)
    return max(check, longer) if longer > 0 else check + longer


@njit
def evaluate_node(game: Any, state: Any, work: Any, data: Any, swing: Any, ply: Any) -> Any:
    """The evaluation of a node, UNKNOWN in check or where it is not used; corrected, it is noted on the path."""
    found = UNKNOWN
    work.evaluations[ply] = UNKNOWN
    if swing > 0 and work.checked[ply] == 0:
        found = raw_evaluation(game, state, work, data)
        work.evaluations[ply] = corrected(game, state, work, found, ply)
    return found


@njit
def is_improving(game: Any, stack: Any, work: Any, ply: Any, evaluation: Any) -> Any:
    """Whether the mover stands better than two plies ago, if it was to move then."""
    if ply >= 2 and not game.takes_turns() and game.to_move(stack[ply - 2]) != game.to_move(stack[ply]):
        return False
    return evaluation != UNKNOWN and (ply < 2 or evaluation > work.evaluations[ply - 2])


@njit
def expected_below(sign: Any, cut: Any) -> Any:
    """What is expected of the node after a move, where `cut` is expected of the node itself."""
    return 1 - cut if sign < 0 else cut


@njit
def begin_root(game: Any, state: Any, work: Any) -> None:
    """What only the root does: work.ends, the plies to the end of the game where that is near enough to see, else 0."""
    work.ends = np.int64(game.solve_depth(state)) if work.forced != 0 else np.int64(0)


@njit
def set_root_best(work: Any, move: Any, value: Any) -> None:
    """What the root answers if the search is stopped now."""
    work.best, work.value, work.has_partial = move, value, 1


@njit(cache=True)
def search(  # noqa: C901 (a node is one recursion: a compiled function may call itself, others not in turn)
    game: Any, stack: Any, work: Any, table: Any, histories: Any, depth: Any, alpha: Any, beta: Any, ply: Any, cut: Any
) -> Any:
    """The value v of stack[ply] with respect to the window, fail-soft; alpha < beta.

    With sound switches only (options.py), as fail-soft alpha-beta promises: alpha < v < beta: v is the minimax
    value m of the tree `depth` plies deep; v <= alpha: m <= v; v >= beta: m >= v. The others search another tree,
    deeper where it matters.  Void when work.stop is set.  The caller has set checked[ply], slots[ply - 1] and
    passed[ply - 1] of `work`.

    cut: OPEN or CUT, what is expected of the node; after the first move of a node that is to be cut off nothing is, and
    of what comes after a late move a cut-off (1 - cut).  A node whose work.excluded[ply] is a move is searched without
    it, to see how good the others are: no entry answers it, nothing is guessed, nothing stored.
    At a node of interest to other threads (pv_sharing.py), what one of them has found meanwhile is taken over.
    At the root (ply 0, an open window) work.best goes first, and a move that is better than alpha is left in work.best,
    value and line[0] at once, and work.has_partial set: if the search is stopped then, it is the best found so far.
    """
    if interrupted(work):
        return DRAWN
    work.line_length[ply] = 0
    state = stack[ply]
    key = game.key(state)
    if repeated(game, state, key, work, ply) and ply > 0:
        return DRAWN
    if depth <= 0 or ply >= PLIES - 2:
        return quiesce(game, stack, work, table, alpha, beta, ply, EVASION_PLIES)
    outcome = np.int64(game.outcome(state, SOME_MOVE))
    if outcome != ONGOING:  # a claim of fifty moves comes after a mate, so it matters whether there is a move
        outcome = np.int64(game.outcome(state, game.mobile(state, work.moves[ply])))
        return final_value(game, state, outcome, ply)
    known_result = np.int64(game.known_result(state)) if work.endings != 0 and ply > 0 else ONGOING
    if known_result == DRAW:
        return DRAWN
    if work.mate_distance != 0:
        alpha, beta = max(alpha, ply - MATE), min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha
    timeless = is_timeless(game, state)
    data = probe(work, table, key) if timeless else ZERO
    without = np.int64(work.excluded[ply])
    publishes = timeless and without == NO_MOVE and is_published(work, depth, ply, alpha, beta)
    if without == NO_MOVE:
        known = cutoff_value(work, data, depth, alpha, beta, ply)
        if publishes and ply > 0:
            known = published_value(work, table, key, depth, ply)
        if known != MISS:
            return known
    inexact_nodes, hint = np.int64(work.inexact_nodes), move_of(data)
    swing, open_window = np.int64(game.swing(state)), beta - alpha > 1
    raw = evaluate_node(game, state, work, data, swing, ply)
    evaluation = np.int64(work.evaluations[ply])
    improving = is_improving(game, stack, work, ply, evaluation)
    standing = bounded_by_table(work, data, evaluation, ply)
    if evaluation != UNKNOWN and not open_window and without == NO_MOVE:
        if is_reverse_futile(work, depth, beta, standing, swing, improving):
            return standing
        if may_try_null_move(game, state, work, depth, beta, ply, standing):
            less = null_depth(depth, beta, standing, swing)
            skip_turn(game, stack, work, table, ply)
            value = -search(game, stack, work, table, histories, less, -beta, -beta + 1, ply + 1, 1 - cut)
            if work.stop != 0:
                return DRAWN
            if value >= beta and work.verification != 0 and depth >= VERIFIED_DEPTH and work.null_from == 0:
                work.null_from = ply + (3 * less) // 4 + 1
                value = search(game, stack, work, table, histories, less, beta - 1, beta, ply, OPEN)
                work.null_from = 0
                if work.stop != 0:
                    return DRAWN
            if value >= beta:
                return min(value, WON)
    if ply == 0:
        begin_root(game, state, work)
        hint = np.int64(work.best)
    elif lacks_table_move(work, depth, hint):
        depth -= 1
    longer = NO_PLY
    if may_be_singular(work, data, depth, swing, ply, without):
        target = singular_bound(data, depth, swing, ply)
        work.excluded[ply] = hint
        value = search(game, stack, work, table, histories, (depth - 1) // 2, target - 1, target, ply, cut)
        work.excluded[ply], work.line_length[ply] = NO_MOVE, 0
        if work.stop != 0:
            return DRAWN
        if value >= target >= beta and not open_window:
            return target  # more than one move refutes
        longer = singular_extension(value, target, data, beta, ply)
    count, are_forced = list_moves(game, state, work, ply)
    outcome = np.int64(game.outcome(state, count))
    if outcome != ONGOING:
        return final_value(game, state, outcome, ply)
    score_moves(game, state, work, histories, ply, count, hint)
    scores = work.scores[ply]
    below = depth_below(work, count, depth, ply)
    prunes = swing > 0 and ply > 0 and work.checked[ply] == 0 and not are_forced
    least_good = DRAWN if known_result == game.to_move(state) else -WON  # until a win is found that there is, all moves
    shared = marks_moves(work, depth, open_window)
    best, best_move, best_score, bound = -INFINITE, NO_MOVE, np.int64(0), UPPER
    for i in range(count):
        if publishes and i > 0:
            published = read_published(work, table, key, depth, max(alpha, best), ply)
            if published != ZERO:
                best, best_move, best_score, bound = (
                    value_in(published, ply),
                    np.int64(work.line[ply, 0]),
                    LOSING,
                    EXACT,
                )
                if ply == 0:
                    set_root_best(work, best_move, best)
                elif bound_of(published) == EXACT:
                    return best
                if best >= beta:
                    bound = LOWER
                    break
        move = next_unmarked(work, table, key, shared, ply, i, count)
        low, score, rank = max(alpha, best), np.int64(scores[i]), rank_of(work, shared, ply, i)
        if move == without:
            continue
        if (
            prunes
            and best > least_good
            and is_pruned(game, state, work, depth, rank, move, score, low, standing, swing, improving)
        ):
            work.inexact_nodes += 1
            continue
        before = np.int64(work.nodes)
        make(game, stack, work, table, move, ply)
        deep = below + extension(work, ply, longer if move == hint else NO_PLY)
        sign = sign_of(game, state, stack[ply + 1])
        near, far, other = low_below(sign, low, beta), high_below(sign, low, beta), expected_below(sign, cut)
        if i == 0:
            value = sign * search(
                game, stack, work, table, histories, deep, near, far, ply + 1, np.int64(not open_window) & other
            )
        else:
            less = NO_PLY
            if not are_forced:
                less = reduction(work, depth, rank, score, ply, swing, open_window, improving, cut)
            if shared:
                set_mark(table, key, move)
            least, refuted = low_below(sign, low, low + 1), expected_below(sign, OPEN)
            value = sign * search(game, stack, work, table, histories, deep - less, least, least + 1, ply + 1, refuted)
            if less > 0 and value > low:
                value = sign * search(game, stack, work, table, histories, deep, least, least + 1, ply + 1, other)
            if shared:
                clear_mark(table, key, move)
            if low < value < beta:
                value = sign * search(game, stack, work, table, histories, deep, near, far, ply + 1, OPEN)
        if work.stop != 0:
            return DRAWN
        if value > best:
            best, best_move, best_score = value, move, score
            if best > alpha:
                bound = EXACT
                keep_line(work, ply, move)
                if ply == 0:
                    set_root_best(work, move, best)
                    work.effort = work.nodes - before
                if publishes and best < beta:
                    publish(work, table, key, depth, best, LOWER, inexact_nodes, ply)
                if best >= beta:
                    bound = LOWER
                    if is_quiet(score):
                        update_histories(game, state, work, histories, ply, i, depth)
                    break
    if without != NO_MOVE:
        return alpha if best == -INFINITE else best
    if bound == UPPER or is_quiet(best_score):
        note_error(game, state, work, depth, evaluation, best, bound, ply)
    whole = ply > 0 or work.root_count == 0  # what some of the moves are worth is not the value of the position
    if whole and timeless:
        store(work, table, key, depth, best_move, best, bound, inexact_nodes, raw, ply)
    if publishes and bound == EXACT:
        publish(work, table, key, depth, best, EXACT, inexact_nodes, ply)
    return best

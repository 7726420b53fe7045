"""Which move first: the table's move, good captures, killers, history, captures that lose material."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.engine.state import NO_SLOT
from tabiya.bots.evaluators.base import FORCING
from tabiya.games.compiled.jit import njit

FROM_TABLE, QUIET_FROM_TABLE = np.int64(1 << 28), np.int64((1 << 28) + 1)
FIRST_KILLER, SECOND_KILLER = np.int64(9_900), np.int64(9_800)
LOSING = np.int64(-FORCING)  # scores from here down are of moves that lose material
EVEN, ONE_PLY, TWO_PLIES = np.int64(0), np.int64(1), np.int64(2)
HISTORY_LIMIT = 8_192
MOST_BONUS = 1_600


@njit
def list_moves(game: Any, state: Any, work: Any, ply: Any) -> Any:
    """Write the moves to search into work.moves[ply]; return how many, zero when none is legal, and whether forced."""
    moves = work.moves[ply]
    if ply == 0 and work.root_count > 0:
        for i in range(work.root_count):
            moves[i] = work.root_moves[i]
        return np.int64(work.root_count), False
    if work.forced != 0:
        count = np.int64(game.forced(state, moves))
        if count > 0:
            return count, True
    return np.int64(game.candidates(state, moves)), False


@njit
def is_quiet(score: Any) -> Any:
    """Whether a move with this score is neither forcing nor losing material."""
    return LOSING < score < FORCING or score == QUIET_FROM_TABLE


@njit
def slot_before(work: Any, ply: Any, back: Any) -> Any:
    """The slot of the move made `back` plies before `ply`; NO_SLOT before the root."""
    return np.int64(work.slots[ply - back]) if ply >= back else np.int64(NO_SLOT)


@njit
def history_score(work: Any, histories: Any, seat: Any, slot: Any, ply: Any) -> Any:
    """How good moves of this slot were: anywhere, and after the opponent's last move and one's own before it."""
    found = np.int64(histories.quiet_history[seat, slot]) >> 1
    if work.replies != 0:
        found += np.int64(histories.countermove_history[seat, slot_before(work, ply, ONE_PLY), slot]) >> 2
        found += np.int64(histories.followup_history[seat, slot_before(work, ply, TWO_PLIES), slot]) >> 2
    return found


@njit
def score_of(game: Any, state: Any, work: Any, histories: Any, ply: Any, seat: Any, move: Any, score: Any) -> Any:
    """How early `move` with the priority `score` deserves to be tried, the table's move left out."""
    if score >= FORCING:
        if work.exchange != 0 and not game.exchange(state, move, EVEN):
            score = min(score - 5 * FORCING, LOSING)
    elif work.killers != 0 and move == histories.killer_moves[ply, 0]:
        score = FIRST_KILLER
    elif work.killers != 0 and move == histories.killer_moves[ply, 1]:
        score = SECOND_KILLER
    elif work.history != 0:
        score += history_score(work, histories, seat, np.int64(game.slot(state, move)), ply)
    return score


@njit
def score_moves(game: Any, state: Any, work: Any, histories: Any, ply: Any, count: Any, hint: Any) -> None:
    """Fill work.scores[ply] for the first `count` moves of work.moves[ply]; `hint` (or NO_MOVE) comes first."""
    moves, scores = work.moves[ply], work.scores[ply]
    seat = np.int64(game.to_move(state))
    if work.priorities != 0:
        game.prioritise(state, moves, count, scores)
    else:
        for i in range(count):
            scores[i] = 0
    for i in range(count):
        move = np.int64(moves[i])
        score = score_of(game, state, work, histories, ply, seat, move, np.int64(scores[i]))
        if move == hint:
            score = QUIET_FROM_TABLE if LOSING < score < FORCING else FROM_TABLE
        scores[i] = score


@njit
def next_move(work: Any, ply: Any, i: Any, count: Any) -> Any:
    """Move number `i` of the node, the first i already tried: the best of the rest comes to slot i."""
    moves, scores = work.moves[ply], work.scores[ply]
    best, score = i, scores[i]
    for j in range(i + 1, count):
        other = scores[j]
        if other > score:
            best, score = j, other
    move = moves[best]
    moves[best], scores[best] = moves[i], scores[i]
    moves[i], scores[i] = move, score
    return np.int64(move)


@njit
def with_bonus(value: Any, bonus: Any) -> Any:
    """A statistic after one more success (bonus > 0) or failure: what is old decays, HISTORY_LIMIT is never passed."""
    return value + bonus - value * abs(bonus) // HISTORY_LIMIT


@njit
def update_slot(work: Any, histories: Any, seat: Any, slot: Any, ply: Any, bonus: Any) -> None:
    """Add a success or failure of a quiet move to all statistics."""
    histories.quiet_history[seat, slot] = with_bonus(np.int64(histories.quiet_history[seat, slot]), bonus)
    if work.replies != 0:
        last, before = slot_before(work, ply, ONE_PLY), slot_before(work, ply, TWO_PLIES)
        histories.countermove_history[seat, last, slot] = with_bonus(
            np.int64(histories.countermove_history[seat, last, slot]), bonus
        )
        histories.followup_history[seat, before, slot] = with_bonus(
            np.int64(histories.followup_history[seat, before, slot]), bonus
        )


@njit
def update_histories(game: Any, state: Any, work: Any, histories: Any, ply: Any, tried: Any, depth: Any) -> None:
    """Reward quiet move number `tried`, which caused a cut-off, and punish the quiet moves before it."""
    moves, scores = work.moves[ply], work.scores[ply]
    move = np.int64(moves[tried])
    if histories.killer_moves[ply, 0] != move:
        histories.killer_moves[ply, 1] = histories.killer_moves[ply, 0]
        histories.killer_moves[ply, 0] = move
    if work.history == 0:
        return
    seat = np.int64(game.to_move(state))
    bonus = np.int64(min(depth * depth * 12 + 60, MOST_BONUS))
    update_slot(work, histories, seat, np.int64(game.slot(state, move)), ply, bonus)
    for i in range(tried):
        if is_quiet(scores[i]):
            update_slot(work, histories, seat, np.int64(game.slot(state, np.int64(moves[i]))), ply, -bonus)

"""Which move first: the table's move, forcing moves, killers, history."""

from __future__ import annotations

from typing import Any

import numpy as np

from bots.players.base import FORCING
from bots.search.work import HISTORY_SLOTS
from games.compiled.jit import njit

NO_MOVE = np.int64(-1)
FROM_TABLE = 1 << 28
FIRST_KILLER, SECOND_KILLER = 9_900, 9_800
HISTORY_LIMIT = 8_000
SLOT_MASK = HISTORY_SLOTS - 1


@njit(nogil=True)
def list_moves(game: Any, state: Any, work: Any, ply: Any) -> Any:
    """Write the moves to search into work.moves[ply]; return how many, zero when none is legal."""
    moves = work.moves[ply]
    if work.forced != 0:
        count = np.int64(game.forced(state, moves))
        if count > 0:
            return count
    return np.int64(game.candidates(state, moves))


@njit(nogil=True)
def score_moves(game: Any, state: Any, work: Any, ply: Any, count: Any, hint: Any) -> None:
    """Fill work.scores[ply] for the first `count` moves of work.moves[ply]; `hint` (or NO_MOVE) comes first.

    Without the switch ordering nothing is done, and `next_move` takes the generator's order.
    """
    if work.ordering == 0:
        return
    moves, scores = work.moves[ply], work.scores[ply]
    seat = np.int64(game.to_move(state))
    for i in range(count):
        move = np.int64(moves[i])
        if move == hint:
            score = np.int64(FROM_TABLE)
        else:
            score = np.int64(game.priority(state, move))
            if score < FORCING:
                if move == work.killers[ply, 0]:
                    score = np.int64(FIRST_KILLER)
                elif move == work.killers[ply, 1]:
                    score = np.int64(SECOND_KILLER)
                else:
                    score += work.history[seat, move & SLOT_MASK]
        scores[i] = score


@njit(nogil=True)
def bring_best(moves: Any, scores: Any, i: Any, count: Any) -> Any:
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


@njit(nogil=True)
def next_move(work: Any, ply: Any, i: Any, count: Any) -> Any:
    """Move number `i` of the node, the first i already tried."""
    moves = work.moves[ply]
    return bring_best(moves, work.scores[ply], i, count) if work.ordering != 0 else np.int64(moves[i])


@njit(nogil=True)
def remember_cutoff(game: Any, state: Any, work: Any, ply: Any, move: Any, depth: Any) -> None:
    """A quiet move refuted the node: try it earlier in its neighbours (killer) and everywhere (history)."""
    if work.killers[ply, 0] != move:
        work.killers[ply, 1] = work.killers[ply, 0]
        work.killers[ply, 0] = move
    seat, slot = np.int64(game.to_move(state)), move & SLOT_MASK
    work.history[seat, slot] += depth * depth
    if work.history[seat, slot] > HISTORY_LIMIT:
        for other in range(HISTORY_SLOTS):
            work.history[seat, other] //= 2

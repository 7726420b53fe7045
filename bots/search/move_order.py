"""Which move first: the generator's order, or what the evaluator says."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.compiled.jit import njit


@njit
def score_moves(game: Any, state: Any, work: Any, ply: Any, count: Any) -> None:
    """Fill work.scores[ply] for the first `count` moves of work.moves[ply].

    Without the switch ordering nothing is done, and `next_move` takes the generator's order.
    """
    if work.ordering == 0:
        return
    moves, scores = work.moves[ply], work.scores[ply]
    for i in range(count):
        scores[i] = np.int64(game.priority(state, np.int64(moves[i])))


@njit
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


@njit
def next_move(work: Any, ply: Any, i: Any, count: Any) -> Any:
    """Move number `i` of the node, the first i already tried."""
    moves = work.moves[ply]
    return bring_best(moves, work.scores[ply], i, count) if work.ordering != 0 else np.int64(moves[i])

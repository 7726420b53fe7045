"""The moves of a node, in the order of a guess: the compiled order.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.search.scores import sign_of
from tabiya.bots.textbook.compiled.leaf import end_of, estimate, select_best
from tabiya.bots.textbook.compiled.record import (
    CAPTURES,
    EVALUATION,
    HISTORY,
    ITERATION,
    KILLER,
    NO_GUESS,
    UNKNOWN,
)
from tabiya.games.compiled.jit import njit
from tabiya.games.rules import ONGOING

LEAF = np.int64(-1)


@njit
def score_moves(game: Any, stack: Any, work: Any, ply: Any, count: Any) -> None:
    """Fill work.scores[ply]: higher is earlier."""
    state, moves, scores = stack[ply], work.moves[ply], work.scores[ply]
    if work.guess == CAPTURES:
        noisy = work.moves[ply + 1]
        captures = np.int64(game.noisy(state, noisy))
        for i in range(count):
            scores[i] = 0
            for j in range(captures):
                if noisy[j] == moves[i]:
                    scores[i] = 1
        return
    seat = np.int64(game.to_move(state))
    for i in range(count):
        move = moves[i]
        if work.guess == EVALUATION:
            game.make(state, np.int64(move), stack[ply + 1])
            scores[i] = sign_of(game, state, stack[ply + 1]) * estimate(game, stack, work, ply + 1)
        elif work.guess == ITERATION:
            on = work.on_line[ply] != 0 and ply < work.best_line_length
            scores[i] = 1 if on and work.best_line[ply] == move else 0
        elif work.guess == KILLER:
            scores[i] = 2 if work.killers[ply, 0] == move else 1 if work.killers[ply, 1] == move else 0
        elif work.guess == HISTORY:
            scores[i] = work.history[seat, move]


@njit
def open_node(game: Any, stack: Any, work: Any, depth: Any, ply: Any) -> Any:
    """Write the moves to search below stack[ply]; return how many, or LEAF where its value is to be taken as it is."""
    work.line_length[ply] = 0
    work.before[ply] = UNKNOWN
    if depth <= 0:
        return LEAF
    state, moves = stack[ply], work.moves[ply]
    count = np.int64(game.candidates(state, moves) if work.near != 0 else game.generate(state, moves))
    if work.tests_ends != 0 and end_of(game, stack, work, ply, count) != ONGOING:
        return LEAF
    if count == 0:
        work.leaves += 1
    if work.guess != NO_GUESS:
        score_moves(game, stack, work, ply, count)
    return count


@njit
def next_move(work: Any, ply: Any, i: Any, count: Any) -> Any:
    """Move number `i` in the order of the guess."""
    moves = work.moves[ply]
    if work.guess != NO_GUESS and (work.sorted_moves == 0 or i < work.sorted_moves):
        move = select_best(moves, work.scores[ply], i, count)
    else:
        move = np.int64(moves[i])
    work.played[ply] = move
    following = work.on_line[ply] != 0 and ply < work.best_line_length and work.best_line[ply] == move
    work.on_line[ply + 1] = 1 if following else 0
    return move


@njit
def cut(game: Any, state: Any, work: Any, ply: Any, move: Any, left: Any, depth: Any) -> None:
    """`move` ended the node with `left` moves not looked at: count it and learn from it, if it saved any."""
    if left <= 0:
        return
    work.cuts += 1
    work.unseen += left
    if work.killers[ply, 0] != move:
        work.killers[ply, 1] = work.killers[ply, 0]
        work.killers[ply, 0] = move
    work.history[np.int64(game.to_move(state)), move] += depth * depth

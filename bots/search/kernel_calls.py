"""Between positions and kernels: single questions to an evaluator, and the texts of a line of moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.search.scores import WON, final_value
from tabiya.games.compiled.jit import njit
from tabiya.games.contract import Game

SPACE = 32


@njit(cache=True)
def key_of(game: Any, state: Any) -> Any:
    """The key (uint64) of a record."""
    return game.key(state)


@njit(cache=True)
def evaluation_of(game: Any, state: Any) -> Any:
    """What `game.evaluate` says of a record, compiled."""
    return np.int64(game.evaluate(state))


@njit(cache=True)
def priority_of(game: Any, state: Any, move: Any) -> Any:
    """What `game.priority` says of a move (int64) of a record, compiled."""
    return np.int64(game.priority(state, move))


@njit(cache=True)
def ended_value(game: Any, state: Any, result: Any) -> Any:
    """The value, see scores.py, of a record whose game is over. result: the seat that has won, or DRAW."""
    return np.int64(final_value(game, state, result, np.int64(0)))


@njit(cache=True)
def winners_margin(game: Any, state: Any) -> Any:
    """WON and the margin of a won game where margins matter, else 0."""
    margin = np.int64(game.margin(state))
    return WON + margin if margin > 0 else np.int64(0)


@njit(cache=True)
def write_noisy(game: Any, state: Any, moves: Any, priorities: Any) -> Any:
    """Write the noisy moves with their priorities; return how many."""
    count = np.int64(game.noisy(state, moves))
    for i in range(count):
        priorities[i] = game.priority(state, np.int64(moves[i]))
    return count


@njit(cache=True)
def write_candidates(game: Any, state: Any, moves: Any) -> Any:
    """Write the moves worth searching (int32) into `moves`; return how many."""
    return np.int64(game.candidates(state, moves))


@njit(cache=True)
def is_in_check(game: Any, state: Any) -> Any:
    """Whether the side to move is in check."""
    return game.in_check(state)


@njit(cache=True)
def write_line(game: Any, stack: Any, moves: Any, out: Any) -> Any:
    """Play the moves (legal, int32) from stack[0] on; write their texts, each and a space, into `out`; return the end.

    stack: records, one more than there are moves; overwritten from index 1 on.
    """
    at = np.int64(0)
    for i in range(moves.size):
        at = np.int64(game.write_move(stack[i], moves[i], out, at))
        out[at] = SPACE
        at += 1
        game.make(stack[i], np.int64(moves[i]), stack[i + 1])
    return at


def candidates_of(game: Any, state: Any) -> list[int]:
    """The numbers of the moves worth searching."""
    moves = np.empty(game.width, np.int32)
    return [int(move) for move in moves[: int(write_candidates(game, state, moves))]]


def line_texts(game: Game, stack: Any, numbers: Any) -> tuple[str, ...]:
    """The texts of a line of move numbers (int32) that starts at stack[0]."""
    out = np.empty(len(numbers) * (game.max_move_text + 1), np.uint8)
    end = int(write_line(game, stack, numbers, out))
    return tuple(out[:end].tobytes().decode("ascii").split())

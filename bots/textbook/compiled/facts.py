"""What a `Board` asks of compiled rules and evaluations, one call at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.search.scores import WON
from tabiya.games.compiled.jit import njit


@njit(cache=True)
def evaluate(game: Any, state: Any) -> Any:
    """The evaluation for the side to move; only while the game goes on."""
    return np.int64(game.evaluate(state))


@njit(cache=True)
def priority(game: Any, state: Any, move: Any) -> Any:
    """How early the evaluator would try the move."""
    return np.int64(game.priority(state, np.int64(move)))


@njit(cache=True)
def winners_margin(game: Any, state: Any) -> Any:
    """WON and the margin of a won game where margins matter, else 0."""
    margin = np.int64(game.margin(state))
    return WON + margin if margin > 0 else np.int64(0)


@njit(cache=True)
def candidates(game: Any, state: Any, moves: Any) -> Any:
    """Write the moves worth searching; return how many."""
    return np.int64(game.candidates(state, moves))


@njit(cache=True)
def noisy(game: Any, state: Any, moves: Any, priorities: Any) -> Any:
    """Write the noisy moves with their priorities; return how many."""
    count = np.int64(game.noisy(state, moves))
    for i in range(count):
        priorities[i] = game.priority(state, np.int64(moves[i]))
    return count

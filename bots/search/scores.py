"""What a value means, the same for every algorithm here.

A value is an int64 from the view of the side to move.

| value                         | meaning                                                                    |
| ----------------------------- | -------------------------------------------------------------------------- |
| |v| < WON                     | an evaluation, in hundredths of the game's unit; 0 is also a draw          |
| WON < |v| < MATE - PLIES      | the game ends, won by v - WON (discs), however long it takes               |
| |v| >= MATE - PLIES           | won or lost MATE - |v| plies from the root                                 |
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.compiled.jit import njit
from tabiya.games.rules import DRAW

PLIES = 100  # deepest ply any search reaches, quiescence included
INFINITE = np.int64(32_000)
MATE = np.int64(30_000)
WON = np.int64(20_000)
NEAREST_MATE = np.int64(MATE - PLIES)  # smallest value that counts plies
DRAWN = np.int64(0)


@njit
def final_value(game: Any, state: Any, outcome: Any, ply: Any) -> Any:
    """The value of an ended game, `ply` plies from the root, for the side to move.

    outcome: what `game.outcome` said, not ONGOING.
    """
    result = outcome % 3
    if result == DRAW:
        return DRAWN
    margin = np.int64(game.margin(state))
    size = WON + margin if margin > 0 else MATE - ply
    return size if result == game.to_move(state) else -size


@njit
def sign_of(game: Any, state: Any, child: Any) -> Any:
    """What turns a value of `child`, the position after a move, into one of `state`: -1 if the other seat is to move.

    Where players take turns it is -1 already when the search is compiled.
    """
    if game.takes_turns() or game.to_move(state) != game.to_move(child):
        return np.int64(-1)
    return np.int64(1)


@njit
def low_below(sign: Any, low: Any, high: Any) -> Any:
    """The lower edge, for who is to move after a move of that sign, of the window from `low` to `high`."""
    return -high if sign < 0 else low


@njit
def high_below(sign: Any, low: Any, high: Any) -> Any:
    """The upper edge of the same."""
    return -low if sign < 0 else high


@njit
def to_table(value: Any, ply: Any) -> Any:
    """A value counted from the root as one counted from the node `ply` plies below it."""
    if value >= NEAREST_MATE:
        return value + ply
    if value <= -NEAREST_MATE:
        return value - ply
    return value


@njit
def from_table(value: Any, ply: Any) -> Any:
    """The inverse of `to_table`."""
    if value >= NEAREST_MATE:
        return value - ply
    if value <= -NEAREST_MATE:
        return value + ply
    return value


def plies_to_end(value: int) -> int | None:
    """Plies until the forced end that `value` promises; None if it promises none or does not count plies."""
    distance = int(MATE) - abs(value)
    return distance if 0 <= distance <= PLIES else None


def value_text(value: int) -> str:
    """A value for people: `+1.25`, `won in 5 plies`, `lost by 12`."""
    word = "won" if value > 0 else "lost"
    distance = plies_to_end(value)
    if distance is not None:
        return f"{word} in {distance} plies" if distance != 1 else f"{word} in 1 ply"
    if abs(value) > WON:
        return f"{word} by {abs(value) - int(WON)}"
    return f"{value / 100:+.2f}"

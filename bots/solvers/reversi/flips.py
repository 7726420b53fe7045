"""Which discs turn over, one square at a time and fast: the rules' own way does all squares at once.

On each of the eight rays from a square the first square that holds no disc of the opponent decides. Towards higher bits
it is found by the carry of an addition, towards lower ones by counting leading zeros, on four rays at once.
`tabiya.games.reversi.discs.turned` is the truth in the tests.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.compiled.bits import ONE, ZERO
from tabiya.games.compiled.jit import njit
from tabiya.games.compiled.several_sets import filled, four_sets, highest, union

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows and columns of one step up


def _ray(square: int, rows: int, columns: int) -> int:
    row, column, found = square // 8 + rows, square % 8 + columns, 0
    while 0 <= row < 8 and 0 <= column < 8:
        found |= 1 << (8 * row + column)
        row, column = row + rows, column + columns
    return found


# UP[square]: the squares beyond `square` in the four directions towards higher bits; DOWN: towards lower ones
UP, DOWN = (
    np.array([[_ray(square, sign * r, sign * c) for r, c in STEPS] for square in range(64)], np.uint64)
    for sign in (1, -1)
)
# the squares around each
AROUND = np.array(
    [
        sum(1 << s for s in range(64) if s != square and max(abs(s // 8 - square // 8), abs(s % 8 - square % 8)) == 1)
        for square in range(64)
    ],
    np.uint64,
)


@njit
def turned_up(rays: Any, mine: Any, theirs: Any) -> Any:
    """What turns over on four rays towards higher bits."""
    end = ((theirs | ~rays) + ONE) & rays & mine
    return (end - filled(end)) & rays


@njit
def turned_down(rays: Any, mine: Any, theirs: Any) -> Any:
    """What turns over on four rays towards lower bits."""
    end = highest((rays & ~theirs) | ONE) & rays & mine
    return ((ZERO - end) << ONE) & rays


@njit
def turned_by(square: Any, mine: Any, theirs: Any) -> Any:
    """The discs that turn over when the owner of `mine` plays `square`, 0..63 and empty; ZERO: not legal."""
    up, down = four_sets(UP, square), four_sets(DOWN, square)
    return union(turned_up(up, mine, theirs) | turned_down(down, mine, theirs))

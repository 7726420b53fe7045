"""Sets of discs: which squares may be played, and what turns over.

Sets are uint64, bit 0 = a1, bit 7 = h1, bit 63 = h8. Both questions are answered for all squares at once: discs are
moved one step in a direction and kept where an enemy disc stands, six times (a row has at most six discs between two
ends). Which squares may be played is asked most of all, so there four directions are one vector, and pairs of enemy
discs are passed in one step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.compiled.bits import ZERO, U
from tabiya.games.compiled.jit import njit
from tabiya.games.compiled.several_sets import four_sets, union

INNER = U(0x7E7E7E7E7E7E7E7E)  # files b to g: sideways, a run ends at the edge
ALL = U(0xFFFFFFFFFFFFFFFF)
# steps sideways, up and aslant, and where the enemy discs of such a run are
STEPS = np.array([[1, 8, 9, 7], [INNER, ALL, INNER, INNER]], np.uint64)
EAST, NORTH, NORTH_EAST, NORTH_WEST = U(1), U(8), U(9), U(7)  # "north" is towards row 8


@njit
def run_up(start: Any, theirs: Any, step: Any) -> Any:
    """The discs of `theirs` in unbroken runs from `start`, towards higher bits."""
    run = theirs & (start << step)
    run |= theirs & (run << step)
    run |= theirs & (run << step)
    run |= theirs & (run << step)
    run |= theirs & (run << step)
    return run | (theirs & (run << step))


@njit
def run_down(start: Any, theirs: Any, step: Any) -> Any:
    """The discs of `theirs` in unbroken runs from `start`, towards lower bits."""
    run = theirs & (start >> step)
    run |= theirs & (run >> step)
    run |= theirs & (run >> step)
    run |= theirs & (run >> step)
    run |= theirs & (run >> step)
    return run | (theirs & (run >> step))


@njit
def playable(mine: Any, theirs: Any) -> Any:
    """The empty squares where the owner of `mine` may play, along four directions at once."""
    steps = four_sets(STEPS, 0)
    twice = steps + steps
    enemy = theirs & four_sets(STEPS, 1)
    up, down = enemy & (mine << steps), enemy & (mine >> steps)
    up |= enemy & (up << steps)
    down |= enemy & (down >> steps)
    pairs_up = enemy & (enemy << steps)
    pairs_down = pairs_up >> steps
    up |= pairs_up & (up << twice)
    down |= pairs_down & (down >> twice)
    up |= pairs_up & (up << twice)
    down |= pairs_down & (down >> twice)
    return union((up << steps) | (down >> steps)) & ~(mine | theirs)


@njit
def turned_along(disc: Any, mine: Any, theirs: Any, step: Any) -> Any:
    """The discs of `theirs` between `disc` and one of `mine`, both ways along one direction."""
    up = run_up(disc, theirs, step)
    down = run_down(disc, theirs, step)
    if (up << step) & mine == ZERO:
        up = ZERO
    if (down >> step) & mine == ZERO:
        down = ZERO
    return up | down


@njit
def turned(disc: Any, mine: Any, theirs: Any) -> Any:
    """The discs that turn over when the owner of `mine` plays `disc` (a set of one empty square)."""
    inner = theirs & INNER
    found = turned_along(disc, mine, theirs, NORTH)
    found |= turned_along(disc, mine, inner, EAST)
    found |= turned_along(disc, mine, inner, NORTH_EAST)
    found |= turned_along(disc, mine, inner, NORTH_WEST)
    return found

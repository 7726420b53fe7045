"""Parity: who moves into a quadrant with an odd number of empty squares usually has the last move there."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.compiled.bits import ONE, ZERO, U, popcount
from tabiya.games.compiled.jit import njit

QUADRANTS = np.array([0x000000000F0F0F0F, 0x00000000F0F0F0F0, 0x0F0F0F0F00000000, 0xF0F0F0F000000000], np.uint64)
# the quadrant that a square lies in
QUADRANT = np.array([next(q for q in QUADRANTS if q >> U(square) & ONE) for square in range(64)], np.uint64)


@njit
def odd_quadrants(empty: Any) -> Any:
    """The quadrants with an odd number of empty squares, all squares of them."""
    odd = ZERO
    for q in range(4):
        if popcount(empty & QUADRANTS[q]) & 1 != 0:
            odd |= QUADRANTS[q]
    return odd

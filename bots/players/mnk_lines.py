"""Counting lines of the m,n,k games, a whole row of windows at a time.

A window is k cells in a row. The board becomes one set of columns per row and seat; shifted copies of them are added
up bit by bit, so that every window of a direction that begins in one row is counted at once. A board of 15x15 takes
about as long as forty table look-ups per row instead of 3,400 single cells.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from games.compiled.bits import ONE, ZERO, U, popcount

MOST_ROWS = 20
MOST_K = 7  # the bit counters have three bits
SIX, LAST = 6, 63
MOVER, OTHER = 0, 1  # of `rows`: the side to move, its opponent
OPEN = MOST_K + 1
COUNTS = OPEN + 1
STEPS = ((1, 0), (0, 1), (1, 1), (-1, 1))


@njit(nogil=True)
def read_rows(state: Any, rows: Any) -> Any:
    """Write the stones into rows[MOVER] and rows[OTHER], a set of columns (bit 0 = a) for each row.

    rows: uint64[2, MOST_ROWS + MOST_K], zeroed.  Returns the set of all columns.
    """
    full = (ONE << U(state.columns)) - ONE
    for who in range(2):
        seat = state.side if who == MOVER else 1 - state.side
        for y in range(state.rows):
            start = y * state.columns
            word, shift = start >> SIX, start & LAST
            bits = state.stones[seat, word] >> U(shift)
            if shift + state.columns > LAST + 1:
                bits |= state.stones[seat, word + 1] << U(LAST + 1 - shift)
            rows[who, y] = bits & full
    return full


@njit(nogil=True)
def along(bits: Any, steps: Any) -> Any:
    """The columns of `bits` moved so that what lies `steps` columns further comes to bit 0 (steps may be negative)."""
    return bits >> U(steps) if steps >= 0 else bits << U(-steps)


@njit(nogil=True)
def windows_from(rows: Any, k: Any, full: Any, who: Any, y: Any, dx: Any, dy: Any, out: Any) -> Any:
    """Sort the windows that begin in row `y` and go along (dx, dy) by how many stones `who` lacks.

    out: uint64[MOST_K], out[m]: the first columns of windows that lack m stones (m < k) and hold none of the
    opponent's.  Returns whether there are any; `out` is written only then.
    """
    stones = rows[who, y]
    for i in range(1, k):
        stones |= rows[who, y + i * dy]
    if stones == ZERO:
        return False
    valid = full
    ones, twos, fours = ZERO, ZERO, ZERO
    for i in range(k):
        valid &= along(full & ~rows[1 - who, y + i * dy], i * dx)
        bits = along(rows[who, y + i * dy], i * dx)
        carry = ones & bits
        ones ^= bits
        fours |= twos & carry
        twos ^= carry
    for missing in range(1, k):
        number = k - missing
        found = valid
        found &= ones if number & 1 else ~ones
        found &= twos if number & 2 else ~twos
        found &= fours if number & 4 else ~fours
        out[missing] = found
    return True


@njit(nogil=True)
def scan(state: Any, counts: Any) -> Any:
    """Count the windows of both sides, and find the cells that complete a line.

    counts: int64[2, COUNTS], zeroed.  counts[who, m], 1 <= m < k: windows that lack m stones and hold none of the
    opponent's.  counts[who, OPEN]: neighbouring windows that both lack two ("open threes" when k is five).
    Returns uint64[2, MOST_ROWS]: for mover and other the columns, row by row, that make k in a row.
    """
    rows = np.zeros((2, MOST_ROWS + MOST_K), np.uint64)
    winning = np.zeros((2, MOST_ROWS), np.uint64)
    found = np.zeros(MOST_K + 1, np.uint64)
    full = read_rows(state, rows)
    k, height = np.int64(state.k), np.int64(state.rows)
    for dx, dy in STEPS:
        for who in range(2):
            before = ZERO
            for y in range(height - (k - 1) * dy):
                if not windows_from(rows, k, full, who, y, dx, dy, found):
                    before = ZERO
                    continue
                for missing in range(1, k):
                    counts[who, missing] += popcount(found[missing])
                counts[who, OPEN] += popcount((found[2] if dy == 0 else before) & along(found[2], dx))
                before = found[2]
                if found[1] != ZERO:
                    for i in range(k):
                        winning[who, y + i * dy] |= along(found[1], -i * dx) & ~rows[who, y + i * dy]
    return winning


@njit(nogil=True)
def cells_of(columns: Any) -> Any:
    """How many cells rows of column sets hold together."""
    cells = 0
    for row in columns:
        cells += popcount(row)
    return cells


@njit(nogil=True)
def near_stones(state: Any, near: Any, reach: Any) -> Any:
    """Write the empty columns within `reach` columns and rows of any stone into near[row]; return how many cells.

    near: uint64[MOST_ROWS].
    """
    rows = np.zeros((2, MOST_ROWS + MOST_K), np.uint64)
    full = read_rows(state, rows)
    cells = 0
    for y in range(state.rows):
        wide = ZERO
        for other in range(max(0, y - reach), min(state.rows, y + reach + 1)):
            wide |= rows[MOVER, other] | rows[OTHER, other]
        for _ in range(reach):
            wide |= (wide << ONE) | (wide >> ONE)
        near[y] = wide & full & ~(rows[MOVER, y] | rows[OTHER, y])
        cells += popcount(near[y])
    return cells

"""Discs that can never turn over again: a bound on how many discs the opponent can still get."""

from __future__ import annotations

from typing import Any

from tabiya.games.compiled.bits import ZERO, U
from tabiya.games.compiled.jit import njit

NOT_A, NOT_H = U(0xFEFEFEFEFEFEFEFE), U(0x7F7F7F7F7F7F7F7F)
ROW, COLUMN = U(0x0101010101010101), U(0xFF)
SIDES = U(0x8181818181818181)  # where a row ends
ENDS = U(0xFF000000000000FF)  # where a column ends
BORDER = U(0xFF818181818181FF)
S1, S2, S4, S7, S8, S9 = U(1), U(2), U(4), U(7), U(8), U(9)
S14, S16, S18, S28, S32, S36 = U(14), U(16), U(18), U(28), U(32), U(36)
LEFT, LEFT2, LEFT4 = U(0xFEFEFEFEFEFEFEFE), U(0xFCFCFCFCFCFCFCFC), U(0xF0F0F0F0F0F0F0F0)
RIGHT, RIGHT2, RIGHT4 = U(0x7F7F7F7F7F7F7F7F), U(0x3F3F3F3F3F3F3F3F), U(0x0F0F0F0F0F0F0F0F)


@njit
def full_rows(taken: Any) -> Any:
    """The squares of rows without an empty square."""
    full = taken & (taken >> S1)
    full &= full >> S2
    full = (full & (full >> S4)) & ROW
    return full * COLUMN


@njit
def full_columns(taken: Any) -> Any:
    """The squares of columns without an empty square."""
    full = taken & (taken >> S8)
    full &= full >> S16
    full = (full & (full >> S32)) & COLUMN
    return full * ROW


@njit
def full_rising(taken: Any) -> Any:
    """The squares of diagonals (a1-h8 and beside it) without an empty square: none of them reaches an empty one."""
    empty = ~taken
    up, down = empty, empty
    up |= (up << S9) & LEFT
    down |= (down >> S9) & RIGHT
    up |= (up << S18) & LEFT2
    down |= (down >> S18) & RIGHT2
    up |= (up << S36) & LEFT4
    down |= (down >> S36) & RIGHT4
    return ~(up | down)


@njit
def full_falling(taken: Any) -> Any:
    """The same for the diagonals like h1-a8."""
    empty = ~taken
    up, down = empty, empty
    up |= (up << S7) & RIGHT
    down |= (down >> S7) & LEFT
    up |= (up << S14) & RIGHT2
    down |= (down >> S14) & LEFT2
    up |= (up << S28) & RIGHT4
    down |= (down >> S28) & LEFT4
    return ~(up | down)


@njit
def stable_discs(mine: Any, theirs: Any) -> Any:
    """Discs of `mine` that no move can turn over; there may be more.

    A disc is stable when in each of the four directions its line is full, or ends beside it, or goes on with a stable
    disc of the same colour.
    """
    taken = mine | theirs
    row, column = full_rows(taken) | SIDES, full_columns(taken) | ENDS
    rising, falling = full_rising(taken) | BORDER, full_falling(taken) | BORDER
    stable = mine & row & column & rising & falling
    before = ZERO
    while stable != before:
        before = stable
        left, right = (stable << S1) & NOT_A, (stable >> S1) & NOT_H
        stable |= (
            mine
            & (row | left | right)
            & (column | stable << S8 | stable >> S8)
            & (rising | left << S8 | right >> S8)
            & (falling | left >> S8 | right << S8)
        )
    return stable


@njit
def around(squares: Any) -> Any:
    """The squares that touch one of `squares`, and these."""
    wide = squares | ((squares & NOT_H) << S1) | ((squares & NOT_A) >> S1)
    return wide | (wide << S8) | (wide >> S8)

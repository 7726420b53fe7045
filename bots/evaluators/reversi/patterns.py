"""The evaluation by shapes: for each of 46 places on the board one weight is looked up and all are added.

A row is eight bits of each side, `TERNARY` makes digits to the base 3 of bits; columns are the rows of the board with
rows and columns exchanged, diagonals are gathered into a row by one multiplication. pattern_shapes.py says what they
mean, and the tests compare with its plain lists of squares.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.reversi.pattern_shapes import SHAPE_WEIGHTS, SHAPES, STRIDE, phase_of
from tabiya.bots.evaluators.reversi.weights import load, weight
from tabiya.bots.solvers.reversi.stable_discs import around
from tabiya.games.compiled.bits import ONE, U, popcount
from tabiya.games.compiled.jit import njit
from tabiya.games.reversi.discs import playable

MOST = np.int64(6_400)
TERNARY = np.array([sum(3**i for i in range(10) if bits >> i & 1) for bits in range(1024)], np.int64)


def corner_ternary(rows: int, columns: int) -> Any:
    """The same for the squares at a1, read row by row, and for those at h1, where the columns go the other way."""
    squares = range(rows * columns)
    powers = [[3 ** (i - i % columns + abs(last - i % columns)) for i in squares] for last in (0, columns - 1)]
    sets = range(1 << len(squares))
    return np.array([[sum(power[i] for i in squares if bits >> i & 1) for bits in sets] for power in powers], np.int64)


CORNER_TERNARY, LONG_CORNER_TERNARY = corner_ternary(3, 3), corner_ternary(2, 5)
STARTS = {shape.name: shape.start for shape in SHAPES}
EDGE, CORNER = np.int64(STARTS["edge and X squares"]), np.int64(STARTS["corner"])
LONG_CORNER = np.int64(STARTS["corner of two by five"])
ROWS = np.array(
    [STARTS[f"{name} row"] for name in ("second", "third", "fourth", "fourth", "third", "second")], np.int64
)
RISING = range(-4, 5)  # diagonals like a1-h8, by how many rows they begin above it
DIAGONALS = np.array([STARTS[f"diagonal of {8 - abs(k)}"] for k in RISING], np.int64)
DIAGONAL_SQUARES = np.array([sum(1 << 9 * i + 8 * k for i in range(8) if 0 <= i + k < 8) for k in RISING], np.uint64)
FIRST_FILES = np.array([max(0, -k) for k in RISING], np.uint64)
NUMBERS = np.int64(SHAPE_WEIGHTS)
BASES = np.array([STRIDE * phase_of(empty) for empty in range(65)], np.int64)  # by empty squares
BYTE, FILE_A = U(0xFF), U(0x0101010101010101)
S3, S5, S7, S8, S10, S14, S16, S28, S32, S56 = U(3), U(5), U(7), U(8), U(10), U(14), U(16), U(28), U(32), U(56)
# what changes places with what: single squares, groups of two by two, of four by four; rows, pairs of rows
E1, E2, E4 = U(0x00AA00AA00AA00AA), U(0x0000CCCC0000CCCC), U(0x00000000F0F0F0F0)
V1, V2 = U(0x00FF00FF00FF00FF), U(0x0000FFFF0000FFFF)
THREE, SECOND_THREE, THIRD_THREE = U(0o7), U(0o70), U(0o700)
FIVE, SECOND_FIVE = U(31), U(31 << 5)
NINTH_BIT, TENTH_BIT = U(0x100), U(0x200)


load()


@njit
def exchanged(b: Any) -> Any:
    """The set with rows and columns exchanged."""
    t = (b ^ (b >> S7)) & E1
    b ^= t ^ (t << S7)
    t = (b ^ (b >> S14)) & E2
    b ^= t ^ (t << S14)
    t = (b ^ (b >> S28)) & E4
    return b ^ t ^ (t << S28)


@njit
def upside_down(b: Any) -> Any:
    """The set with the order of rows turned over."""
    b = ((b >> S8) & V1) | ((b & V1) << S8)
    b = ((b >> S16) & V2) | ((b & V2) << S16)
    return (b >> S32) | (b << S32)


@njit
def digits(mine: Any, theirs: Any) -> Any:
    """Two sets of up to ten bits as one number to the base 3."""
    return TERNARY[mine] + 2 * TERNARY[theirs]


@njit
def edge_bits(b: Any) -> Any:
    """The first row, then b2 and g2."""
    return (b & BYTE) | ((b >> ONE) & NINTH_BIT) | ((b >> S5) & TENTH_BIT)


@njit
def corner_bits(b: Any) -> Any:
    """The three squares by three at a1."""
    return (b & THREE) | ((b >> S5) & SECOND_THREE) | ((b >> S10) & THIRD_THREE)


@njit
def long_corner_bits(b: Any) -> Any:
    """The two rows of five squares at a1."""
    return (b & FIVE) | ((b >> S3) & SECOND_FIVE)


@njit
def by_long_corners(base: Any, mine: Any, theirs: Any) -> Any:
    """The weights of the two corners of two by five that lie along the first row."""
    score = np.int64(0)
    for side in range(2):
        own, other = long_corner_bits(mine >> S3 * U(side)), long_corner_bits(theirs >> S3 * U(side))
        score += weight(base + LONG_CORNER + LONG_CORNER_TERNARY[side, own] + 2 * LONG_CORNER_TERNARY[side, other])
    return score


@njit
def by_rows(base: Any, mine: Any, theirs: Any) -> Any:
    """The weights of edges and rows, and of corners along the edges."""
    over, under = upside_down(mine), upside_down(theirs)
    score = by_long_corners(base, mine, theirs) + by_long_corners(base, over, under)
    score += weight(base + EDGE + digits(edge_bits(mine), edge_bits(theirs)))
    score += weight(base + EDGE + digits(edge_bits(over), edge_bits(under)))
    for row in range(6):
        mine >>= S8
        theirs >>= S8
        score += weight(base + ROWS[row] + digits(mine & BYTE, theirs & BYTE))
    return score


@njit
def by_diagonals(base: Any, mine: Any, theirs: Any) -> Any:
    """The weights of the diagonals like a1-h8."""
    score = np.int64(0)
    for i in range(9):
        squares, first = DIAGONAL_SQUARES[i], FIRST_FILES[i]
        own, other = ((mine & squares) * FILE_A >> S56) >> first, ((theirs & squares) * FILE_A >> S56) >> first
        score += weight(base + DIAGONALS[i] + digits(own, other))
    return score


@njit
def by_corners(base: Any, mine: Any, theirs: Any) -> Any:
    """The weights of the two corners of the first row."""
    score = np.int64(0)
    for side in range(2):
        own, other = corner_bits(mine >> S5 * U(side)), corner_bits(theirs >> S5 * U(side))
        score += weight(base + CORNER + CORNER_TERNARY[side, own] + 2 * CORNER_TERNARY[side, other])
    return score


@njit
def by_numbers(base: Any, mine: Any, theirs: Any) -> Any:
    """The weights that are multiplied with numbers."""
    empty, at = ~(mine | theirs), base + NUMBERS
    score = weight(at) * popcount(playable(mine, theirs)) + weight(at + 1) * popcount(playable(theirs, mine))
    score += weight(at + 2) * popcount(around(theirs) & empty) + weight(at + 3) * popcount(around(mine) & empty)
    return score + weight(at + 4)


@njit
def score_of(mine: Any, theirs: Any) -> Any:
    """By how many hundredths of a disc the side to move will win, about."""
    base = BASES[64 - popcount(mine | theirs)]
    over, under = upside_down(mine), upside_down(theirs)
    score = by_numbers(base, mine, theirs) + by_rows(base, mine, theirs)
    score += by_rows(base, exchanged(mine), exchanged(theirs))
    score += by_diagonals(base, mine, theirs) + by_diagonals(base, over, under)
    score += by_corners(base, mine, theirs) + by_corners(base, over, under)
    return max(-MOST, min(MOST, np.int64(score)))

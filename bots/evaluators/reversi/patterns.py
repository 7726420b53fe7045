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
STARTS = {shape.name: shape.start for shape in SHAPES}
EDGE = np.int64(STARTS["edge and X squares"])
SQUARE, LONG = 0, 1  # the two kinds of corners, by which the arrays here are read; their rows and columns:
CORNER_SIZES = (3, 3), (2, 5)
CORNERS = np.array([STARTS["corner"], STARTS["corner of two by five"]], np.int64)
# moves each row to the end of the one before; and the squares at h1 to those at a1
CORNER_SHIFTS = np.array([8 - columns for _, columns in CORNER_SIZES], np.uint64)
CORNER_MASKS = np.array(
    [[(row < rows) * ((1 << columns) - 1) << columns * row for row in range(3)] for rows, columns in CORNER_SIZES],
    np.uint64,
)
# digits like TERNARY's for the squares at a1, read row by row, and for those at h1, where the columns go the other way
CORNER_TERNARY = np.array(
    [
        [
            [
                sum(3 ** (i - i % columns + abs(last - i % columns)) for i in range(rows * columns) if bits >> i & 1)
                for bits in range(1024)
            ]
            for last in (0, columns - 1)
        ]
        for rows, columns in CORNER_SIZES
    ],
    np.int64,
)
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
S5, S7, S8, S14, S16, S28, S32, S56 = U(5), U(7), U(8), U(14), U(16), U(28), U(32), U(56)
# what changes places with what: single squares, groups of two by two, of four by four; rows, pairs of rows
E1, E2, E4 = U(0x00AA00AA00AA00AA), U(0x0000CCCC0000CCCC), U(0x00000000F0F0F0F0)
V1, V2 = U(0x00FF00FF00FF00FF), U(0x0000FFFF0000FFFF)
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
def corner_bits(kind: Any, b: Any) -> Any:
    """The squares of a corner at a1."""
    masks, shift = CORNER_MASKS[kind], CORNER_SHIFTS[kind]
    return (b & masks[0]) | ((b >> shift) & masks[1]) | ((b >> shift + shift) & masks[2])


@njit
def by_corners(kind: Any, base: Any, mine: Any, theirs: Any) -> Any:
    """The weights of the two corners along the first row."""
    score = np.int64(0)
    for side in range(2):
        away, numbers = CORNER_SHIFTS[kind] * U(side), CORNER_TERNARY[kind, side]
        own, other = corner_bits(kind, mine >> away), corner_bits(kind, theirs >> away)
        score += weight(base + CORNERS[kind] + numbers[own] + 2 * numbers[other])
    return score


@njit
def by_rows(base: Any, mine: Any, theirs: Any) -> Any:
    """The weights of edges and rows, and of long corners along the edges."""
    over, under = upside_down(mine), upside_down(theirs)
    score = by_corners(LONG, base, mine, theirs) + by_corners(LONG, base, over, under)
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
    score += by_corners(SQUARE, base, mine, theirs) + by_corners(SQUARE, base, over, under)
    return max(-MOST, min(MOST, np.int64(score)))

"""Tables of the chess board, built once in plain Python: where each piece reaches, lines, hash keys.

Squares are numbered a1 = 0, b1 = 1 … h8 = 63; in a set of squares (uint64) bit 0 is a1. Compiled code holds these
arrays as constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

Step = tuple[int, int]  # files to the right, ranks up
Squares = np.ndarray[Any, np.dtype[np.uint64]]

MASK = (1 << 64) - 1
RANK, FILE, DIAGONAL, ANTIDIAGONAL = map(np.int64, range(4))  # the four lines through a square
LINE_STEPS: tuple[Step, ...] = ((1, 0), (0, 1), (1, 1), (-1, 1))  # each leads to higher square numbers
KNIGHT_STEPS: tuple[Step, ...] = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
KING_STEPS: tuple[Step, ...] = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
PAWN_STEPS: tuple[tuple[Step, ...], ...] = (((-1, 1), (1, 1)), ((-1, -1), (1, -1)))  # captures, by seat


def _walk(square: int, step: Step) -> Iterator[int]:
    """The squares from `square` (left out) to the edge in the direction `step`."""
    file, rank = square % 8 + step[0], square // 8 + step[1]
    while 0 <= file < 8 and 0 <= rank < 8:
        yield rank * 8 + file
        file, rank = file + step[0], rank + step[1]


def _set(squares: Iterable[int]) -> int:
    return sum(1 << square for square in squares)


def _table(rows: Iterable[Iterable[int]]) -> Squares:
    return np.array([list(row) for row in rows], np.uint64)


def _reach(steps: tuple[Step, ...], square: int) -> int:
    """The set of squares one of `steps` away."""
    return _set(reached for step in steps for reached in list(_walk(square, step))[:1])


def _back(step: Step) -> Step:
    return -step[0], -step[1]


# [line, square]: the squares of that line above and below the square, in the order of their numbers
ABOVE = _table([_set(_walk(square, step)) for square in range(64)] for step in LINE_STEPS)
BELOW = _table([_set(_walk(square, _back(step))) for square in range(64)] for step in LINE_STEPS)

KNIGHT_REACH = _table([[_reach(KNIGHT_STEPS, square) for square in range(64)]])[0]
KING_REACH = _table([[_reach(KING_STEPS, square) for square in range(64)]])[0]
PAWN_REACH = _table([_reach(steps, square) for square in range(64)] for steps in PAWN_STEPS)  # [seat, square]


def _lines() -> tuple[Squares, Squares]:
    """[a, b]: the whole line through two squares, edge to edge, and what lies strictly between; empty off a line."""
    through, between = np.zeros((64, 64), np.uint64), np.zeros((64, 64), np.uint64)
    for a in range(64):
        for step in (*LINE_STEPS, *map(_back, LINE_STEPS)):
            whole = _set([a, *_walk(a, step), *_walk(a, _back(step))])
            passed = 0
            for b in _walk(a, step):
                through[a, b], between[a, b] = whole, passed
                passed |= 1 << b
    return through, between


LINE, BETWEEN = _lines()

# castling rights, as bits; a move from or to one of these squares leaves only the rights it names
WHITE_SHORT, WHITE_LONG, BLACK_SHORT, BLACK_LONG = 1, 2, 4, 8
ALL_RIGHTS = 15
RIGHTS_KEPT = np.full(64, ALL_RIGHTS, np.int64)
RIGHTS_KEPT[[0, 4, 7]] = ALL_RIGHTS - WHITE_LONG, ALL_RIGHTS - WHITE_SHORT - WHITE_LONG, ALL_RIGHTS - WHITE_SHORT
RIGHTS_KEPT[[56, 60, 63]] = ALL_RIGHTS - BLACK_LONG, ALL_RIGHTS - BLACK_SHORT - BLACK_LONG, ALL_RIGHTS - BLACK_SHORT


def _splitmix(count: int, seed: int) -> list[int]:
    """`count` fixed random-looking 64-bit numbers (splitmix64, Steele et al. 2014): hashes never change."""
    keys = []
    for _ in range(count):
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        key = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & MASK
        key = (key ^ key >> 27) * 0x94D049BB133111EB & MASK
        keys.append(key ^ key >> 31)
    return keys


_KEYS = np.array(_splitmix(2 * 6 * 64 + 16 + 64 + 1, seed=0), np.uint64)
PIECE_KEYS = _KEYS[:768].reshape(2, 6, 64)  # [seat, kind, square]
CASTLING_KEYS = _KEYS[768:784]  # [rights]
EN_PASSANT_KEYS = _KEYS[784:848]  # [square]
SIDE_KEY = _KEYS[848]  # Black to move

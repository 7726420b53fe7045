"""Which number a position of three or four men has in the tables of endings.

A table is named by its men, the stronger side's first: KQKR. Its side is called White, whatever its colour on the
board. Positions that differ by a turn of the board, or a mirror, have one number. The squares of the other side's king
count up last, so that 64 numbers in turn are a set of squares, and 64 such sets in turn a block.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from tabiya.games.chess.board import BISHOP, KNIGHT, PAWN, QUEEN, ROOK
from tabiya.games.compiled.jit import njit

LETTERS = {"Q": QUEEN, "R": ROOK, "B": BISHOP, "N": KNIGHT, "P": PAWN}
OF_BLACK, NO_MAN = 5, np.int64(10)  # a man is its kind, OF_BLACK more if it is Black's
PAIRS = list(combinations_with_replacement(LETTERS, 2))


def in_order(names: list[str]) -> list[str]:
    """With less men first, then less pawns: what is taken or promoted leads to a table further to the front."""
    return sorted(names, key=lambda name: (len(name), name.count("P")))


TABLES = in_order(
    [f"K{man}K" for man in LETTERS]
    + [f"K{first}{second}K" for first, second in PAIRS]
    + [f"K{first}K{second}" for first, second in PAIRS]
)
TABLE_AT = np.int64(24)  # bits of a number within its table
IN_TABLE = np.int64((1 << 24) - 1)
TURNED, EXCHANGED, EITHER, NUMBER = 1 << 8, 1 << 9, 1 << 10, np.int64(255)  # flags of LAYOUT, and what is left


def men_of(name: str) -> list[int]:
    """The men of a table beside the kings: KQKR -> queen, OF_BLACK + rook."""
    white, black = name[1:].split("K")
    return [int(LETTERS[man]) for man in white] + [OF_BLACK + int(LETTERS[man]) for man in black]


def other_seat(man: int) -> int:
    return man if man == NO_MAN else (man + OF_BLACK) % (2 * OF_BLACK)


def layout() -> Any:
    """LAYOUT."""
    found = np.zeros((11, 11), np.int16)
    for number, name in enumerate(TABLES):
        first, second = [*men_of(name), int(NO_MAN)][:2]
        either = EITHER if second == other_seat(first) else 0
        for turned in (TURNED, 0):
            one, two = (other_seat(first), other_seat(second)) if turned else (first, second)
            found[two, one] = number | turned | either | EXCHANGED
            found[one, two] = number | turned | either
    return found


LAYOUT = layout()  # by two men: the number of their table, and how to see the board as it does
PAWNS = np.array(["P" in name for name in TABLES])
ALIKE = np.array([len(name) == 4 and name[1] == name[2] and name[3] == "K" for name in TABLES])  # two men of one kind
FOUR = np.array([len(name) == 4 for name in TABLES])
CORNER = [square for square in range(32) if square & 7 <= 3 and square >> 3 <= square & 7]  # a1, b1, …, d4: a triangle
SLOT = np.array([CORNER.index(square) if square in CORNER else 0 for square in range(64)])
SLOTS = np.where(PAWNS, 32, len(CORNER))  # of White's king
SIZES = 2 * SLOTS * np.where(FOUR, 64, 1) * 64 * 64
# Where knowing who wins is not enough to win: also how many moves a win takes White at most, a plane each, roughly.
DISTANCES = {
    "KBNK": (5, 10, 15, 20, 25, 30),
    "KQKR": (5, 10, 15, 20, 25, 30),
    "KRKN": (6, 12, 18, 24, 30),
    "KQKP": (12, 18, 24),
}
PLANES = [(name, 0) for name in TABLES for _ in "wb"] + [(name, most) for name in DISTANCES for most in DISTANCES[name]]
FIRST_DISTANCE = np.array([PLANES.index((name, DISTANCES.get(name, (0,))[0])) for name in TABLES])
DISTANCE_PLANES = np.array([len(DISTANCES.get(name, ())) for name in TABLES])


@njit
def transposed(square: Any) -> Any:
    """The square with file and rank exchanged."""
    return square >> 3 | (square & 7) << 3


@njit
def below_diagonal(square: Any) -> Any:
    """Positive below the diagonal from a1 to h8, 0 on it."""
    return (square & 7) - (square >> 3)


@njit
def number_in(table: Any, side: Any, white: Any, black: Any, first: Any, second: Any) -> Any:
    """The number of a position in its table; White's king stands where its slots are."""
    if ALIKE[table] and first < second:
        first, second = second, first
    slot = (white >> 3) * 4 + (white & 3) if PAWNS[table] else SLOT[white]
    number = (side * SLOTS[table] + slot) * 64 + first
    if FOUR[table]:
        number = number * 64 + second
    return number * 64 + black


@njit
def number_of(side: Any, white: Any, black: Any, one: Any, at: Any, two: Any, second_at: Any) -> Any:
    """The table's number << TABLE_AT | the number in it, of two kings and one or two men on their squares.

    side: to move, 0 White.  white, black: squares of the kings.  one, two: men, two may be NO_MAN.
    """
    found = np.int64(LAYOUT[one, two])
    turned, exchanged = found & TURNED != 0, found & EXCHANGED != 0
    if found & EITHER and turned != (side == 1):  # White is who is to move
        turned, exchanged = not turned, not exchanged
    table = found & NUMBER
    first, second = (second_at, at) if exchanged else (at, second_at)
    turn = np.int64(0)
    if turned:
        side, white, black, turn = 1 - side, black, white, np.int64(56)
    if (white & 7) > 3:
        turn ^= 7
    if not PAWNS[table] and (white ^ turn) >> 3 > 3:
        turn ^= 56
    white, black, first, second = white ^ turn, black ^ turn, first ^ turn, second ^ turn
    if PAWNS[table]:
        return table << TABLE_AT | number_in(table, side, white, black, first, second)
    slant = below_diagonal(white) or below_diagonal(black)
    number = np.int64(IN_TABLE)
    if slant >= 0:
        number = number_in(table, side, white, black, first, second)
    if slant <= 0:
        white, black, first, second = transposed(white), transposed(black), transposed(first), transposed(second)
        number = min(number, number_in(table, side, white, black, first, second))
    return table << TABLE_AT | number

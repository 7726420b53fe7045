"""Who wins a position of three or four men: read from a file that `python -m scripts.endgames build` wrote.

The file is mapped into memory: only what is asked for is ever read. A plane is a set of positions of one table, such as
those that White wins (PLANES in endgame_index.py), as sets of the squares of Black's king. Sets and blocks of 64 sets
that occur more than once are kept once, and what is no position fits any. All numbers have 16 bits:

    for each plane three long numbers, the low half first: where its blocks' numbers begin (0: the plane is empty), its
    blocks, its sets
    by position >> 12: the number of a block; a block: 64 numbers of sets; a set: four times 16 squares
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tabiya.bots.evaluators.chess.endgame_index import (
    DISTANCE_PLANES,
    FIRST_DISTANCE,
    IN_TABLE,
    NO_MAN,
    OF_BLACK,
    SIZES,
    TABLE_AT,
    number_of,
)
from tabiya.games.chess.board import KING, NO_SQUARE, king_square, occupied_squares
from tabiya.games.compiled.bits import ONE, ZERO, bit, lsb, popcount
from tabiya.games.compiled.external_arrays import ExternalArray
from tabiya.games.compiled.jit import njit
from tabiya.games.rules import DRAW, ONGOING

FILE = Path(__file__).with_name("endgames.bin")
MOST_MEN, BARE = 4, 2
HALF, LOW = np.int64(16), np.int64(0xFFFF)
PARTS = 6  # numbers of 16 bits at the beginning for each plane

number_at = ExternalArray("tabiya_chess_endgames", np.memmap(FILE, np.int16, "r")).number


@njit
def part(place: Any) -> Any:
    """A number of 16 bits without a sign."""
    return number_at(place) & LOW


@njit
def long_part(place: Any) -> Any:
    """A number of 32 bits."""
    return part(place) | part(place + 1) << HALF


@njit
def is_member(plane: Any, number: Any) -> Any:
    """Whether a position is in a plane. number: from `number_of`."""
    head = plane * PARTS
    number &= IN_TABLE
    blocks = long_part(head)
    if blocks == 0:
        return False
    block = long_part(head + 2) + part(blocks + (number >> 12)) * 64
    row = long_part(head + 4) + part(block + (number >> 6 & 63)) * 4
    return part(row + (number >> 4 & 3)) >> (number & 15) & 1 != 0


@njit
def man_on(state: Any, square: Any) -> Any:
    """The man there, see endgame_index.py."""
    return np.int64(state.kinds[square]) + OF_BLACK * np.int64(state.colours[1] & bit(square) != ZERO)


@njit
def number_of_state(state: Any) -> Any:
    """The number of a position of three or four men, see `number_of`; castling and en passant are not looked at."""
    men = occupied_squares(state) & ~state.pieces[KING]
    at, others = lsb(men), men & (men - ONE)
    two: Any = NO_MAN
    second_at: Any = 0
    if others != ZERO:
        second_at = lsb(others)
        two = man_on(state, second_at)
    side, white, black = np.int64(state.side), king_square(state, 0), king_square(state, 1)
    return number_of(side, white, black, man_on(state, at), at, two, second_at)


@njit
def result_of(state: Any) -> Any:
    """The seat that wins by right play, DRAW, or ONGOING where it is not known: more men, castling, en passant.

    The count of fifty moves is not looked at: none of these wins needs them all.
    """
    men = popcount(occupied_squares(state))
    if men > MOST_MEN or state.castling != 0 or state.en_passant != NO_SQUARE:
        return ONGOING
    if men == BARE:
        return DRAW
    number = number_of_state(state)
    side, table = np.int64(state.side), number >> TABLE_AT
    white = side if number & IN_TABLE < SIZES[table] // 2 else 1 - side  # the seat that the table calls so
    if is_member(2 * table, number):
        return white
    return 1 - white if is_member(2 * table + 1, number) else DRAW  # the second means nothing where White wins


@njit
def distance_of(state: Any) -> Any:
    """In a table with distances, 1 for the nearest wins, one more for each limit that the win is beyond; else 0."""
    number = number_of_state(state)
    first, count = FIRST_DISTANCE[number >> TABLE_AT], DISTANCE_PLANES[number >> TABLE_AT]
    for i in range(count):
        if is_member(first + i, number):
            return np.int64(i + 1)
    return np.int64(count + 1 if count > 0 else 0)

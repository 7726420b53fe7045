"""Whether all values are right: each is the best that a move leads to, by the rules that games are played by.

The rules' generation of moves (games/chess) shares nothing with that of retrograde.py. What the engine reads from the
file is compared as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scripts.endgames.jit import njit
from scripts.endgames.retrograde import (
    EN_PASSANT,
    ILLEGAL,
    MEN,
    STARTS,
    en_passant_number,
    place_of,
    squares_of,
)
from tabiya.bots.evaluators.chess.bitbase import number_of_state, result_of
from tabiya.bots.evaluators.chess.endgame_index import NO_MAN, OF_BLACK, TABLES
from tabiya.games.chess.board import (
    ALL_SQUARES,
    KING,
    NO_SQUARE,
    NOTHING,
    PAWN,
    STATE,
    in_check,
    king_square,
    occupied_squares,
    put,
)
from tabiya.games.chess.make import make_move, offer_en_passant
from tabiya.games.chess.movegen import MAX_MOVES, generate_moves
from tabiya.games.compiled.bits import ZERO, lsb, popcount
from tabiya.games.rules import DRAW, ONGOING


@njit
def set_up(table: Any, side: Any, squares: Any, state: Any) -> None:
    """Make `state` the position with the men of a table on `squares`."""
    for kind in range(6):
        state.pieces[kind] = ZERO
    state.colours[0] = state.colours[1] = ZERO
    state.hash = ZERO
    for square in range(64):
        state.kinds[square] = NOTHING
    state.side, state.castling, state.en_passant, state.halfmoves, state.fullmove = side, 0, NO_SQUARE, 0, 1
    put(state, np.int64(0), KING, squares[0])
    put(state, np.int64(1), KING, squares[1])
    for i in range(2):
        man = MEN[table, i]
        if man != NO_MAN:
            put(state, man // OF_BLACK, man % OF_BLACK, squares[2 + i])
    if table == EN_PASSANT:
        offer_en_passant(state, squares[3] + 8)


@njit
def value_of(values: Any, state: Any) -> Any:
    """The value of a position."""
    if popcount(occupied_squares(state)) == 2:
        return np.int64(0)
    if state.en_passant == NO_SQUARE:
        return np.int64(values[place_of(number_of_state(state))])
    squares, pawns = np.zeros(4, np.int64), state.pieces[PAWN]
    for seat in range(2):
        squares[seat], squares[2 + seat] = king_square(state, seat), lsb(pawns & state.colours[seat])
    return np.int64(values[place_of(en_passant_number(np.int64(state.side), squares))])


@njit
def best_value(values: Any, state: Any, child: Any, moves: Any) -> Any:
    """The value of a position from those that its moves lead to."""
    count = generate_moves(state, moves, ALL_SQUARES)
    if count == 0:
        return np.int64(in_check(state))
    shortest, longest, drawn = np.int64(255), np.int64(0), False
    for i in range(count):
        make_move(state, np.int64(moves[i]), child)
        value = value_of(values, child)
        if value & 1:
            shortest = min(shortest, value + 1)
        elif value == 0:
            drawn = True
        else:
            longest = max(longest, value + 1)
    if shortest < 255:
        return shortest
    return np.int64(0) if drawn else longest


@njit
def result_by(value: Any, side: Any) -> Any:
    """The winner by a value, as `result_of` gives it."""
    if value == 0:
        return np.int64(DRAW)
    return np.int64(1 - side if value & 1 else side)


@njit
def wrong_places(values: Any, table: Any, every: Any, first: Any, wrong: Any, records: Any, moves: Any) -> Any:
    """Compare every so many positions of a table, from `first` on; write the places of wrong ones; return two counts.

    wrong: for so many places.  records: two positions.  Returns how many were compared and how many are wrong.
    """
    squares, state, child = np.zeros(4, np.int64), records[0], records[1]
    compared, found = 0, 0
    for number in range(first, STARTS[table + 1] - STARTS[table], every):
        place = STARTS[table] + number
        if values[place] == ILLEGAL:
            continue
        side = squares_of(table, number, squares)
        set_up(table, side, squares, state)
        value, known = np.int64(values[place]), result_of(state)
        compared += 1
        if best_value(values, state, child, moves) != value or known not in (ONGOING, result_by(value, side)):
            if found < wrong.size:
                wrong[found] = place
            found += 1
    return compared, found


def check(values: Any, every: int = 1, first: int = 0, names: tuple[str, ...] = (*TABLES, "en passant")) -> Any:
    """For each table its name, how many positions were compared, and the places of some that are wrong."""
    wrong = np.zeros(8, np.int64)
    records, moves = np.zeros(2, STATE).view(np.recarray), np.zeros(MAX_MOVES, np.int32)
    for table, name in enumerate([*TABLES, "en passant"]):
        if name in names:
            compared, found = wrong_places(values, table, every, first, wrong, records, moves)
            yield name, compared, wrong[:found].tolist()

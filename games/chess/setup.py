"""Setting up a record from checked numbers, with the checks that need the compiled board."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.chess.board import (
    BLACK,
    NO_SQUARE,
    NOTHING,
    attackers,
    checkers,
    king_square,
    occupied_squares,
    put,
)
from tabiya.games.chess.make import offer_en_passant
from tabiya.games.chess.tables import CASTLING_KEYS, EN_PASSANT_KEYS, LINE, PIECE_KEYS, SIDE_KEY
from tabiya.games.compiled.bits import ONE, ZERO, bit, lsb
from tabiya.games.compiled.jit import njit

# what `set_up` finds wrong
SOUND, KING_CAN_BE_TAKEN, TOO_MANY_CHECKERS, CHECKERS_FACE_EACH_OTHER, CHECK_BEFORE_EN_PASSANT = range(5)


@njit(cache=True)
def set_up(state: Any, men: Any, numbers: Any) -> Any:
    """Fill `state` (zeroed) and return SOUND or what is wrong with it.

    men: int8[64] by square, kind + 6 * seat or -1; exactly one king a side.  numbers: int64[5]: side, castling rights,
    en-passant square or NO_SQUARE, halfmoves, fullmove; the en-passant square has a pawn that may just have passed it,
    and is dropped if no capture there is legal.
    """
    for square in range(64):
        state.kinds[square] = NOTHING
        if men[square] >= 0:
            put(state, np.int64(men[square]) // 6, np.int64(men[square]) % 6, square)
    state.side, state.castling, en_passant, state.halfmoves, state.fullmove = numbers
    state.en_passant = NO_SQUARE
    fault = _fault(state, en_passant)
    if en_passant != NO_SQUARE and fault == SOUND:
        offer_en_passant(state, en_passant)
    state.hash = position_hash(state)
    return fault


@njit
def _fault(state: Any, en_passant: Any) -> Any:
    side, occupied = np.int64(state.side), occupied_squares(state)
    if attackers(state, king_square(state, 1 - side), occupied, side) != ZERO:
        return KING_CAN_BE_TAKEN
    checking = checkers(state)
    others = checking & (checking - ONE)
    if others & (others - ONE) != ZERO:
        return TOO_MANY_CHECKERS
    if others != ZERO and LINE[lsb(checking), lsb(others)] & bit(king_square(state, side)) != ZERO:
        return CHECKERS_FACE_EACH_OTHER
    if en_passant != NO_SQUARE and _was_in_check(state, en_passant):
        return CHECK_BEFORE_EN_PASSANT
    return SOUND


@njit
def _was_in_check(state: Any, en_passant: Any) -> Any:
    """Whether the side to move stood in check already before the pawn passed the square `en_passant`."""
    side = np.int64(state.side)
    forward = 8 - 16 * side  # the capturer's
    passed, home = bit(en_passant - forward), bit(en_passant + forward)
    occupied = (occupied_squares(state) ^ passed) | home
    return attackers(state, king_square(state, side), occupied, 1 - side) & ~passed != ZERO


@njit(cache=True)
def position_hash(state: Any) -> Any:
    """The hash of a position from nothing; moves keep `state.hash` equal to it step by step."""
    found = CASTLING_KEYS[state.castling]
    for square in range(64):
        kind = np.int64(state.kinds[square])
        if kind != NOTHING:
            seat = np.int64(state.colours[BLACK] & bit(square) != ZERO)
            found ^= PIECE_KEYS[seat, kind, square]
    if state.en_passant != NO_SQUARE:
        found ^= EN_PASSANT_KEYS[state.en_passant]
    return found ^ SIDE_KEY if state.side == BLACK else found

"""Castling with king and rooks on any file: what Chess960 has beside the moves of chess.

The record is that of chess with the set of the rooks that may still castle. The field `castling` of chess stays 0: its
functions then know no castling and serve both games. To castle is the king's move onto its own rook.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.chess.board import (
    KING,
    ROOK,
    STATE,
    attackers,
    in_check,
    king_square,
    occupied_squares,
    put,
    take,
)
from tabiya.games.chess.make import copy, make_move, pass_turn
from tabiya.games.chess.tables import BETWEEN
from tabiya.games.chess.texts import CASTLING_LETTERS, DASH, LETTER_A
from tabiya.games.compiled.bits import ONE, ZERO, U, bit, lsb, msb
from tabiya.games.compiled.jit import njit

# in front: Numba would take a longer record of the same beginning for one of chess
STATE_960 = np.dtype([("rooks", np.uint64), *((name, STATE[name]) for name in STATE.names or ())], align=True)
BACK_RANK = U(0xFF)  # White's
KING_SHORT, KING_LONG, ROOK_SHORT, ROOK_LONG = map(np.int64, (6, 2, 5, 3))  # the files where castling ends
CAPITAL_A = 65


@njit
def castles(state: Any, move: Any) -> Any:
    """Whether a legal move is castling: its target is a man of the side to move."""
    return state.colours[state.side] & bit(move >> 6 & 63) != ZERO


@njit
def castling_moves(state: Any, moves: Any, count: Any) -> Any:
    """Write castling behind `count` moves; return how many there are now."""
    side = np.int64(state.side)
    rooks = state.rooks & state.colours[side]
    king = king_square(state, side)
    while rooks != ZERO:
        rook = lsb(rooks)
        rooks &= rooks - ONE
        if can_castle(state, side, king, rook) and not in_check(state):  # asked last: few nodes come to it
            moves[count] = king | rook << 6
            count += 1
    return count


@njit
def can_castle(state: Any, side: Any, king: Any, rook: Any) -> Any:
    """Whether king and rook find their ways free, and the king's not attacked; not whether it is in check."""
    king_to, rook_to = castled(side, king, rook)
    others = occupied_squares(state) ^ bit(king) ^ bit(rook)
    way = BETWEEN[king, king_to] | bit(king_to)
    if others & (way | BETWEEN[rook, rook_to] | bit(rook_to)) != ZERO:
        return False
    # with the rook where it will stand: a slider behind it then attacks where the king ends
    after = others | bit(rook_to)
    while way != ZERO:
        if attackers(state, lsb(way), after, 1 - side) != ZERO:
            return False
        way &= way - ONE
    return True


@njit
def castled(side: Any, king: Any, rook: Any) -> Any:
    """Where king and rook stand after castling."""
    home = 56 * side
    if rook > king:
        return home + KING_SHORT, home + ROOK_SHORT
    return home + KING_LONG, home + ROOK_LONG


@njit
def make_move_960(state: Any, move: Any, child: Any) -> None:
    """Write the position after `move` (legal, unchecked) into `child`, another record."""
    side = np.int64(state.side)
    origin, target = move & 63, move >> 6 & 63
    if castles(state, move):
        king_to, rook_to = castled(side, origin, target)
        copy(state, child)
        pass_turn(state, child)
        take(child, side, KING, origin)
        take(child, side, ROOK, target)
        put(child, side, KING, king_to)
        put(child, side, ROOK, rook_to)
    else:
        make_move(state, move, child)
    child.rooks = state.rooks & ~(bit(origin) | bit(target))
    if np.int64(state.kinds[origin]) == KING:
        child.rooks &= ~state.colours[side]


@njit
def write_rights(state: Any, out: Any, at: Any) -> Any:
    """Write X-FEN's castling rights, `-` for none, from `at`; return the index after them."""
    if state.rooks == ZERO:
        out[at] = DASH
        return at + 1
    for seat in range(2):
        rooks = state.rooks & state.colours[seat]
        while rooks != ZERO:
            rook = msb(rooks)  # the short side's first
            rooks ^= bit(rook)
            out[at] = right_letter(state, seat, rook)
            at += 1
    return at


@njit
def right_letter(state: Any, seat: Any, rook: Any) -> Any:
    """K or Q for the outermost rook of a side, for another its file; small letters for Black."""
    is_long = rook < king_square(state, seat)
    rooks = state.pieces[ROOK] & state.colours[seat] & BACK_RANK << U(56 * seat)
    if rook == (lsb(rooks) if is_long else msb(rooks)):
        return np.int64(CASTLING_LETTERS[2 * seat + (1 if is_long else 0)])
    return np.int64((LETTER_A if seat else CAPITAL_A) + (rook & 7))

"""Making a move: the child is a copy, so nothing is ever taken back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.chess.board import (
    KING,
    MOST_FULLMOVES,
    MOST_HALFMOVES,
    NO_SQUARE,
    NOTHING,
    PAWN,
    ROOK,
    en_passant_capturers,
    put,
    take,
)
from tabiya.games.chess.tables import CASTLING_KEYS, EN_PASSANT_KEYS, PAWN_REACH, RIGHTS_KEPT, SIDE_KEY
from tabiya.games.compiled.bits import ZERO
from tabiya.games.compiled.jit import njit


@njit
def make_move(state: Any, move: Any, child: Any) -> None:
    """Write the position after `move` (legal, unchecked; coded as in movegen) into `child`, another record."""
    side = np.int64(state.side)
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12 & 7
    kind = np.int64(state.kinds[origin])
    victim = np.int64(state.kinds[target])
    copy(state, child)
    pass_turn(state, child)
    if victim != NOTHING:
        take(child, 1 - side, victim, target)
    take(child, side, kind, origin)
    put(child, side, promotion or kind, target)
    lose_rights(child, origin, target)
    if kind == PAWN:
        finish_pawn_move(state, child, side, origin, target)
    elif kind == KING:
        move_castling_rook(child, side, origin, target)
    if victim != NOTHING or kind == PAWN:
        child.halfmoves = 0


@njit
def copy(state: Any, child: Any) -> None:
    """Copy the men."""
    for kind in range(6):
        child.pieces[kind] = state.pieces[kind]
    child.colours[0] = state.colours[0]
    child.colours[1] = state.colours[1]
    for square in range(64):
        child.kinds[square] = state.kinds[square]


@njit
def pass_turn(state: Any, child: Any) -> None:
    """Set everything but the men as after a pass: the en-passant square is cleared."""
    side = np.int64(state.side)
    child.hash = state.hash ^ SIDE_KEY
    if state.en_passant != NO_SQUARE:
        child.hash ^= EN_PASSANT_KEYS[state.en_passant]
    child.en_passant = NO_SQUARE
    child.side = 1 - side
    child.castling = state.castling
    child.halfmoves = min(state.halfmoves + 1, MOST_HALFMOVES)
    child.fullmove = min(state.fullmove + side, MOST_FULLMOVES)


@njit
def lose_rights(child: Any, origin: Any, target: Any) -> None:
    """Drop the castling rights that a move from or to these squares ends."""
    kept = child.castling & RIGHTS_KEPT[origin] & RIGHTS_KEPT[target]
    if kept != child.castling:
        child.hash ^= CASTLING_KEYS[child.castling] ^ CASTLING_KEYS[kept]
        child.castling = kept


@njit
def finish_pawn_move(state: Any, child: Any, side: Any, origin: Any, target: Any) -> None:
    """Take the pawn captured en passant, or note where the other side may now capture so."""
    if target == state.en_passant:
        take(child, 1 - side, PAWN, target - 8 + 16 * side)
    elif target - origin in (16, -16):
        offer_en_passant(child, (origin + target) >> 1)


@njit
def offer_en_passant(state: Any, square: Any) -> None:
    """Set the en-passant square if the side to move has a legal capture there; NO_SQUARE is set already."""
    side = np.int64(state.side)
    if PAWN_REACH[1 - side, square] & state.pieces[PAWN] & state.colours[side] == ZERO:
        return
    state.en_passant = square
    if en_passant_capturers(state) == ZERO:
        state.en_passant = NO_SQUARE
    else:
        state.hash ^= EN_PASSANT_KEYS[square]


@njit
def move_castling_rook(child: Any, side: Any, origin: Any, target: Any) -> None:
    """The rook's part, if the king's move is castling."""
    if target - origin == 2:
        take(child, side, ROOK, target + 1)
        put(child, side, ROOK, target - 1)
    elif target - origin == -2:
        take(child, side, ROOK, target - 2)
        put(child, side, ROOK, target + 1)

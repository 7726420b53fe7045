"""FEN and UCI texts, written by compiled code: they go out with every move."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.chess.board import BLACK, NO_SQUARE, NOTHING, WHITE
from tabiya.games.compiled.bits import ONE, ZERO, U
from tabiya.games.compiled.decimal import DIGIT_0, write_number
from tabiya.games.compiled.jit import njit

PIECE_LETTERS = np.frombuffer(b"PNBRQKpnbrqk", np.uint8)  # kind + 6 * seat
CASTLING_LETTERS = np.frombuffer(b"KQkq", np.uint8)  # by bit of the rights
SPACE, DASH, SLASH, DIGIT_1, LETTER_A = 32, 45, 47, 49, 97
LETTER_W, LETTER_B = 119, 98
SMALL = 6  # added to a kind, gives its small letter


@njit
def write_square(square: Any, out: Any, at: Any) -> Any:
    """Write a square's name from `at`; return the index after it."""
    out[at] = LETTER_A + (square & 7)
    out[at + 1] = DIGIT_1 + (square >> 3)
    return at + 2


@njit
def write_uci(move: Any, out: Any, at: Any) -> Any:
    """Write a move in UCI's way (`e2e4`, `e7e8q`, castling as the king's) from `at`; return the index after it."""
    at = write_square(move & 63, out, at)
    at = write_square(move >> 6 & 63, out, at)
    promotion = move >> 12 & 7
    if promotion:
        out[at] = PIECE_LETTERS[promotion + SMALL]
        at += 1
    return at


@njit
def write_fen(state: Any, out: Any) -> Any:
    """Write the position as FEN into `out`; return its length. En passant appears only if it can be played."""
    at = write_men_and_side(state, out)
    at = write_castling(state, out, at)
    return write_after_castling(state, out, at)


@njit
def write_men_and_side(state: Any, out: Any) -> Any:
    """Write what stands before the castling rights in a FEN; return its length."""
    at = write_men(state, out)
    out[at] = SPACE
    out[at + 1] = LETTER_W if state.side == WHITE else LETTER_B
    out[at + 2] = SPACE
    return at + 3


@njit
def write_after_castling(state: Any, out: Any, at: Any) -> Any:
    """Write what stands behind the castling rights in a FEN from `at`; return the index after it."""
    out[at] = SPACE
    if state.en_passant == NO_SQUARE:
        out[at + 1] = DASH
        at += 2
    else:
        at = write_square(np.int64(state.en_passant), out, at + 1)
    out[at] = SPACE
    at = write_number(np.int64(state.halfmoves), out, at + 1)
    out[at] = SPACE
    return write_number(np.int64(state.fullmove), out, at + 1)


@njit
def write_men(state: Any, out: Any) -> Any:
    """Write FEN's first field, ranks from the eighth down; return its length."""
    at = 0
    for rank in range(7, -1, -1):
        empty = 0
        for square in range(8 * rank, 8 * rank + 8):
            kind = state.kinds[square]
            if kind == NOTHING:
                empty += 1
                continue
            if empty:
                out[at] = DIGIT_0 + empty
                at += 1
                empty = 0
            black = state.colours[BLACK] >> U(square) & ONE != ZERO
            out[at] = PIECE_LETTERS[kind + SMALL if black else kind]
            at += 1
        if empty:
            out[at] = DIGIT_0 + empty
            at += 1
        if rank:
            out[at] = SLASH
            at += 1
    return at


@njit
def write_castling(state: Any, out: Any, at: Any) -> Any:
    """Write the castling rights, `-` for none, from `at`; return the index after them."""
    if state.castling == 0:
        out[at] = DASH
        return at + 1
    for right in range(4):
        if state.castling >> right & 1:
            out[at] = CASTLING_LETTERS[right]
            at += 1
    return at

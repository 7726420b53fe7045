"""Sets of squares that the chess evaluation is made of. Sets are uint64, bit 0 = a1; seats 0 White, 1 Black."""

from __future__ import annotations

from typing import Any

from tabiya.games.chess.board import BISHOP, KNIGHT, ROOK, bishop_attacks, rook_attacks
from tabiya.games.chess.tables import KNIGHT_REACH
from tabiya.games.compiled.bits import U
from tabiya.games.compiled.jit import njit

FIRST_FILE, LAST_FILE, FIRST_RANK, LAST_RANK = U(0x0101010101010101), U(0x8080808080808080), U(0xFF), U(0xFF << 56)
NOT_A, NOT_H = ~FIRST_FILE, ~LAST_FILE


@njit
def reach_of(kind: Any, square: Any, occupied: Any) -> Any:
    """The squares that a knight, bishop, rook or queen reaches, those of its own men included."""
    if kind == KNIGHT:
        return KNIGHT_REACH[square]
    if kind == BISHOP:
        return bishop_attacks(square, occupied)
    if kind == ROOK:
        return rook_attacks(square, occupied)
    return bishop_attacks(square, occupied) | rook_attacks(square, occupied)

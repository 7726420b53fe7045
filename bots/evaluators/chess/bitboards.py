"""Sets of squares that the chess evaluation is made of. Sets are uint64, bit 0 = a1; seats 0 White, 1 Black."""

from __future__ import annotations

from typing import Any

from tabiya.games.chess.board import BISHOP, KNIGHT, ROOK, bishop_attacks, rook_attacks
from tabiya.games.chess.tables import KNIGHT_REACH
from tabiya.games.compiled.bits import U
from tabiya.games.compiled.jit import njit

ONE_FILE, ONE_RANK, TWO_RANKS, FOUR_RANKS = U(1), U(8), U(16), U(32)
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


@njit
def beside(squares: Any) -> Any:
    """The squares to the left and right of `squares`."""
    return ((squares & NOT_A) >> ONE_FILE) | ((squares & NOT_H) << ONE_FILE)


@njit
def ahead(squares: Any, seat: Any) -> Any:
    """One step forward for `seat`."""
    return squares << ONE_RANK if seat == 0 else squares >> ONE_RANK


@njit
def all_ahead(squares: Any, seat: Any) -> Any:
    """Every square in front of `squares` for `seat`."""
    found = ahead(squares, seat)
    if seat == 0:
        found |= found << ONE_RANK
        found |= found << TWO_RANKS
        return found | found << FOUR_RANKS
    found |= found >> ONE_RANK
    found |= found >> TWO_RANKS
    return found | found >> FOUR_RANKS


@njit
def rank_of(square: Any, seat: Any) -> Any:
    """The rank of a square as `seat` counts, 0..7."""
    return (square ^ 56 * seat) >> 3


@njit
def steps_between(one: Any, other: Any) -> Any:
    """A king's steps from square to square."""
    return max(abs((one & 7) - (other & 7)), abs((one >> 3) - (other >> 3)))

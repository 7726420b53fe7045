"""The chess position as a record, and who attacks what. Engines build on these functions.

Seats: 0 White, 1 Black. Squares: a1 = 0, b1 = 1 … h8 = 63. Sets of squares are uint64, bit 0 = a1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.chess.tables import (
    ABOVE,
    ANTIDIAGONAL,
    BELOW,
    BETWEEN,
    DIAGONAL,
    FILE,
    KING_REACH,
    KNIGHT_REACH,
    PAWN_REACH,
    PIECE_KEYS,
    RANK,
)
from tabiya.games.compiled.bits import ONE, ZERO, U, bit, lsb, msb
from tabiya.games.compiled.jit import njit

# Numbers that are handed to compiled functions are np.int64: each plain literal would get its own specialisation.
WHITE, BLACK = np.int64(0), np.int64(1)
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, NOTHING = map(np.int64, range(7))
NO_SQUARE = -1
MOST_HALFMOVES = 150  # the counters stop here, so that every position text can be read again;
MOST_FULLMOVES = 9999  # a game of moves by the rules ends at 100 half-moves
ALL_SQUARES = U(0xFFFFFFFFFFFFFFFF)
BACK_RANKS = U(0xFF000000000000FF)  # where pawns promote

STATE = np.dtype(
    [
        ("pieces", np.uint64, (6,)),  # by kind, both colours
        ("colours", np.uint64, (2,)),  # by seat
        ("hash", np.uint64),  # of everything that makes positions the same for repetition
        ("side", np.int32),
        ("castling", np.int32),  # rights: 1 White short, 2 White long, 4 Black short, 8 Black long
        ("en_passant", np.int32),  # the square a pawn can legally capture on en passant, NO_SQUARE without
        ("halfmoves", np.int32),  # plies since the last capture or pawn move
        ("fullmove", np.int32),  # the number of the move, counted from 1, up after Black's
        ("kinds", np.int8, (64,)),  # by square: PAWN … KING or NOTHING
    ],
    align=True,
)


@njit
def line_attacks(line: Any, square: Any, occupied: Any) -> Any:
    """Squares a slider on `square` reaches along one line (RANK … ANTIDIAGONAL), the first blockers included."""
    above, below = ABOVE[line, square], BELOW[line, square]
    blockers = above & occupied
    up_to_blocker = blockers ^ (blockers - ONE)
    from_blocker = ~(bit(msb((below & occupied) | ONE)) - ONE)
    return (above | below) & up_to_blocker & from_blocker


@njit
def rook_attacks(square: Any, occupied: Any) -> Any:
    """Squares a rook on `square` attacks when the squares `occupied` are."""
    return line_attacks(RANK, square, occupied) | line_attacks(FILE, square, occupied)


@njit
def bishop_attacks(square: Any, occupied: Any) -> Any:
    """Squares a bishop on `square` attacks when the squares `occupied` are."""
    return line_attacks(DIAGONAL, square, occupied) | line_attacks(ANTIDIAGONAL, square, occupied)


@njit
def occupied_squares(state: Any) -> Any:
    """The set of all men."""
    return state.colours[WHITE] | state.colours[BLACK]


@njit
def attackers(state: Any, square: Any, occupied: Any, seat: Any) -> Any:
    """The men of `seat` that attack `square` when the squares `occupied` stop the sliders."""
    pieces = state.pieces
    found = PAWN_REACH[1 - seat, square] & pieces[PAWN]
    found |= KNIGHT_REACH[square] & pieces[KNIGHT]
    found |= KING_REACH[square] & pieces[KING]
    found |= rook_attacks(square, occupied) & (pieces[ROOK] | pieces[QUEEN])
    found |= bishop_attacks(square, occupied) & (pieces[BISHOP] | pieces[QUEEN])
    return found & state.colours[seat]


@njit
def king_square(state: Any, seat: Any) -> Any:
    """Where the king of `seat` stands."""
    return lsb(state.pieces[KING] & state.colours[seat])


@njit
def checkers(state: Any) -> Any:
    """The men that give check to the side to move."""
    side = np.int64(state.side)
    return attackers(state, king_square(state, side), occupied_squares(state), 1 - side)


@njit
def in_check(state: Any) -> Any:
    """Whether the side to move is in check."""
    return checkers(state) != ZERO


@njit
def pinned_men(state: Any, seat: Any) -> Any:
    """The men of `seat` that shield their king from a slider: they may move only along LINE[king, man]."""
    pieces, king = state.pieces, king_square(state, seat)
    theirs, occupied = state.colours[1 - seat], occupied_squares(state)
    snipers = rook_attacks(king, theirs) & (pieces[ROOK] | pieces[QUEEN])
    snipers |= bishop_attacks(king, theirs) & (pieces[BISHOP] | pieces[QUEEN])
    snipers &= theirs
    pinned = ZERO
    while snipers != ZERO:
        shield = BETWEEN[king, lsb(snipers)] & occupied
        snipers &= snipers - ONE
        if shield & (shield - ONE) == ZERO:
            pinned |= shield
    return pinned & state.colours[seat]


@njit
def en_passant_is_safe(state: Any, square: Any) -> Any:
    """Whether the pawn of the side to move on `square` may capture en passant without exposing its king.

    Two men leave the capturing rank's neighbourhood at once, so pins do not tell: look at the board afterwards.
    """
    side = np.int64(state.side)
    target = np.int64(state.en_passant)
    victim = bit(target - 8 + 16 * side)
    occupied = (occupied_squares(state) ^ bit(square) ^ victim) | bit(target)
    return attackers(state, king_square(state, side), occupied, 1 - side) & ~victim == ZERO


@njit
def en_passant_capturers(state: Any) -> Any:
    """The pawns that can legally capture on `state.en_passant` (a square, not NO_SQUARE)."""
    side = np.int64(state.side)
    candidates = PAWN_REACH[1 - side, state.en_passant] & state.pieces[PAWN] & state.colours[side]
    legal = ZERO
    while candidates != ZERO:
        square = lsb(candidates)
        candidates &= candidates - ONE
        if en_passant_is_safe(state, square):
            legal |= bit(square)
    return legal


@njit
def same_men(state: Any, other: Any) -> Any:
    """Whether the same men stand on the same squares, with the same side to move and en-passant possibilities."""
    for kind in range(6):
        if state.pieces[kind] != other.pieces[kind]:
            return False
    return state.colours[0] == other.colours[0] and state.side == other.side and state.en_passant == other.en_passant


@njit
def toggle(state: Any, seat: Any, kind: Any, square: Any) -> None:
    """Put a man on an empty square or take it off; the caller changes `kinds`."""
    man = bit(square)
    state.pieces[kind] ^= man
    state.colours[seat] ^= man
    state.hash ^= PIECE_KEYS[seat, kind, square]


@njit
def put(state: Any, seat: Any, kind: Any, square: Any) -> None:
    """Put a man on an empty square."""
    toggle(state, seat, kind, square)
    state.kinds[square] = kind


@njit
def take(state: Any, seat: Any, kind: Any, square: Any) -> None:
    """Take a man off its square."""
    toggle(state, seat, kind, square)
    state.kinds[square] = NOTHING

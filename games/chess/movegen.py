"""Generation of the legal moves.

A move is a number: from | to << 6 | promotion << 12, promotion KNIGHT … QUEEN or 0. What else a move is (castling,
en passant, a double step) follows from the man that moves. It fits 15 bits; `move & 4095` is from and to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.chess.board import (
    ALL_SQUARES,
    BACK_RANKS,
    BISHOP,
    BLACK,
    KNIGHT,
    NO_SQUARE,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
    attackers,
    bishop_attacks,
    checkers,
    en_passant_capturers,
    king_square,
    occupied_squares,
    pinned_men,
    rook_attacks,
)
from tabiya.games.chess.tables import BETWEEN, KING_REACH, KNIGHT_REACH, LINE, WHITE_LONG, WHITE_SHORT
from tabiya.games.compiled.bits import ONE, ZERO, U, bit, lsb
from tabiya.games.compiled.jit import njit

# Nine queens, two rooks, two bishops, two knights and the king, each at its most mobile, bound every position with at
# most sixteen men of which promotions replace missing pawns: 9 * 27 + 2 * 14 + 2 * 13 + 2 * 8 + 8. (The true maximum of
# reachable positions is 218; this bound is the one a reader can check, and what keeps the kernel inside its array.)
MAX_MOVES = 321

A_FILE, H_FILE = U(0x0101010101010101), U(0x8080808080808080)
THIRD_RANK, SIXTH_RANK = U(0x0000000000FF0000), U(0x0000FF0000000000)
SEVEN, EIGHT, NINE = U(7), U(8), U(9)
UP_LEFT, UP, UP_RIGHT, UP_TWICE = np.int64(7), np.int64(8), np.int64(9), np.int64(16)  # steps of White's pawns
DOWN_RIGHT, DOWN, DOWN_LEFT, DOWN_TWICE = np.int64(-7), np.int64(-8), np.int64(-9), np.int64(-16)  # of Black's
SHORT, LONG = np.int64(1), np.int64(-1)  # the king's steps in castling


@njit
def generate_moves(state: Any, moves: Any, targets: Any) -> Any:
    """Write the legal moves that end on one of the squares `targets`, all promotions and en passant; return how many.

    targets: ALL_SQUARES for every legal move, `noisy_targets(state)` for captures and promotions.  Castling belongs to
    ALL_SQUARES only.  moves: int32[MAX_MOVES].
    """
    side = np.int64(state.side)
    king = king_square(state, side)
    checking = checkers(state)
    count = king_moves(state, moves, king, targets)
    if checking & (checking - ONE) != ZERO:
        return count  # from two checks only the king can help
    allowed = ALL_SQUARES if checking == ZERO else checking | BETWEEN[king, lsb(checking)]
    pinned = pinned_men(state, side)
    count = piece_moves(state, moves, count, king, pinned, allowed & targets)
    count = pawn_moves(state, moves, count, king, pinned, allowed & (targets | BACK_RANKS))
    if state.en_passant != NO_SQUARE:
        count = push_from(moves, count, en_passant_capturers(state), np.int64(state.en_passant))
    if checking == ZERO and targets == ALL_SQUARES:
        count = castling_moves(state, moves, count, king)
    return count


@njit
def noisy_targets(state: Any) -> Any:
    """The squares that make `generate_moves` give captures and promotions: the opponent's men."""
    return state.colours[1 - state.side]


@njit
def push_to(moves: Any, count: Any, square: Any, targets: Any) -> Any:
    """Write the moves from one square to each of `targets`."""
    while targets != ZERO:
        moves[count] = square | lsb(targets) << 6
        count += 1
        targets &= targets - ONE
    return count


@njit
def push_from(moves: Any, count: Any, squares: Any, target: Any) -> Any:
    """Write the moves from each of `squares` to one target."""
    while squares != ZERO:
        moves[count] = lsb(squares) | target << 6
        count += 1
        squares &= squares - ONE
    return count


@njit
def king_moves(state: Any, moves: Any, king: Any, targets: Any) -> Any:
    """Write the king's steps; the first in `moves`. The king itself shields no square behind it."""
    side = np.int64(state.side)
    steps = KING_REACH[king] & ~state.colours[side] & targets
    occupied = occupied_squares(state) ^ bit(king)
    count = 0
    while steps != ZERO:
        target = lsb(steps)
        steps &= steps - ONE
        if attackers(state, target, occupied, 1 - side) == ZERO:
            moves[count] = king | target << 6
            count += 1
    return count


@njit
def piece_moves(state: Any, moves: Any, count: Any, king: Any, pinned: Any, targets: Any) -> Any:
    """Write the moves of knights, bishops, rooks and queens."""
    pieces, own = state.pieces, state.colours[state.side]
    occupied = occupied_squares(state)
    targets &= ~own
    men = pieces[KNIGHT] & own & ~pinned
    while men != ZERO:
        square = lsb(men)
        men &= men - ONE
        count = push_to(moves, count, square, KNIGHT_REACH[square] & targets)
    men = (pieces[BISHOP] | pieces[QUEEN]) & own
    while men != ZERO:
        square = lsb(men)
        men &= men - ONE
        reach = bishop_attacks(square, occupied) & targets
        count = push_to(moves, count, square, along_pin(reach, king, square, pinned))
    men = (pieces[ROOK] | pieces[QUEEN]) & own
    while men != ZERO:
        square = lsb(men)
        men &= men - ONE
        reach = rook_attacks(square, occupied) & targets
        count = push_to(moves, count, square, along_pin(reach, king, square, pinned))
    return count


@njit
def along_pin(reach: Any, king: Any, square: Any, pinned: Any) -> Any:
    """What is left of `reach` for a man on `square`: everything, or the line of its pin."""
    return reach & LINE[king, square] if pinned & bit(square) != ZERO else reach


@njit
def pawn_moves(state: Any, moves: Any, count: Any, king: Any, pinned: Any, targets: Any) -> Any:
    """Write the moves of the pawns, en passant left out."""
    pawns = state.pieces[PAWN] & state.colours[state.side]
    count = free_pawn_moves(state, moves, count, pawns & ~pinned, targets)
    held = pawns & pinned
    while held != ZERO:
        square = lsb(held)
        held &= held - ONE
        count = free_pawn_moves(state, moves, count, bit(square), targets & LINE[king, square])
    return count


@njit
def free_pawn_moves(state: Any, moves: Any, count: Any, pawns: Any, targets: Any) -> Any:
    """Write the moves of the set `pawns` to `targets`, pins not looked at."""
    empty = ~occupied_squares(state)
    if state.side == WHITE:
        theirs = state.colours[BLACK] & targets
        single = (pawns << EIGHT) & empty
        double = ((single & THIRD_RANK) << EIGHT) & empty
        count = push_pawns(moves, count, ((pawns & ~A_FILE) << SEVEN) & theirs, UP_LEFT)
        count = push_pawns(moves, count, ((pawns & ~H_FILE) << NINE) & theirs, UP_RIGHT)
        count = push_pawns(moves, count, single & targets, UP)
        return push_pawns(moves, count, double & targets, UP_TWICE)
    theirs = state.colours[WHITE] & targets
    single = (pawns >> EIGHT) & empty
    double = ((single & SIXTH_RANK) >> EIGHT) & empty
    count = push_pawns(moves, count, ((pawns & ~H_FILE) >> SEVEN) & theirs, DOWN_RIGHT)
    count = push_pawns(moves, count, ((pawns & ~A_FILE) >> NINE) & theirs, DOWN_LEFT)
    count = push_pawns(moves, count, single & targets, DOWN)
    return push_pawns(moves, count, double & targets, DOWN_TWICE)


@njit
def push_pawns(moves: Any, count: Any, targets: Any, step: Any) -> Any:
    """Write the pawn moves that arrive on `targets` from `step` squares below, each promotion as four moves."""
    while targets != ZERO:
        target = lsb(targets)
        targets &= targets - ONE
        move = (target - step) | target << 6
        if bit(target) & BACK_RANKS != ZERO:
            for kind in (QUEEN, KNIGHT, ROOK, BISHOP):
                moves[count] = move | kind << 12
                count += 1
        else:
            moves[count] = move
            count += 1
    return count


@njit
def castling_moves(state: Any, moves: Any, count: Any, king: Any) -> Any:
    """Write castling; the side to move is not in check. A right says that its king and rook stand at home."""
    side = np.int64(state.side)
    rights = state.castling >> (2 * side)
    if rights & WHITE_SHORT and castling_path_is_free(state, king, SHORT, bit(king + 1) | bit(king + 2)):
        moves[count] = king | (king + 2) << 6
        count += 1
    if rights & WHITE_LONG and castling_path_is_free(state, king, LONG, bit(king - 1) | bit(king - 2) | bit(king - 3)):
        moves[count] = king | (king - 2) << 6
        count += 1
    return count


@njit
def castling_path_is_free(state: Any, king: Any, step: Any, path: Any) -> Any:
    """Whether no man stands on `path` and the king's two steps end on squares that are not attacked."""
    occupied = occupied_squares(state)
    other = 1 - np.int64(state.side)
    return (
        occupied & path == ZERO
        and attackers(state, king + step, occupied, other) == ZERO
        and attackers(state, king + 2 * step, occupied, other) == ZERO
    )

"""Static exchange evaluation: whether a series of captures on one square pays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.chess.board import (
    BISHOP,
    BLACK,
    KING,
    NOTHING,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
    attackers,
    bishop_attacks,
    occupied_squares,
    rook_attacks,
)
from tabiya.games.compiled.bits import ONE, ZERO, bit
from tabiya.games.compiled.jit import njit

PIECE_VALUES = np.array([100, 320, 330, 500, 950, 0, 0], np.int64)  # of a man that can be taken; kings cannot


@njit
def least_valuable(state: Any, men: Any) -> Any:
    """The kind of the least valuable of `men`; not empty."""
    for kind in range(KING):
        if state.pieces[kind] & men != ZERO:
            return np.int64(kind)
    return KING


@njit
def xray_attackers(state: Any, kind: Any, square: Any, occupied: Any) -> Any:
    """The sliders that attack `square` once a man of `kind` has left its line to it."""
    found = ZERO
    if kind in (PAWN, BISHOP, QUEEN):
        found |= bishop_attacks(square, occupied) & (state.pieces[BISHOP] | state.pieces[QUEEN])
    if kind in (ROOK, QUEEN):
        found |= rook_attacks(square, occupied) & (state.pieces[ROOK] | state.pieces[QUEEN])
    return found


@njit
def exchange_wins(state: Any, move: Any, least: Any) -> Any:
    """Whether `move`, and captures on its target by the least valuable man in turn, win at least `least`.

    Each side may stop when it likes. Pins are not looked at; castling wins nothing.  As in Stockfish's `see_ge`.
    """
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12 & 7
    kind, victim = np.int64(state.kinds[origin]), np.int64(state.kinds[target])
    balance = PIECE_VALUES[victim] - least
    if kind == PAWN and victim == NOTHING and target == state.en_passant:
        balance += PIECE_VALUES[PAWN]
    if promotion != 0:
        balance += PIECE_VALUES[promotion] - PIECE_VALUES[PAWN]
        kind = promotion
    if balance < 0:
        return False  # not even if the man is not taken back
    balance = PIECE_VALUES[kind] - balance
    if balance <= 0:
        return True  # even if it is
    occupied = (occupied_squares(state) & ~bit(origin)) | bit(target)
    men = attackers(state, target, occupied, WHITE) | attackers(state, target, occupied, BLACK)
    seat, wins = np.int64(state.side), np.int64(1)
    while True:
        seat = 1 - seat
        men &= occupied
        mine = men & state.colours[seat]
        if mine == ZERO:
            break
        wins ^= 1
        kind = least_valuable(state, mine)
        if kind == KING:
            if men & state.colours[1 - seat] != ZERO:
                wins ^= 1  # a king does not take what is defended
            break
        balance = PIECE_VALUES[kind] - balance
        if balance < wins:
            break
        man = state.pieces[kind] & mine
        occupied ^= man & (~man + ONE)
        men |= xray_attackers(state, kind, target, occupied)
    return wins != 0

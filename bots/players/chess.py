"""What plays chess well: men on squares, early and late, the bishop pair, mobility; captures first."""

from __future__ import annotations

from typing import Any

import numpy as np

from bots.players.base import FORCING, Brain
from bots.players.chess_exchange import WORTH, exchange_wins
from bots.players.chess_tables import EARLIEST, EARLY, LATE, PHASE
from games.chess import Chess
from games.chess.board import (
    ALL_SQUARES,
    BISHOP,
    KING,
    KNIGHT,
    NOTHING,
    PAWN,
    QUEEN,
    ROOK,
    bishop_attacks,
    checkers,
    in_check,
    king_square,
    occupied_squares,
    rook_attacks,
)
from games.chess.make import copy, pass_turn
from games.chess.movegen import generate_moves, noisy_targets
from games.chess.tables import KNIGHT_REACH, PAWN_REACH
from games.compiled.bits import ONE, ZERO, U, lsb, popcount
from games.compiled.jit import njit
from games.contract import State

SWING = np.int64(100)
PAIR_EARLY, PAIR_LATE = 22, 40
REACH_WORTH = np.array([0, 4, 4, 2, 1, 0], np.int64)  # of each square a man reaches
REACH_USUAL = np.array([0, 4, 6, 6, 12, 0], np.int64)  # so many squares are neither good nor bad
TEMPO = 12
EIGHT = U(8)
EDGE_DRIVE, KING_DRIVE = 12, 6  # of the mop-up against a bare king, by king steps


@njit(nogil=True)
def reach_of(kind: Any, square: Any, occupied: Any) -> Any:
    """The squares a piece reaches, those of its own men included."""
    if kind == KNIGHT:
        return KNIGHT_REACH[square]
    if kind == BISHOP:
        return bishop_attacks(square, occupied)
    if kind == ROOK:
        return rook_attacks(square, occupied)
    return bishop_attacks(square, occupied) | rook_attacks(square, occupied)


@njit(nogil=True)
def mobility(state: Any, seat: Any) -> Any:
    """The worth of the squares that knights, bishops, rooks and queens of `seat` can go to."""
    own, occupied = state.colours[seat], occupied_squares(state)
    score = np.int64(0)
    for kind in range(KNIGHT, KING):
        men = state.pieces[kind] & own
        while men != ZERO:
            reached = popcount(reach_of(np.int64(kind), lsb(men), occupied) & ~own)
            score += REACH_WORTH[kind] * (reached - REACH_USUAL[kind])
            men &= men - ONE
    return score


@njit(nogil=True)
def men_of(state: Any, seat: Any) -> Any:
    """Worth of the men of `seat` early and late, and what they add to the phase."""
    own = state.colours[seat]
    early, late, phase = np.int64(0), np.int64(0), np.int64(0)
    for kind in range(6):
        men = state.pieces[kind] & own
        while men != ZERO:
            square = lsb(men)
            early += EARLY[seat, kind, square]
            late += LATE[seat, kind, square]
            phase += PHASE[kind]
            men &= men - ONE
    if popcount(state.pieces[BISHOP] & own) > 1:
        early, late = early + PAIR_EARLY, late + PAIR_LATE
    return early, late, phase


@njit(nogil=True)
def mop_up(state: Any, seat: Any) -> Any:
    """Against a bare king: the further from the middle and the nearer to our king, the better."""
    other = 1 - seat
    if popcount(state.colours[other]) > 1:
        return np.int64(0)
    theirs, ours = king_square(state, other), king_square(state, seat)
    x, y = theirs & 7, theirs >> 3
    off_centre = max(3 - x, x - 4) + max(3 - y, y - 4)
    apart = abs(x - (ours & 7)) + abs(y - (ours >> 3))
    return np.int64(EDGE_DRIVE * off_centre + KING_DRIVE * (14 - apart))


@njit(nogil=True)
def has_free_move(state: Any) -> Any:
    """Whether, without check, a pawn's push or a knight shows at once that there is a legal move."""
    side = np.int64(state.side)
    king, occupied = king_square(state, side), occupied_squares(state)
    own = state.colours[side] & ~(bishop_attacks(king, ZERO) | rook_attacks(king, ZERO))  # these are not pinned
    pawns = state.pieces[PAWN] & own
    pushed = pawns << EIGHT if side == 0 else pawns >> EIGHT
    if pushed & ~occupied != ZERO:
        return True
    knights = state.pieces[KNIGHT] & own
    return knights != ZERO and KNIGHT_REACH[lsb(knights)] & ~state.colours[side] != ZERO


class ChessBrain(Brain, Chess):
    """A plain, fast evaluation."""

    width = Chess.max_moves

    def evaluate(self, state: State) -> Any:
        side = np.int64(state.side)
        early, late, phase = men_of(state, side)
        other_early, other_late, other_phase = men_of(state, 1 - side)
        earliness = min(phase + other_phase, EARLIEST)
        score = ((early - other_early) * earliness + (late - other_late) * (EARLIEST - earliness)) // EARLIEST
        score += mobility(state, side) - mobility(state, 1 - side) + TEMPO
        return np.int64(score + mop_up(state, side) - mop_up(state, 1 - side))

    def priority(self, state: State, move: int) -> Any:
        """Captures of the most valuable man by the least valuable, promotions to a queen; other promotions last."""
        victim = np.int64(state.kinds[move >> 6 & 63])
        promotion = move >> 12
        if promotion != 0 and promotion != QUEEN:
            return np.int64(-900)
        worth = 16 * WORTH[victim] - WORTH[np.int64(state.kinds[move & 63])] // 8
        if promotion == QUEEN:
            worth += 16 * WORTH[QUEEN]
        elif victim == NOTHING:
            return np.int64(0)
        return np.int64(FORCING + worth)

    def noisy(self, state: State, moves: Any) -> Any:
        return np.int64(generate_moves(state, moves, noisy_targets(state)))

    def in_check(self, state: State) -> Any:
        return in_check(state)

    def slot(self, state: State, move: int) -> Any:
        """What moves, and where to."""
        return np.int64(state.kinds[move & 63]) << 6 | move >> 6 & 63

    def exchange(self, state: State, move: int, least: int) -> Any:
        return exchange_wins(state, move, least)

    def gives_check(self, state: State, move: int) -> Any:
        """Whether the man that moves attacks the king from its new square; discovered checks are not looked for."""
        side, target = np.int64(state.side), move >> 6 & 63
        kind, king = np.int64(state.kinds[move & 63]), state.pieces[KING] & state.colours[1 - side]
        if kind == PAWN:
            return PAWN_REACH[side, target] & king != ZERO
        if kind == KNIGHT:
            return KNIGHT_REACH[target] & king != ZERO
        if kind == KING:
            return False
        return reach_of(kind, target, occupied_squares(state)) & king != ZERO

    def swing(self, state: State) -> Any:
        return SWING

    def may_pass(self, state: State) -> Any:
        """Beside pawns, where zugzwang is at home, there is a piece."""
        own = state.colours[np.int64(state.side)]
        return own & ~(state.pieces[PAWN] | state.pieces[KING]) != ZERO

    def skip_turn(self, state: State, child: State) -> None:
        copy(state, child)
        pass_turn(state, child)

    def mobile(self, state: State, moves: Any) -> Any:
        if checkers(state) == ZERO and has_free_move(state):
            return np.int64(1)
        return np.int64(generate_moves(state, moves, ALL_SQUARES))

"""What plays chess well: an evaluation (network.py), captures first, exchanges, passes, checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.base import FORCING, Evaluator
from tabiya.bots.evaluators.chess.bitbase import MOST_MEN, result_of
from tabiya.bots.evaluators.chess.bitboards import reach_of
from tabiya.bots.evaluators.chess.network import evaluate_by_net
from tabiya.bots.evaluators.chess.static_exchange import PIECE_VALUES, exchange_wins
from tabiya.games.chess import Chess
from tabiya.games.chess.board import (
    KING,
    KNIGHT,
    NOTHING,
    PAWN,
    QUEEN,
    bishop_attacks,
    checkers,
    in_check,
    king_square,
    occupied_squares,
    rook_attacks,
)
from tabiya.games.chess.make import copy, pass_turn
from tabiya.games.chess.movegen import generate_moves, noisy_targets
from tabiya.games.chess.tables import KNIGHT_REACH, PAWN_REACH
from tabiya.games.compiled.bits import ZERO, U, lsb, mix, popcount
from tabiya.games.compiled.jit import njit
from tabiya.games.rules import State

SWING = np.int64(100)
EIGHT = U(8)
ODD = U(0x9E3779B97F4A7C15)  # any large odd number: each kind of piece counts otherwise in a hash


@njit
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


@njit
def priority_of(state: Any, move: Any) -> Any:
    """See `ChessEvaluator.priority`."""
    victim = np.int64(state.kinds[move >> 6 & 63])
    promotion = move >> 12
    if promotion != 0 and promotion != QUEEN:
        return np.int64(-900)
    score = 16 * PIECE_VALUES[victim] - PIECE_VALUES[np.int64(state.kinds[move & 63])] // 8
    if promotion == QUEEN:
        score += 16 * PIECE_VALUES[QUEEN]
    elif victim == NOTHING:
        return np.int64(0)
    return np.int64(FORCING + score)


class ChessEvaluator(Evaluator, Chess):
    """Every hook of the search."""

    width = Chess.max_moves

    def evaluate(self, state: State) -> Any:
        return evaluate_by_net(state)

    def priority(self, state: State, move: int) -> Any:
        """Captures of the most valuable man by the least valuable, promotions to a queen; other promotions last.

        A capture en passant is none: it counts as a quiet move (docs/explanation/search.md).
        """
        return priority_of(state, move)

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

    def known_result(self, state: State) -> Any:
        return result_of(state)

    def correction_key(self, state: State) -> Any:
        """Where the pawns stand; nothing is misjudged with few men."""
        if popcount(occupied_squares(state)) <= MOST_MEN:
            return ZERO
        pawns = state.pieces[PAWN]
        return mix(pawns & state.colours[0]) ^ mix(~(pawns & state.colours[1]))

    def piece_key(self, state: State, seat: int) -> Any:
        """Where everything but the pawns stands."""
        own, found = state.colours[seat], ZERO
        for kind in range(KNIGHT, KING + 1):
            found = found * ODD ^ (state.pieces[kind] & own)
        return mix(found)

    def may_pass(self, state: State) -> Any:
        """Where the mover has a piece (pawn endings have zugzwang), and more men are left than the tables know."""
        own = state.colours[np.int64(state.side)]
        return own & ~(state.pieces[PAWN] | state.pieces[KING]) != ZERO and popcount(occupied_squares(state)) > MOST_MEN

    def skip_turn(self, state: State, child: State) -> None:
        copy(state, child)
        pass_turn(state, child)

    def mobile(self, state: State, moves: Any) -> Any:
        if checkers(state) == ZERO and has_free_move(state):
            return np.int64(1)
        return np.int64(self.generate(state, moves))

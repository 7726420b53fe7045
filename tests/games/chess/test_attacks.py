"""The functions that engines build on: attacks, checks, pins, noisy moves, compared with python-chess."""

from __future__ import annotations

from random import Random
from typing import Any

import chess
import numpy as np
import pytest

from tabiya.games.chess import board as kernel
from tabiya.games.chess import movegen
from tabiya.games.chess.tables import RANK
from tabiya.games.compiled.bits import U
from tests.games.chess.walks import CHESS, positions
from tests.kernels import called, return_type

pytestmark = pytest.mark.slow
ALL_SQUARES = kernel.ALL_SQUARES
SEED = 11
SQUARES = [np.int64(square) for square in range(64)]

rook_attacks, bishop_attacks = called(kernel.rook_attacks), called(kernel.bishop_attacks)
attackers, checkers, pinned_men = called(kernel.attackers), called(kernel.checkers), called(kernel.pinned_men)
in_check = called(kernel.in_check)
generate_moves, noisy_targets = called(movegen.generate_moves), called(movegen.noisy_targets)


def test_sliders_reach_what_python_chess_says_on_any_board() -> None:
    random = Random(SEED)
    for _ in range(300):
        occupied = random.getrandbits(64) & random.getrandbits(64)
        board = chess.Board(None)
        board.occupied = occupied
        for square in SQUARES:
            board.rooks, board.bishops = chess.BB_SQUARES[square], 0
            assert int(rook_attacks(square, U(occupied))) == board.attacks_mask(int(square))
            board.rooks, board.bishops = 0, chess.BB_SQUARES[square]
            assert int(bishop_attacks(square, U(occupied))) == board.attacks_mask(int(square))


def test_attackers_checkers_and_pinned_men_are_those_of_python_chess() -> None:
    for position, board, _ in positions(600, SEED):
        state, occupied = position.state, U(board.occupied)
        for square in SQUARES:
            for seat, colour in enumerate((chess.WHITE, chess.BLACK)):
                found = attackers(state, square, occupied, np.int64(seat))
                assert int(found) == board.attackers_mask(colour, int(square)), f"seed {SEED}: {position.text()}"
        assert int(checkers(state)) == board.checkers_mask()
        assert bool(in_check(state)) == board.is_check()
        for seat, colour in enumerate((chess.WHITE, chess.BLACK)):
            pinned = [
                square for square in SQUARES if board.color_at(int(square)) is colour and is_pinned(board, square)
            ]
            assert int(pinned_men(state, np.int64(seat))) == sum(1 << int(square) for square in pinned)


def is_pinned(board: chess.Board, square: Any) -> bool:
    colour = board.color_at(int(square))
    return colour is not None and board.is_pinned(colour, int(square))


def test_noisy_moves_are_the_captures_and_promotions() -> None:
    moves = np.zeros(CHESS.max_moves, np.int32)
    for position, board, _ in positions(2_000, SEED):
        count = generate_moves(position.state, moves, U(noisy_targets(position.state)))
        noisy = {move for move in board.legal_moves if board.is_capture(move) or move.promotion}
        assert sorted(moves[:count].tolist()) == sorted(map(number, noisy)), f"seed {SEED}: {position.text()}"


def number(move: chess.Move) -> int:
    """The number by which the kernel knows a move."""
    promotion = move.promotion - 1 if move.promotion else 0
    return move.from_square | move.to_square << 6 | promotion << 12


def test_functions_of_sets_return_unsigned_words() -> None:
    """A signed or plain constant among unsigned words silently makes them signed, or floating point."""
    state, square, seat = CHESS.start().state, np.int64(4), np.int64(0)
    for function, arguments in (
        (kernel.line_attacks, (RANK, square, ALL_SQUARES)),
        (kernel.rook_attacks, (square, ALL_SQUARES)),
        (kernel.bishop_attacks, (square, ALL_SQUARES)),
        (kernel.occupied_squares, (state,)),
        (kernel.attackers, (state, square, ALL_SQUARES, seat)),
        (kernel.checkers, (state,)),
        (kernel.pinned_men, (state, seat)),
        (movegen.noisy_targets, (state,)),
    ):
        assert return_type(function, *arguments) == "uint64", function

"""Static exchange evaluation against a naive recursion on another library's board."""

from __future__ import annotations

from typing import Any

import chess
import numpy as np
import pytest
from numba import njit

from tabiya.bots.evaluators.chess.static_exchange import PIECE_VALUES, exchange_wins
from tabiya.games.registry import load_game
from tests.bots.positions import unfinished

pytestmark = pytest.mark.slow
KINDS = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING)


def worth(kind: int) -> int:
    return int(PIECE_VALUES[KINDS.index(kind)])


@njit  # type: ignore[untyped-decorator]
def wins(state: Any, move: Any, least: Any) -> Any:
    return exchange_wins(state, move, least)


def gain(board: chess.Board, occupied: int, target: int, colour: bool, standing: int) -> int:
    """What `colour` wins by taking the man worth `standing` on `target`, or 0 if it had better not."""
    men = board.attackers_mask(colour, target, occupied) & occupied
    if not men:
        return 0
    square = min(chess.scan_forward(men), key=lambda s: KINDS.index(board.piece_type_at(s) or 0))
    kind = board.piece_type_at(square) or 0
    if kind == chess.KING and board.attackers_mask(not colour, target, occupied) & occupied:
        return 0
    return max(0, standing - gain(board, occupied ^ 1 << square, target, not colour, worth(kind)))


def exchange(board: chess.Board, move: chess.Move) -> int:
    """The value of the exchange that begins with `move`."""
    victim = board.piece_type_at(move.to_square)
    won = worth(chess.PAWN) if board.is_en_passant(move) else worth(victim) if victim else 0
    kind = board.piece_type_at(move.from_square) or 0
    if move.promotion:
        won += worth(move.promotion) - worth(chess.PAWN)
        kind = move.promotion
    occupied = board.occupied & ~(1 << move.from_square) | 1 << move.to_square
    return won - gain(board, occupied, move.to_square, not board.turn, worth(kind))


def test_exchanges_are_worth_what_a_naive_recursion_says() -> None:
    seen = set()
    for position in unfinished("chess", 150, 71):
        board = chess.Board(position.text())
        for text in position.legal_moves():
            move, number = chess.Move.from_uci(text), np.int64(position.check_move(text))
            if board.is_castling(move):
                continue
            value = exchange(board, move)
            seen.add(value)
            assert wins(position.state, number, np.int64(value)), (position, text, value)
            assert not wins(position.state, number, np.int64(value + 1)), (position, text, value)
    assert len(seen) > 20


@pytest.mark.parametrize(
    ("fen", "text", "value"),
    [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -220),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", 0),
    ],
)
def test_known_exchanges(fen: str, text: str, value: int) -> None:
    position = load_game("chess").parse(fen)
    number = np.int64(position.check_move(text))
    assert wins(position.state, number, np.int64(value))
    assert not wins(position.state, number, np.int64(value + 1))

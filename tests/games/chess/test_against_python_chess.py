"""The independent twin: python-chess says the same of 20,000 positions of random games."""

from __future__ import annotations

from collections import Counter

import chess
import numpy as np
import pytest

from tabiya.games import steps
from tabiya.games.chess.san import read_san, write_san
from tabiya.games.chess.setup import position_hash
from tabiya.games.endings import Ending
from tabiya.games.position import Position
from tests.games.chess.walks import CHESS, positions

COUNT, SEED = 20_000, 20261
STATED = frozenset(CHESS.endings)


def ending(board: chess.Board) -> Ending | None:
    """What our referee must say, from python-chess's single answers, in the order of the laws."""
    if board.is_checkmate():
        return Ending.CHECKMATE
    if board.is_stalemate():
        return Ending.STALEMATE
    if board.is_insufficient_material():
        return Ending.INSUFFICIENT_MATERIAL
    if board.halfmove_clock >= 100:
        return Ending.FIFTY_MOVES
    return Ending.THREEFOLD_REPETITION if board.is_repetition(3) else None


def disagreement(position: Position, board: chess.Board, move: str) -> str:
    """What python-chess says differently, "" if nothing."""
    outcome = position.outcome()
    if sorted(position.legal_moves()) != sorted(legal.uci() for legal in board.legal_moves):
        return "legal moves"
    if position.text() != board.fen(en_passant="legal"):
        return f"FEN {board.fen(en_passant='legal')}"
    if (None if outcome is None else outcome.ending) != ending(board):
        return f"{outcome} against {ending(board)}"
    if outcome is not None and outcome.winner is None and outcome.ending == Ending.CHECKMATE:
        return "a mate without a winner"
    if outcome is not None and outcome.winner is not None and outcome.winner == position.to_move:
        return "the mated side wins"
    if can_mate(position) != [not board.has_insufficient_material(colour) for colour in (chess.WHITE, chess.BLACK)]:
        return "who can win"
    return says_move_differently(position, board, move) if move else ""


def can_mate(position: Position) -> list[bool]:
    return [steps.can_win(CHESS, position.state, np.int64(seat)) for seat in (0, 1)]


def says_move_differently(position: Position, board: chess.Board, move: str) -> str:
    san = write_san(position, move)
    if san != board.san(chess.Move.from_uci(move)):
        return f"SAN of {move}: {san}"
    if read_san(position, san) != move:
        return f"{san} is read as {read_san(position, san)}"
    return ""


@pytest.mark.slow
def test_python_chess_agrees_on_moves_texts_and_endings_of_20_000_positions() -> None:
    endings = Counter[Ending | None]()
    for position, board, move in positions(COUNT, SEED):
        differs = disagreement(position, board, move)
        assert not differs, f"seed {SEED}: {differs} in {position.text()}"
        outcome = position.outcome()
        endings[outcome.ending if outcome else None] += 1
    assert set(endings) == STATED | {None}, f"seed {SEED}: some ending was never met in {dict(endings)}"


@pytest.mark.slow
def test_the_hash_kept_move_by_move_equals_the_one_from_nothing() -> None:
    for position, _, _ in positions(COUNT // 2, SEED + 1):
        assert int(position.state.hash) == int(position_hash(position.state)), f"seed {SEED + 1}: {position.text()}"


@pytest.mark.slow
def test_keys_are_equal_exactly_for_the_same_position_by_the_rules_of_repetition() -> None:
    by_identity: dict[str, int] = {}
    by_key: dict[int, str] = {}
    for position, board, _ in positions(COUNT // 2, SEED + 2):
        identity = " ".join(board.fen(en_passant="legal").split()[:4])
        key = int(position.state.hash)
        assert by_identity.setdefault(identity, key) == key
        assert by_key.setdefault(key, identity) == identity
    assert len(by_identity) == len(by_key) > 1000


@pytest.mark.slow
def test_every_move_of_a_position_is_written_and_read_in_san_like_python_chess() -> None:
    for at, (position, board, _) in enumerate(positions(6_000, SEED + 3)):
        for move in position.legal_moves() if at % 20 == 0 else ():
            assert not says_move_differently(position, board, move), f"seed {SEED + 3}: {move} in {position.text()}"
            assert board.parse_san(write_san(position, move)).uci() == move

"""The independent twin: python-chess says the same of 20,000 positions of random games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

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


def disagreement(position: Position, board: chess.Board, moves: Iterable[str]) -> str:
    """What python-chess says differently of the position and of these moves, "" if nothing."""
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
    if int(position.state.hash) != int(position_hash(position.state)):
        return "the hash kept move by move"
    return next(filter(None, (says_move_differently(position, board, move) for move in moves)), "")


def can_mate(position: Position) -> list[bool]:
    return [steps.can_win(position.game, position.state, np.int64(seat)) for seat in (0, 1)]


def says_move_differently(position: Position, board: chess.Board, move: str) -> str:
    san = write_san(position, move)
    if san != board.san(chess.Move.from_uci(move)):
        return f"SAN of {move}: {san}"
    if read_san(position, san) != move:
        return f"{san} is read as {read_san(position, san)}"
    return ""


@pytest.mark.slow
def test_python_chess_agrees_on_moves_notation_texts_endings_and_repetitions_of_20_000_positions() -> None:
    """Two positions have one key exactly if they are the same by the rules of repetition."""
    endings = Counter[str | None]()
    key_of_identity: dict[str, int] = {}
    identity_of_key: dict[int, str] = {}
    for at, (position, board, move) in enumerate(positions(COUNT, SEED)):
        moves = position.legal_moves() if at % 60 == 0 else [move] if move else []
        differs = disagreement(position, board, moves)
        assert not differs, f"seed {SEED}: {differs} in {position.text()}"
        outcome = position.outcome()
        endings[outcome.ending if outcome else None] += 1
        identity, key = " ".join(board.fen(en_passant="legal").split()[:4]), int(position.state.hash)
        assert key_of_identity.setdefault(identity, key) == key
        assert identity_of_key.setdefault(key, identity) == identity
    assert set(endings) == STATED | {None}, f"seed {SEED}: some ending was never met in {dict(endings)}"
    assert 1000 < len(key_of_identity) < COUNT

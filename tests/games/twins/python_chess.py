"""Chess by python-chess, an independent implementation: only the tests and what they lend know it."""

from __future__ import annotations

import chess

START = chess.STARTING_FEN


def perft(fen: str, depth: int) -> int:
    """The leaves `depth` plies below a position, the last ply counted and not made; depth >= 1."""
    return _leaves(chess.Board(fen), depth)


def _leaves(board: chess.Board, depth: int) -> int:
    if depth == 1:
        return board.legal_moves.count()
    leaves = 0
    for move in board.legal_moves:
        board.push(move)
        leaves += _leaves(board, depth - 1)
        board.pop()
    return leaves

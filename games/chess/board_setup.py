"""Setting up a chessboard by hand: FENs that may lack a king or have ten."""

from __future__ import annotations

import re

from tabiya.games.chess.fen import CASTLING_HOMES, EMPTY, read_fields
from tabiya.games.picture import square_of

GAPS = re.compile(re.escape(EMPTY) + "+")


def put_man(fen: str, square: str, man: str) -> str:
    """The FEN with a man, or EMPTY, on a square.

    Nothing can be taken en passant and no half-moves are counted any more. A castling right to which the square
    matters is there if king and rook are; the others stay.
    """
    board, side, castling, _, _, fullmove = read_fields(fen)
    column, row = square_of(square)
    changed = 8 * row + column
    board = board[:changed] + man + board[changed + 1 :]
    rights = [
        right
        for right, homes in CASTLING_HOMES.items()
        if (right in castling or changed in homes) and all(board[at] == wanted for at, wanted in homes.items())
    ]
    return f"{_placement(board)} {side} {''.join(rights) or '-'} - 0 {fullmove}"


def put_side(fen: str, side: str) -> str:
    """The FEN with this side to move; nothing can be taken en passant any more."""
    board, _, castling, _, halfmoves, fullmove = read_fields(fen)
    return f"{_placement(board)} {side} {castling} - {halfmoves} {fullmove}"


def _placement(board: str) -> str:
    """FEN's first field. board: 64 letters from a1."""
    ranks = [board[start : start + 8] for start in range(56, -1, -8)]
    return "/".join(GAPS.sub(lambda gap: str(len(gap[0])), rank) for rank in ranks)

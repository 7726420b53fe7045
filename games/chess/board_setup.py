"""Setting up a chessboard by hand: FENs that may lack a king or have ten."""

from __future__ import annotations

import re

from tabiya.games.board_setup import Switch
from tabiya.games.chess.fen import CASTLING_HOMES, EMPTY, read_fields
from tabiya.games.picture import square_of

CASTLING = {
    "K": "White may castle short",
    "Q": "White may castle long",
    "k": "Black may castle short",
    "q": "Black may castle long",
}
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
    homes = CASTLING_HOMES
    rights = "".join(right for right in _possible(board) if right in castling or changed in homes[right])
    return f"{placement(board)} {side} {rights or '-'} - 0 {fullmove}"


def castling_switches(fen: str) -> tuple[Switch, ...]:
    """The rights to castle for which king and rook stand at home."""
    board, _, castling, *_ = read_fields(fen)
    return tuple(Switch(right, CASTLING[right], right in castling) for right in _possible(board))


def turn_right(fen: str, right: str) -> str:
    """The FEN with this right to castle, or without it if it is there."""
    board, side, castling, en_passant, halfmoves, fullmove = read_fields(fen)
    rights = "".join(each for each in CASTLING_HOMES if (each in castling) != (each == right))
    return f"{placement(board)} {side} {rights or '-'} {en_passant} {halfmoves} {fullmove}"


def put_side(fen: str, side: str) -> str:
    """The FEN with this side to move; nothing can be taken en passant any more."""
    board, _, castling, _, halfmoves, fullmove = read_fields(fen)
    return f"{placement(board)} {side} {castling} - {halfmoves} {fullmove}"


def _possible(board: str) -> list[str]:
    """The rights to castle for which king and rook stand at home."""
    return [right for right, homes in CASTLING_HOMES.items() if all(board[at] == man for at, man in homes.items())]


def placement(board: str) -> str:
    """FEN's first field. board: 64 letters from a1."""
    ranks = [board[start : start + 8] for start in range(56, -1, -8)]
    return "/".join(GAPS.sub(lambda gap: str(len(gap[0])), rank) for rank in ranks)

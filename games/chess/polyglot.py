"""Chess in Polyglot's opening books: Zobrist keys from the format's own 781 numbers, and moves as 16 bits.

Source: docs/sources.md#polyglot
"""

from __future__ import annotations

import functools
from pathlib import Path

from tabiya.games.polyglot import PolyglotNotation
from tabiya.games.position import Position

MEN = "pPnNbBrRqQkK"  # in the order of the numbers, 64 for each, a1 first
CASTLING, EN_PASSANT, WHITE_TO_MOVE = 768, 772, 780  # where the numbers for these begin
FILES, PROMOTED = "abcdefgh", " nbrq"
BEHIND_ROOK = {"e1h1": "e1g1", "e1a1": "e1c1", "e8h8": "e8g8", "e8a8": "e8c8"}
"""Castling as books write it, by the king's move onto its rook, and as UCI does."""


@functools.cache
def random64() -> tuple[int, ...]:
    """The numbers of the format."""
    lines = Path(__file__).with_name("polyglot_random64.txt").read_text("ascii").splitlines()
    return tuple(int(line, 16) for line in lines if not line.startswith("#"))


def polyglot_key(position: Position) -> int:
    """The key of a position, as the format prescribes it."""
    numbers = random64()
    board, side, rights, target, *_ = position.text().split()
    rows, key = _rows(board), numbers[WHITE_TO_MOVE] if side == "w" else 0
    for row, men in enumerate(rows):
        for file, man in enumerate(men):
            if man != " ":
                key ^= numbers[64 * MEN.index(man) + 8 * row + file]
    for at, right in enumerate("KQkq"):
        if right in rights:
            key ^= numbers[CASTLING + at]
    last = position.moves[-1] if position.moves else ""
    taken = _en_passant(rows, last) if target == "-" else FILES.index(target[0])
    return key if taken is None else key ^ numbers[EN_PASSANT + taken]


def _rows(board: str) -> list[str]:
    """The rows of the board in a FEN, the first row first, with spaces for empty squares."""
    for empty in "12345678":
        board = board.replace(empty, " " * int(empty))
    return board.split("/")[::-1]


def _en_passant(rows: list[str], last: str) -> int | None:
    """The file of a pawn that has just gone two squares and stands beside an enemy pawn.

    The key has it also where the capture would be illegal; the FEN does not.
    """
    if last[1:2] + last[3:4] not in ("24", "75"):
        return None
    row, file = int(last[3]) - 1, FILES.index(last[2])
    pawn = rows[row][file]
    beside = rows[row][max(0, file - 1) : file] + rows[row][file + 1 : file + 2]
    return file if pawn in "pP" and pawn.swapcase() in beside else None


def polyglot_move(position: Position, number: int) -> str:
    """The legal move that a number means, "" for none."""
    to, origin = number & 63, number >> 6 & 63
    move = f"{FILES[origin & 7]}{1 + (origin >> 3)}{FILES[to & 7]}{1 + (to >> 3)}"
    move += PROMOTED[number >> 12 & 7 : (number >> 12 & 7) + 1].strip()
    legal = position.legal_moves()
    if move in legal:
        return move
    castling = BEHIND_ROOK.get(move, "")
    return castling if castling in legal else ""


POLYGLOT = PolyglotNotation(polyglot_key, polyglot_move)

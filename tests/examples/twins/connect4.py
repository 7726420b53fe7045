"""Connect Four on a list of columns, each a text of its discs from below."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.twins.result import Result


class Position(NamedTuple):
    """Seven columns, and whose turn it is."""

    columns: tuple[str, ...] = ("",) * 7
    side: str = "R"


def legal_moves(position: Position) -> list[str]:
    """The columns with room, while nobody has four."""
    if _winner(position):
        return []
    return [letter for letter, discs in zip("abcdefg", position.columns, strict=True) if len(discs) < 6]


def play(position: Position, move: str) -> Position:
    """The position after a legal move."""
    columns = list(position.columns)
    columns["abcdefg".index(move)] += position.side
    return Position(tuple(columns), "Y" if position.side == "R" else "R")


def outcome(position: Position) -> Result | None:
    """Four in a row, or no room left."""
    if winner := _winner(position):
        return Result("RY".index(winner), "four_in_a_row")
    return None if any(len(discs) < 6 for discs in position.columns) else Result(None, "full_board")


def text(position: Position) -> str:
    """Rows from the top."""
    rows = ["".join(discs.ljust(6, "-")[row] for discs in position.columns) for row in range(5, -1, -1)]
    return f"{'/'.join(rows)} {position.side}"


def _winner(position: Position) -> str:
    """By texts: each line of the board, whatever its direction, is searched for RRRR and YYYY."""
    board = [discs.ljust(6, "-") for discs in position.columns]
    lines = [*board, *("".join(discs[row] for discs in board) for row in range(6))]
    for shift in range(-6, 12):
        lines.append("".join(board[x][shift - x] for x in range(7) if 0 <= shift - x < 6))
        lines.append("".join(board[x][shift + x] for x in range(7) if 0 <= shift + x < 6))
    return next((disc for disc in "RY" if any(disc * 4 in line for line in lines)), "")

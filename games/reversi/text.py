"""The texts of reversi: 64 characters from a1 row by row (`X`, `O`, `-`), a blank, and the side to move."""

from __future__ import annotations

from tabiya.games.errors import PositionError, shown

START = "---------------------------OX------XO--------------------------- X"
SIDES = "XO"


def read_position(text: str) -> tuple[int, int, int]:
    """The discs of X and of O as sets (bit 0 = a1) and the seat to move. Raises PositionError."""
    squares, side = read_board(text)
    if set(squares) == {"-"}:
        raise PositionError("a board of Reversi has at least one disc on it, this one is empty")
    x, o = (sum(1 << square for square, found in enumerate(squares) if found == disc) for disc in SIDES)
    return x, o, side


def read_board(text: str) -> tuple[str, int]:
    """The squares of a board, legal or not, and the seat to move. Raises PositionError."""
    squares, blank, side = text.partition(" ")
    if not blank:
        raise PositionError(f"a position of Reversi is 64 characters X, O or -, a blank and X or O, not {shown(text)}")
    if len(squares) != 64 or set(squares) - set("XO-"):
        raise PositionError(
            f"a board of Reversi is 64 of the characters X, O and -, not {len(squares)}: {shown(squares)}"
        )
    if side not in ("X", "O"):
        raise PositionError(f"the side to move in Reversi is X or O, not {shown(side)}")
    return squares, SIDES.index(side)

"""Boards of stones for engine protocols: columns and rows from 0, row 1 first."""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import NamedTuple

LETTERS = "abcdefghijklmnopqrst"
SIGNS = "XO"  # by seat


class Board(NamedTuple):
    """A position of a game of stones. cells: X, O or another sign, row by row from row 1.  seat: who is to move."""

    sides: tuple[int, int]
    cells: str
    seat: int

    def in_turns(self) -> list[tuple[int, int, int]]:
        """Column, row and seat of each stone, in an order in which they could have been played."""
        places = [[at for at, sign in enumerate(self.cells) if sign == stone] for stone in SIGNS]
        pairs = zip_longest(*([(at, seat) for at in places[seat]] for seat in (0, 1)))
        return [(stone[0] % self.sides[0], stone[0] // self.sides[0], stone[1]) for stone in chain(*pairs) if stone]


def read_board(position: str) -> Board:
    """What a text such as `15x15x5 CELLS X` says, or one of reversi without the sides."""
    *sides, cells, side = position.split()
    columns, rows = (int(number) for number in sides[0].split("x")[:2]) if sides else (8, 8)
    return Board((columns, rows), cells, SIGNS.index(side))


def square_of(move: str) -> tuple[int, int]:
    """Column and row of a move such as b12."""
    return LETTERS.index(move[0]), int(move[1:]) - 1


def square_text(column: int, row: int) -> str:
    """The move on a square; "" beyond the largest board."""
    return f"{LETTERS[column]}{row + 1}" if column < len(LETTERS) else ""

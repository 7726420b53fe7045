"""The rules of Breakthrough, in plain Python: men go one step forward, straight or askew, and take askew alone.

Who first has a man on the other side of the board wins, or who has taken all of the other's. White is seat 0 and goes
up. A position is the rows from the top, and who is to move: `bbbbbbbb/.../wwwwwwww w`; a move is two cells, a2a3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from tabiya.game import OptionValue, Outcome, PositionError, PythonGame

SIZE, SIDES = 8, "wb"
TEXT = re.compile(f"((?:[wb-]{{{SIZE}}}/){{{SIZE - 1}}}[wb-]{{{SIZE}}}) ([wb])", re.ASCII)


class Board(NamedTuple):
    """rows: from the top, a letter a cell.  side: w or b."""

    rows: tuple[str, ...]
    side: str


class Breakthrough(PythonGame):
    """Breakthrough on 8 x 8 cells."""

    rules_version = 1
    seat_names, seat_colours = ("White", "Black"), ("#e8e4da", "#3a3a3a")
    endings = ("broke_through", "all_taken")
    draws_possible = False
    opening_plies = 2
    max_plies = 2 * 2 * SIZE * (SIZE - 1)  # each man has at most seven steps
    move_pattern = re.compile("([a-h][1-8]){2}")
    move_hint = "two cells, such as a2a3"

    def first(self, options: Mapping[str, OptionValue]) -> Board:
        return Board(("b" * SIZE,) * 2 + ("-" * SIZE,) * (SIZE - 4) + ("w" * SIZE,) * 2, "w")

    def read(self, text: str) -> Board:
        found = TEXT.fullmatch(text)
        if found is None:
            raise PositionError(f"a position is {SIZE} rows of {SIZE} cells, w, b or -, and who is to move, w or b")
        board = Board(tuple(found[1].split("/")), found[2])
        if (
            max(map(found[1].count, SIDES)) > 2 * SIZE
            or sum(map(bool, (self._ended(board, side) for side in SIDES))) > 1
        ):
            raise PositionError(f"one side has more than {2 * SIZE} men, or both have won")
        if self._ended(board, board.side):
            raise PositionError("who is to move has won already")
        return board

    def written(self, position: Board) -> str:
        return f"{'/'.join(position.rows)} {position.side}"

    def mover(self, position: Board) -> int:
        return SIDES.index(position.side)

    def moves(self, position: Board) -> list[str]:
        way, found = -1 if position.side == "w" else 1, []
        for at, row in enumerate(position.rows):
            for column in (column for column in range(SIZE) if row[column] == position.side):
                for to in range(max(0, column - 1), min(SIZE, column + 2)):
                    there = position.rows[at + way][to]
                    if there == "-" or (there != position.side and to != column):
                        found.append(f"{'abcdefgh'[column]}{SIZE - at}{'abcdefgh'[to]}{SIZE - at - way}")
        return found

    def after(self, position: Board, move: str) -> Board:
        rows = list(position.rows)
        for cell, content in ((move[:2], "-"), (move[2:], position.side)):
            column, at = "abcdefgh".index(cell[0]), SIZE - int(cell[1])
            rows[at] = rows[at][:column] + content + rows[at][column + 1 :]
        return Board(tuple(rows), SIDES[1 - self.mover(position)])

    def _ended(self, board: Board, side: str) -> str:
        """By which ending this side has won, "" for none."""
        if side in board.rows[0 if side == "w" else -1]:
            return "broke_through"
        return "" if SIDES[1 - SIDES.index(side)] in "".join(board.rows) else "all_taken"

    def result(self, position: Board) -> Outcome | None:
        return next((Outcome(SIDES.index(side), how) for side in SIDES if (how := self._ended(position, side))), None)

    def value(self, position: Board) -> int:
        """Men count a hundred, and ten for each step that they have made."""
        white = sum(
            100 * row.count("w") + 10 * (SIZE - 2 - at) * row.count("w") for at, row in enumerate(position.rows)
        )
        black = sum(100 * row.count("b") + 10 * (at - 1) * row.count("b") for at, row in enumerate(position.rows))
        return white - black if position.side == "w" else black - white

    def drawing(self, position: Board) -> str:
        rows = [f"{SIZE - at} {' '.join(row)}" for at, row in enumerate(position.rows)]
        return "\n".join([*rows, "  " + " ".join("abcdefgh")]).replace("-", ".")

"""Breakthrough on a set of cells for each side, columns and rows from 0."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from tests.games.twins.result import Result

Cell = tuple[int, int]


class Position(NamedTuple):
    """The men of both, and whose turn it is."""

    white: frozenset[Cell] = frozenset(product(range(8), (0, 1)))
    black: frozenset[Cell] = frozenset(product(range(8), (6, 7)))
    white_moves: bool = True


def _steps(position: Position) -> list[tuple[Cell, Cell]]:
    mine, other = (position.white, position.black) if position.white_moves else (position.black, position.white)
    found = []
    for x, y in mine:
        ahead = y + 1 if position.white_moves else y - 1
        found += [((x, y), (x, ahead))] if (x, ahead) not in mine | other else []
        found += [((x, y), (to, ahead)) for to in (x - 1, x + 1) if 0 <= to < 8 and (to, ahead) not in mine]
    return found


def _name(cell: Cell) -> str:
    return "abcdefgh"[cell[0]] + str(cell[1] + 1)


def legal_moves(position: Position) -> list[str]:
    """Straight to empty cells, askew to those without a man of one's own."""
    return [] if outcome(position) else [_name(begin) + _name(end) for begin, end in _steps(position)]


def play(position: Position, move: str) -> Position:
    """The position after a legal move."""
    begin, end = next(step for step in _steps(position) if _name(step[0]) + _name(step[1]) == move)
    mine, other = (position.white, position.black) if position.white_moves else (position.black, position.white)
    mine, other = mine - {begin} | {end}, other - {end}
    return Position(mine, other, False) if position.white_moves else Position(other, mine, True)


def outcome(position: Position) -> Result | None:
    """Across the board, or alone on it."""
    if any(y == 7 for _, y in position.white):
        return Result(0, "broke_through")
    if any(y == 0 for _, y in position.black):
        return Result(1, "broke_through")
    if not position.white or not position.black:
        return Result(int(not position.white), "all_taken")
    return None


def text(position: Position) -> str:
    """Rows from the top."""
    letters = {**dict.fromkeys(position.white, "w"), **dict.fromkeys(position.black, "b")}
    rows = ("".join(letters.get((x, y), "-") for x in range(8)) for y in range(7, -1, -1))
    return f"{'/'.join(rows)} {'w' if position.white_moves else 'b'}"

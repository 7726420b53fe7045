"""Hex on a set of cells for each colour, any size."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.twins.result import Result

Cell = tuple[int, int]  # column and row, from 0


class Position(NamedTuple):
    """The board's size, the stones of both, and whose turn it is."""

    size: int
    red: frozenset[Cell] = frozenset()
    blue: frozenset[Cell] = frozenset()
    side: str = "R"


def legal_moves(position: Position) -> list[str]:
    """All empty cells, while no edges are joined."""
    if outcome(position):
        return []
    cells = [(column, row) for row in range(position.size) for column in range(position.size)]
    return [f"{'abcdefghijk'[x]}{y + 1}" for x, y in cells if (x, y) not in position.red | position.blue]


def play(position: Position, move: str) -> Position:
    """The position after a legal move."""
    cell = frozenset({("abcdefghijk".index(move[0]), int(move[1:]) - 1)})
    if position.side == "R":
        return position._replace(red=position.red | cell, side="B")
    return position._replace(blue=position.blue | cell, side="R")


def outcome(position: Position) -> Result | None:
    """Whose edges are joined."""
    if joined(position.red, position.size):
        return Result(0, "edges_joined")
    return Result(1, "edges_joined") if joined({(y, x) for x, y in position.blue}, position.size) else None


def joined(stones: set[Cell] | frozenset[Cell], size: int) -> bool:
    """Whether they lead from row 0 to the last one: the board looks the same with columns and rows exchanged."""
    group = {cell for cell in stones if cell[1] == 0}
    while True:
        near = {(x + dx, y + dy) for x, y in group for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))}
        grown = group | near & stones
        if grown == group:
            return any(y == size - 1 for _, y in group)
        group = grown


def text(position: Position) -> str:
    """Rows from the top."""
    rows = [
        "".join(
            "R" if (x, y) in position.red else "B" if (x, y) in position.blue else "-" for x in range(position.size)
        )
        for y in range(position.size - 1, -1, -1)
    ]
    return f"{'/'.join(rows)} {position.side}"

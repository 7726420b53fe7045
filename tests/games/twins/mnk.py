"""The m,n,k games on a dictionary of stones: after each move the whole board is searched for a row of k."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.twins.result import Result

LETTERS = "abcdefghijklmnopqrst"


class Position(NamedTuple):
    """stones["b3"] is "X" or "O"; places without a stone are not in it."""

    columns: int
    rows: int
    k: int
    stones: dict[str, str]
    mover: str


def places(position: Position) -> list[str]:
    """All places, row by row from a1."""
    return [f"{LETTERS[column]}{row}" for row in range(1, position.rows + 1) for column in range(position.columns)]


def has_row(position: Position, stone: str) -> bool:
    """Whether k stones stand side by side, upright, across or aslant."""
    own = {(LETTERS.index(at[0]), int(at[1:])) for at, found in position.stones.items() if found == stone}
    for column, row in own:
        for right, up in [(1, 0), (0, 1), (1, 1), (1, -1)]:
            if all((column + i * right, row + i * up) in own for i in range(position.k)):
                return True
    return False


def outcome(position: Position) -> Result | None:
    """A row of k wins; a full board without one is a draw."""
    for seat, stone in enumerate("XO"):
        if has_row(position, stone):
            return Result(seat, "line")
    if len(position.stones) == position.columns * position.rows:
        return Result(None, "full_board")
    return None


def legal_moves(position: Position) -> list[str]:
    """Every free place while the game goes on."""
    if outcome(position):
        return []
    return [place for place in places(position) if place not in position.stones]


def play(position: Position, move: str) -> Position:
    """The position after a legal move."""
    stones = {**position.stones, move: position.mover}
    return position._replace(stones=stones, mover="O" if position.mover == "X" else "X")


def text(position: Position) -> str:
    """Size, stones from a1 row by row, mover."""
    board = "".join(position.stones.get(place, "-") for place in places(position))
    return f"{position.columns}x{position.rows}x{position.k} {board} {position.mover}"

"""Reversi on a list of eight rows: walk from the square in each direction and look."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.twins.result import Result

DIRECTIONS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
ENEMY = {"X": "O", "O": "X"}


class Position(NamedTuple):
    """rows[0][0] is a1, rows[0][7] is h1, rows[7][7] is h8; "X", "O" or "-" each."""

    rows: list[list[str]]
    mover: str


def start() -> Position:
    """The usual four discs, X to move."""
    rows = [["-"] * 8 for _ in range(8)]
    rows[3][3], rows[3][4], rows[4][3], rows[4][4] = "O", "X", "X", "O"
    return Position(rows, "X")


def turned_in(position: Position, row: int, column: int, direction: tuple[int, int]) -> list[tuple[int, int]]:
    """The enemy discs that a disc of the mover there would close in along one direction."""
    down, right = direction
    passed: list[tuple[int, int]] = []
    row, column = row + down, column + right
    while 0 <= row <= 7 and 0 <= column <= 7:
        disc = position.rows[row][column]
        if disc == position.mover:
            return passed
        if disc == "-":
            return []
        passed.append((row, column))
        row, column = row + down, column + right
    return []


def turned(position: Position, row: int, column: int) -> list[tuple[int, int]]:
    """All discs that turn over when the mover plays there; none means it is no move."""
    if position.rows[row][column] != "-":
        return []
    return [place for direction in DIRECTIONS for place in turned_in(position, row, column, direction)]


def placements(position: Position) -> list[str]:
    """The squares the mover can play."""
    return ["abcdefgh"[c] + str(r + 1) for r in range(8) for c in range(8) if turned(position, r, c)]


def legal_moves(position: Position) -> list[str]:
    """Squares, or only "pass", or nothing when neither side can play."""
    squares = placements(position)
    if squares:
        return squares
    return ["pass"] if placements(Position(position.rows, ENEMY[position.mover])) else []


def play(position: Position, move: str) -> Position:
    """The position after a legal move."""
    rows = [list(row) for row in position.rows]
    if move != "pass":
        row, column = int(move[1]) - 1, "abcdefgh".index(move[0])
        for r, c in [(row, column), *turned(position, row, column)]:
            rows[r][c] = position.mover
    return Position(rows, ENEMY[position.mover])


def outcome(position: Position) -> Result | None:
    """More discs win when nobody can play."""
    if legal_moves(position):
        return None
    discs = "".join("".join(row) for row in position.rows)
    x, o = discs.count("X"), discs.count("O")
    return Result(None, "equal_discs") if x == o else Result(0 if x > o else 1, "more_discs")


def text(position: Position) -> str:
    """The 64 squares and the mover."""
    return "".join("".join(row) for row in position.rows) + " " + position.mover


def perft(position: Position, depth: int) -> int:
    """Leaves of the tree; a finished game is one leaf at all greater depths."""
    moves = legal_moves(position)
    if depth == 0 or not moves:
        return 1
    return sum(perft(play(position, move), depth - 1) for move in moves)

"""Kalah on one circle of bowls for each player: a list of its pits and store, then the other's."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.twins.result import Result


class Position(NamedTuple):
    """South's pits and store, North's, and whose turn it is."""

    south: tuple[int, ...]
    north: tuple[int, ...]
    side: str = "S"


def start(pits: int = 6, seeds: int = 4) -> Position:
    """The board before the first move."""
    row = (seeds,) * pits + (0,)
    return Position(row, row)


def legal_moves(position: Position) -> list[str]:
    """The mover's pits with seeds in them."""
    row = position.south if position.side == "S" else position.north
    return ["abcdef"[pit] for pit, seeds in enumerate(row[:-1]) if seeds]


def play(position: Position, move: str) -> Position:
    """The position after a legal move, seed by seed."""
    mine, other = (list(row) for row in (position[:2] if position.side == "S" else position[1::-1]))
    at = "abcdef".index(move)
    hand = mine[at]
    mine[at] = 0
    bowls = [(mine, pit) for pit in range(len(mine))] + [(other, pit) for pit in range(len(other) - 1)]
    while hand:
        at, hand = (at + 1) % len(bowls), hand - 1
        row, pit = bowls[at]
        row[pit] += 1
    again = at == len(mine) - 1
    opposite = len(mine) - 2 - at
    if at < len(mine) - 1 and mine[at] == 1 and other[opposite]:
        mine[-1] += other[opposite] + 1
        mine[at] = other[opposite] = 0
    if not any(mine[:-1]) or not any(other[:-1]):
        mine, other = ([0] * (len(row) - 1) + [sum(row)] for row in (mine, other))
    south, north = (mine, other) if position.side == "S" else (other, mine)
    passed = {"S": "N", "N": "S"}[position.side]
    return Position(tuple(south), tuple(north), position.side if again else passed)


def outcome(position: Position) -> Result | None:
    """Whoever has more when all seeds are in the stores."""
    if any(position.south[:-1]) or any(position.north[:-1]):
        return None
    first, second = position.south[-1], position.north[-1]
    if first == second:
        return Result(None, "equal_seeds")
    return Result(int(second > first), "more_seeds")


def text(position: Position) -> str:
    """Pits and store of both, and who is to move."""
    rows = (",".join(map(str, row)) for row in position[:2])
    return f"{' '.join(rows)} {position.side}"

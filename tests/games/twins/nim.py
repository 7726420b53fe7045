"""Nim on a list of heap sizes."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.twins.result import Result


class Position(NamedTuple):
    """The heaps from a on, whether the last object loses, and the player to move, 1 or 2."""

    heaps: list[int]
    misere: bool
    player: int


def legal_moves(position: Position) -> list[str]:
    """Any number of objects of any one heap."""
    return [
        "abcdefghijklmnopqrstuvwxyz"[place] + str(number)
        for place, size in enumerate(position.heaps)
        for number in range(1, size + 1)
    ]


def play(position: Position, move: str) -> Position:
    """The position after a legal move."""
    heaps = list(position.heaps)
    heaps["abcdefghijklmnopqrstuvwxyz".index(move[0])] -= int(move[1:])
    return Position(heaps, position.misere, 2 if position.player == 1 else 1)


def outcome(position: Position) -> Result | None:
    """Nobody can move: who moved last has won in normal play and lost in misère play."""
    if sum(position.heaps) > 0:
        return None
    mover = position.player - 1
    return Result(mover if position.misere else 1 - mover, "last_object")


def text(position: Position) -> str:
    """Heaps, kind of play, player to move."""
    heaps = ",".join(str(size) for size in position.heaps)
    return f"{heaps} {'misere' if position.misere else 'normal'} {position.player}"

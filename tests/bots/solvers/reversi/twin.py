"""Exact results as a few lines of Python on `Position` find them: the truth for all solvers."""

from __future__ import annotations

import random

from tabiya.bots.search.scores import WON
from tabiya.games.position import Position
from tabiya.games.registry import load_game


def late_positions(empties: int, count: int, seed: int) -> list[Position]:
    """Positions of random games with so many empty squares, the game not over."""
    draw, found = random.Random(seed), list[Position]()
    while len(found) < count:
        position = load_game("reversi").start()
        while position.outcome() is None and position.text().count("-") > empties:
            position = position.play(draw.choice(position.legal_moves()))
        if position.outcome() is None:
            found.append(position)
    return found


def best_margin(position: Position, low: int = -65, high: int = 65) -> int:
    """The disc difference of perfect play for the side to move, empty squares going to the winner."""
    if position.outcome() is not None:
        squares = position.text()[:64]
        mine, theirs = ("X", "O") if position.to_move == 0 else ("O", "X")
        lead, empty = squares.count(mine) - squares.count(theirs), squares.count("-")
        return lead + empty if lead > 0 else lead - empty if lead < 0 else 0
    for move in position.legal_moves():
        low = max(low, -best_margin(position.play(move), -high, -low))
        if low >= high:
            break
    return low


def margin(value: int) -> int:
    return 0 if value == 0 else value - int(WON) if value > 0 else value + int(WON)

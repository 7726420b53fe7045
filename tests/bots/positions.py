"""Positions for tests of search and players: from random games, fixed by their seed, both seats to move."""

from __future__ import annotations

import functools

from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.games.playouts import random_positions

# How deep plain minimax may look in a test, and what start options keep its tree small.
DEPTHS = {"nim": 5, "tictactoe": 6, "connect5": 2, "reversi": 4, "chess": 2, "chess960": 2}


@functools.cache
def unfinished(name: str, count: int, seed: int) -> tuple[Position, ...]:
    """`count` positions of a game in which a move is to be made, as many of one seat as of the other."""
    found = [p for p in random_positions(load_game(name), 12 * count, seed) if p.outcome() is None]
    per_seat = [[p for p in found if p.to_move == seat][: count // 2] for seat in (0, 1)]
    assert all(len(positions) == count // 2 for positions in per_seat), f"seed {seed} gives too few positions"
    return (*per_seat[0], *per_seat[1])

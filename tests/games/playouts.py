"""Random games for tests, fixed by their seed."""

from __future__ import annotations

import functools
import random

from tabiya.check_game.checks import random_game, random_starts
from tabiya.games.contract import Game
from tabiya.games.position import Position

__all__ = ["random_game", "random_positions", "random_starts"]


@functools.cache
def random_positions(game: Game, count: int, seed: int) -> list[Position]:
    """`count` positions of random games, finished ones too."""
    draw, found = random.Random(seed), list[Position]()
    for start in random_starts(game, draw):
        found += random_game(start, draw)
        if len(found) >= count:
            return draw.sample(found, count)
    raise AssertionError("starts never end")

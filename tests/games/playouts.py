"""Random games for tests, fixed by their seed."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator

from tabiya.games.contract import Game
from tabiya.games.openings import opening
from tabiya.games.position import Position


def random_game(start: Position, draw: random.Random) -> list[Position]:
    """The positions of one random game, from `start` to its end."""
    line = [start]
    while line[-1].outcome() is None:
        line.append(line[-1].play(draw.choice(line[-1].legal_moves())))
    return line


def random_starts(game: Game, draw: random.Random) -> Iterator[Position]:
    """Start positions without end: the usual one, and those after random openings."""
    yield game.start()
    while True:
        yield opening(game, draw.getrandbits(64)).position(game)


@functools.cache
def random_positions(game: Game, count: int, seed: int) -> list[Position]:
    """`count` positions of random games, finished ones too."""
    draw, found = random.Random(seed), list[Position]()
    for start in random_starts(game, draw):
        found += random_game(start, draw)
        if len(found) >= count:
            return draw.sample(found, count)
    raise AssertionError("starts never end")

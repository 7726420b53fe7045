"""The positions that claims are judged on: stated, seeded, the same everywhere."""

from __future__ import annotations

import functools
import random
from pathlib import Path

from tabiya.games.openings import opening
from tabiya.games.position import Position
from tabiya.games.registry import load_game

MIDDLE_GAMES = Path(__file__).parent / "middle_games.epd"  # of Win at Chess, those with 26 men or more
SEED = 15211


@functools.cache
def middle_games() -> tuple[Position, ...]:
    """Positions of chess with 26 men or more."""
    game = load_game("chess")
    lines = MIDDLE_GAMES.read_text("utf-8").splitlines()
    return tuple(game.parse(f"{line.partition(' id ')[0]} 0 1") for line in lines)


@functools.cache
def sample(name: str, count: int, plies: int = 12) -> tuple[Position, ...]:
    """Positions of a game that goes on, `plies` random plies after a random opening."""
    game, draw, found = load_game(name), random.Random(SEED), list[Position]()
    while len(found) < count:
        position = opening(game, draw.getrandbits(64)).position(game)
        for _ in range(plies):
            if position.outcome() is None:
                position = position.play(draw.choice(position.legal_moves()))
        if position.outcome() is None:
            found.append(position)
    return tuple(found)

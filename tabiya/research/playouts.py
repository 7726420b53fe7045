"""Random games by the compiled rules, many at once: what an environment of PettingZoo takes seconds for.

played = random_playouts(load_game("…").start(), 10_000, seed=1, threads=2)
played.plies.sum(), (played.winners == 0).mean()
"""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tabiya.games.batch import STEP, play_out
from tabiya.games.position import Position

UNFINISHED = -2


class Playouts(NamedTuple):
    """winners: int8, the seat that won each game, -1 for a draw, -2 where it was cut short.  plies: int32, of each."""

    winners: NDArray[np.int8]
    plies: NDArray[np.int32]


def random_playouts(start: Position, games: int, *, seed: int = 0, threads: int = 1, most_plies: int = 0) -> Playouts:
    """Play `games` from `start` to the end, every move drawn from all legal ones; the same seed plays the same games.

    A position that comes a third time ends no game here. threads: the games are divided among them, which changes no
    game.  most_plies: a game is cut short after so many; 0: never.  Raises ValueError where no game can be played.
    """
    if start.outcome() is not None or games < 0 or threads < 1:
        raise ValueError("playouts begin from a position that is no end, 0 games or more, on 1 thread or more")
    game: Any = start.game
    first = game.new_states()
    first[0] = start.state
    played = Playouts(np.full(games, UNFINISHED, np.int8), np.zeros(games, np.int32))
    most = most_plies or game.max_plies

    def play(part: slice) -> None:
        scratch, moves = game.new_states(2), np.zeros(game.max_moves, np.int32)
        at = np.uint64((seed * int(STEP) + part.start) % 2**64)
        play_out(game, first, scratch, moves, at, np.int64(most), played.winners[part], played.plies[part])

    bounds = np.linspace(0, games, threads + 1).astype(int).tolist()
    parts = [slice(begin, end) for begin, end in itertools.pairwise(bounds)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(play, parts))
    return played

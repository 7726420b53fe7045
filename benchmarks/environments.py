"""How many steps a second random games take: as environments of PettingZoo, and by the compiled rules.

python -m benchmarks.environments                 # all games
python -m benchmarks.environments --games chess --seconds 5 --threads 2
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.common import parser, print_rows
from tabiya.games.registry import load_game
from tabiya.research.environment import GameEnv
from tabiya.research.playouts import random_playouts

COLUMNS = {
    "game": ("game", "<10"),
    "environment": ("PettingZoo, steps/s", ">20,.0f"),
    "playouts": ("compiled, steps/s", ">18,.0f"),
    "plies": ("plies a game", ">13.1f"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One game: steps a second of the environment and of the playouts, and plies of a random game."""

    game: str
    environment: float
    playouts: float
    plies: float


def environment_rate(game: str, seconds: float) -> float:
    """Steps a second of random games in the environment, masks and observations made for each."""
    environment, steps, begun = GameEnv(game), 0, time.perf_counter()
    environment.reset()
    while (taken := time.perf_counter() - begun) < seconds:
        if any(environment.terminations.values()):
            environment.reset()
        agent = environment.agent_selection
        environment.step(environment.action_space(agent).sample(environment.observe(agent)["action_mask"]))
        steps += 1
    return steps / taken


def playout_rate(game: str, seconds: float, threads: int) -> tuple[float, float]:
    """Steps a second of compiled random games, compiled before, and plies a game."""
    start, games = load_game(game).start(), 16
    random_playouts(start, threads, threads=threads)
    while True:
        begun = time.perf_counter()
        plies = random_playouts(start, games, seed=1, threads=threads).plies
        taken = time.perf_counter() - begun
        if taken >= seconds:
            return plies.sum() / taken, float(plies.mean())
        games *= 2


def main() -> None:
    """The command."""
    options = parser("Steps a second of random games.", games=True)
    options.add_argument("--seconds", type=float, default=2.0, help="for each figure, at least")
    options.add_argument("--threads", type=int, default=1, help="of the playouts")
    given = options.parse_args()

    def rows() -> Iterator[Row]:
        for game in given.games.split(","):
            rate = environment_rate(game, given.seconds)
            yield Row(game, rate, *playout_rate(game, given.seconds, given.threads))

    print_rows(rows(), COLUMNS, given.format)


if __name__ == "__main__":
    main()

"""Prints random games of every game, for comparing processes: `python -m tests.games.print_games PLIES [NAME...]`.

The last line is the number of functions that were compiled in this process.
"""

# ruff: noqa: T201

from __future__ import annotations

import sys
import warnings

from tabiya.check_game.trace import trace
from tabiya.games.registry import load_game, names

SEED = 9


def print_game(name: str, plies: int) -> None:
    """All that the rules say of random games, at most `plies` long."""
    print(*trace(load_game(name), plies, SEED), sep="\n")


def main(plies: int, wanted: list[str]) -> None:
    """Print the games and count what was compiled."""
    from numba.core import event

    with event.install_recorder("numba:compile") as recorder:
        for name in wanted:
            print_game(name, plies)
    print("compiled", sum(entry.is_start for _, entry in recorder.buffer))


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # interpreted, uint64 overflows with a warning
    main(int(sys.argv[1]), sys.argv[2:] or list(names()))

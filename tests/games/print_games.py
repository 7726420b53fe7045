"""Prints random games of every game, for comparing processes: `python -m tests.games.print_games PLIES [NAME...]`.

The last line is the number of functions that were compiled in this process.
"""

# ruff: noqa: T201

from __future__ import annotations

import random
import sys
import warnings

from tabiya.games.openings import opening
from tabiya.games.perft import perft
from tabiya.games.registry import load_game, names


def print_game(name: str, plies: int) -> None:
    """One random game from an opening, at most `plies` long, a can_win of each position, and a small perft."""
    game, draw = load_game(name), random.Random(9)
    position = opening(game, 9).position(game)
    print(name, perft(position, 2))
    for _ in range(plies):
        print(position.text(), position.moves[-1:], position.can_win(0), position.can_win(1), position.repetitions())
        if position.outcome():
            break
        position = position.play(draw.choice(position.legal_moves()))
    print(position.legal_moves(), position.outcome(), position.history())
    print(position)


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

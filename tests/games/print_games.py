"""Prints random games of every game, for comparing processes: `python -m tests.games.print_games PLIES [NAME...]`.

The last line is the number of functions that were compiled in this process.
"""

# ruff: noqa: T201

from __future__ import annotations

import random
import sys
import warnings
from zlib import crc32

from tabiya.games.openings import opening
from tabiya.games.perft import perft
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names


def print_game(name: str, plies: int) -> None:
    """All that kernels say of the positions of random games, at most `plies` long, and a small perft.

    The games begin with an opening and with the game's edge cases.
    """
    game = load_game(name)
    opened = opening(game, 9).position(game)
    print(name, perft(opened, 2))
    for start in (opened, *(game.parse(case.position) for case in game.edge_cases())):
        draw, position = random.Random(9), start
        for _ in range(plies):
            print_position(position)
            if position.outcome():
                break
            position = position.play(draw.choice(position.legal_moves()))
        print_position(position)
        print(position.history(), position, sep="\n")


def print_position(position: Position) -> None:
    """Texts and answers as they are, the record and its key as numbers."""
    print(position.text(), *position.legal_moves(), position.outcome(), position.to_move, position.repetitions())
    print(position._key, crc32(position.state.tobytes()), *position.move_codes(), *map(position.can_win, (0, 1)))


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

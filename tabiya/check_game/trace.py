"""All results of rules and evaluator in random games, in lines: `python -m tabiya.check_game.trace GAME PLIES SEED`."""

# ruff: noqa: T201

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator
from zlib import crc32

from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.games.contract import EdgeCase, Game
from tabiya.games.errors import OptionError, PositionError
from tabiya.games.openings import opening
from tabiya.games.perft import perft
from tabiya.games.position import Position
from tabiya.games.registry import load_game


def trace(game: Game, plies: int, seed: int, evaluator: Evaluator | None = None) -> Iterator[str]:
    """The positions of random games, at most `plies` long, and a small perft.

    They begin from an opening, from each edge case, and with each option at its bounds.
    """
    opened = opening(game, seed).position(game)
    yield f"{game.name} {perft(opened, 2)}"
    for start in (opened, *(parsed(game, case) for case in game.edge_cases()), *starts_of_options(game)):
        draw, position = random.Random(seed), start
        for _ in range(plies):
            yield from described(position)
            if position.outcome():
                break
            if evaluator is not None:
                yield f"evaluated: {evaluation_of(evaluator, position.state)}"
            position = after_random_move(position, draw)
        yield from described(position)
        yield f"{position.history()}"
        yield str(position)


def after_random_move(position: Position, draw: random.Random) -> Position:
    """The position after a legal move. Raises ValueError if none is legal and the game has not ended."""
    moves = position.legal_moves()
    if not moves:
        raise ValueError(f"no move is legal and the game has not ended: {position.text()}")
    return position.play(draw.choice(moves))


def starts_of_options(game: Game) -> Iterator[Position]:
    """The starts with one option at a bound of its own and the others as usual, where there is such a game."""
    for option in game.options:
        if isinstance(option.default, str):
            continue
        for value in (not option.default,) if isinstance(option.default, bool) else (option.low, option.high):
            with contextlib.suppress(OptionError):
                yield game.start({option.name: value})


def parsed(game: Game, case: EdgeCase) -> Position:
    """The position of an edge case."""
    try:
        return game.parse(case.position)
    except PositionError as error:
        raise ValueError(f"the edge case {case.about!r}: {error}") from None


def described(position: Position) -> Iterator[str]:
    """Texts and answers as they are, the record and its key as numbers."""
    values = position.text(), *position.legal_moves(), position.outcome(), position.to_move, position.repetitions()
    yield " ".join(map(str, values))
    numbers = position._key, crc32(position.state.tobytes()), *position.move_codes(), *map(position.can_win, (0, 1))
    yield " ".join(map(str, numbers))


if __name__ == "__main__":
    named = load_game(sys.argv[1])
    print(*trace(named, int(sys.argv[2]), int(sys.argv[3]), evaluator_for(named)), sep="\n")

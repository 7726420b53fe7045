"""Positions with their results: games of the engine against itself, solved from SOLVED_FROM empty squares on.

A game begins with a random number of random moves, so that positions come up that one side has spoiled, as they do in
a search; only what follows the last of them is kept. The result of the position with SOLVED_FROM empty squares is exact
and stands for those before it. From there on the line of best play is kept, and side lines of random moves, solved too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.scores import WON
from tabiya.bots.solvers.reversi.solver import Solver
from tabiya.games.position import Position
from tabiya.games.registry import load_game

GAME = "reversi"
DEPTH = 6  # of the engine's search for each move
SOLVED_FROM = 16  # empty squares
LAST_KEPT = 6
FEWEST_RANDOM, MOST_RANDOM, MOST_WILD = 6, 16, 40
WILD_SHARE = 0.5  # of the games have up to MOST_WILD random moves
SIDE_LINES = 4  # for each game


class Labelled(NamedTuple):
    """A position for the side to move, and by how many discs it will win (at perfect play from SOLVED_FROM on).

    value: the same as the search for its move saw it, in hundredths; from SOLVED_FROM on 100 times the result.
    """

    mine: int
    theirs: int
    result: int
    value: int


class Generator:
    """Plays games by seed; the same seed gives the same positions."""

    def __init__(self, depth: int = DEPTH) -> None:
        self._game = load_game(GAME)
        self._engine, self._solver, self._depth = Engine(evaluator_for(self._game), table_mb=1), Solver(), depth

    def game(self, seed: int) -> Iterator[Labelled]:
        """The labelled positions of one game; none if it ended too early."""
        draw = random.Random(seed)
        moves = draw.randint(FEWEST_RANDOM, MOST_WILD if draw.random() < WILD_SHARE else MOST_RANDOM)
        position = self._random_moves(self._game.start(), moves, draw)
        line = list[tuple[Position, int]]()
        while position.outcome() is None and empty_squares(position) > SOLVED_FROM:
            found = self._engine.search(position, depth=self._depth)
            line.append((position, hundredths(found.value)))
            position = position.play(found.move)
        if position.outcome() is not None:
            return
        result, seat = self._result(position), position.to_move
        for earlier, value in line:
            yield labelled(earlier, result if earlier.to_move == seat else -result, value)
        yield from self._ending(position)
        for _ in range(SIDE_LINES):
            away = empty_squares(position) - draw.randint(LAST_KEPT, SOLVED_FROM - 1)
            side = self._random_moves(position, away, draw)
            if side.outcome() is None:
                yield labelled(side, self._result(side))

    def _ending(self, position: Position) -> Iterator[Labelled]:
        while position.outcome() is None and empty_squares(position) >= LAST_KEPT:
            found = self._solver.search(position)
            yield labelled(position, margin(found.value))
            position = position.play(found.move)

    def _result(self, position: Position) -> int:
        return margin(self._solver.search(position).value)

    def _random_moves(self, position: Position, count: int, draw: random.Random) -> Position:
        for _ in range(count):
            if position.outcome() is not None:
                break
            position = position.play(draw.choice(position.legal_moves()))
        return position


def empty_squares(position: Position) -> int:
    """How many squares are empty."""
    return position.text().count("-")


def margin(value: int) -> int:
    """The discs of an exact value."""
    return 0 if value == 0 else value - int(WON) if value > 0 else value + int(WON)


def hundredths(value: int) -> int:
    """The value of a search, in hundredths of a disc."""
    return 100 * margin(value) if abs(value) >= WON else value


def labelled(position: Position, result: int, value: int | None = None) -> Labelled:
    """The position's sets with a result, and a value unless that is exact."""
    seen = 100 * result if value is None else value
    return Labelled(int(position.state.mine), int(position.state.theirs), result, seen)

"""Games from won positions: the engine against the defence that lasts longest."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from scripts.endgames.check import value_of
from scripts.endgames.jit import njit
from scripts.endgames.retrograde import ILLEGAL, STARTS, squares_of
from tabiya.bots.engine.engine import Engine
from tabiya.bots.evaluators.chess.endgame_index import TABLES
from tabiya.games.position import Position
from tabiya.games.registry import load_game

AMONG = 200  # positions with the longest wins of all that every other game begins with
GAME = load_game("chess")


class Played(NamedTuple):
    """One game. moves: of the engine's; fewest: by right play."""

    start: str
    won: bool
    moves: int
    fewest: int


def fen_of(table: int, number: int) -> str:
    """The position of a table with this number, as text."""
    squares = np.zeros(4, np.int64)
    side, men = int(squares_of(table, number, squares)), ["1"] * 64
    white, black = TABLES[table][1:].split("K")
    for square, letter in zip(squares.tolist(), f"Kk{white}{black.lower()}", strict=False):
        men[square] = letter
    ranks = ("".join(men[8 * rank : 8 * rank + 8]) for rank in range(7, -1, -1))
    return re.sub("1+", lambda gap: str(len(gap.group())), "/".join(ranks)) + f" {'wb'[side]} - - 0 1"


@njit
def value_in(values: Any, state: Any) -> Any:
    """`value_of`, for Python."""
    return value_of(values, state)


def best_defence(values: Any) -> Callable[[Position], str]:
    """A function that chooses the best defence: a winning or drawing move, else the longest loss."""

    def choose(position: Position) -> str:
        def worth(move: str) -> int:
            value = int(value_in(values, position.play(move).state))
            return value if value and value % 2 == 0 else 1_000 + value

        return max(position.legal_moves(), key=worth)

    return choose


def play(engine: Engine, start: Position, nodes: int, defend: Callable[[Position], str]) -> tuple[bool, int]:
    """Whether the engine, to move at the start, wins, and in how many moves. nodes: for each."""
    engine.forget()
    winner, position, moves = start.to_move, start, 0
    while (outcome := position.outcome()) is None:
        if position.to_move == winner:
            move, moves = engine.search(position, nodes=nodes, remember=True).move, moves + 1
        else:
            move = defend(position)
        position = position.play(move)
    return outcome.winner == winner, moves


def games(values: Any, engine: Engine, name: str, count: int, nodes: int, seed: int) -> Iterator[Played]:
    """Games from positions in which White of a table is to move and wins, in turn any and one of the longest wins."""
    table, draw, defend = TABLES.index(name), random.Random(seed), best_defence(values)
    to_move = values[STARTS[table] : (STARTS[table] + STARTS[table + 1]) // 2]
    won = np.flatnonzero((to_move > 0) & (to_move % 2 == 0) & (to_move != ILLEGAL))
    longest = won[np.argsort(to_move[won], kind="stable")[-AMONG:]]
    for number in range(count):
        chosen = int(draw.choice(longest if number % 2 else won))
        start = GAME.parse(fen_of(table, chosen))
        yield Played(start.text(), *play(engine, start, nodes, defend), int(to_move[chosen]) // 2)

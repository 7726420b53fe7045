"""The kernels of the rules say what the naive twins say, on random games from usual and unusual starts."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tabiya.games.contract import Game
from tabiya.games.mnk import Mnk
from tabiya.games.registry import load_game
from tests.games.twins import mnk, nim, reversi
from tests.games.twins.comparing import compare_playout

Starts = Callable[[random.Random], Any]


def of_nim(misere: bool) -> Starts:
    def start(draw: random.Random) -> nim.Position:
        heaps = [draw.randint(0, draw.choice((3, 9, 63))) for _ in range(draw.choice((1, 3, 5, 26)))]
        return nim.Position(heaps, misere, draw.choice((1, 2)))

    return start


def of_mnk(columns: int, rows: int, k: int) -> tuple[Game, Any, Starts]:
    game = Mnk("any", "Any", columns=columns, rows=rows, k=k)
    return game, mnk, lambda draw: mnk.Position(columns, rows, k, {}, draw.choice("XO"))


def of_reversi(draw: random.Random) -> reversi.Position:
    """The usual start, or one that no game reaches: discs at random, with passes and empty squares at the end."""
    if draw.random() < 0.6:
        return reversi.start()
    weights = [draw.choice((1, 2, 8)) for _ in range(3)]
    rows = [draw.choices("XO-", weights, k=8) for _ in range(8)]
    rows[3][3] = "X"
    return reversi.Position(rows, draw.choice("XO"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "twin", "start", "positions"),
    [
        pytest.param(load_game("nim"), nim, of_nim(misere=False), 10_000, id="nim"),
        pytest.param(load_game("nim"), nim, of_nim(misere=True), 10_000, id="misere nim"),
        pytest.param(*of_mnk(3, 3, 3), 6_000, id="3x3x3"),
        pytest.param(*of_mnk(4, 6, 4), 6_000, id="4x6x4"),
        pytest.param(*of_mnk(15, 15, 5), 5_000, id="15x15x5"),
        pytest.param(*of_mnk(20, 20, 5), 3_000, id="20x20x5"),
        pytest.param(load_game("reversi"), reversi, of_reversi, 20_000, id="reversi"),
    ],
)
def test_positions_of_random_games_equal_those_of_the_naive_twin(
    game: Game, twin: Any, start: Starts, positions: int
) -> None:
    draw, compared = random.Random(30), 0
    while compared < positions:
        at = start(draw)
        compared += compare_playout(game.parse(twin.text(at)), twin, at, draw)


@pytest.mark.parametrize(("columns", "rows"), [(5, 5), (5, 20), (20, 5), (8, 8)])
def test_the_sizes_of_connect_5_equal_those_of_the_naive_twin(columns: int, rows: int) -> None:
    position = load_game("connect5").start({"columns": columns, "rows": rows})
    compare_playout(position, mnk, mnk.Position(columns, rows, 5, {}, "X"), random.Random(5))

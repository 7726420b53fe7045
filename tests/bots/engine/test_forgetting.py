"""What was searched before changes nothing once it is forgotten, however full the table was."""

from __future__ import annotations

from itertools import cycle

import pytest

from tabiya.bots.engine.engine import Engine
from tabiya.bots.engine.transposition_table import AGES
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.scores import WON
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tests.bots.positions import unfinished

DEPTHS = {"chess": 7, "reversi": 8}  # thousands of nodes, where the table has a thousand entries; else
USUAL_DEPTH = 5
SMALL_MB = 0.02


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_a_table_full_of_what_is_forgotten_is_as_good_as_an_empty_one(name: str) -> None:
    """What another search has kept, deeper or apparently of the same age, would stay in place of something new."""
    engine, (first, second) = Engine(evaluator_for(load_game(name)), table_mb=SMALL_MB), unfinished(name, 2, 71)
    depth = DEPTHS.get(name, USUAL_DEPTH)
    alone = engine.search(first, depth=depth)
    engine.search(second, depth=depth + 1)
    for _ in range(AGES - 1):
        engine.search(second, depth=1)
    again = engine.search(first, depth=depth)
    assert alone.nodes > 2_000 or name not in DEPTHS
    assert again._replace(time_s=0.0) == alone._replace(time_s=0.0)


def test_what_is_remembered_of_one_board_is_not_taken_for_another() -> None:
    """A board program may go on with another size without saying that a game is new."""
    game = load_game("connect5")
    engine, stones = Engine(evaluator_for(game)), (57, 49, 54, 37, 52, 20, 33, 46, 44, 48, 41, 59, 42, 40, 29, 36)

    def board(columns: int) -> Position:
        cells = ["-"] * (9 * columns)
        for place, stone in zip(stones, cycle("XO")):
            cells[place] = stone
        return game.parse(f"{columns}x9x5 {''.join(cells)} X")

    assert abs(engine.search(board(9), depth=6, remember=True).value) < WON
    assert engine.search(board(12), depth=6, remember=True).value > WON, "the same cells, not the same places"

"""The last empty squares of reversi are solved exactly, as a few lines of Python on `Position` solve them."""

from __future__ import annotations

import pytest

from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.registry import load_game
from tests.bots.solvers.reversi.twin import best_margin, late_positions, margin

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("empties", [1, 4, 6, 7])
def test_a_search_deep_enough_finds_the_exact_margin(empties: int) -> None:
    evaluator = evaluator_for(load_game("reversi"))
    engine = Engine(evaluator, table_mb=1)
    for position in late_positions(empties, 6, seed=61):
        exact = best_margin(position)
        found = engine.search(position, depth=2 * empties)
        assert margin(found.value) == exact, position
        assert found.exact


def test_the_playing_engine_solves_twelve_empties_whatever_depth_it_is_given() -> None:
    playing = Engine(evaluator_for(load_game("reversi")))
    for position in late_positions(9, 4, seed=62):
        solved = playing.search(position, depth=1)
        assert solved.exact
        assert margin(solved.value) == best_margin(position)
    for position in late_positions(12, 3, seed=63):
        assert playing.search(position, depth=1).exact

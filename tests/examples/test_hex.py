"""Hex, on a board of six-sided cells: the rules, and what is proved of it."""

from __future__ import annotations

import importlib
import os
import random

import numpy as np
import pytest

from tabiya.bots.evaluators.base import bound
from tabiya.bots.textbook.board import LeafEvaluator
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.games.compiled.jit import in_python
from tabiya.games.contract import Game
from tabiya.games.picture import EMPTY
from tabiya.research.encoding import Encoding
from tests.examples.twins import hex as twin
from tests.games.twins.comparing import compare_playout
from tests.processes import ROOT, python

pytestmark = pytest.mark.slow

PACKAGE = ROOT / "examples" / "games" / "hex"


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PACKAGE)


@pytest.fixture
def hexagons() -> Game:
    game: Game = importlib.import_module("tabiya_hex.rules").Hex("hex", "Hex")
    return game


def test_it_equals_its_naive_twin(hexagons: Game) -> None:
    draw, compared = random.Random(11), 0
    while compared < 1_500:
        compared += compare_playout(hexagons.start(), twin, twin.Position(11), draw)


def test_on_a_full_board_exactly_one_side_has_joined_its_edges(hexagons: Game) -> None:
    """Nash; a proof is Gale, The Game of Hex and the Brouwer Fixed-Point Theorem, Amer. Math. Monthly 86, 1979."""
    joins, draw = in_python(importlib.import_module("tabiya_hex.rules").joins), np.random.default_rng(1)
    for _ in range(300):
        cells = draw.permutation(np.repeat(np.array([1, 2], np.int8), [61, 60]))
        assert joins(cells, 11, 1) != joins(cells, 11, 2)


def print_who_wins(*openings: str) -> None:
    """Who wins on boards of 2 x 2 and 3 x 3 cells, the seats by number: from the start, and after each first move."""
    game = importlib.import_module("tabiya_hex.rules").Hex("hex", "Hex")
    leaf_evaluator = LeafEvaluator(bound(importlib.import_module("tabiya_hex.evaluator").HexEvaluator, game))
    search = CompiledListing(find("alphabeta-failhard"), leaf_evaluator)
    for size in (2, 3):
        start = game.start({"size": size})
        for position in (start, *map(start.play, openings)):
            value = search.search(position, size * size - position.ply, (-1, 1)).value
            print(size, *position.moves, position.to_move if value > 0 else 1 - position.to_move)  # noqa: T201


def test_who_begins_wins_and_not_from_an_acute_corner() -> None:
    """The first by Nash, the second by Beck, Bleicher and Crowe, Excursions into Mathematics, 1969.

    Interpreted: to compile rules and search takes longer.
    """
    path = os.pathsep.join(map(str, (ROOT, PACKAGE)))
    program = f"from {__name__} import print_who_wins as p; p('a1', 'b2')"
    result = python("-W", "ignore", "-c", program, PYTHONPATH=path, NUMBA_DISABLE_JIT="1")
    assert result.splitlines() == ["2 0", "2 a1 1", "2 b2 1", "3 0", "3 a1 1", "3 b2 0"]


def test_stones_are_put_and_clicked_on_six_sided_cells(hexagons: Game) -> None:
    text = hexagons.placed(hexagons.start().text(), "b1", "R")
    assert hexagons.parse(hexagons.with_mover(text, 1)).to_move == 1
    assert hexagons.placed(text, "b1", EMPTY) == hexagons.start().text()
    places = {place.name: place for place in hexagons.places(hexagons.start())}
    assert places["a2"].x - places["a1"].x == places["b1"].x - places["a2"].x == 5
    assert Encoding(hexagons.start()).actions == 122

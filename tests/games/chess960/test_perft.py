"""Published numbers of leaves of positions that come from sixty of the 960 starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tabiya.games.perft import perft
from tabiya.games.registry import load_game

GAME = load_game("chess960")
SUITE = json.loads((Path(__file__).parent / "data" / "perft.json").read_text("utf-8"))["positions"]


@pytest.mark.parametrize("depth", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_the_published_numbers_of_leaves_hold(depth: int) -> None:
    assert len(SUITE) == 60
    for line in SUITE:
        assert perft(GAME.parse(line["fen"]), depth) == line["nodes"][depth], line["fen"]

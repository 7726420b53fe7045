"""The measurement of rules in plain Python runs, and both forms are the same game."""

from __future__ import annotations

import json
import random

import pytest

from benchmarks.python_game import NaiveConnectFour
from tests.examples.twins import connect4
from tests.games.twins.comparing import compare_playout
from tests.processes import python


@pytest.mark.slow
def test_every_kind_of_work_is_measured_both_ways() -> None:
    rows = json.loads(python("-m", "benchmarks.python_game", "--seconds", "0.01", "--format", "json"))
    assert len(rows) == 4
    assert all(min(row["compiled"], row["python"]) > 0 for row in rows)


def test_the_naive_form_plays_as_its_twin() -> None:
    game = NaiveConnectFour("naive", "Connect Four")
    compare_playout(game.start(), connect4, connect4.Position(), random.Random(1))
    text = game.start().play("d").play("d").play("a").text()
    assert game.parse(text).text() == text

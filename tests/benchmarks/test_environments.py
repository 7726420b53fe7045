"""The measurement of environments runs."""

from __future__ import annotations

import json

import pytest

from tests.processes import python


@pytest.mark.slow
def test_both_rates_of_a_game_are_measured() -> None:
    said = python(
        "-m",
        "benchmarks.environments",
        "--games",
        "tictactoe",
        "--seconds",
        "0.01",
        "--threads",
        "2",
        "--format",
        "json",
    )
    (row,) = json.loads(said)
    assert row["environment"] > 0
    assert row["playouts"] > 0
    assert 5 <= row["plies"] <= 9

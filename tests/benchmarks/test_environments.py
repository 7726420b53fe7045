"""The measurement of environments runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.processes import python

PGX = """#!/bin/sh
echo ready
while read -r line; do echo 5.5; done
"""


@pytest.mark.slow
def test_all_rates_of_a_game_are_measured(tmp_path: Path) -> None:
    elsewhere = tmp_path / "python"
    elsewhere.write_text(PGX, "utf-8")
    elsewhere.chmod(0o755)
    words = ("--games", "tictactoe", "--seconds", "0.01", "--pgx", str(elsewhere), "--format", "json")
    (row,) = json.loads(python("-m", "benchmarks.environments", *words))
    assert row.pop("game") == "tictactoe"
    assert 5 <= row.pop("plies") <= 9
    assert row.pop("pgx") == 5.5
    assert len(row) == 5
    assert min(row.values()) > 0

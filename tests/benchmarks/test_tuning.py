"""The simulation of tuning says what the method itself does."""

from __future__ import annotations

from random import Random
from statistics import fmean

import pytest

from benchmarks.tuning import COUNTS, LACKING, lead_in_games, measure


@pytest.mark.slow
def test_runs_of_the_usual_step_end_nearer_than_they_began_and_nearer_than_short_steps() -> None:
    rows = list(measure(seeds=3, lengths=[400]))
    assert [(row.parameters, row.start) for row in rows] == [(count, elo) for count in COUNTS for elo in LACKING]
    assert all(row.end <= row.worst for row in rows)
    assert all(row.end < row.start and row.end < row.end_fishtest for row in rows)


@pytest.mark.parametrize(("difference", "lead"), [(0.0, 0.0), (100.0, 0.280), (-400.0, -0.818), (2_000.0, 1.0)])
def test_games_come_out_as_the_elo_formula_has_it(difference: float, lead: float) -> None:
    random = Random(1)
    assert fmean(lead_in_games(random, difference, 1) for _ in range(20_000)) == pytest.approx(lead, abs=0.02)

"""The benchmark of matches on workers does what it says; it measures nothing here."""

from __future__ import annotations

import pytest

from benchmarks.match_workers import measured
from tabiya.match.plan import MatchPlan

pytestmark = pytest.mark.slow


@pytest.mark.timeout(300)
@pytest.mark.parametrize("how", ["no workers", "processes", "dask"])
def test_each_way_plays_all_its_games(how: str) -> None:
    row = measured(how, 1, MatchPlan(("random", "random"), "nim", pairs=20, time_control="none"))
    assert (row.how, row.at_once) == (how, 1)
    assert 30 <= row.games <= 36  # the first pairs are not counted
    assert row.games_per_s > 0
    assert row.processor_ms > 0

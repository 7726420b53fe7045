"""Charts of a bot's record."""

from __future__ import annotations

import pytest

from tabiya.server.web.pages.record_charts import history_chart, time_chart
from tabiya.server.web.schemas.record_responses import PerformanceWindow, ThinkingMove
from tests.present import present


def window(rating: float, until: float, version: str = "1") -> PerformanceWindow:
    return PerformanceWindow(
        since=until - 1, until=until, games=10, version=version, score=0.5, rating=rating, plus_minus=50.0
    )


def test_a_rating_history_lies_on_a_round_scale_that_holds_all_intervals_and_marks_new_versions() -> None:
    chart = present(history_chart([window(1500, 0), window(1560, 60), window(1700, 100, "2")], 1600))
    high, middle, low = chart.labels
    assert low <= 1450 < 1750 <= high
    assert middle == (low + high) / 2
    assert [dot.x for dot in chart.dots] == [1, 59.8, 99]
    assert [dot.new_version for dot in chart.dots] == [False, False, True]
    for dot in chart.dots:
        assert 0 <= dot.top < dot.y < dot.bottom <= 100
        assert dot.y == pytest.approx(100 * (high - dot.window.rating) / (high - low), abs=0.01)
    assert history_chart([window(1500, 0)], None) is None
    at_once = present(history_chart([window(1500, 5), window(1500, 5)], None))
    assert [dot.x for dot in at_once.dots] == [1, 99]


def test_thinking_times_are_a_line_in_a_band_from_the_top_for_the_slowest() -> None:
    moves = [ThinkingMove(move=number, games=3, low_ms=10, median_ms=50, high_ms=100) for number in (1, 2, 3)]
    chart = present(time_chart(moves))
    assert chart.median == "0.00,50.00 50.00,50.00 100.00,50.00"
    assert chart.band.split(" ")[0] == "0.00,0.00"
    assert (chart.highest_ms, chart.moves) == (100, 3)
    assert time_chart(moves[:1]) is None

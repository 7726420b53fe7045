"""The time left of a tournament: the truth lies in the range as often as the documents say."""

from __future__ import annotations

from statistics import median

from benchmarks.time_left import measured
from tests.present import present


def test_the_truth_lies_in_nearly_every_range_and_the_ranges_say_something() -> None:
    predicted = [one for one in measured(tournaments=4, seed=3) if one.predicted]
    assert len(predicted) > 60
    assert sum(one.holds for one in predicted) / len(predicted) > 0.8
    early = [present(one.predicted) for one in predicted if one.share <= 0.6]
    assert median(one.to_s / one.from_s for one in early) < 4

"""A grade depends on nobody but the staff bots."""

from __future__ import annotations

import pytest

from tabiya.server.grading.formula import BotPoints, grade, most_points


@pytest.mark.parametrize(
    ("nothing_to", "all_from", "taken", "earned"),
    [
        (0, 100, 0, 0),
        (0, 100, 1, 1),
        (0, 100, 4, 4),
        (25, 75, 1, 0),
        (25, 75, 1.5, 1),
        (25, 75, 2, 2),
        (25, 75, 3, 4),
        (50, 50, 1.5, 0),
        (50, 50, 2, 4),
    ],
)
def test_between_the_bounds_the_points_rise_in_a_straight_line(
    nothing_to: float, all_from: float, taken: float, earned: float
) -> None:
    worth = BotPoints(points=4, nothing_to=nothing_to, all_from=all_from)
    assert grade({"greedy": worth}, {"greedy": (taken, 4)}) == earned


def test_a_grade_is_the_sum_over_all_staff_bots_and_nothing_where_no_game_was_played() -> None:
    staff = {
        "random": BotPoints(points=1, nothing_to=50, all_from=50),
        "greedy": BotPoints(points=2),
        "pvs": BotPoints(points=3),
    }
    assert grade(staff, {"random": (2, 4), "greedy": (3, 4), "pvs": (0, 0)}) == 2.5
    assert most_points(staff.values()) == 6
    assert grade(staff, {}) == 0

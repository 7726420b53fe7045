"""How long a run will take is said before it is played."""

from __future__ import annotations

import pytest

from tabiya.classroom.check_submissions import games_of_stages
from tabiya.classroom.record import Rules
from tabiya.classroom.staff import StaffBot

STAFF = (StaffBot(player="random", points=1), StaffBot(player="greedy", points=2))


@pytest.mark.parametrize(
    ("form", "final", "staff", "new", "games"),
    [
        ("round_robin", 0, (), 6, 2 * 15),
        ("swiss", 4, (), 6, 2 * 3 + 2 * 3 * 6),
        ("round_robin", 0, STAFF, 6, 2 * 15 + 2 * 2 * 2 * 6),
        ("none", 0, STAFF, 6, 2 * 2 * 2 * 6),
        ("none", 0, STAFF, 1, 2 * 2 * 2 * 1),  # of a run again, in which five are as they were
    ],
)
def test_all_games_of_all_stages_are_counted(
    form: str, final: int, staff: tuple[StaffBot, ...], new: int, games: int
) -> None:
    rules = Rules(
        game="nim", time_control="1/move", format=form, rounds=1, final=final, final_rounds=3, seed=0, staff=staff
    )
    assert games_of_stages(rules, 6, new) == games

"""Promotion and relegation."""

from __future__ import annotations

import random

from tabiya.server.seasons.divisions import movers, next_divisions

LAST = (("a1", "a2", "a3", "a4"), ("b1", "b2", "b3", "b4"), ("c1", "c2"))


def everybody(*more: str) -> list[str]:
    return [name for division in LAST for name in division] + list(more)


def test_the_last_of_a_division_and_the_first_of_the_next_change_places() -> None:
    assert movers(LAST, 2) == [2, 1]
    assert next_divisions(LAST, everybody(), size=4, moving=1) == (
        ("a1", "a2", "a3", "b1"), ("a4", "b2", "b3", "c1"), ("b4", "c2"),
    )  # fmt: skip
    assert next_divisions(LAST, everybody(), size=4, moving=9) == (
        ("a1", "a2", "b1", "b2"), ("a3", "a4", "b3", "c1"), ("b4", "c2"),
    )  # fmt: skip


def test_bots_that_have_left_are_replaced_from_below_and_newcomers_begin_at_the_bottom() -> None:
    here = [name for name in everybody("new1", "new2") if name not in ("a2", "b3")]
    assert next_divisions(LAST, here, size=4, moving=1) == (
        ("a1", "a3", "b1", "a4"), ("b2", "c1", "b4", "c2"), ("new1", "new2"),
    )  # fmt: skip


def test_the_first_season_is_in_the_order_given_and_nobody_is_alone() -> None:
    assert next_divisions((), ["x", "y", "z"], size=2, moving=1) == (("x", "y", "z"),)
    assert next_divisions((), ["x", "y", "z", "w"], size=2, moving=1) == (("x", "y"), ("z", "w"))
    assert next_divisions((), [], size=2, moving=1) == ()


def test_everybody_who_is_here_plays_in_one_division_whatever_came_before() -> None:
    draw = random.Random(7)
    for _ in range(300):
        names = [f"bot{number}" for number in range(draw.randint(2, 40))]
        size, moving = draw.randint(2, 12), draw.randint(0, 5)
        divisions = next_divisions((), draw.sample(names, len(names)), size=size, moving=moving)
        for _ in range(4):
            here = draw.sample(names, draw.randint(2, len(names)))
            divisions = next_divisions(
                [draw.sample(division, len(division)) for division in divisions], here, size=size, moving=moving
            )
            assert sorted(name for division in divisions for name in division) == sorted(here)
            assert all(2 <= len(division) <= size + 1 for division in divisions)

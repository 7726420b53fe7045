"""Doubt takes longer than certainty, within bounds."""

from __future__ import annotations

import itertools

from tabiya.bots.engine.time_scaling import LEAST, MOST, TimeScaling
from tabiya.bots.search.clock import SECOND_NS, now_ns
from tabiya.bots.search.limits import Limits


def after(*iterations: tuple[int, int, float]) -> float:
    patience = TimeScaling()
    for move, value, effort in iterations:
        patience.after(move, value, effort)
    return patience.factor


def test_before_the_first_iteration_the_plan_stands() -> None:
    assert after() == 1


def test_a_move_that_stays_the_best_takes_less_and_less() -> None:
    factors = [after(*[(7, 20, 0.6)] * count) for count in range(1, 9)]
    assert factors == sorted(factors, reverse=True)
    assert factors[0] > 1 > factors[-1]


def test_a_new_best_move_begins_anew() -> None:
    assert after((7, 20, 0.6), (7, 20, 0.6), (8, 20, 0.6)) == after((8, 20, 0.6))


def test_a_value_that_falls_takes_longer_and_one_that_rises_does_not() -> None:
    still, rises, falls, collapses = (after((7, 50, 0.6), (7, 50 - less, 0.6)) for less in (0, -40, 30, 900))
    assert still == rises < falls < collapses


def test_a_move_that_took_most_of_the_nodes_is_clear() -> None:
    assert after((7, 20, 0.95)) < after((7, 20, 0.4))


def test_the_factor_keeps_its_bounds() -> None:
    for moves in itertools.product((1, 2), repeat=4):
        for values in itertools.product((-500, 0, 500), repeat=4):
            for effort in (0.0, 1.0):
                assert LEAST <= after(*[(m, v, effort) for m, v in zip(moves, values, strict=True)]) <= MOST


def test_a_planned_time_is_stretched_and_a_time_that_was_asked_for_is_not() -> None:
    began = now_ns() - 2 * SECOND_NS
    planned, asked = Limits(9, 10.0, None, 1.5), Limits(9, 1.5, None, 1.5)
    assert planned.is_late(began)
    assert not planned.is_late(began, 2.0)
    assert not asked.is_late(began, 0.5)

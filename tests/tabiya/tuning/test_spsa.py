"""The method without games: gains, perturbations, and where it comes to when the best values are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from statistics import fmean

import pytest

from benchmarks.tuning import lead_in_games, tuned
from tabiya.tuning.spsa import Gains, Parameter, Values, perturbation, updated

TWO = (Parameter("a", 0.0, -1.0, 1.0, 0.1, 0.05), Parameter("b", 80.0, 0.0, 100.0, 5.0, 0.05))
BEST = (0.5, 30.0)


def loss(values: Sequence[float], elo: float) -> float:
    """What is lost against the best values: quadratic, `elo` for half of a parameter's range."""
    spans = [(parameter.high - parameter.low) / 2 for parameter in TWO]
    return elo * sum(((value - best) / span) ** 2 for value, best, span in zip(values, BEST, spans, strict=True))


def course(gains: Gains, seed: int, lead: Callable[[float], float], elo: float) -> Values:
    """The values at the end of a run. lead: of the plus side, by how much stronger it is."""
    return tuned(TWO, gains, seed, lambda values: -loss(values, elo), lead)


def test_gains_are_those_of_the_formula_and_end_where_they_are_told_to() -> None:
    parameter, gains = Parameter("a", 0.0, 0.0, 10.0, c_end=0.5, r_end=0.02), Gains(100, 0.602, 0.101, 0.1)
    c = 0.5 * 100**0.101
    a = 0.02 * 0.5**2 * (10 + 100) ** 0.602
    for k in (0, 1, 42, 99):
        c_k, a_k = c / (k + 1) ** 0.101, a / (10 + k + 1) ** 0.602
        assert gains.reach(parameter, k) == pytest.approx(c_k)
        assert gains.step(parameter, k) == pytest.approx(a_k / c_k)
    assert gains.reach(parameter, 99) == pytest.approx(0.5)
    assert gains.step(parameter, 99) == pytest.approx(0.02 * 0.5)


@pytest.mark.parametrize("seed", range(10))
def test_a_noisy_quadratic_is_brought_to_its_optimum(seed: int) -> None:
    random = Random(seed)
    found = course(Gains(2_000), seed, lambda difference: difference / 10 + random.gauss(0, 1), elo=40.0)
    assert found[0] == pytest.approx(BEST[0], abs=0.15)
    assert found[1] == pytest.approx(BEST[1], abs=7.5)


def test_games_alone_lead_to_the_best_values_over_many_seeds() -> None:
    """Steps of the usual length: of 130 Elo that the start lacks a tenth is left after 2,000 pairs, in the mean."""
    start, left = loss([parameter.start for parameter in TWO], 100.0), []
    for seed in range(12):
        random = Random(seed)
        left.append(loss(course(Gains(500), seed, lambda gap: lead_in_games(random, gap, 8), 100.0), 100.0))  # noqa: B023
    assert start == pytest.approx(125.0)
    assert fmean(left) < start / 10
    assert max(left) < start / 3


def test_without_a_difference_values_wander_about_their_start() -> None:
    ends = []
    for seed in range(12):
        random = Random(seed)
        ends.append(course(Gains(500), seed, lambda _: lead_in_games(random, 0.0, 8), 0.0))  # noqa: B023
    assert abs(fmean(end[0] for end in ends)) < 0.3
    assert fmean(end[0] ** 2 for end in ends) < 0.5


def test_each_iteration_draws_its_own_signs_and_the_same_again() -> None:
    gains = Gains(200)
    drawn = [perturbation(TWO, gains, (0.0, 50.0), number, seed=7) for number in range(200)]
    assert drawn == [perturbation(TWO, gains, (0.0, 50.0), number, seed=7) for number in range(200)]
    assert {sides.signs for sides in drawn} == {(1, 1), (1, -1), (-1, 1), (-1, -1)}
    assert 70 < sum(sides.signs[0] > 0 for sides in drawn) < 130
    assert drawn != [perturbation(TWO, gains, (0.0, 50.0), number, seed=8) for number in range(200)]


def test_both_sides_lie_the_same_way_off_and_a_lead_moves_towards_the_side_that_has_it() -> None:
    gains = Gains(10)
    sides = perturbation(TWO, gains, (0.0, 50.0), 3, seed=1)
    for at, (parameter, middle) in enumerate(zip(TWO, (0.0, 50.0), strict=True)):
        reach = gains.reach(parameter, 3)
        assert sides.plus[at] - middle == pytest.approx(sides.signs[at] * reach)
        assert sides.minus[at] - middle == pytest.approx(-sides.signs[at] * reach)
    for lead in (3, -3):
        moved = updated(TWO, gains, (0.0, 50.0), 3, sides.signs, lead)
        for at, middle in enumerate((0.0, 50.0)):
            assert math.copysign(1, moved[at] - middle) == math.copysign(1, lead * sides.signs[at])
    assert updated(TWO, gains, (0.0, 50.0), 3, sides.signs, 0) == (0.0, 50.0)


@pytest.mark.parametrize("lead", [-1_000, 1_000])
def test_no_value_leaves_its_bounds(lead: int) -> None:
    values: Values = (1.0, 0.0)
    for iteration in range(20):
        sides = perturbation(TWO, Gains(20), values, iteration, seed=3)
        values = updated(TWO, Gains(20), values, iteration, sides.signs, lead)
        for shown in (sides.plus, sides.minus, values):
            assert all(one.low <= value <= one.high for one, value in zip(TWO, shown, strict=True))


def test_whole_numbers_are_rounded_by_chance_so_that_their_mean_is_right_and_both_sides_differ() -> None:
    depth = Parameter("depth", 4.0, 1.0, 8.0, c_end=0.5, r_end=0.1, whole=True)
    gains = Gains(4_000, gamma=0.0)
    drawn = [perturbation([depth], gains, [4.2], number, seed=5) for number in range(4_000)]
    played = [value for sides in drawn for value in (*sides.plus, *sides.minus)]
    assert set(played) == {3.0, 4.0, 5.0}
    assert fmean(played) == pytest.approx(4.2, abs=0.02)
    assert all(abs(sides.plus[0] - sides.minus[0]) == 1 for sides in drawn)
    assert [depth.nearest(value) for value in (4.4, 4.6, 8.0)] == [4.0, 5.0, 8.0]

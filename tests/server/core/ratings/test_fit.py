"""Ratings: simulated strengths are found again, and the fit holds what it says."""

from __future__ import annotations

import math
from itertools import permutations
from random import Random

import numpy as np
import pytest

from server.core.ratings.davidson import elo_per_unit
from server.core.ratings.fit import SHARED_PRIOR_SD, rate
from server.core.ratings.rating import CENTRE, Ratings
from server.core.ratings.results import RatedGame

FIRST_MOVER, DRAWS = 0.3, math.log(0.8)
UNIT = elo_per_unit(DRAWS)
Games = list[RatedGame[str]]


def simulated(strengths: dict[str, float], rounds: int, seed: int) -> Games:
    """Games between all, both ways round, by the model. strengths: natural units."""
    draw, pairs = Random(seed), list(permutations(strengths.items(), 2))
    return [
        RatedGame(first, second, _result(draw, one, two))
        for _ in range(rounds)
        for (first, one), (second, two) in pairs
    ]


def _result(draw: Random, one: float, two: float) -> int | None:
    first, second = one + FIRST_MOVER, two
    weights = [math.exp(first), math.exp(second), math.exp(DRAWS + (first + second) / 2)]
    return draw.choices((0, 1, None), weights)[0]


def strengths(count: int, seed: int) -> dict[str, float]:
    """Strengths far apart, as those of class bots are."""
    draw = Random(seed)
    return {f"bot{number}": draw.gauss(0, 2) for number in range(count)}


def as_elo(true: dict[str, float]) -> dict[str, float]:
    """The same on the scale that is shown."""
    mean = sum(true.values()) / len(true)
    return {name: CENTRE + UNIT * (strength - mean) for name, strength in true.items()}


@pytest.mark.slow
def test_the_intervals_hold_the_true_strength_about_as_often_as_they_say() -> None:
    inside = total = 0
    for seed in range(60):
        true = strengths(6, seed)
        fitted = rate(simulated(true, 5, seed + 1_000)).of
        for name, elo in as_elo(true).items():
            inside += abs(fitted[name].elo - elo) <= fitted[name].plus_minus
            total += 1
    assert 0.91 <= inside / total <= 0.98


def test_with_many_games_everything_is_found_again() -> None:
    true = strengths(5, 3)
    ratings = rate(simulated(true, 400, 4))
    for name, elo in as_elo(true).items():
        assert ratings.of[name].elo == pytest.approx(elo, abs=25)
        assert ratings.of[name].plus_minus < 25
    assert ratings.first_mover == pytest.approx(UNIT * FIRST_MOVER, abs=10)
    assert ratings.draw_rate == pytest.approx(0.8 / 2.8, abs=0.03)


@pytest.mark.slow
def test_the_fit_is_the_maximum_that_plain_gradient_ascent_finds() -> None:
    games = simulated(strengths(4, 5), 6, 6)
    ratings = rate(games)
    twin = naive_fit(games, ratings.spread / ratings.scale)
    mean = sum(twin[name] for name in ratings.of) / len(ratings.of)
    for name, rating in ratings.of.items():
        assert rating.elo == pytest.approx(CENTRE + ratings.scale * (twin[name] - mean), abs=0.05)
    assert ratings.first_mover == pytest.approx(ratings.scale * twin["first mover"], abs=0.05)
    assert ratings.draw_rate == pytest.approx(math.exp(twin["draws"]) / (2 + math.exp(twin["draws"])), abs=1e-4)


def naive_fit(games: Games, spread: float) -> dict[str, float]:
    """The same model game by game, uphill in small steps."""
    at = dict.fromkeys([*{game.first for game in games} | {game.second for game in games}, "first mover", "draws"], 0.0)
    for _ in range(4_000):
        slope = {name: -value / _variance(name, spread) for name, value in at.items()}
        for first, second, winner in games:
            one, two = at[first] + at["first mover"], at[second]
            weights = np.exp([one, two, at["draws"] + (one + two) / 2])
            chance = weights / weights.sum()
            seen = np.eye(3)[2 if winner is None else winner]
            left = seen - chance
            slope[first] += left[0] + left[2] / 2
            slope[second] += left[1] + left[2] / 2
            slope["first mover"] += left[0] + left[2] / 2
            slope["draws"] += left[2]
        at = {name: value + 0.01 * slope[name] for name, value in at.items()}
        if max(map(abs, slope.values())) < 1e-6:
            break
    return at


def _variance(name: str, spread: float) -> float:
    shared = dict(zip(("first mover", "draws"), SHARED_PRIOR_SD.tolist(), strict=True))
    return float(shared.get(name, spread)) ** 2


def test_no_games_no_ratings() -> None:
    assert rate(list[RatedGame[str]]()) == Ratings()


def test_games_against_oneself_say_nothing() -> None:
    assert rate([RatedGame("ada", "ada", 0)]).of == {}


def test_a_perfect_score_is_finite_and_its_interval_wide() -> None:
    few = rate([RatedGame("ada", "bob", 0), RatedGame("bob", "ada", 1)]).of
    many = rate([RatedGame("ada", "bob", 0), RatedGame("bob", "ada", 1)] * 500).of
    assert CENTRE < few["ada"].elo < many["ada"].elo < 3_000
    assert few["ada"].plus_minus > 150
    assert (many["ada"].wins, many["ada"].losses, many["bob"].losses) == (1_000, 0, 1_000)


def test_more_games_make_the_interval_narrower() -> None:
    true = {"ada": 0.1, "bob": 0.0}
    widths = [rate(simulated(true, rounds, 9)).of["ada"].plus_minus for rounds in (1, 10, 100)]
    assert widths == sorted(widths, reverse=True)


def test_only_draws_make_everybody_equal() -> None:
    ratings = rate([RatedGame("ada", "bob", None), RatedGame("bob", "ada", None)] * 10)
    assert [rating.elo for rating in ratings.of.values()] == pytest.approx([CENTRE, CENTRE])
    assert ratings.draw_rate > 0.5
    assert ratings.of["ada"].score == 0.5


def test_an_advantage_of_the_first_mover_is_not_taken_for_strength() -> None:
    games = [RatedGame("ada", "bob", 0), RatedGame("bob", "ada", 0)] * 20
    ratings = rate(games)
    assert ratings.first_mover > 100
    assert ratings.of["ada"].elo == pytest.approx(ratings.of["bob"].elo)
    assert rate([RatedGame(second, first, 1) for first, second, _ in games]).first_mover < -100


def test_first_moves_by_the_stronger_alone_are_shared_between_strength_and_advantage() -> None:
    ratings = rate([RatedGame("ada", "bob", 0)] * 10)
    assert ratings.of["ada"].elo > ratings.of["bob"].elo
    assert ratings.first_mover > 0


def test_groups_that_never_met_are_pools_each_around_its_own_average() -> None:
    games = [RatedGame("a", "b", 0), RatedGame("b", "a", 1), RatedGame("c", "d", 0), RatedGame("d", "c", 1)]
    games += [RatedGame("c", "e", 0), RatedGame("d", "e", 0)]
    ratings = rate(games)
    assert {name: rating.pool for name, rating in ratings.of.items()} == {"c": 0, "d": 0, "e": 0, "a": 1, "b": 1}
    assert ratings.pools == 2
    for members in ("ab", "cde"):
        assert sum(ratings.of[name].elo for name in members) / len(members) == pytest.approx(CENTRE)
    assert ratings.compare("a", "c") is None
    assert ratings.compare("a", "b") is not None
    assert list(ratings.of) == ["c", "d", "e", "a", "b"]


def test_the_order_of_games_and_the_names_of_players_change_nothing() -> None:
    games = simulated(strengths(5, 7), 4, 8)
    before = rate(games)
    shuffled = list(games)
    Random(1).shuffle(shuffled)
    after = rate(shuffled)
    renamed = rate([RatedGame("x" + first[::-1], "x" + second[::-1], winner) for first, second, winner in games])
    for name, rating in before.of.items():
        for other in (after.of[name], renamed.of["x" + name[::-1]]):
            assert other.elo == pytest.approx(rating.elo)
            assert other.plus_minus == pytest.approx(rating.plus_minus)


def test_ratings_come_best_first_with_every_game_counted() -> None:
    games = simulated(strengths(4, 11), 3, 12)
    ratings = rate(games)
    elos = [rating.elo for rating in ratings.of.values()]
    assert elos == sorted(elos, reverse=True)
    assert sum(rating.games for rating in ratings.of.values()) == 2 * len(games)
    assert sum(rating.wins for rating in ratings.of.values()) == sum(game.winner is not None for game in games)
    assert sum(elos) / len(elos) == pytest.approx(CENTRE)


def test_a_very_lopsided_history_is_fitted_without_trouble() -> None:
    games = [RatedGame("best", f"bot{number}", 0) for number in range(30)] * 50
    games += [RatedGame(f"bot{number}", "best", 1) for number in range(30)] * 50
    ratings = rate(games).of
    assert all(math.isfinite(rating.elo) and math.isfinite(rating.plus_minus) for rating in ratings.values())
    assert next(iter(ratings)) == "best"


def test_a_name_may_be_anything_hashable() -> None:
    ratings = rate([RatedGame(("ada", "1.0"), ("ada", "1.1"), 1), RatedGame(("ada", "1.1"), ("ada", "1.0"), 0)])
    assert next(iter(ratings.of)) == ("ada", "1.1")

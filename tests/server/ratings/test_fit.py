"""Ratings: simulated strengths are found again, and the fit holds what it says."""

from __future__ import annotations

import math
from itertools import combinations, permutations
from random import Random

import numpy as np
import pytest

from tabiya.server.ratings.davidson import elo_per_unit
from tabiya.server.ratings.fit import SHARED_PRIOR_SD, rate
from tabiya.server.ratings.rating import CENTRE, Comparison, Ratings
from tabiya.server.ratings.results import RatedGame, RatedPair, Results
from tests.present import present

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
def test_the_width_of_the_prior_is_that_of_the_players_even_after_few_games() -> None:
    """40 players with five games each; without their own variances the estimate would be little more than half."""
    spreads = []
    for seed in range(10):
        draw = Random(seed)
        true = {f"bot{number}": draw.gauss(0, 2) for number in range(40)}
        meetings = [draw.sample(sorted(true), 2) for _ in range(100)]
        spreads.append(rate(RatedGame(a, b, _result(draw, true[a], true[b])) for a, b in meetings).spread)
    assert sum(spreads) / len(spreads) == pytest.approx(2 * UNIT, rel=0.1)
    assert rate([RatedGame("ada", "bob", 0)]).spread == pytest.approx(350, rel=0.05)


@pytest.mark.slow
def test_the_intervals_hold_the_true_strength_about_as_often_as_they_say() -> None:
    inside = total = 0
    for seed in range(60):
        true = strengths(6, seed)
        fitted = rate(simulated(true, 5, seed + 1_000)).by_player
        for name, elo in as_elo(true).items():
            inside += abs(fitted[name].elo - elo) <= fitted[name].plus_minus
            total += 1
    assert 0.91 <= inside / total <= 0.98


def test_with_many_games_everything_is_found_again() -> None:
    true = strengths(5, 3)
    ratings = rate(simulated(true, 400, 4))
    for name, elo in as_elo(true).items():
        assert ratings.by_player[name].elo == pytest.approx(elo, abs=25)
        assert ratings.by_player[name].plus_minus < 25
    assert ratings.first_mover == pytest.approx(UNIT * FIRST_MOVER, abs=10)
    assert ratings.draw_rate == pytest.approx(0.8 / 2.8, abs=0.03)


@pytest.mark.slow
def test_the_fit_is_the_maximum_that_plain_gradient_ascent_finds() -> None:
    games = simulated(strengths(4, 5), 6, 6)
    ratings = rate(games)
    twin = naive_fit(games, ratings.spread / ratings.scale)
    mean = sum(twin[name] for name in ratings.by_player) / len(ratings.by_player)
    for name, rating in ratings.by_player.items():
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


def test_no_games_and_games_against_oneself_say_nothing() -> None:
    assert rate(list[RatedGame[str]]()) == Ratings()
    assert rate([RatedGame("ada", "ada", 0)]).by_player == {}


def test_a_perfect_score_is_finite_and_its_interval_wide() -> None:
    few = rate([RatedGame("ada", "bob", 0), RatedGame("bob", "ada", 1)]).by_player
    many = rate([RatedGame("ada", "bob", 0), RatedGame("bob", "ada", 1)] * 500).by_player
    assert CENTRE < few["ada"].elo < many["ada"].elo < 3_000
    assert few["ada"].plus_minus > 150
    assert (many["ada"].wins, many["ada"].losses, many["bob"].losses) == (1_000, 0, 1_000)


def test_more_games_make_the_interval_narrower() -> None:
    true = {"ada": 0.1, "bob": 0.0}
    widths = [rate(simulated(true, rounds, 9)).by_player["ada"].plus_minus for rounds in (1, 10, 100)]
    assert widths == sorted(widths, reverse=True)


def test_only_draws_make_everybody_equal() -> None:
    ratings = rate([RatedGame("ada", "bob", None), RatedGame("bob", "ada", None)] * 10)
    assert [rating.elo for rating in ratings.by_player.values()] == pytest.approx([CENTRE, CENTRE])
    assert ratings.draw_rate > 0.5
    assert ratings.by_player["ada"].score == 0.5


def test_an_advantage_of_the_first_mover_is_not_taken_for_strength() -> None:
    games = [RatedGame("ada", "bob", 0), RatedGame("bob", "ada", 0)] * 20
    ratings = rate(games)
    assert ratings.first_mover > 100
    assert ratings.by_player["ada"].elo == pytest.approx(ratings.by_player["bob"].elo)
    assert rate([RatedGame(second, first, 1) for first, second, _ in games]).first_mover < -100


def test_first_moves_by_the_stronger_alone_are_shared_between_strength_and_advantage() -> None:
    ratings = rate([RatedGame("ada", "bob", 0)] * 10)
    assert ratings.by_player["ada"].elo > ratings.by_player["bob"].elo
    assert ratings.first_mover > 0


def test_groups_that_never_met_are_pools_each_around_its_own_average() -> None:
    games = [RatedGame("a", "b", 0), RatedGame("b", "a", 1), RatedGame("c", "d", 0), RatedGame("d", "c", 1)]
    games += [RatedGame("c", "e", 0), RatedGame("d", "e", 0)]
    ratings = rate(games)
    assert {name: rating.pool for name, rating in ratings.by_player.items()} == {"c": 0, "d": 0, "e": 0, "a": 1, "b": 1}
    assert ratings.pools == 2
    for members in ("ab", "cde"):
        assert sum(ratings.by_player[name].elo for name in members) / len(members) == pytest.approx(CENTRE)
    assert ratings.compare("a", "c") is None
    assert ratings.compare("a", "b") is not None
    assert list(ratings.by_player) == ["c", "d", "e", "a", "b"]


def test_the_order_of_games_and_the_names_of_players_change_nothing() -> None:
    games = simulated(strengths(5, 7), 4, 8)
    before = rate(games)
    shuffled = list(games)
    Random(1).shuffle(shuffled)
    after = rate(shuffled)
    renamed = rate([RatedGame("x" + first[::-1], "x" + second[::-1], winner) for first, second, winner in games])
    for name, rating in before.by_player.items():
        for other in (after.by_player[name], renamed.by_player["x" + name[::-1]]):
            assert other.elo == pytest.approx(rating.elo)
            assert other.plus_minus == pytest.approx(rating.plus_minus)


def test_ratings_come_best_first_with_every_game_counted() -> None:
    games = simulated(strengths(4, 11), 3, 12)
    ratings = rate(games)
    elos = [rating.elo for rating in ratings.by_player.values()]
    assert elos == sorted(elos, reverse=True)
    assert sum(rating.games for rating in ratings.by_player.values()) == 2 * len(games)
    assert sum(rating.wins for rating in ratings.by_player.values()) == sum(game.winner is not None for game in games)
    assert sum(elos) / len(elos) == pytest.approx(CENTRE)


def test_a_very_lopsided_history_is_fitted_without_trouble() -> None:
    games = [RatedGame("best", f"bot{number}", 0) for number in range(30)] * 50
    games += [RatedGame(f"bot{number}", "best", 1) for number in range(30)] * 50
    ratings = rate(games).by_player
    assert all(math.isfinite(rating.elo) and math.isfinite(rating.plus_minus) for rating in ratings.values())
    assert next(iter(ratings)) == "best"


def test_anchors_stand_still_and_everybody_else_is_measured_from_them() -> None:
    games = simulated(strengths(5, 21), 10, 22)
    free = rate(games)
    one = rate(games, {"bot1": 1_000.0})
    moved = 1_000 - free.by_player["bot1"].elo
    for name, rating in one.by_player.items():
        assert rating.elo == pytest.approx(free.by_player[name].elo + moved, abs=0.5)
    anchored = one.by_player["bot1"]
    assert (anchored.elo, anchored.plus_minus, anchored.anchor) == (1_000, 0, True)
    assert one.by_player["bot2"].plus_minus > free.by_player["bot2"].plus_minus
    far = free.by_player["bot0"].elo - free.by_player["bot1"].elo + 200
    two = rate(games, {"bot1": 1_000.0, "bot0": 1_000.0 + far, "nobody": 3.0})
    assert two.by_player["bot0"].elo == 1_000 + far
    assert (two.by_player["bot0"].plus_minus, two.by_player["bot1"].plus_minus) == (0, 0)
    assert "nobody" not in two.by_player
    compared = present(two.compare("bot0", "bot1"))
    assert compared.difference == pytest.approx(far, abs=0.5)
    between = [name for name in two.by_player if name not in ("bot0", "bot1")]
    assert all(two.by_player[name].plus_minus < one.by_player[name].plus_minus for name in between)


def test_a_pool_without_an_anchor_keeps_its_own_zero() -> None:
    games = [RatedGame("a", "b", 0), RatedGame("b", "a", 0), RatedGame("c", "d", 0), RatedGame("d", "c", None)]
    ratings = rate(games, {"a": 100.0})
    assert ratings.by_player["a"].elo == 100
    assert ratings.by_player["b"].elo == pytest.approx(100)
    assert ratings.by_player["c"].elo + ratings.by_player["d"].elo == pytest.approx(2 * CENTRE)


@pytest.mark.parametrize("seed", [1, 2])
def test_performance_makes_the_points_scored_the_points_expected(seed: int) -> None:
    games = simulated(strengths(5, seed), 8, seed)
    ratings = rate(games)
    for name, rating in ratings.by_player.items():
        assert rating.performance is not None
        expected = 0.0
        for first, second, _ in games:
            at = {player: ratings.by_player[player].elo for player in (first, second)} | {name: rating.performance}
            if name in (first, second):
                gap = (at[first] - at[second] + ratings.first_mover) / ratings.scale
                weights = np.exp([gap / 2, -gap / 2, ratings.draw])
                points = (weights[0] + weights[2] / 2) / weights.sum()
                expected += points if name == first else 1 - points
        assert expected == pytest.approx(rating.score * rating.games, abs=1e-3)


def test_a_bot_that_won_or_lost_everything_has_no_performance() -> None:
    ratings = rate([RatedGame("ada", "bob", 0), RatedGame("bob", "ada", 1)]).by_player
    assert (ratings["ada"].performance, ratings["bob"].performance) == (None, None)


def compared(results: Results[str] | Games, one: str = "a", other: str = "b") -> Comparison:
    return present(rate(results).compare(one, other))


def games_needed(results: Results[str] | Games) -> int:
    return present(compared(results).games_needed)


def test_games_still_needed_are_fewer_the_larger_the_difference_and_none_once_it_is_certain() -> None:
    close = games_needed([*[RatedGame("a", "b", 0)] * 6, *[RatedGame("b", "a", 0)] * 4])
    clear = games_needed([*[RatedGame("a", "b", 0)] * 7, *[RatedGame("b", "a", 0)] * 3])
    certain = compared([*[RatedGame("a", "b", 0)] * 60, *[RatedGame("b", "a", 1)] * 40])
    even = compared([RatedGame("a", "b", 0), RatedGame("b", "a", 0)])
    assert close > clear > 0
    assert close % 2 == 0
    assert certain.games_needed == 0
    assert even.games_needed is None
    assert even.superiority == pytest.approx(0.5)
    assert certain.superiority > 0.999


@pytest.mark.slow
def test_so_many_games_more_do_tell_two_players_apart_four_times_out_of_five() -> None:
    reported = counted = 0
    for seed in range(40):
        before = simulated({"a": 0.35, "b": 0.0}, 25, seed)
        found = compared(before)
        if found.games_needed and 0.25 < found.difference / UNIT < 0.45:
            more = simulated({"a": found.difference / UNIT, "b": 0.0}, found.games_needed // 2, seed + 99)
            after = compared(before + more)
            reported += after.difference > after.plus_minus
            counted += 1
    assert counted >= 8
    assert 0.55 <= reported / counted <= 1


def test_likelihoods_of_superiority_are_complements() -> None:
    ratings = rate(simulated(strengths(4, 2), 3, 3))
    names = list(ratings.by_player)
    matrix = ratings.superiorities(names)
    for i in range(4):
        assert matrix[i][i] is None
        for j in range(i):
            below, above = matrix[i][j], matrix[j][i]
            assert below is not None
            assert above is not None
            assert below + above == pytest.approx(1)
            assert above >= 0.5


def test_the_games_of_a_pair_are_rated_like_games_and_weigh_as_pairs() -> None:
    """Openings that decide: every pair ends one to one but a few, so the pairs say much more than the games alone."""
    pairs = [RatedPair("a", "b", (0, 0))] * 40 + [RatedPair("b", "a", (1, 1))] * 40
    pairs += [RatedPair("a", "b", (0, 1))] * 6 + [RatedPair("b", "a", (0, 1))] * 2
    single = rate([game for pair in pairs for game in pair.games])
    paired = rate(Results(pairs=pairs))
    assert paired.by_player["a"].elo == pytest.approx(single.by_player["a"].elo)
    assert paired.by_player["a"].games == single.by_player["a"].games == 2 * len(pairs)
    assert paired.by_player["a"].plus_minus < 0.5 * single.by_player["a"].plus_minus
    assert paired.first_mover_plus_minus > 1.1 * single.first_mover_plus_minus
    assert paired.pairing < 0.3
    assert single.pairing == 1


def test_pairs_that_say_more_than_games_leave_fewer_games_needed() -> None:
    pairs = [RatedPair("a", "b", (0, 0))] * 20 + [RatedPair("a", "b", (1, 1))] * 20 + [RatedPair("a", "b", (0, 1))] * 2
    less = games_needed(Results(pairs=pairs))
    more = games_needed([game for pair in pairs for game in pair.games])
    assert 0 < 3 * less < more


@pytest.mark.slow
def test_that_the_parameters_were_fitted_to_the_pairs_does_not_make_them_look_alike() -> None:
    """Fifteen pairs of independent games between six players: on average they vary as independent games do."""
    measured = []
    for seed in range(60):
        true, draw = strengths(6, seed), Random(seed)
        results: Results[str] = Results()
        for one, other in combinations(true, 2):
            there, back = _result(draw, true[one], true[other]), _result(draw, true[other], true[one])
            results.add_pair(RatedPair(one, other, (there, back)))
        measured.append(rate(results).pairing)
    assert 0.93 <= sum(measured) / len(measured) <= 1.1


def test_pairs_won_by_one_player_each_say_less_than_as_many_games() -> None:
    pairs = [RatedPair("a", "b", (0, 1))] * 30 + [RatedPair("a", "b", (1, 0))] * 20
    single = rate([game for pair in pairs for game in pair.games])
    paired = rate(Results(pairs=pairs))
    assert paired.by_player["a"].plus_minus > 1.2 * single.by_player["a"].plus_minus


def test_a_game_counted_and_taken_back_leaves_nothing() -> None:
    games = simulated(strengths(3, 1), 3, 1)
    results = Results(games)
    results.add(RatedGame("bot0", "bot1", 0), 5)
    results.add(RatedGame("bot0", "bot1", 0), -5)
    assert rate(results).by_player == rate(games).by_player


def test_ratings_fit_the_points_of_elos_curve_however_many_the_draws() -> None:
    """64 % between two near equals is about 100 Elo, with few draws and with many."""
    for drawn in (0, 4_000, 20_000):
        games = [("a", "b", 0, 640), ("a", "b", 1, 360), ("b", "a", 0, 360), ("b", "a", 1, 640)]
        results: Results[str] = Results()
        for first, second, winner, number in games:
            results.add(RatedGame(first, second, winner), 10 * number)
        for first, second in (("a", "b"), ("b", "a")):
            results.add(RatedGame(first, second, None), drawn)
        ratings = rate(results).by_player
        elo = 400 * math.log10(ratings["a"].score / ratings["b"].score)
        assert ratings["a"].elo - ratings["b"].elo == pytest.approx(elo, rel=0.04)


def test_a_large_pool_is_a_row_for_each_two_players_and_not_for_each_game() -> None:
    """What makes millions of games cheap; benchmarks/ratings.py speed has the figures."""
    draw = Random(1)
    results: Results[int] = Results()
    for first in range(40):
        for second in range(first):
            results.add_pair(RatedPair(first, second, (draw.choice((0, 1, None)), draw.choice((0, 1, None)))), 1_000)
    assert len(results.pairs().first) == 40 * 39 // 2
    ratings = rate(results)
    assert sum(rating.games for rating in ratings.by_player.values()) == 2 * 2 * 1_000 * 40 * 39 // 2

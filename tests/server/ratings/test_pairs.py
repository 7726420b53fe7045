"""What games between two players say: numbers worked out by hand, published ones, and chance with a seed."""

from __future__ import annotations

import math
from random import Random

import pytest

from tabiya.server.ratings.elo import elo_of, normal_below, score_of
from tabiya.server.ratings.pairs import SCORES, Pairs

PUBLISHED = Pairs((379, 10_170, 21_828, 10_640, 343))  # of Stockfish's testing, as fastchess quotes them


def test_a_pair_more_is_counted_by_its_points() -> None:
    assert Pairs().plus(1, 0.5).plus(0.5, 1).plus(0, 0).plus(0, 1).counts == (1, 0, 1, 2, 0)


@pytest.mark.parametrize("wrong", [(1, 0.4), (2, 0), (-1, 1)])
def test_a_game_scores_nothing_else(wrong: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match=r"a game scores 0, 0\.5 or 1, not"):
        Pairs().plus(*wrong)


@pytest.mark.parametrize("wrong", [(1, 2, 3, 4), (0, 0, 0, 0, -1)])
def test_what_are_no_counts_is_refused(wrong: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="counts of pairs are five whole numbers"):
        Pairs(wrong)  # type: ignore[arg-type]


def test_published_counts_give_the_published_normalised_elo_with_its_interval() -> None:
    assert PUBLISHED.normalised_elo == pytest.approx(3.05, abs=0.005)
    assert PUBLISHED.normalised_plus_minus == pytest.approx(2.31, abs=0.005)


def test_the_score_of_few_pairs_by_hand() -> None:
    pairs = Pairs((1, 2, 3, 4, 6))
    assert pairs.number == 16
    assert pairs.score == pytest.approx((2 * 0.25 + 3 * 0.5 + 4 * 0.75 + 6) / 16)
    assert pairs.elo == pytest.approx(400 * math.log10(pairs.score / (1 - pairs.score)))
    assert pairs.even == pytest.approx(3 / 16)
    assert pairs.ratio == pytest.approx(10 / 3)


def test_the_interval_is_that_of_the_pairs_mean_with_one_more_lost_and_one_more_won() -> None:
    pairs = Pairs((0, 1, 2, 3, 0))
    scores = [0.25, 0.5, 0.5, 0.75, 0.75, 0.75, 0.0, 1.0]
    mean = sum(scores) / 8
    error = math.sqrt(sum((score - mean) ** 2 for score in scores) / 7 / 8)
    assert pairs.elo_interval == pytest.approx((elo_of(mean - 1.959964 * error), elo_of(mean + 1.959964 * error)))
    assert pairs.superiority == pytest.approx(normal_below((mean - 0.5) / error))


def test_no_pairs_say_nothing() -> None:
    nothing = Pairs()
    assert (nothing.score, nothing.elo, nothing.normalised_elo, nothing.even, nothing.ratio) == (0.5, 0, 0, 0, None)
    assert nothing.elo_plus_minus is None
    assert nothing.superiority == 0.5


def test_everything_won_is_infinitely_better_with_a_bounded_claim() -> None:
    pairs = Pairs((0, 0, 0, 0, 2))
    assert (pairs.elo, pairs.swapped().elo, pairs.normalised_elo) == (math.inf, -math.inf, math.inf)
    assert pairs.elo_interval[1] == math.inf
    assert (pairs.elo_plus_minus, pairs.ratio) == (None, math.inf)
    assert 0.7 < pairs.superiority < 0.98


@pytest.mark.parametrize("number", [1, 3, 1_000])
def test_one_game_repeated_is_never_measured_without_error(number: int) -> None:
    pairs = Pairs((0, 0, number, 0, 0))
    assert (pairs.elo, pairs.normalised_elo) == (0, 0)
    assert pairs.elo_plus_minus is None or pairs.elo_plus_minus > 0.5
    assert math.isfinite(pairs.normalised_plus_minus)
    assert pairs.superiority == 0.5


def test_the_players_seen_the_other_way_round_have_the_opposite_numbers() -> None:
    one = PUBLISHED
    other = one.swapped()
    assert one.elo == pytest.approx(-other.elo)
    assert one.normalised_elo == pytest.approx(-other.normalised_elo)
    assert one.elo_plus_minus == pytest.approx(other.elo_plus_minus)
    assert one.normalised_plus_minus == pytest.approx(other.normalised_plus_minus)
    assert one.superiority == pytest.approx(1 - other.superiority)
    assert one.ratio is not None
    assert other.ratio == pytest.approx(1 / one.ratio)


def test_an_openings_advantage_cancels_out_over_its_pair() -> None:
    lopsided = Pairs((0, 0, 100, 0, 0))  # the first player to move always wins
    independent = Pairs((25, 0, 50, 0, 25))
    assert lopsided.elo == 0
    assert lopsided.elo_plus_minus is not None
    assert independent.elo_plus_minus is not None
    assert lopsided.elo_plus_minus < independent.elo_plus_minus / 3


@pytest.mark.parametrize("shares", [(5, 20, 50, 20, 5), (2, 5, 20, 30, 43), (10, 0, 30, 0, 60)])
def test_both_intervals_hold_the_truth_nineteen_times_out_of_twenty(shares: tuple[int, ...]) -> None:
    draw, truth, held, normalised_held = Random(11), Pairs(shares), 0, 0  # type: ignore[arg-type]
    for _ in range(400):
        found = draw.choices(range(5), shares, k=60)
        pairs = Pairs(tuple(found.count(place) for place in range(5)))  # type: ignore[arg-type]
        low, high = pairs.elo_interval
        held += low <= truth.elo <= high
        normalised_held += abs(pairs.normalised_elo - truth.normalised_elo) <= pairs.normalised_plus_minus
    assert 0.92 <= held / 400 <= 0.98
    assert 0.92 <= normalised_held / 400 <= 0.98


def test_the_interval_of_few_pairs_knows_that_their_spread_is_hardly_known() -> None:
    draw, truth, held = Random(5), Pairs((1, 23, 51, 24, 1)), 0
    for _ in range(200):
        found = draw.choices(range(5), truth.counts, k=6)
        pairs = Pairs(tuple(found.count(place) for place in range(5)))  # type: ignore[arg-type]
        held += abs(pairs.normalised_elo - truth.normalised_elo) <= pairs.normalised_plus_minus
    assert held / 200 >= 0.95


def test_score_and_elo_are_each_others_inverse() -> None:
    assert [score_of(elo_of(score)) for score in (*SCORES, 0.001)] == pytest.approx([*SCORES, 0.001])
    assert (elo_of(0.64), elo_of(10 / 11)) == pytest.approx((99.95, 400.0), abs=0.01)
    assert score_of(-5_000) >= 0

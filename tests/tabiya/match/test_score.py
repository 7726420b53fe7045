"""What results say, in numbers that can be worked out by hand or by chance with a seed."""

from __future__ import annotations

import math
from random import Random

import pytest

from tabiya.match.score import Score, elo_of, score_of


def test_games_are_counted_and_paired_in_their_order() -> None:
    score = score_of([1, 0.5, 0, 0, 1, None, None, 1, 0.5])
    assert (score.wins, score.draws, score.losses) == (3, 2, 2)
    assert score.pairs == (0.75, 0.0)
    assert score.points == 4
    assert score.mean == pytest.approx(4 / 7)


@pytest.mark.parametrize(("mean", "elo"), [(0.5, 0.0), (10 / 11, 400.0), (1 / 11, -400.0), (0.64, 99.95)])
def test_a_mean_score_is_an_elo_difference(mean: float, elo: float) -> None:
    assert elo_of(mean) == pytest.approx(elo, abs=0.01)


def test_everything_won_is_infinitely_better_with_a_bounded_claim() -> None:
    score = score_of([1] * 4)
    assert (score.elo, elo_of(0)) == (math.inf, -math.inf)
    assert score.plus_minus is None
    assert 0.7 < score.superiority < 0.98


def test_no_games_say_nothing() -> None:
    score = score_of([])
    assert (score.games, score.mean, score.elo, score.plus_minus) == (0, 0.5, 0.0, None)
    assert score.superiority == 0.5


def test_the_players_seen_the_other_way_round_have_the_opposite_numbers() -> None:
    draw = Random(3)
    scores = [draw.choice((0, 0.5, 1, 1)) for _ in range(200)]
    one, other = score_of(scores), score_of([1 - score for score in scores])
    assert one.elo == pytest.approx(-other.elo)
    assert one.superiority == pytest.approx(1 - other.superiority)
    assert one.plus_minus == pytest.approx(other.plus_minus)


def test_what_an_opening_gives_to_a_seat_cancels_out_over_its_pair() -> None:
    lopsided = [score for _ in range(100) for score in (1, 0)]  # the first player to move always wins
    independent = Score(100, 0, 100, tuple([1.0] * 50 + [0.0] * 50))
    score = score_of(lopsided)
    assert score.elo == 0
    assert score.plus_minus is not None
    assert independent.plus_minus is not None
    assert score.plus_minus < independent.plus_minus / 3


def test_the_interval_holds_the_truth_nineteen_times_out_of_twenty() -> None:
    draw, truth, held = Random(11), 0.6, 0
    for _ in range(400):
        score = score_of([float(draw.random() < truth) for _ in range(200)])
        assert score.plus_minus is not None
        held += abs(score.elo - elo_of(truth)) <= score.plus_minus
    assert 0.92 <= held / 400 <= 0.98

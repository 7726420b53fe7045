"""The sequential test: a published figure, the conditions of a maximum, and how often it errs."""

from __future__ import annotations

import math
from random import Random
from typing import get_args

import pytest

from tabiya.server.ratings.elo import NORMALISED_ELO, score_of
from tabiya.server.ratings.pairs import SCORES, Pairs, mean_and_variance
from tabiya.server.ratings.sprt import Model, Sprt

PUBLISHED = Pairs((379, 10_170, 21_828, 10_640, 343))
MODELS: tuple[Model, ...] = get_args(Model)


def test_published_counts_give_the_published_ratio() -> None:
    """Published as 2.946; solved to the last digit it is 2.9455."""
    test = Sprt(0, 2)
    assert test.llr(PUBLISHED) == pytest.approx(2.946, abs=0.001)
    assert test.verdict(PUBLISHED) == "accept H1"


def test_the_bounds_are_walds() -> None:
    assert Sprt(0, 5).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Sprt(0, 5, alpha=0.1, beta=0.2).bounds == pytest.approx((math.log(0.2 / 0.9), math.log(8)))


def test_no_pairs_decide_nothing() -> None:
    for model in MODELS:
        assert Sprt(0, 5, model=model).llr(Pairs()) == 0
        assert Sprt(0, 5, model=model).verdict(Pairs()) == "go on"


@pytest.mark.parametrize("model", MODELS)
def test_hypotheses_seen_by_the_other_player_give_the_opposite_ratio(model: Model) -> None:
    pairs = Pairs((3, 7, 20, 31, 2))
    there, back = Sprt(-3, 40, model=model).llr(pairs), Sprt(-40, 3, model=model).llr(pairs.swapped())
    assert there == pytest.approx(-back)


@pytest.mark.parametrize("model", MODELS)
def test_winning_leads_to_h1_losing_to_h0_and_few_games_to_neither(model: Model) -> None:
    test = Sprt(0, 20, model=model)
    assert test.verdict(Pairs((10, 50, 200, 150, 90))) == "accept H1"
    assert test.verdict(Pairs((90, 150, 200, 50, 10))) == "accept H0"
    assert test.verdict(Pairs((1, 2, 3, 4, 5))) == "go on"


@pytest.mark.parametrize("elo", [-150.0, -5.0, 0.0, 2.0, 60.0, 200.0])
@pytest.mark.parametrize("model", MODELS)
def test_each_hypothesis_is_taken_at_its_best(model: Model, elo: float) -> None:
    """It holds the condition, and no other distribution that holds it explains the counts better."""
    draw = Random(f"{model} {elo}")
    for _ in range(10):
        counts = [float(draw.choice((0, 0, 1, 3, 10, 400))) or 1e-3 for _ in SCORES]
        seen = [count / sum(counts) for count in counts]
        best = Sprt(-200, 200, model=model)._most_likely(seen, elo)
        assert sum(best) == pytest.approx(1)
        assert condition(model, elo, best) == pytest.approx(0, abs=1e-7)
        for _ in range(5):
            other = nearby(best, model, elo, draw)
            if other is not None:
                assert likelihood(seen, other) <= likelihood(seen, best) + 1e-9


def condition(model: Model, elo: float, shares: list[float]) -> float:
    mean, variance = mean_and_variance(shares)
    if model == "logistic":
        return mean - score_of(elo)
    return mean - 0.5 - math.sqrt(2 * variance) * elo / NORMALISED_ELO


def likelihood(seen: list[float], shares: list[float]) -> float:
    return sum(count * math.log(share) for count, share in zip(seen, shares, strict=True))


def nearby(best: list[float], model: Model, elo: float, draw: Random) -> list[float] | None:
    """Another distribution that holds the condition: a random step, then back along lost and won by bisection."""
    moved = [share * math.exp(draw.gauss(0, 0.2)) for share in best]

    def tilted(by: float) -> list[float]:
        shares = [share * math.exp(by * score) for share, score in zip(moved, SCORES, strict=True)]
        return [share / sum(shares) for share in shares]

    low, high = -20.0, 20.0
    if condition(model, elo, tilted(low)) > 0 or condition(model, elo, tilted(high)) < 0:
        return None
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if condition(model, elo, tilted(middle)) < 0 else (low, middle)
    return tilted(low) if abs(condition(model, elo, tilted(low))) < 1e-9 else None


@pytest.mark.parametrize("counts", [(0, 0, 1, 0, 0), (0, 0, 10**6, 0, 0), (0, 0, 0, 0, 10**6), (10**6, 0, 0, 0, 1)])
@pytest.mark.parametrize("model", MODELS)
def test_one_sided_counts_give_a_finite_ratio(model: Model, counts: tuple[int, int, int, int, int]) -> None:
    for elo0, elo1 in ((0, 5), (-200, 200), (199, 200)):
        assert math.isfinite(Sprt(elo0, elo1, model=model).llr(Pairs(counts)))


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_both_kinds_of_error_stay_near_what_was_accepted(model: Model) -> None:
    """The whole campaign is benchmarks/ratings.py; this is enough to see a wrong sign, factor or bound."""
    test = Sprt(0, 80, alpha=0.1, beta=0.1, model=model)
    for truth, wrong in ((0, "accept H1"), (80, "accept H0")):
        draw, shares = Random(7), distribution(model, truth)
        errors = sum(run(test, shares, draw) == wrong for _ in range(60))
        assert 0.01 <= errors / 60 <= 0.18, (truth, errors)


def distribution(model: Model, elo: float) -> list[float]:
    """An ordinary pentanomial, tilted until its strength is `elo`."""
    low, high = -20.0, 20.0
    ordinary = (6, 20, 48, 20, 6)

    def tilted(by: float) -> list[float]:
        return [share * math.exp(by * score) for share, score in zip(ordinary, SCORES, strict=True)]

    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if condition(model, elo, tilted(middle)) < 0 else (low, middle)
    return tilted(low)


def run(test: Sprt, shares: list[float], draw: Random) -> str:
    pairs, verdict = Pairs(), "go on"
    while verdict == "go on":
        for place in draw.choices(range(5), shares, k=3):
            first = min(place, 2) / 2
            pairs = pairs.plus(first, place / 2 - first)
        verdict = test.verdict(pairs)
    return verdict


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 must be less than elo1, both between -200 and 200 in the normalized model"),
        ({"elo0": 0, "elo1": 201}, "not 0 and 201"),
        ({"elo0": 0, "elo1": 1_001, "model": "logistic"}, "between -1000 and 1000 in the logistic model"),
        ({"elo0": math.nan, "elo1": 5}, "not nan and 5"),
        ({"elo0": 0, "elo1": 5, "alpha": 0.5}, "alpha must be at least 0.000001 and less than 0.5, not 0.5"),
        ({"elo0": 0, "elo1": 5, "beta": 0}, "beta must be at least 0.000001 and less than 0.5, not 0"),
        ({"elo0": 0, "elo1": 5, "beta": math.nan}, "beta must be"),
        ({"elo0": 0, "elo1": 5, "model": "bayesian"}, "the model must be normalized or logistic, not bayesian"),
    ],
)
def test_what_is_no_test_is_refused_in_a_sentence(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Sprt(**wrong)  # type: ignore[arg-type]

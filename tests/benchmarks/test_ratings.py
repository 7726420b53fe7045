"""The campaigns on ratings run, and a short one finds what the long ones say in docs/measurements/ratings.md."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from benchmarks import ratings
from benchmarks.ratings import POOLS, Pool, bounds_wrong, coverage, simulated, tilted, truth
from tabiya.server.ratings.fit import rate

SHORT = [pool for pool in POOLS if pool.players <= 6 and pool.pairs <= 20]


@pytest.mark.slow
@pytest.mark.parametrize("pool", SHORT[:5], ids=lambda pool: pool.name)
def test_intervals_hold_the_truth_in_pools_of_several_kinds(pool: Pool) -> None:
    held = coverage(pool, 12)
    assert held.ratings > 0.85
    assert held.differences > 0.85
    assert held.first_mover >= 0.75


@pytest.mark.slow
def test_intervals_that_took_pairs_for_independent_games_would_not_hold_it() -> None:
    """Openings that suit one player: as single games their errors come out too small."""
    unpaired = Pool("as single games", 3, 50, sd=50.0, style=5.0, single=True)
    paired = unpaired._replace(single=False)
    assert coverage(unpaired, 25).differences < 0.86 < coverage(paired, 25).differences


def test_the_truth_of_a_pool_with_openings_is_what_very_many_of_its_games_say() -> None:
    pool = Pool("unbalanced", 3, 20_000, opening=2.0)
    strengths = np.array([1.0, 0.0, -0.5])
    true = truth(pool, strengths)
    found = rate(simulated(pool, strengths, np.random.default_rng(1)))
    for one, other in ((0, 1), (1, 2)):
        exact = true.elos[true.numbers[one]] - true.elos[true.numbers[other]]
        compared = found.compare(one, other)
        assert compared is not None
        assert compared.difference == pytest.approx(exact, abs=6)


@pytest.mark.slow
def test_a_bound_with_one_side_only_is_rarely_above_the_truth() -> None:
    """Both games of a pair alike: the worst case."""
    shares = tilted("logistic", 200, (50.0, 0.01, 0.01, 0.01, 50.0))
    shown, wrong = bounds_wrong(shares, 20, 200, 2_000)
    assert shown > 5
    assert 0 < wrong < 4.5


def test_what_is_new_is_counted_in_pairs_and_timed() -> None:
    assert 0 < ratings.counting_us(200) < 10_000


@pytest.mark.slow
@pytest.mark.parametrize("campaign", ["pairs", "bounds", "sprt"])
def test_the_campaigns_print_their_tables(
    campaign: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ratings, "_tests", lambda: iter([("normalized", (0, 100), "chess programs")]))
    monkeypatch.setattr(sys, "argv", ["ratings", campaign, "--seeds", "3"])
    ratings.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(("3 seeds each, in %: Elo, normalised Elo", "in % of 3 matches", "3 runs each"))
    assert len({line.count("|") for line in lines[1:]}) == 1

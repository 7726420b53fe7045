"""The same games rated by Ordo and BayesElo: what they said stands in other_programs.json, with the recipe.

Ordo takes a draw for half a win and fits the points alone, with Elo's own curve and no prior. Davidson's model has the
same points in the middle and far out a slightly different curve, so that ratings far from the average differ by up to
a twentieth. BayesElo takes a draw for a win and a loss (Rao and Kupper), has two imaginary draws for each
player as prior, and shrinks its scale where the draws are many: it stays up to a seventh nearer to the average.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tabiya.server.ratings.fit import rate
from tabiya.server.ratings.rating import Ratings
from tabiya.server.ratings.results import RatedGame, Results

DATA = json.loads((Path(__file__).parent / "other_programs.json").read_text("utf-8"))
POOLS = {pool["name"]: pool for pool in DATA["pools"]}


def rated(pool: dict[str, Any]) -> Ratings[str]:
    results: Results[str] = Results()
    for players, counts in pool["games"].items():
        first, second = players.split()
        for winner, number in zip((0, 1, None), counts, strict=True):
            results.add(RatedGame(first, second, winner), number)
    return rate(results)


def centred(ratings: dict[str, list[float]]) -> dict[str, float]:
    mean = sum(rating[0] for rating in ratings.values()) / len(ratings)
    return {name: rating[0] - mean + 1500 for name, rating in ratings.items()}


@pytest.mark.parametrize("name", POOLS)
def test_ratings_errors_advantage_and_draws_are_those_of_ordo(name: str) -> None:
    pool = POOLS[name]
    found, ordo = rated(pool), pool["ordo"]
    for player, elo in centred(ordo["ratings"]).items():
        rating = found.by_player[player]
        assert rating.elo == pytest.approx(elo, abs=3 + 0.05 * abs(elo - 1500))
        assert rating.plus_minus == pytest.approx(ordo["ratings"][player][1], rel=0.2)
    assert found.first_mover == pytest.approx(ordo["first_mover"], abs=3)
    assert found.draw_rate == pytest.approx(ordo["draw_rate"], abs=0.01)


@pytest.mark.parametrize("name", POOLS)
def test_ratings_are_those_of_bayeselo_up_to_its_prior_and_scale(name: str) -> None:
    pool = POOLS[name]
    found, bayeselo = rated(pool), pool["bayeselo"]
    for player, elo in centred(bayeselo["ratings"]).items():
        assert found.by_player[player].elo == pytest.approx(elo, abs=5 + 0.14 * abs(found.by_player[player].elo - 1500))
    order = sorted(found.by_player, key=lambda player: -bayeselo["ratings"][player][0])
    apart = [(one, other) for one, other in pairwise(order) if gap(bayeselo, one, other) > 6]
    assert all(found.by_player[one].elo > found.by_player[other].elo for one, other in apart)


def gap(program: dict[str, Any], one: str, other: str) -> float:
    return float(program["ratings"][one][0] - program["ratings"][other][0])


def test_the_pools_are_of_several_kinds() -> None:
    assert len(POOLS) == 5
    assert {len(pool["ordo"]["ratings"]) for pool in POOLS.values()} == {6, 8, 10}
    assert sum(sum(counts) for pool in POOLS.values() for counts in pool["games"].values()) > 7_000

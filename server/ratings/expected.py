"""Expected scores: what the fit expects of one player in a game against another, with random seats."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tabiya.server.ratings.davidson import chances_of
from tabiya.server.ratings.elo import Z95
from tabiya.server.ratings.rating import Ratings

P = TypeVar("P", bound=Hashable)


class Expected(NamedTuple):
    """Points a game, 0..1, and the 95 % interval that the uncertainty of the two ratings leaves."""

    score: float
    low: float
    high: float


def points_in_seat(ratings: Ratings[P], seat: int, differences: Any) -> Any:
    """Expected points in a game with that seat. differences: an array, the player's Elo minus the other's."""
    ahead = ratings.first_mover if seat == 0 else -ratings.first_mover
    return chances_of((np.asarray(differences) + ahead) / ratings.scale, ratings.draw).points


def points_in_random_seat(ratings: Ratings[P], differences: Any) -> Any:
    """The mean of both seats."""
    return (points_in_seat(ratings, 0, differences) + points_in_seat(ratings, 1, differences)) / 2


def expected_against(ratings: Ratings[P], player: P) -> dict[P, Expected]:
    """What every other player of the pool is expected to score against this one. Raises KeyError for no player."""
    pool = ratings.by_player[player].pool
    others = [other for other, rating in ratings.by_player.items() if rating.pool == pool and other != player]
    i, at = ratings.numbers[player], np.array([ratings.numbers[other] for other in others], dtype=np.int64)
    if not others:
        return {}
    covariance = ratings.covariance
    variance = covariance[i, i] + np.diag(covariance)[at] - 2 * covariance[i, at]
    half = Z95 * np.sqrt(np.maximum(variance, 0.0))
    ahead = ratings.elos[at] - ratings.elos[i]
    found = points_in_random_seat(ratings, np.stack([ahead, ahead - half, ahead + half], axis=1))
    return {other: Expected(*row) for other, row in zip(others, found.tolist(), strict=True)}

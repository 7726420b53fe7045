"""The results of a fit: ratings with intervals, and comparisons of any two players."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from tabiya.server.ratings.davidson import chances_of, draw_rate_of
from tabiya.server.ratings.elo import ELO_PER_UNIT, Z95, normal_below

CENTRE = 1500.0
POWER_80 = 0.841621  # one-sided 80 % of the normal distribution
MAX_GAMES_NEEDED = 1_000_000

P = TypeVar("P", bound=Hashable)


class Rating(NamedTuple):
    """Elo, half the width of its 95 % interval, and what it rests on.

    plus_minus: around the average of the pool, or around its anchors where it has some; 0 for an anchor itself.
    pool: number of the group connected by games, from 0; ratings of different pools cannot be compared.
    performance: the rating that would make the points scored the points expected, the opponents' ratings as they are;
    None after a score of 0 or 100 %, which no rating explains.
    """

    elo: float
    plus_minus: float
    wins: int
    draws: int
    losses: int
    pool: int = 0
    performance: float | None = None
    anchor: bool = False

    @property
    def games(self) -> int:
        """How many games were rated."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0..1."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0


class Comparison(NamedTuple):
    """How one player stands to another. difference: in Elo, above 0 when the first is better.

    superiority: how likely the first is the better one, 0..1 (LOS).  games_needed: so many games more between the two,
    half with each seat, and with a chance of 80 % the 95 % interval of the difference no longer contains 0, if the
    difference is what it seems; 0 when that is so already; None beyond a million.
    """

    difference: float
    plus_minus: float
    superiority: float
    games_needed: int | None


class BoundedPair(NamedTuple, Generic[P]):
    """Two players who met so often that the fit counts fewer games: those they played, and as how many they count."""

    one: P
    other: P
    games: int
    counted: int


@dataclass(frozen=True)
class Ratings(Generic[P]):
    """All ratings, best first, pool after pool, and what was fitted beside them.

    first_mover: advantage of seat 0 in Elo.  draw_rate: expected share of draws between equals, 0..1.
    pairing: variance of the strengths' evidence from pairs of games compared with as many independent games.
    spread: standard deviation of the prior on strengths, in Elo, estimated with them.  scale: Elo of a natural unit.
    elos, covariance: of the players by number, in Elo, around any zero.
    bounded: pairs whose games count as fewer than they are, those with most games first.
    """

    by_player: Mapping[P, Rating] = field(default_factory=dict)
    first_mover: float = 0.0
    first_mover_plus_minus: float = 0.0
    draw_rate: float = 0.0
    draw_rate_interval: tuple[float, float] = (0.0, 0.0)
    pairing: float = 1.0
    pools: int = 0
    spread: float = 0.0
    numbers: Mapping[P, int] = field(default_factory=dict)
    scale: float = ELO_PER_UNIT
    elos: Any = None
    covariance: Any = None
    draw: float = 0.0
    bounded: tuple[BoundedPair[P], ...] = ()

    def compare(self, one: P, other: P) -> Comparison | None:
        """How two players compare; None where they belong to different pools. Raises KeyError for no player."""
        if self.by_player[one].pool != self.by_player[other].pool:
            return None
        i, j = self.numbers[one], self.numbers[other]
        difference = float(self.elos[i] - self.elos[j])
        variance = max(0.0, float(self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]))
        return Comparison(
            difference,
            Z95 * math.sqrt(variance),
            _superiority(difference, variance),
            self._games_needed(difference, variance),
        )

    def _games_needed(self, difference: float, variance: float) -> int | None:
        """A game adds the information that the model expects of it, and pairs add as much more as they did so far."""
        if difference * difference >= Z95 * Z95 * variance:
            return 0
        if difference == 0:
            return None
        seats = np.array([difference + self.first_mover, difference - self.first_mover]) / self.scale
        a_game = float(chances_of(seats, self.draw).points_variance.mean()) / self.pairing / self.scale**2
        games = (((Z95 + POWER_80) / difference) ** 2 - 1 / variance) / a_game
        return 2 * math.ceil(games / 2) if games <= MAX_GAMES_NEEDED else None

    def superiorities(self, players: list[P]) -> list[list[float | None]]:
        """How likely each (row) is better than each other (column), 0..1; None across pools and for itself."""
        at = np.array([self.numbers[player] for player in players], dtype=np.int64)
        pools = [self.by_player[player].pool for player in players]
        inside = self.covariance[np.ix_(at, at)] if players else np.zeros((0, 0))
        variances = np.diag(inside)[:, None] + np.diag(inside)[None, :] - 2 * inside
        differences = self.elos[at][:, None] - self.elos[at][None, :] if players else inside
        return [
            [
                None if i == j or pools[i] != pools[j] else _superiority(difference, max(0.0, variance))
                for j, (difference, variance) in enumerate(zip(row, of_row, strict=True))
            ]
            for i, (row, of_row) in enumerate(zip(differences.tolist(), variances.tolist(), strict=True))
        ]


def _superiority(difference: float, variance: float) -> float:
    if variance == 0:
        return 0.5 if difference == 0 else float(difference > 0)
    return normal_below(difference / math.sqrt(variance))


def draw_rate_interval(draw: float, variance: float) -> tuple[float, float]:
    """The 95 % interval of the draw rate for the draw parameter and its variance."""
    half = Z95 * math.sqrt(max(0.0, variance))
    return draw_rate_of(draw - half), draw_rate_of(draw + half)

"""A player's results against each other player and with each seat, with the scores that the fit expects."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple, TypeVar

import numpy as np

from tabiya.server.ratings.davidson import chances_of
from tabiya.server.ratings.elo import Z95
from tabiya.server.ratings.expected import points_in_seat
from tabiya.server.ratings.rating import Ratings
from tabiya.server.ratings.results import Results

P = TypeVar("P", bound=Hashable)
STEPS, TOLERANCE_ELO, LONGEST_STEP_ELO = 60, 0.01, 200.0


class Tally(NamedTuple):
    """Games of a player. expected: points that the fit expects of all of them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    expected: float = 0.0

    @property
    def games(self) -> int:
        """How many."""
        return self.wins + self.draws + self.losses

    def plus(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.expected + other.expected,
        )


def meetings(results: Results[P], ratings: Ratings[P], player: P) -> dict[P, tuple[Tally, Tally]]:
    """Its games against each other player: with seat 0, with seat 1. Raises KeyError for no player."""
    i, players, games = results.numbers[player], list(results.numbers), results.games()
    elo = ratings.by_player[player].elo
    found: dict[P, tuple[Tally, Tally]] = {}
    for seat, (own, others) in enumerate(((games.first, games.second), (games.second, games.first))):
        for row in np.flatnonzero(own == i):
            won, lost, drawn = (int(count) for count in games.counts[row])
            other = players[others[row]]
            each = float(points_in_seat(ratings, seat, elo - ratings.by_player[other].elo))
            tally = Tally(*((won, drawn, lost) if seat == 0 else (lost, drawn, won)), each * (won + lost + drawn))
            before = found.get(other, (Tally(), Tally()))
            found[other] = (before[0].plus(tally), before[1]) if seat == 0 else (before[0], before[1].plus(tally))
    return {other: tallies for other, tallies in found.items() if tallies[0].games + tallies[1].games}


class Meeting(NamedTuple):
    """One game of a player: the rating of its opponent, its seat, and its points."""

    opponent_elo: float
    seat: int
    points: float


def performance_of(ratings: Ratings[P], games: Iterable[Meeting]) -> tuple[float, float]:
    """The rating that would make the points of these games the points expected, and half its 95 % interval.

    The opponents are as strong as the fit says they are now. To the games is added a draw with each seat against an
    opponent of mean strength, so that a run of wins has a finite value.
    """
    played = list(games)
    elos = np.array([game.opponent_elo for game in played])
    elos, seats = np.append(elos, [elos.mean()] * 2), np.array([*(game.seat for game in played), 0, 1])
    points, at = sum(game.points for game in played) + 1, float(elos.mean())
    ahead = np.where(seats == 0, ratings.first_mover, -ratings.first_mover)
    slope = 1.0
    for _ in range(STEPS):
        chances = chances_of((at - elos + ahead) / ratings.scale, ratings.draw)
        slope = float(chances.points_variance.sum()) / ratings.scale
        step = (points - float(chances.points.sum())) / slope
        at += min(LONGEST_STEP_ELO, max(-LONGEST_STEP_ELO, step))
        if abs(step) < TOLERANCE_ELO:
            break
    return at, Z95 * float(np.sqrt(ratings.scale / slope))

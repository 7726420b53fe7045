"""What the results of a match say: score, Elo difference with its error, likelihood of superiority. Numbers only.

Games come in pairs from one opening with seats changed. What an opening gives to one seat cancels out over its pair,
so the error is that of the pairs' scores, which is smaller than that of as many independent games. To the pairs played
come two imaginary ones, one won and one lost: a few games then claim little, and many feel nothing of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z95 = 1.959964
ELO = 400 / math.log(10)
IMAGINARY = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Score:
    """The first player's results. pairs: its mean score, 0..1, in each pair of which both games have one."""

    wins: int
    draws: int
    losses: int
    pairs: tuple[float, ...] = ()

    @property
    def games(self) -> int:
        """Games that have a result."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win is one, a draw half a point."""
        return self.wins + self.draws / 2

    @property
    def mean(self) -> float:
        """Points a game; one half without games."""
        return self.points / self.games if self.games else 0.5

    @property
    def elo(self) -> float:
        """The difference in Elo that this score stands for; infinite when one player has won everything."""
        return elo_of(self.mean)

    @property
    def plus_minus(self) -> float | None:
        """Half the width of the 95 % interval of `elo`; None where so few pairs say nothing."""
        mean, error = self._estimate
        low, high = mean - Z95 * error, mean + Z95 * error
        return None if low <= 0 or high >= 1 else (elo_of(high) - elo_of(low)) / 2

    @property
    def superiority(self) -> float:
        """How likely the first player is the stronger one, 0..1."""
        mean, error = self._estimate
        return (1 + math.erf((mean - 0.5) / (error * math.sqrt(2)))) / 2

    @property
    def _estimate(self) -> tuple[float, float]:
        """The mean score of a pair and its standard error, with the imaginary pairs."""
        pairs = (*self.pairs, *IMAGINARY)
        mean = sum(pairs) / len(pairs)
        return mean, math.sqrt(sum((pair - mean) ** 2 for pair in pairs) / (len(pairs) - 1) / len(pairs))


def elo_of(mean: float) -> float:
    """The Elo difference for a mean score of 0..1."""
    if mean <= 0 or mean >= 1:
        return math.inf if mean >= 1 else -math.inf
    return ELO * math.log(mean / (1 - mean))


def score_of(scores: Sequence[float | None]) -> Score:
    """The score of games in their order, two of a pair after each other.

    scores: 1, 0.5 or 0 for the first player, None for a game without result.
    """
    done = [score for score in scores if score is not None]
    pairs = [(first, second) for first, second in zip(scores[::2], scores[1::2], strict=False)]
    whole = tuple((first + second) / 2 for first, second in pairs if first is not None and second is not None)
    return Score(done.count(1), done.count(0.5), done.count(0), whole)

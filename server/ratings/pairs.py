"""The results of two players, counted by pairs: two games from one opening with seats swapped.

The two games of a pair are not independent: what an opening gives to one seat cancels out over its pair. So the pair
is the unit, and five counts (0, 1/2, 1, 3/2, 2 points of the first player) say everything: the pentanomial.

The differences themselves (`elo`, `normalised_elo`) are those of the games played. For the intervals and the likelihood
of superiority two imaginary pairs come to those played, one lost and one won: a few games then claim little, players
who repeat one game do not come out as measured without error, and many pairs feel nothing of it. How often the
intervals hold the truth is measured by benchmarks/ratings.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tabiya.server.ratings.elo import NORMALISED_ELO, Z95, elo_of, normal_below

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Mean score of a pair, by its place in the counts."""
IMAGINARY = (1, 0, 0, 0, 1)

Counts = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Counts of pairs by the first player's points: 0, 1/2, 1, 3/2, 2. Raises ValueError if they are no counts."""

    counts: Counts = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        """Raise ValueError for impossible counts."""
        if len(self.counts) != len(SCORES) or any(count < 0 for count in self.counts):
            raise ValueError(f"counts of pairs are five whole numbers from 0 on, not {list(self.counts)}")

    def plus(self, first: float, second: float, number: int = 1) -> Pairs:
        """With `number` more pairs, in whose games the first player scored `first` and `second` (0, 0.5 or 1)."""
        place = _place(first, second)
        return Pairs(_five(count + number * (at == place) for at, count in enumerate(self.counts)))

    def swapped(self) -> Pairs:
        """The same seen by the second player."""
        return Pairs(_five(reversed(self.counts)))

    @property
    def number(self) -> int:
        """How many pairs."""
        return sum(self.counts)

    @property
    def score(self) -> float:
        """Points a game, 0..1; one half without any pair."""
        return mean_and_variance(self.counts)[0] if self.number else 0.5

    @property
    def elo(self) -> float:
        """The Elo difference of this score; infinite if one player won all games."""
        return elo_of(self.score)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """The 95 % interval of the Elo difference; infinite on a side that the pairs do not limit."""
        mean, error = self._estimate
        return elo_of(mean - Z95 * error), elo_of(mean + Z95 * error)

    @property
    def elo_plus_minus(self) -> float | None:
        """Half the width of `elo_interval`; None where that is infinite."""
        low, high = self.elo_interval
        return (high - low) / 2 if math.isfinite(high - low) else None

    @property
    def normalised_elo(self) -> float:
        """The difference in units of the spread: what decides how many games it takes to see it.

        Unlike Elo it does not shrink when draws or unbalanced openings make most pairs end even. 0 without pairs,
        infinite where all pairs ended alike and not even.
        """
        if not self.number:
            return 0.0
        mean, variance = mean_and_variance(self.counts)
        if variance == 0:
            return 0.0 if mean == 0.5 else math.copysign(math.inf, mean - 0.5)
        return NORMALISED_ELO * (mean - 0.5) / math.sqrt(2 * variance)

    @property
    def normalised_plus_minus(self) -> float:
        """Half the width of the 95 % interval of the normalised Elo; it holds that with the imaginary pairs, too."""
        counts = _with_imaginary(self.counts)
        number = sum(counts)
        mean, variance = mean_and_variance(counts)
        t = (mean - 0.5) / math.sqrt(variance)
        skewness, kurtosis = (_standard_moment(counts, mean, variance, power) for power in (3, 4))
        # The error of a ratio mean / spread to first order; the spread's share counts where one side wins nearly all.
        spread = max(0.0, 1 - t * skewness + t * t * (kurtosis - 1) / 4)
        half = Z95 * NORMALISED_ELO * math.sqrt(spread / (2 * number))
        moved = abs(NORMALISED_ELO * t / math.sqrt(2) - self.normalised_elo)
        return half + (moved if math.isfinite(moved) else 0.0)

    @property
    def superiority(self) -> float:
        """How likely the first player is the stronger one, 0..1 (LOS)."""
        mean, error = self._estimate
        return normal_below((mean - 0.5) / error)

    @property
    def even(self) -> float:
        """The share of pairs that ended one to one, 0..1: the draw ratio of pairs."""
        return self.counts[2] / self.number if self.number else 0.0

    @property
    def ratio(self) -> float | None:
        """Pairs won to pairs lost; infinite if none was lost, None if none was won either."""
        lost, won = sum(self.counts[:2]), sum(self.counts[3:])
        if lost == 0:
            return math.inf if won else None
        return won / lost

    @property
    def _estimate(self) -> tuple[float, float]:
        """The mean score and its standard error, with the imaginary pairs."""
        counts = _with_imaginary(self.counts)
        mean, variance = mean_and_variance(counts)
        return mean, math.sqrt(variance / (sum(counts) - 1))


def mean_and_variance(counts: Sequence[float]) -> tuple[float, float]:
    """Mean and variance of the score of a pair. counts: at least one of them above zero."""
    number = sum(counts)
    mean = sum(count * score for count, score in zip(counts, SCORES, strict=True)) / number
    return mean, sum(count * (score - mean) ** 2 for count, score in zip(counts, SCORES, strict=True)) / number


def _standard_moment(counts: Sequence[float], mean: float, variance: float, power: int) -> float:
    moment = sum(count * (score - mean) ** power for count, score in zip(counts, SCORES, strict=True)) / sum(counts)
    return float(moment / variance ** (power / 2))


def _with_imaginary(counts: Counts) -> Counts:
    return _five(count + more for count, more in zip(counts, IMAGINARY, strict=True))


def _place(first: float, second: float) -> int:
    if first not in (0, 0.5, 1) or second not in (0, 0.5, 1):
        raise ValueError(f"a game scores 0, 0.5 or 1, not {first} and {second}")
    return int(2 * (first + second))


def _five(counts: Iterable[int]) -> Counts:
    a, b, c, d, e = counts
    return a, b, c, d, e

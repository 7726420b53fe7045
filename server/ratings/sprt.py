"""Sequential probability ratio test between two players: stop as soon as the games decide.

    test = Sprt(elo0=0, elo1=5)
    test.llr(pairs), test.bounds, test.verdict(pairs)      # "accept H1" as soon as llr reaches the upper bound

Two hypotheses about the first player: H0, it is elo0 better, and H1, it is elo1 better. The log-likelihood ratio (LLR)
of the pairs seen compares the best explanation under H1 with the best under H0, over all distributions of the five
results of a pair (Van den Bergh, "Comments on normalized Elo" and "Comparing approximations"; Wald's bounds). Checked
after each pair, H1 is accepted wrongly with probability at most alpha and H0 with beta, up to the small error of
Wald's bounds; benchmarks/ratings.py measures it.

Models: "logistic" takes elo0 and elo1 as expected scores. "normalized" takes them in units of the spread of the
results, so that the expected length of the test does not depend on draws and openings. Where nearly all pairs end
one to one (perfect players), there is no spread to measure by, and only the logistic model comes to an end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tabiya.server.ratings.elo import NORMALISED_ELO, score_of
from tabiya.server.ratings.pairs import SCORES, Pairs, mean_and_variance

Model = Literal["normalized", "logistic"]
Verdict = Literal["accept H0", "accept H1", "go on"]

LARGEST_ELO: dict[str, float] = {"normalized": 200.0, "logistic": 1_000.0}
EMPTY = 1e-3  # what an empty count is taken for, as in fishtest and fastchess: its logarithm must exist
ROUNDS, ENOUGH, NOTHING = 100, 1e-10, 1e-14


@dataclass(frozen=True, slots=True)
class Sprt:
    """The test. alpha, beta: accepted error rates, of accepting H1 and H0 wrongly. Raises ValueError, one sentence."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "normalized"

    def __post_init__(self) -> None:
        """Raise ValueError for impossible bounds."""
        if self.model not in LARGEST_ELO:
            raise ValueError(f"the model must be {' or '.join(LARGEST_ELO)}, not {self.model}")
        most = LARGEST_ELO[self.model]
        if not -most <= self.elo0 < self.elo1 <= most:
            between = f"between {-most:g} and {most:g} in the {self.model} model"
            raise ValueError(f"elo0 must be less than elo1, both {between}, not {self.elo0:g} and {self.elo1:g}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 1e-6 <= rate < 0.5:
                raise ValueError(f"{name} must be at least 0.000001 and less than 0.5, not {rate:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """At or below the first H0 is accepted, at or above the second H1."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Pairs) -> float:
        """The log-likelihood ratio of H1 to H0; 0 without any pair."""
        if not pairs.number:
            return 0.0
        counts = [count or EMPTY for count in pairs.counts]
        number = sum(counts)
        seen = [count / number for count in counts]
        under0, under1 = (self._most_likely(seen, elo) for elo in (self.elo0, self.elo1))
        return sum(count * math.log(p1 / p0) for count, p0, p1 in zip(counts, under0, under1, strict=True))

    def verdict(self, pairs: Pairs) -> Verdict:
        """The verdict on the pairs so far."""
        llr, (lower, upper) = self.llr(pairs), self.bounds
        return "accept H0" if llr <= lower else "accept H1" if llr >= upper else "go on"

    def _most_likely(self, seen: Sequence[float], elo: float) -> list[float]:
        """The distribution of a pair's result that explains the shares seen best, if the difference is `elo`."""
        if self.model == "logistic":
            mean = score_of(elo)
            return _with_mean_zero(seen, [score - mean for score in SCORES])
        return _with_ratio(seen, math.sqrt(2) * elo / NORMALISED_ELO)


def _with_ratio(seen: Sequence[float], ratio: float) -> list[float]:
    """The likeliest distribution in which (mean - 1/2) / spread is `ratio`.

    The condition is made linear around the last distribution, which is then replaced, until nothing changes.
    """
    at = [1 / len(SCORES)] * len(SCORES)
    for _ in range(ROUNDS):
        mean, variance = mean_and_variance(at)
        spread = math.sqrt(variance)
        half = ratio * spread / 2
        values = [score - 0.5 - half * (1 + ((score - mean) / spread) ** 2) for score in SCORES]
        last, at = at, _with_mean_zero(seen, values)
        if max(abs(now - before) for now, before in zip(at, last, strict=True)) < ENOUGH:
            break
    return at


def _with_mean_zero(seen: Sequence[float], values: Sequence[float]) -> list[float]:
    """The likeliest distribution in which `values` have mean zero: seen / (1 + x * value) for the one x that fits.

    seen: all above zero.  values: some below and some above zero, so that x lies between two poles.
    """
    low, high, x = -1 / max(values), -1 / min(values), 0.0
    for _ in range(ROUNDS):
        shares = [share / (1 + x * value) for share, value in zip(seen, values, strict=True)]
        excess = sum(share * value for share, value in zip(shares, values, strict=True))  # falls with x
        low, high = (x, high) if excess > 0 else (low, x)
        fall = sum(share * value * value / (1 + x * value) for share, value in zip(shares, values, strict=True))
        step = excess / fall  # Newton's; halving where it would leave the bounds
        if abs(step) < NOTHING * (1 + abs(x)):
            break
        x = x + step if low < x + step < high else (low + high) / 2
    shares = [share / (1 + x * value) for share, value in zip(seen, values, strict=True)]
    return [share / sum(shares) for share in shares]

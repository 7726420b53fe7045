"""The Elo scale: a difference of 400 is ten to one, one natural unit of strength is 400 / ln 10 = 173.7 Elo."""

from __future__ import annotations

import math

ELO_PER_UNIT = 400 / math.log(10)
NORMALISED_ELO = 2 * ELO_PER_UNIT
"""Normalised Elo for each standard deviation of one game by which the mean score lies above one half."""
Z95 = 1.959964
"""Two-sided 95 % of the normal distribution."""


def score_of(elo: float) -> float:
    """The mean score, 0..1, expected from an Elo difference."""
    if elo < 0:  # so that the exponent below is never positive: exp() overflows
        return 1 - score_of(-elo)
    return 1 / (1 + math.exp(-elo / ELO_PER_UNIT))


def elo_of(score: float) -> float:
    """The Elo difference for a mean score of 0..1; infinite at both ends."""
    if score <= 0 or score >= 1:
        return math.inf if score >= 1 else -math.inf
    return ELO_PER_UNIT * math.log(score / (1 - score))


def normal_below(z: float) -> float:
    """The share of the standard normal distribution below z."""
    return math.erfc(-z / math.sqrt(2)) / 2

"""The model of one game, for many at once: Davidson's (1970) draws, Davidson and Beaver's (1977) order of play.

With strengths s (natural units), first-mover advantage f and draw parameter d, a game of i (seat 0) against j has the
weights

    seat 0 wins: exp(s_i + f)     seat 1 wins: exp(s_j)     draw: exp(d + (s_i + f + s_j) / 2)

and each result the probability weight / sum. The logarithm is linear in the parameters, so the likelihood is concave:
there is one maximum. What the strengths learn of a game is the points scored less the points expected, as in Elo: a
draw counts exactly as half a win and half a loss.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tabiya.server.ratings.elo import ELO_PER_UNIT


class ExpectedOutcomes(NamedTuple):
    """What the model expects of each meeting, as arrays; log_total: the logarithm of the sum of the weights.

    won, drawn: probabilities for seat 0.  points: its expected points.  points_variance, draw_variance, covariance: of
    the points of seat 0 and of the indicator of a draw, per game.
    """

    log_total: Any
    won: Any
    drawn: Any
    points: Any
    points_variance: Any
    draw_variance: Any
    covariance: Any


def chances_of(difference: Any, draw: float) -> ExpectedOutcomes:
    """difference: s_i + f - s_j of each meeting, in natural units.  draw: the draw parameter d."""
    half = np.abs(difference) / 2
    weaker, draws = np.exp(-half), math.exp(draw)  # the stronger's exponent is taken off all three: none overflows
    total = 1 + weaker * (weaker + draws)
    stronger = 1 / total
    won, drawn = np.where(difference >= 0, stronger, weaker * weaker * stronger), draws * weaker * stronger
    points = won + drawn / 2
    variance, covariance = won + drawn / 4 - points**2, drawn * (0.5 - points)
    return ExpectedOutcomes(half + np.log(total), won, drawn, points, variance, drawn * (1 - drawn), covariance)


def elo_per_unit(draw: float) -> float:
    """Elo of one natural unit of strength for the draw parameter d: near equality, as many points as Elo's own curve.

    The more draws, the fewer points a unit is worth: 1 - (draw rate) times 173.7 Elo, as BayesElo scales, too.
    """
    return ELO_PER_UNIT * (1 - draw_rate_of(draw))


def draw_rate_of(draw: float) -> float:
    """The share of draws between equals for the draw parameter d."""
    return float(1 / (1 + 2 * np.exp(-draw)))

"""The measured variance of pairs of games, compared with the model's independent games.

Of a pair, strengths learn from the difference of its games' surprises (points less expected points), the first-mover
advantage from their sum, draws from the sum of theirs. If an opening favours one seat, the first varies less than for
independent games and the second more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.server.ratings.davidson import chances_of
from tabiya.server.ratings.result_table import DRAWN, POINTS, ResultTable, information

PRIOR_WEIGHT_PAIRS = 10.0  # weight of the prior assumption, in pairs
LEAST = 0.05  # of the model's variance; no less is believed, however alike the pairs seen were


def evidence(
    pairs: ResultTable, strengths: Any, first_mover: float, draw: float, freedom: float, column: Any, size: int
) -> tuple[Any, float]:
    """What to add to the model's variance of the evidence, over the parameters, and the ratio for all pairs.

    freedom: by how much squared surprises come out too small because the parameters were fitted to them.
    """
    total = size + 2
    if not len(pairs.first):
        return np.zeros((total, total)), 1.0
    one = chances_of(strengths[pairs.first] + first_mover - strengths[pairs.second], draw)
    two = chances_of(strengths[pairs.second] + first_mover - strengths[pairs.first], draw)
    number = pairs.number
    points = number * (one.points_variance + two.points_variance)
    drawn = number * (one.draw_variance + two.draw_variance)
    surprise = POINTS[:, None] - one.points[:, None, None], POINTS - two.points[:, None, None]
    draws = DRAWN[:, None] - one.drawn[:, None, None], DRAWN - two.drawn[:, None, None]
    differences = _squared(pairs, surprise[0] - surprise[1], freedom)
    sums = _squared(pairs, surprise[0] + surprise[1], freedom)
    both_drawn = _squared(pairs, draws[0] + draws[1], freedom)
    a_pair = points.sum() / number.sum()
    all_pairs = _ratio(differences.sum(), points.sum(), 1.0, a_pair)
    of_strengths = np.sqrt(_ratio(differences, points, all_pairs, a_pair))
    of_first_mover = np.sqrt(_ratio(sums.sum(), points.sum(), 1.0, a_pair))
    of_draws = np.sqrt(_ratio(both_drawn.sum(), drawn.sum(), 1.0, drawn.sum() / number.sum()))
    return information(
        column[pairs.first],
        column[pairs.second],
        size,
        strength=points * (of_strengths**2 - 1),
        first_mover=points * (of_first_mover**2 - 1),
        both=number * (one.points_variance - two.points_variance) * (of_strengths * of_first_mover - 1),
        draw=drawn * (of_draws**2 - 1),
        strength_draw=number * (one.covariance - two.covariance) * (of_strengths * of_draws - 1),
        first_mover_draw=number * (one.covariance + two.covariance) * (of_first_mover * of_draws - 1),
    ), float(all_pairs)


def _squared(pairs: ResultTable, surprise: Any, freedom: float) -> Any:
    """The sum of squares in each row."""
    return freedom * (pairs.counts * surprise**2).sum(axis=(1, 2))


def _ratio(seen: Any, expected: Any, before: float, a_pair: float) -> Any:
    """Seen to expected, drawn towards `before`, which is worth some pairs of the variance `a_pair`."""
    worth = PRIOR_WEIGHT_PAIRS * max(a_pair, 1e-12)
    return np.maximum((seen + worth * before) / (expected + worth), LEAST)

"""Performance: the rating whose expected points equal the points scored."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.server.ratings.davidson import chances_of
from tabiya.server.ratings.result_table import ResultTable

STEPS, TOLERANCE, LONGEST_STEP = 60, 1e-7, 1.0


def wins_draws_losses(table: ResultTable, players: int) -> tuple[Any, Any, Any]:
    """Wins, draws and losses of each player."""
    first, second, drawn = (
        (
            np.bincount(table.first, table.counts[:, result], players),
            np.bincount(table.second, table.counts[:, result], players),
        )
        for result in range(3)
    )
    return first[0] + second[1], drawn[0] + drawn[1], first[1] + second[0]


def performances(table: ResultTable, strengths: Any, first_mover: float, draw: float) -> Any:
    """Of each player in natural units, the opponents taken as strong as fitted; infinite for 0 and for 100 %."""
    players, games = len(strengths), table.number
    wins, draws, losses = wins_draws_losses(table, players)
    points, played = wins + draws / 2, wins + draws + losses
    ordinary = (points > 0) & (points < played)  # no rating explains 0 or 100 %
    at = strengths.copy()
    for _ in range(STEPS):
        as_first = chances_of(at[table.first] + first_mover - strengths[table.second], draw)
        as_second = chances_of(strengths[table.first] + first_mover - at[table.second], draw)
        expected = np.bincount(table.first, games * as_first.points, players)
        expected += np.bincount(table.second, games * (1 - as_second.points), players)
        slope = np.bincount(table.first, games * as_first.points_variance, players)
        slope += np.bincount(table.second, games * as_second.points_variance, players)
        step = np.where(ordinary, (points - expected) / np.maximum(slope, 1e-12), 0.0)
        at += np.clip(step, -LONGEST_STEP, LONGEST_STEP)  # far off, where the curve is flat, Newton's step is too long
        if float(np.abs(step).max()) < TOLERANCE:
            break
    return np.where(ordinary, at, np.where(points > 0, np.inf, -np.inf))

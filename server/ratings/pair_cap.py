"""Limits the weight of the games between two players in a joint fit.

Many quick games between two accounts, given away by one of them, would otherwise outweigh all that the others played.
Two players who met far more often than is usual in their pool therefore count as if they had met `MOST_GAMES` times, or
`TIMES_USUAL` times as often as the median of the pool's pairs, whichever is more; the share of each result stays. Where
all meet equally often, as in a tournament or a match of two, nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tabiya.server.ratings.result_table import ResultTable

MOST_GAMES = 100.0
"""Of a pair in a pool whose pairs met seldom. In a class of twenty it moves nobody else by 6 Elo (test_pair_cap.py)."""
TIMES_USUAL = 4.0


@dataclass(frozen=True, slots=True)
class PairCap:
    """Every two players that met: their key, how many games they played, and as how many these count."""

    players: int
    keys: Any
    games: Any
    counted: Any

    def applied(self, table: ResultTable) -> ResultTable:
        """A table of games or of pairs, with counts as they count."""
        if not len(table.first):
            return table
        share = (self.counted / self.games)[np.searchsorted(self.keys, _keys(table, self.players))]
        return replace(table, counts=table.counts * share.reshape(-1, *[1] * (table.counts.ndim - 1)))

    def bounded(self) -> list[tuple[int, int, int, int]]:
        """The numbers of two players, their games, and as how many these count, where that is fewer; most first."""
        rows = np.flatnonzero(self.counted < self.games)
        rows = rows[np.argsort(-self.games[rows], kind="stable")]
        ones, others = np.divmod(self.keys[rows], self.players)
        counts = self.games[rows].astype(int), np.rint(self.counted[rows]).astype(int)
        return list(zip(*(each.tolist() for each in (ones, others, *counts)), strict=True))


def pair_cap(table: ResultTable, pools: Sequence[Sequence[int]], players: int) -> PairCap:
    """The bound for all games of a fit. pools: the players that games connect."""
    keys, row = np.unique(_keys(table, players), return_inverse=True)
    games = np.maximum(np.bincount(row, table.number, len(keys)), 1.0)  # a result that was taken back leaves a row of 0
    pool_of = np.zeros(players, dtype=np.int64)
    for number, pool in enumerate(pools):
        pool_of[list(pool)] = number
    pool, counted = pool_of[keys // players], games.copy()
    for number in range(len(pools)):
        inside = pool == number
        if inside.any():
            counted[inside] = np.minimum(games[inside], max(MOST_GAMES, TIMES_USUAL * np.median(games[inside])))
    return PairCap(players, keys, games, counted)


def _keys(table: ResultTable, players: int) -> Any:
    return np.minimum(table.first, table.second) * players + np.maximum(table.first, table.second)

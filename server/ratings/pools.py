"""Pools: players connected by games. Ratings of different pools cannot be compared."""

from __future__ import annotations

from typing import Any

import numpy as np


def pools_of(players: int, first: Any, second: Any) -> list[list[int]]:
    """The connected groups of players (numbers from 0), the largest first. first[i] and second[i] have played."""
    met = np.eye(players, dtype=bool)
    met[first, second] = met[second, first] = True
    pools, apart = list[list[int]](), np.ones(players, dtype=bool)
    while apart.any():
        pool = met[apart.argmax()]
        while (wider := met[pool].any(axis=0)).sum() > pool.sum():
            pool = wider
        apart &= ~pool
        pools.append(np.flatnonzero(pool).tolist())
    return sorted(pools, key=lambda pool: (-len(pool), pool))

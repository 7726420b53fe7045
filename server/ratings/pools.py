"""Pools: players connected by games. Between two pools nothing is known, so their ratings cannot be compared."""

from __future__ import annotations

from collections.abc import Iterable


def pools_of(players: int, meetings: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The connected groups of players (numbers from 0), the largest first. meetings: who has played whom."""
    met: list[set[int]] = [set() for _ in range(players)]
    for one, other in meetings:
        met[one].add(other)
        met[other].add(one)
    pools, found = [], set[int]()
    for player in range(players):
        if player not in found:
            pool, new = set[int](), {player}
            while new:
                pool |= new
                new = {other for one in new for other in met[one]} - pool
            found |= pool
            pools.append(sorted(pool))
    return sorted(pools, key=lambda pool: (-len(pool), pool))

"""A match counted again from what its database has, by other code than counted it when it was played."""

from __future__ import annotations

from typing import NamedTuple

from tabiya.server.ratings.pairs import Pairs
from tabiya.server.standings import StandingsCache
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchFilter, MatchRecord


class Recount(NamedTuple):
    """The stored games, ended ones by their numbers, and the pairs as the standings see them."""

    records: tuple[MatchRecord, ...]
    ended: dict[int, MatchRecord]
    moves: dict[int, tuple[str, ...]]
    pairs: Pairs


async def recount(database: str, game: str, first: str, second: str) -> Recount:
    """Read everything."""
    store = await open_store(database, create=False)
    try:
        records = await store.list_matches(MatchFilter(limit=10_000))
        ended = {
            int(each.key.split("-")[3]): each for each in records if each.result and each.result.ending != "aborted"
        }
        moves = {number: tuple(move.text for move in await store.moves(each.id)) for number, each in ended.items()}
        found = await StandingsCache(store).head_to_head(game, first, second)
    finally:
        await store.close()
    assert found.pairs is not None
    return Recount(records, ended, moves, Pairs(found.pairs.counts))

"""Standings: what they count, how they keep up with the store, and that they never hold up the event loop."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator

import pytest

from server.standings import StandingsBook, read_standings
from server.standings import book as standings
from storage.memory import MemoryStore
from storage.records import BotRecord, GameResult, MatchId, ResultRecord
from storage.store import Store
from tests.storage.samples import NOON, new_match, seat

GAME = "reversi"
keys = itertools.count()


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    opened = MemoryStore()
    yield opened
    await opened.close()


class CountingStore(MemoryStore):
    """Remembers from which number results were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked_after: list[int] = []

    async def results(
        self, game: str | None = None, *, rated_only: bool = True, after: int = 0, limit: int | None = None
    ) -> tuple[GameResult, ...]:
        self.asked_after.append(after)
        return await super().results(game, rated_only=rated_only, after=after, limit=limit)


async def bot(store: Store, name: str) -> BotRecord:
    return await store.bot_by_name(name) or await store.create_bot(name, created_at=NOON)


async def play(
    store: Store,
    first: str,
    second: str,
    winner: int | None,
    ending: str = "more_discs",
    *,
    game: str = GAME,
    rated: bool = True,
    versions: tuple[str, str] = ("", ""),
) -> MatchId:
    """One finished game."""
    bots = await bot(store, first), await bot(store, second)
    seats = seat(bots[0], versions[0]), seat(bots[1], versions[1])
    match = new_match(bots, f"standings-{next(keys)}", game=game, rated=rated, seats=seats)
    match_id = await store.create_match(match)
    result = ResultRecord(match_id=match_id, winner=winner, ending=ending, remaining_us=(1, 1), ended_at=NOON)
    await store.finish_match(result)
    return match_id


async def test_nobody_has_played_so_the_standings_are_empty(store: MemoryStore) -> None:
    table = await read_standings(store, GAME)
    assert (table.game, table.games, table.rows) == (GAME, 0, ())


async def test_who_wins_more_stands_above_with_an_interval_around_the_rating(store: MemoryStore) -> None:
    for winner in (0, 0, 0, None, 1):
        await play(store, "ada", "bob", winner)
    ada, bob = (await read_standings(store, GAME)).rows
    assert (ada.rank, ada.bot, ada.games, ada.wins, ada.draws, ada.losses, ada.score) == (1, "ada", 5, 3, 1, 1, 0.7)
    assert (bob.rank, bob.bot, bob.wins, bob.draws, bob.losses) == (2, "bob", 1, 1, 3)
    assert ada.rating > 1500 > bob.rating
    assert ada.rating + bob.rating == pytest.approx(3000)
    assert 0 < ada.plus_minus < 400


async def test_how_games_were_lost_is_counted_for_the_loser_alone(store: MemoryStore) -> None:
    await play(store, "ada", "bob", 0, "time")
    await play(store, "bob", "ada", 1, "time")
    await play(store, "ada", "bob", 0, "illegal_moves")
    await play(store, "ada", "bob", None, "draw_agreed")
    ada, bob = (await read_standings(store, GAME)).rows
    assert list(bob.lost_by.items()) == [("time", 2), ("illegal_moves", 1)]
    assert ada.lost_by == {}


async def test_versions_are_rated_apart_and_other_games_unrated_and_aborted_ones_do_not_count(
    store: MemoryStore,
) -> None:
    await play(store, "ada", "ada", 0, versions=("2", "1"))
    await play(store, "ada", "bob", 1, game="chess")
    await play(store, "ada", "bob", 1, rated=False)
    await play(store, "ada", "bob", None, "aborted")
    table = await read_standings(store, GAME)
    assert [(row.bot, row.version, row.games) for row in table.rows] == [("ada", "2", 1), ("ada", "1", 1)]
    assert table.games == 1


async def test_a_version_that_plays_itself_tells_nothing(store: MemoryStore) -> None:
    await play(store, "ada", "ada", 0, "time")
    assert (await read_standings(store, GAME)).rows == ()


async def test_only_new_results_are_read_and_nothing_is_fitted_without_any() -> None:
    store = CountingStore()
    book = StandingsBook(store)
    await play(store, "ada", "bob", 0)
    once = await book.of(GAME)
    assert await book.of(GAME) is once
    await play(store, "ada", "bob", 0)
    again = await book.of(GAME)
    assert (once.games, again.games) == (1, 2)
    assert store.asked_after[0] == 0
    assert 0 not in store.asked_after[1:]
    await store.close()


async def test_results_are_read_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "PAGE", 2)
    store = CountingStore()
    for _ in range(5):
        await play(store, "ada", "bob", 0)
    assert (await read_standings(store, GAME)).games == 5
    assert len(store.asked_after) == 3
    await store.close()


async def test_readers_at_the_same_time_share_one_fit(store: MemoryStore) -> None:
    await play(store, "ada", "bob", 0)
    book = StandingsBook(store)
    tables = await asyncio.gather(*(book.of(GAME) for _ in range(5)))
    assert all(table is tables[0] for table in tables)


async def test_a_fit_that_takes_long_is_shown_for_a_while(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "QUICK_S", -1.0)
    monkeypatch.setattr(standings, "PATIENCE", 1_000_000)
    book = StandingsBook(store)
    await play(store, "ada", "bob", 0)
    once = await book.of(GAME)
    await play(store, "ada", "bob", 0)
    assert await book.of(GAME) is once

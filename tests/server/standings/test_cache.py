"""Standings: what they count, how they keep up with the store, and that they never hold up the event loop."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tabiya.server.standings import ALL_VERSIONS, StandingsCache, View, read_standings
from tabiya.server.standings import cache as standings
from tabiya.server.standings.counters import COUNTED_AS, CountedResults
from tabiya.storage.memory import MemoryStore
from tabiya.storage.records import BotRecord, GameResult, MatchId, ResultRecord
from tabiya.storage.store import Store
from tests.storage.samples import NOON, new_match, seat

GAME = "reversi"
keys = itertools.count()


@pytest.fixture(autouse=True)
def quick_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, no fit counts as one that took long."""
    monkeypatch.setattr(standings, "NOT_CACHED_BELOW_S", math.inf)


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

    async def results(self, *, after: int = 0, limit: int | None = None) -> tuple[GameResult, ...]:
        self.asked_after.append(after)
        return await super().results(after=after, limit=limit)


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
    time: str = "60+0.5",
    ended_at: float = NOON,
    **more: Any,
) -> MatchId:
    """One finished game."""
    bots = await bot(store, first), await bot(store, second)
    seats = seat(bots[0], versions[0]), seat(bots[1], versions[1])
    match = new_match(bots, f"standings-{next(keys)}", game=game, rated=rated, seats=seats, time_control=time, **more)
    match_id = await store.create_match(match)
    result = ResultRecord(match_id=match_id, winner=winner, ending=ending, remaining_us=(1, 1), ended_at=ended_at)
    await store.finish_match(result)
    return match_id


async def test_the_bot_that_wins_more_is_ranked_higher_with_an_interval(store: MemoryStore) -> None:
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
    await play(store, "ada", "ada", 0, "time")  # a version against itself
    nothing = await read_standings(store, GAME)
    assert (nothing.game, nothing.games, nothing.rows) == (GAME, 0, ())
    await play(store, "ada", "ada", 0, versions=("2", "1"))
    await play(store, "ada", "bob", 1, game="chess")
    await play(store, "ada", "bob", 1, rated=False)
    await play(store, "ada", "bob", None, "aborted")
    table = await read_standings(store, GAME)
    assert [(row.bot, row.version, row.games) for row in table.rows] == [("ada", "2", 1), ("ada", "1", 1)]
    assert table.games == 1


async def test_only_new_results_are_read_and_nothing_is_fitted_without_any() -> None:
    store = CountingStore()
    book = StandingsCache(store)
    await play(store, "ada", "bob", 0)
    once = await book.standings(GAME)
    assert await book.standings(GAME) is once
    await play(store, "ada", "bob", 0)
    again = await book.standings(GAME)
    assert (once.games, again.games) == (1, 2)
    assert store.asked_after[0] == 0
    assert 0 not in store.asked_after[1:]
    await store.close()


async def test_results_are_read_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "PAGE", 2)
    monkeypatch.setattr(standings, "MAX_COUNTED_ON_LOOP", 1)
    store = CountingStore()
    for _ in range(5):
        await play(store, "ada", "bob", 0)
    assert (await read_standings(store, GAME)).games == 5
    assert len(store.asked_after) == 3
    await store.close()


async def test_readers_at_the_same_time_share_one_fit(store: MemoryStore) -> None:
    await play(store, "ada", "bob", 0)
    book = StandingsCache(store)
    tables = await asyncio.gather(*(book.standings(GAME) for _ in range(5)))
    assert all(table is tables[0] for table in tables)


async def test_a_fit_that_takes_long_is_shown_for_a_while(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "NOT_CACHED_BELOW_S", -1.0)
    monkeypatch.setattr(standings, "CACHE_FACTOR", 1_000_000)
    book = StandingsCache(store)
    await play(store, "ada", "bob", 0)
    once = await book.standings(GAME)
    await play(store, "ada", "bob", 0)
    assert await book.standings(GAME) is once


async def test_a_long_fit_delays_nobody_while_an_older_one_can_be_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(standings, "NOT_CACHED_BELOW_S", -1.0)
    monkeypatch.setattr(standings, "CACHE_FACTOR", 0)
    store = SlowStore()
    book = StandingsCache(store)
    await play(store, "ada", "bob", 0)
    once = await book.standings(GAME)
    await play(store, "ada", "bob", 0)
    store.may_answer.clear()
    assert await book.standings(GAME) is once
    store.may_answer.set()
    await asyncio.gather(*book._fits.values())
    assert (await book.standings(GAME)).games == 2
    await book.close()


async def test_pools_that_no_game_connects_are_ranked_apart_and_said_to_be(store: MemoryStore) -> None:
    for _ in range(3):
        await play(store, "ada", "bob", 0)
        await play(store, "bob", "eve", 0)
    await play(store, "tim", "zoe", 0)
    table = await read_standings(store, GAME)
    assert [(row.pool, row.rank, row.bot) for row in table.rows] == [
        (1, 1, "ada"),
        (1, 2, "bob"),
        (1, 3, "eve"),
        (2, 1, "tim"),
        (2, 2, "zoe"),
    ]
    assert [row.above_next is None for row in table.rows] == [False, False, True, False, True]
    assert table.notes == ("There are 2 pools that no game connects: ratings of different pools cannot be compared.",)
    matrix = (await StandingsCache(store).superiority(GAME, 4)).matrix
    assert [[cell is None for cell in row] for row in matrix] == [
        [True, False, False, True],
        [False, True, False, True],
        [False, False, True, True],
        [True, True, True, True],
    ]


async def test_anchors_are_those_of_the_book_unless_a_view_has_its_own(store: MemoryStore) -> None:
    for _ in range(3):
        await play(store, "ada", "bob", 0)
        await play(store, "bob", "ada", None)
    book = StandingsCache(store, (("bob", 1_000.0),))
    for view, bot, rating in ((None, "bob", 1_000.0), (View(anchors=(("ada", 2_000.0),)), "ada", 2_000.0)):
        table = await book.standings(GAME, view)
        held = [row for row in table.rows if row.anchor]
        assert [(row.bot, row.rating, row.plus_minus) for row in held] == [(bot, rating, 0.0)]
        assert table.anchors == {bot: rating}
    missing = await book.standings(GAME, View(anchors=(("eve", 5.0),)))
    assert missing.notes == ("No game of eve is rated here, so that this anchor holds nothing.",)


async def test_two_bots_compare_by_their_games_and_by_all(store: MemoryStore) -> None:
    for _ in range(4):
        await play(store, "ada", "bob", 0, versions=("1", "1"))
        await play(store, "bob", "ada", 1, versions=("1", "2"))
        await play(store, "bob", "eve", 0)
    await play(store, "tim", "zoe", 0)
    book = StandingsCache(store)
    found = await book.head_to_head(GAME, "ada", "bob")
    assert (found.wins, found.draws, found.losses, found.pairs) == (8, 0, 0, None)
    assert found.difference is not None
    assert found.difference > 100
    assert found.superiority is not None
    assert found.superiority > 0.9
    indirect = await book.head_to_head(GAME, "ada", "eve")
    assert (indirect.wins, indirect.losses) == (0, 0)
    assert indirect.difference is not None
    assert indirect.difference > found.difference
    apart = await book.head_to_head(GAME, "ada", "tim")
    assert (apart.difference, apart.superiority, apart.games_needed) == (None, None, None)
    nobody = await book.head_to_head(GAME, "ada", "nobody")
    assert (nobody.wins, nobody.difference) == (0, None)


async def test_views_asked_for_are_kept_in_bounded_number(store: MemoryStore) -> None:
    await play(store, "ada", "bob", 0)
    book = StandingsCache(store)
    always = [await book.standings(GAME, view) for view in (None, ALL_VERSIONS)]
    anchored = [View(anchors=(("ada", float(rating)),)) for rating in range(standings.MAX_VIEWS - 1)]
    kept = await book.standings(GAME, anchored[0])
    for view in anchored[1:-1]:
        await book.standings(GAME, view)
    assert await book.standings(GAME, anchored[0]) is kept
    for view in anchored[1:]:
        await book.standings(GAME, view)
    assert await book.standings(GAME, anchored[0]) is not kept
    for place, of_many_pages in enumerate((None, ALL_VERSIONS)):
        assert await book.standings(GAME, of_many_pages) is always[place]


async def test_standings_of_a_time_control_are_kept_if_it_was_played_with(store: MemoryStore) -> None:
    await play(store, "ada", "bob", 0)
    await play(store, "bob", "eve", 0, time="2/move")
    book = StandingsCache(store)
    quick = await book.standings(GAME, View(time="2/move"))
    assert [row.bot for row in quick.rows] == ["bob", "eve"]
    assert await book.standings(GAME, View(time="2/move")) is quick
    for seconds in range(1, 2 * standings.MAX_VIEWS):
        assert (await book.standings(GAME, View(time=f"{seconds}+0"))).rows == ()
    assert await book.standings(GAME, View(time="2/move")) is quick
    await play(store, "bob", "eve", 0, time="3+0")
    assert (await book.standings(GAME, View(time="3+0"))).games == 1
    assert (await book.standings(GAME)).games == 3


async def test_all_versions_as_one_are_one_row(store: MemoryStore) -> None:
    await play(store, "ada", "bob", 0, "time", versions=("1", "1"))
    await play(store, "ada", "bob", 1, "line", versions=("2", "1"))
    await play(store, "ada", "ada", 1, versions=("2", "1"))
    table = await read_standings(store, GAME, View(pooled=True))
    assert {(row.bot, row.version, row.games) for row in table.rows} == {("ada", "", 2), ("bob", "", 2)}
    ada = next(row for row in table.rows if row.bot == "ada")
    assert (ada.won_by, ada.lost_by, ada.drawn_by) == ({"time": 1, "more_discs": 1}, {"line": 1, "more_discs": 1}, {})
    assert (table.first_seat_wins, table.second_seat_wins, table.drawn, table.pooled) == (1, 1, 0, True)


async def test_anchors_that_contradict_their_games_are_named(store: MemoryStore) -> None:
    for _ in range(10):
        for winner in (0, 0, 1):
            await play(store, "ada", "bob", winner)
            await play(store, "bob", "ada", 1 - winner)
            await play(store, "eve", "bob", winner)
    book = StandingsCache(store)
    agreeing = await book.standings(GAME, View(anchors=(("ada", 1_120.0), ("bob", 1_000.0))))
    assert agreeing.notes == ()
    (note,) = (await book.standings(GAME, View(anchors=(("ada", 700.0), ("bob", 1_000.0), ("eve", 1_000.0))))).notes
    assert note.startswith("The anchors contradict the games: ada is given -300 Elo over bob, their games say +1")
    apart = View(anchors=(("ada", 700.0), ("nobody", 1_000.0)))
    assert "contradict" not in " ".join((await book.standings(GAME, apart)).notes)


async def test_two_bots_who_met_far_more_often_than_others_are_named(store: MemoryStore) -> None:
    for number in range(120):
        await play(store, "ada", "bob", number % 2, versions=("2", ""))
    for other in ("ada", "bob"):
        await play(store, other, "eve", 0, versions=("2" if other == "ada" else "", ""))
    table = await read_standings(store, GAME)
    assert table.notes == (
        "The 120 games between ada 2 and bob count as 100: they met far more often than others here.",
    )
    assert {row.bot: row.games for row in table.rows} == {"ada": 121, "bob": 121, "eve": 2}


async def test_a_server_that_starts_again_reads_its_counts_and_only_the_results_since() -> None:
    store = CountingStore()
    for winner in (0, 0, 1):
        await play(store, "ada", "bob", winner)
    first = StandingsCache(store, keeps_counts=True)
    await first.prepare()
    await first.close()
    await play(store, "bob", "ada", 0)
    store.asked_after.clear()
    again = StandingsCache(store)
    assert not await again.is_ready(0.0)
    await again.prepare()
    assert await again.is_ready(0.0)
    assert await again.standings(GAME) == await read_standings(store, GAME)
    assert store.asked_after[:2] == [2, 3]  # whether what is kept is of this store, then what is new


class SlowStore(MemoryStore):
    """Answers no question for results before it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def results(self, *, after: int = 0, limit: int | None = None) -> tuple[GameResult, ...]:
        await self.may_answer.wait()
        return await super().results(after=after, limit=limit)


async def test_after_a_start_the_last_standings_are_shown_until_those_of_now_are_made() -> None:
    store = SlowStore()
    await play(store, "ada", "bob", 0)
    before = StandingsCache(store, keeps_counts=True)
    await before.prepare()
    await before.close()
    shown = await before.standings(GAME)
    await play(store, "ada", "bob", 0)
    await play(store, "ada", "bob", 0, game="chess")
    store.may_answer.clear()
    again, held = StandingsCache(store), StandingsCache(store, (("ada", 1_000.0),))
    for each in (again, held):
        await each.show_last()
    counting = [asyncio.create_task(each.prepare()) for each in (again, held)]
    assert await again.is_ready(0.0)
    assert await again.standings(GAME) == shown
    assert (await again.standings("chess")).games == 0  # nobody had played it
    assert not await held.is_ready(0.0)  # the last standings have other anchors
    store.may_answer.set()
    await asyncio.gather(*counting)
    assert await again.standings(GAME) == await read_standings(store, GAME)
    assert (await again.standings(GAME)).games == 2
    assert (await again.standings("chess")).games == 1


async def test_a_server_that_is_killed_has_lost_no_result_from_its_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "KEEP_AFTER", 2)
    store = MemoryStore()
    cache = StandingsCache(store, keeps_counts=True)
    await cache.prepare()
    for number in range(7):
        await play(store, "ada", "bob", number % 2)
        await cache.standings(GAME)
    kept = CountedResults.from_text(await store.setting(standings.COUNTERS_KEY) or "")
    assert kept.seen == 6  # and the seventh is read again: nobody has closed the cache
    assert await read_standings(store, GAME) == await cache.standings(GAME)
    assert (await read_standings(store, GAME)).games == 7


async def test_counts_are_written_while_a_large_store_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standings, "PAGE", 2)
    monkeypatch.setattr(standings, "KEEP_AFTER", 2)
    store = CountingStore()
    for _ in range(5):
        await play(store, "ada", "bob", 0)
    await StandingsCache(store, keeps_counts=True).prepare()
    kept = CountedResults.from_text(await store.setting(standings.COUNTERS_KEY) or "")
    assert kept.seen == 4
    await StandingsCache(store).close()
    assert kept.text() == await store.setting(standings.COUNTERS_KEY)


@pytest.mark.parametrize("kept", ["garbage", f'{{"counted_as": {COUNTED_AS}, "seen": 9, "games": {{}}}}'])
async def test_counts_that_cannot_be_used_or_are_of_other_results_are_made_anew(store: MemoryStore, kept: str) -> None:
    await play(store, "ada", "bob", 0)
    await store.put_setting(standings.COUNTERS_KEY, kept)
    assert (await read_standings(store, GAME)).games == 1

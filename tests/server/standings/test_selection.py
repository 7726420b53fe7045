"""Standings of chosen games: of some days, between some bots, with some options."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from tabiya.server.standings import StandingsCache, View
from tabiya.server.standings import selected as selected_results
from tabiya.server.standings.selection import ALL_GAMES, Selection, SelectionError, read_selection
from tabiya.storage.memory import MemoryStore
from tests.server.standings.test_cache import CountingStore, play
from tests.storage.samples import NOON

DAY_S = 86_400.0
ADA_AND_BOB = frozenset({"ada", "bob"})


@pytest.fixture
async def store() -> AsyncIterator[CountingStore]:
    """Ten games, one a day."""
    opened = CountingStore()
    for day in range(10):
        await play(opened, "ada", ("bob", "eve")[day % 2], 0, game="nim", ended_at=NOON + day * DAY_S)
    yield opened
    await opened.close()


async def games_in(store: MemoryStore, selection: Selection, game: str = "nim") -> int:
    return (await StandingsCache(store).standings(game, View(selection=selection))).games


@pytest.mark.parametrize(
    ("selection", "games"),
    [
        (ALL_GAMES, 10),
        (Selection(since=NOON + 7 * DAY_S), 3),
        (Selection(since=NOON + 6.5 * DAY_S), 3),
        (Selection(until=NOON + 2 * DAY_S), 2),
        (Selection(since=NOON + DAY_S, until=NOON + 2 * DAY_S), 1),
        (Selection(since=NOON + 99 * DAY_S), 0),
        (Selection(among=ADA_AND_BOB), 5),
        (Selection(since=NOON + 5 * DAY_S, among=ADA_AND_BOB), 2),
    ],
)
async def test_games_of_some_days_and_bots_are_counted(
    store: CountingStore, selection: Selection, games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selected_results, "PAGE", 2)
    assert await games_in(store, selection) == games
    assert await games_in(store, selection, "chess") == 0


async def test_days_long_ago_are_not_read_nor_anything_twice(
    store: CountingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selected_results, "PAGE", 2)
    cache, view = StandingsCache(store), View(selection=Selection(since=NOON + 8 * DAY_S))
    assert (await cache.standings("nim", view)).games == 2
    await play(store, "ada", "eve", 1, game="nim", ended_at=NOON + 10 * DAY_S)
    store.asked_after.clear()
    assert (await cache.standings("nim", view)).games == 3
    assert min(store.asked_after) >= 10
    over = View(selection=Selection(until=NOON + DAY_S))
    assert (await cache.standings("nim", over)).games == 1
    store.asked_after.clear()
    assert (await cache.standings("nim", over)).games == 1
    assert store.asked_after == []


async def test_options_of_the_rules_are_chosen_whatever_way_they_are_written(store: CountingStore) -> None:
    await play(store, "ada", "bob", 0, game="nim", options={"heaps": "3,4,5", "misere": True})
    assert await games_in(store, read_selection("nim", options="misere=true")) == 0
    assert await games_in(store, read_selection("nim", options="misere=yes heaps=3,4,5")) == 1
    assert await games_in(store, read_selection("nim", options="heaps=7")) == 0


async def test_only_a_few_selections_are_kept(store: CountingStore, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = StandingsCache(store)
    for day in range(20):
        await cache.standings("nim", View(selection=Selection(since=NOON + day)))
    assert len(cache._selected) == 8


def test_times_are_read_as_people_write_them() -> None:
    day = read_selection("nim", "2026-11-23T00:00+00:00", "2026-11-24T00:00Z")
    assert day.since == datetime(2026, 11, 23, tzinfo=UTC).timestamp()
    assert day.until == (day.since or 0) + DAY_S
    whole = read_selection("nim", "2026-11-23", "2026-11-23")
    assert (whole.until or 0) - (whole.since or 0) == DAY_S
    assert whole.since == datetime(2026, 11, 23).timestamp()  # noqa: DTZ001 - of this machine, as meant
    assert read_selection("nim") == ALL_GAMES
    assert read_selection("nim", among="Ada , BOB,") == Selection(among=ADA_AND_BOB)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"since": "yesterday"}, "'yesterday' is no time; write it as 2026-11-23"),
        ({"until": "2026-02-30"}, "is no time"),
        ({"until": "9999-12-31"}, "is no time"),
        ({"since": "2026-11-24", "until": "2026-11-23"}, "since must be before until"),
        ({"among": "ada"}, "put commas between their names"),
        ({"options": "columns=9"}, "columns"),
    ],
)
def test_an_invalid_selection_is_refused(asked: dict[str, str], words: str) -> None:
    with pytest.raises(SelectionError, match=words):
        read_selection("nim", **asked)

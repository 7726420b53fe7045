"""A bot's games in the course of time: all of a few, some of very many, and kept until the next."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

from tabiya.server.standings import StandingsCache
from tabiya.server.web.views import bot_games
from tabiya.server.web.views.bot_games import BotGames
from tabiya.storage.memory import MemoryStore
from tabiya.storage.records import BotRecord, GameFilter, GameResult
from tests.storage.samples import NOON, new_match, result, seat, two_bots

GAME = "reversi"


class CountingStore(MemoryStore):
    """Remembers which games were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[GameFilter] = []

    async def games_of_bot(self, wanted: GameFilter) -> tuple[GameResult, ...]:
        self.asked.append(wanted)
        return await super().games_of_bot(wanted)


@pytest.fixture
async def store() -> AsyncIterator[CountingStore]:
    opened = CountingStore()
    yield opened
    await opened.close()


async def play(
    store: MemoryStore, bots: tuple[BotRecord, BotRecord], winners: Sequence[int | None], first: int = 0
) -> None:
    """Games of the first bot of the two, who changes seats; winners: 0 is this bot."""
    for number, winner in enumerate(winners, first):
        pair = bots if number % 2 == 0 else (bots[1], bots[0])
        seats = (seat(pair[0], "1"), seat(pair[1], "1"))
        made = await store.create_match(new_match(pair, f"g{number}", seats=seats))
        won = winner if winner is None or number % 2 == 0 else 1 - winner
        await store.finish_match(result(made, winner=won, ending="more_discs", ended_at=NOON + number))


async def test_the_history_covers_all_games_in_order_and_rises_as_the_bot_gets_better(store: CountingStore) -> None:
    bots = await two_bots(store)
    await play(store, bots, [1, 1, 0, 1] * 8 + [0, 0, 1, 0] * 8)
    found = await BotGames(store, StandingsCache(store)).in_game(bots[0], GAME)
    assert sum(window.games for window in found.history) == 64
    assert len(found.history) == 5
    assert found.history[-1].rating > found.history[0].rating + 100
    assert [window.until for window in found.history] == sorted(window.until for window in found.history)
    assert found.history[0].since == NOON


async def test_of_very_many_games_some_from_the_first_to_the_last_are_read_and_no_more(
    store: CountingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, number in {"LAST_GAMES": 40, "WINDOWS": 6, "WINDOW_GAMES": 10, "LEAST_GAMES": 5}.items():
        monkeypatch.setattr(bot_games, name, number)
    bots = await two_bots(store)
    await play(store, bots, [0, 1, None, 1] * 50)
    found = await BotGames(store, StandingsCache(store)).in_game(bots[0], GAME)
    assert [window.games for window in found.history] == [10] * 6
    assert (found.history[0].since, found.history[-1].until) == (NOON, NOON + 199)
    assert sum(asked.limit for asked in store.asked) <= 1 + 40 + 1 + 6 * 10
    assert found.openings_of == 40


async def test_the_windows_of_very_many_games_are_chosen_anew_only_after_a_window_more(
    store: CountingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, number in {"LAST_GAMES": 40, "WINDOWS": 6, "WINDOW_GAMES": 10, "LEAST_GAMES": 5}.items():
        monkeypatch.setattr(bot_games, name, number)
    bots = await two_bots(store)
    await play(store, bots, [0, 1] * 50)
    views = BotGames(store, StandingsCache(store))
    first = await views.in_game(bots[0], GAME)
    store.asked.clear()
    await play(store, bots, [0] * 5, first=100)
    later = await views.in_game(bots[0], GAME)
    assert [asked.limit for asked in store.asked] == [1, 40]
    assert [window.until for window in later.history][:-1] == [window.until for window in first.history][:-1]
    assert later.history[-1].until == NOON + 104
    await play(store, bots, [0] * 10, first=105)
    assert (await views.in_game(bots[0], GAME)).history[-2].until > first.history[-2].until


async def test_games_are_read_again_only_when_there_is_a_new_one(store: CountingStore) -> None:
    bots = await two_bots(store)
    await play(store, bots, [0] * 4)
    views = BotGames(store, StandingsCache(store))
    await views.in_game(bots[0], GAME)
    store.asked.clear()
    await views.in_game(bots[0], GAME)
    assert [asked.limit for asked in store.asked] == [1]
    await play(store, bots, [1], first=4)
    assert len((await views.in_game(bots[0], GAME)).lost) == 1


async def test_the_moves_of_an_opening_that_the_rules_do_not_know_are_shown_as_they_are(store: CountingStore) -> None:
    bots = await two_bots(store)
    made = await store.create_match(new_match(bots, "odd", start_text="no position"))
    await store.finish_match(result(made))
    [line] = (await BotGames(store, StandingsCache(store)).in_game(bots[0], GAME)).openings
    assert (line.start, line.readable) == ("no position", "d3 c3")

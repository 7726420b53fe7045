"""Seasons of a server: what counts in them, who plays in which division, and that they are kept."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest

from tabiya.server.seasons import seasons as module
from tabiya.server.seasons.seasons import SeasonError, Seasons
from tabiya.server.standings import StandingsCache
from tabiya.storage.errors import DamagedRows
from tabiya.storage.memory import MemoryStore
from tabiya.storage.program_records import NewProgram
from tests.server.standings.test_cache import bot, play
from tests.storage.samples import NOON

GAME = "nim"


class Played:
    """A store with games, a clock that is set by hand."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.store, self.now = MemoryStore(), NOON
        patch.setattr(time, "time", lambda: self.now)

    @property
    def seasons(self) -> Seasons:
        """As after a start of the server."""
        return Seasons(self.store, StandingsCache(self.store))

    async def beats(self, winner: str, loser: str, times: int = 1) -> None:
        for _ in range(times):
            self.now += 1
            await play(self.store, winner, loser, 0, game=GAME, ended_at=self.now)


@pytest.fixture
async def played(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Played]:
    """A beats b, b beats c, c beats d."""
    found = Played(monkeypatch)
    for winner, loser in ("ab", "bc", "cd"):
        await found.beats(winner, loser, 2)
    found.now += 1
    yield found
    await found.store.close()


async def order(seasons: Seasons, number: int = 1) -> list[list[str]]:
    (season,) = [each for each in await seasons.all() if each.number == number]
    return [[f"{place.bot} {place.goes}".strip() for place in table] for table in await seasons.tables(season)]


async def test_the_first_is_seeded_by_rating_and_the_next_by_what_happened_in_the_division(played: Played) -> None:
    season = await played.seasons.begin(GAME, "Autumn", size=2, moving=1)
    assert (season.number, season.name, season.divisions) == (1, "Autumn", (("a", "b"), ("c", "d")))
    assert await order(played.seasons) == [["a", "b down"], ["c up", "d"]]
    await played.beats("b", "a")
    await played.beats("d", "c")
    await played.beats("c", "a", 5)  # of another division: it does not count
    assert await order(played.seasons) == [["b", "a down"], ["d up", "c"]]
    played.now += 1
    with pytest.raises(SeasonError, match=f"season 1 of {GAME}, Autumn, is running; end it first"):
        await played.seasons.begin(GAME, "", size=2, moving=1)
    await played.seasons.end(season)
    later = await played.seasons.begin(GAME, "", size=2, moving=1)
    assert (later.number, later.name, later.divisions) == (2, "Season 2", (("b", "d"), ("a", "c")))
    await played.beats("a", "b", 3)  # later: the first stands as it ended
    assert await order(played.seasons) == [["b", "a down"], ["d up", "c"]]
    assert await order(played.seasons, 2) == [["b", "d down"], ["a up", "c"]]


async def test_a_bot_that_joins_during_a_season_plays_in_the_last_division(played: Played) -> None:
    await played.seasons.begin(GAME, "", size=2, moving=1)
    await played.beats("e", "d")
    home = await bot(played.store, "hosted")
    program = await played.store.add_program(
        NewProgram(bot_id=home.id, game=GAME, digest="1", file_name="b.py", archive=b"", created_at=1.0)
    )
    await played.store.keep_examination(program.id, "good", "")
    await played.store.use_program(home.id, program.id)
    assert await order(played.seasons) == [["a", "b down"], ["e up", "d", "c", "hosted"]]
    assert await played.seasons.divisions(GAME) == {"a": 0, "b": 0, "c": 1, "d": 1}
    assert await played.seasons.divisions("chess") == {}


async def test_a_bot_without_a_game_is_not_in_the_next_season(played: Played) -> None:
    first = await played.seasons.begin(GAME, "", size=3, moving=1)
    await played.beats("d", "a")
    await played.beats("c", "a")
    ended = await played.seasons.end(first)
    assert ended.ended_at == played.now
    with pytest.raises(SeasonError, match="has ended already"):
        await played.seasons.end(ended)
    later = await played.seasons.begin(GAME, "", size=3, moving=1)
    assert sorted(name for division in later.divisions for name in division) == ["a", "c", "d"]


async def test_an_impossible_season_says_why(played: Played) -> None:
    with pytest.raises(SeasonError, match="needs two bots"):
        await played.seasons.begin("chess", "", size=2, moving=1)
    await played.store.put_setting(module.SETTING_KEY, "[{}]")
    with pytest.raises(DamagedRows, match="the seasons in the database cannot be read"):
        await played.seasons.all()

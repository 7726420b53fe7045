"""The seasons of a server: begun and ended by an operator, kept as a setting of the store.

In a season the games count that two of the same division have ended in it; a division's order is that of the ratings
fitted to these games alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tabiya.server.accounts.names import same_name
from tabiya.server.seasons.divisions import Divisions, movers, next_divisions
from tabiya.server.standings.cache import StandingsCache
from tabiya.server.standings.counters import View
from tabiya.server.standings.models import Standings, StandingsRow
from tabiya.server.standings.selection import Selection
from tabiya.storage.errors import DamagedRows
from tabiya.storage.store import Store

SETTING_KEY = "seasons"  # the setting of the store
MOST_SEASONS = 200  # of a server


class SeasonError(ValueError):
    """It cannot be done; the text is one sentence for the operator."""


class Season(Struct, frozen=True, kw_only=True):
    """A season. number: from 1 on. size: of a division. moving: how many go up and down.

    divisions: names, the highest division first: as they began, and when the season has ended in their final order.
    """

    number: int
    game: str
    name: str
    began_at: float
    ended_at: float | None = None
    size: int
    moving: int
    divisions: Divisions


class Place(Struct, frozen=True):
    """A bot in a division. row: of the standings of these games; None without one.  goes: `up`, `down` or ``."""

    bot: str
    row: StandingsRow | None
    goes: str


class Seasons:
    """All seasons. Methods that write raise SeasonError, all raise StoreError."""

    def __init__(self, store: Store, standings: StandingsCache) -> None:
        self._store, self._standings = store, standings
        self._text: str | None = None  # the setting as stored, and its value
        self._seasons: tuple[Season, ...] = ()
        self._lock = asyncio.Lock()

    async def all(self) -> tuple[Season, ...]:
        """The oldest first."""
        text = await self._store.setting(SETTING_KEY)  # each time: another process may have changed it
        if text != self._text:
            try:
                seasons = msgspec.json.decode(text, type=tuple[Season, ...]) if text else ()
            except msgspec.MsgspecError as error:
                raise DamagedRows(f"the seasons in the database cannot be read: {error}") from None
            self._text, self._seasons = text, seasons
        return self._seasons

    async def running(self, game: str) -> Season | None:
        found = [season for season in await self.all() if season.game == game and season.ended_at is None]
        return found[-1] if found else None

    async def begin(self, game: str, name: str, *, size: int, moving: int) -> Season:
        """Begin the game's next season with all that have played or have a program here."""
        async with self._lock:
            if (current := await self.running(game)) is not None:
                raise SeasonError(f"season {current.number} of {game}, {current.name}, is running; end it first")
            seasons = await self.all()
            if len(seasons) >= MOST_SEASONS:
                raise SeasonError(f"a server keeps {MOST_SEASONS} seasons at most, and this one has that many")
            last = next((season for season in reversed(seasons) if season.game == game), None)
            here = await self._active_bots(game, last.began_at if last else None, exactly=True)
            if len(here) < 2:
                raise SeasonError(f"a season of {game} needs two bots that have played a rated game or have a program")
            divisions = next_divisions(last.divisions if last else (), here, size=size, moving=moving)
            season = Season(
                number=len(seasons) + 1,
                game=game,
                name=name or f"Season {sum(each.game == game for each in seasons) + 1}",
                began_at=time.time(),
                size=size,
                moving=moving,
                divisions=divisions,
            )
            await self._keep([*seasons, season])
            return season

    async def end(self, season: Season) -> Season:
        """End the season. The final order of its divisions is the start of the next season."""
        async with self._lock:
            if season.ended_at is not None:
                raise SeasonError(f"{season.name} has ended already")
            return await self._end(season)

    async def tables(self, season: Season, *, exactly: bool = False) -> tuple[tuple[Place, ...], ...]:
        """The divisions of a season, each in the order of its end or of now.

        exactly: with the last game, however long that takes; else as the standings are shown, some seconds old.
        """
        members = [list(division) for division in season.divisions]
        if season.ended_at is None:
            known = {same_name(name) for division in members for name in division}
            members[-1] += [
                name
                for name in await self._active_bots(season.game, season.began_at, exactly)
                if same_name(name) not in known
            ]
        tables = [await self._table(season, division, exactly) for division in members]
        changing = movers(tables, season.moving)
        return tuple(
            _with_moves(table, up=changing[number - 1] if number else 0, down=[*changing, 0][number])
            for number, table in enumerate(tables)
        )

    async def divisions(self, game: str) -> dict[str, int]:
        """Bot's name -> number of its division in a game's running season; empty without one."""
        season = await self.running(game)
        every = enumerate(season.divisions) if season else ()
        return {name: number for number, division in every for name in division}

    # --- parts

    async def _rated(self, game: str, view: View, exactly: bool) -> Standings:
        return await (self._standings.up_to_date if exactly else self._standings.standings)(game, view)

    async def _table(self, season: Season, division: list[str], exactly: bool) -> list[Place]:
        among = frozenset(map(same_name, division))
        view = View(pooled=True, selection=Selection(season.began_at, season.ended_at, among))
        rows = {same_name(row.bot): row for row in (await self._rated(season.game, view, exactly)).rows}
        if season.ended_at is None:  # bots without a game come below the others, in their first order
            order = {name: number for number, name in enumerate(rows)}
            division = sorted(division, key=lambda name: order.get(same_name(name), len(order)))
        return [Place(name, rows.get(same_name(name)), "") for name in division]

    async def _end(self, season: Season) -> Season:
        tables = await self.tables(season, exactly=True)
        order = tuple(tuple(place.bot for place in table) for table in tables)
        ended = replace(season, ended_at=time.time(), divisions=order)
        await self._keep([ended if each.number == season.number else each for each in await self.all()])
        return ended

    async def _active_bots(self, game: str, since: float | None, exactly: bool) -> list[str]:
        """Bots that have played since then, strongest first, then bots with a program in use."""
        view = View(pooled=True, selection=Selection(since=since)) if since else View(pooled=True)
        names = [row.bot for row in (await self._rated(game, view, exactly)).rows]
        for program in await self._store.open_programs():
            if program.game == game and program.in_use:
                bot = await self._store.bot(program.bot_id)
                names += [bot.name] if bot else []
        return _without_duplicates(names)

    async def _keep(self, seasons: list[Season]) -> None:
        await self._store.put_setting(SETTING_KEY, msgspec.json.encode(seasons).decode())


def _without_duplicates(names: Iterable[str]) -> list[str]:
    """Each bot once: spellings of one name are the same bot."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(same_name(name), name)
    return list(found.values())


def _with_moves(table: list[Place], *, up: int, down: int) -> tuple[Place, ...]:
    moves = ["up"] * up + [""] * (len(table) - up - down) + ["down"] * down
    return tuple(Place(place.bot, place.row, goes) for place, goes in zip(table, moves, strict=True))

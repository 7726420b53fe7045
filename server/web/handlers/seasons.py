"""Seasons: public to read; operators begin and end them."""

from __future__ import annotations

from typing import Any

from tabiya.games.errors import shown
from tabiya.games.registry import names
from tabiya.server.seasons.seasons import Place, Season, SeasonError, Seasons
from tabiya.server.web.http.json_responses import ApiCall, HttpError, not_found, number_in_path
from tabiya.server.web.schemas.requests import SeasonOrder
from tabiya.server.web.schemas.season_responses import SeasonLine, SeasonList, SeasonPlace, SeasonTables


class SeasonHandlers:
    """The handlers for seasons."""

    def __init__(self, seasons: Seasons) -> None:
        self._seasons = seasons

    async def listed(self, call: ApiCall) -> SeasonList:
        """All seasons, newest first."""
        return SeasonList(
            seasons=tuple(SeasonLine(**_fields(season)) for season in reversed(await self._seasons.all()))
        )

    async def season(self, call: ApiCall) -> SeasonTables:
        """A season with its divisions, now or at its end."""
        return await self.tables(await self._asked(call))

    async def begin(self, call: ApiCall) -> SeasonTables:
        """Begin a season with all bots that have played or have a program here."""
        order: SeasonOrder = call.body
        if order.game not in names():
            raise HttpError(400, f"there is no game {shown(order.game)}; there are {', '.join(names())}", "game")
        try:
            season = await self._seasons.begin(order.game, order.name, size=order.size, moving=order.moving)
        except SeasonError as error:
            raise HttpError(409, str(error)) from None
        return await self.tables(season)

    async def end(self, call: ApiCall) -> SeasonTables:
        """End a season; the next season starts from its order."""
        try:
            return await self.tables(await self._seasons.end(await self._asked(call)))
        except SeasonError as error:
            raise HttpError(409, str(error)) from None

    async def tables(self, season: Season) -> SeasonTables:
        """A season as it is shown."""
        tables = await self._seasons.tables(season)
        divisions = tuple(tuple(map(_place, table)) for table in tables)
        return SeasonTables(**_fields(season), divisions=divisions)

    async def _asked(self, call: ApiCall) -> Season:
        number = number_in_path(call.request, "season", "season")
        found = [season for season in await self._seasons.all() if season.number == number]
        return found[0] if found else not_found("season", number)


def _fields(season: Season) -> dict[str, Any]:
    return {
        "season": season.number,
        "game": season.game,
        "name": season.name,
        "began_at": season.began_at,
        "ended_at": season.ended_at,
        "size": season.size,
        "moving": season.moving,
    }


def _place(place: Place) -> SeasonPlace:
    row = place.row
    return SeasonPlace(
        bot=place.bot,
        rating=row.rating if row else None,
        plus_minus=row.plus_minus if row else None,
        games=row.games if row else 0,
        wins=row.wins if row else 0,
        draws=row.draws if row else 0,
        losses=row.losses if row else 0,
        goes=place.goes,
    )

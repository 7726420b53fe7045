"""The page of a game's seasons: divisions with who goes up and down, and earlier seasons."""

from __future__ import annotations

from typing import Any

from tabiya.games.registry import names
from tabiya.server.seasons.seasons import Seasons
from tabiya.server.web.handlers.seasons import SeasonHandlers
from tabiya.server.web.http.json_responses import ApiCall, not_found, read_query
from tabiya.server.web.schemas.page_requests import SeasonsPageQuery

Context = dict[str, Any]


class SeasonPages:
    """The handler of the page."""

    def __init__(self, seasons: Seasons) -> None:
        self._seasons, self._handlers = seasons, SeasonHandlers(seasons)

    async def page(self, call: ApiCall) -> tuple[str, Context]:
        """The newest season of a game, or the one that is asked for."""
        game, query = call.request.match_info["game"], read_query(call.given, SeasonsPageQuery)
        if game not in names():
            not_found("game", game)
        every = [season for season in await self._seasons.all() if season.game == game]
        chosen = [season for season in every if query.season in (None, season.number)]
        if query.season is not None and not chosen:
            not_found("season", query.season)
        return "seasons.html", {
            "game": game,
            "seasons": every[::-1],
            "season": await self._handlers.tables(chosen[-1]) if chosen else None,
        }

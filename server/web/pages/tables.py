"""The pages that are long tables: standings and bots. Sorted, searched and paged by their address, without a script."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from tabiya.games.registry import load_game
from tabiya.server.standings import Standings, StandingsRow
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.json_responses import ApiCall, read_query
from tabiya.server.web.pages.charts import rating_scale
from tabiya.server.web.pages.paging import Links, part_of
from tabiya.server.web.schemas.page_requests import BotsPageQuery, SortedBy, StandingsPageQuery
from tabiya.server.web.schemas.requests import ExpectedQuery, StandingsQuery

Context = dict[str, Any]

SORTED: dict[SortedBy, Callable[[StandingsRow], Any]] = {
    "rank": lambda row: (row.pool, row.rank),
    "bot": lambda row: (row.bot.casefold(), row.version),
    "rating": lambda row: -row.rating,
    "interval": lambda row: row.plus_minus,
    "performance": lambda row: (row.performance is None, -(row.performance or 0)),
    "score": lambda row: -row.score,
    "games": lambda row: -row.games,
    "wins": lambda row: -row.wins,
}
"""What a column is sorted by, its usual order first."""
VIEW = StandingsQuery.__struct_fields__
CHOSEN = ("since", "until", "among", "options")  # which games the standings count
"""Which standings are meant, in the address of the page and of the API alike."""
MOST_LOS = 200


class TablePages:
    """The handlers of these pages."""

    def __init__(self, queries: QueryHandlers) -> None:
        self._queries = queries

    async def standings(self, call: ApiCall) -> tuple[str, Context]:
        """The ratings of one game, and how likely the first are better than each other."""
        query = read_query(call.given, StandingsPageQuery)
        asked = call._replace(query=query)
        table = await self._queries.standings(asked)
        rows = part_of(wanted_rows(table, query), query.page, all_rows=query.rows == "all")
        view = {name: call.given[name] for name in VIEW if name in call.given}
        return "standings.html", {
            "table": table,
            "part": rows,
            "expected": await self._expected(asked) if query.against else {},
            "scale": rating_scale(rows.rows),
            "los": await self._queries.superiority(asked),
            "view": Links(view),
            "limit_los": MOST_LOS,
            "usual_options": " ".join(f"{each.name}={each.default}" for each in load_game(table.game).options),
            "chosen": any(view.get(name) for name in CHOSEN),
            "query": query,
            "to": Links(call.given),
        }

    async def _expected(self, call: ApiCall) -> dict[tuple[str, str], Any]:
        query: StandingsPageQuery = call.query
        view = {name: getattr(query, name) for name in VIEW}
        bot = ExpectedQuery(bot=query.against, version=query.version, **view)
        found = await self._queries.expected(call._replace(query=bot))
        return {(row.bot, row.version): row for row in found.rows}

    async def bots(self, call: ApiCall) -> tuple[str, Context]:
        """All bots, the connected ones first."""
        query = read_query(call.given, BotsPageQuery)
        every = await self._queries.all_bots()
        found = [bot for bot in every if _has(bot.name, query.search) and (bot.connected or not query.here)]
        found.sort(key=lambda bot: (not bot.connected, _numbers_apart(bot.name.casefold())))
        return "bots.html", {
            "part": part_of(found, query.page, all_rows=query.rows == "all"),
            "every": len(every),
            "connected": sum(bot.connected for bot in every),
            "query": query,
            "to": Links(call.given),
        }


def _numbers_apart(name: str) -> list[str | int]:
    """Texts and numbers in turns, so that `Team 10` comes after `Team 9`."""
    return [int(part) if at % 2 else part for at, part in enumerate(re.split(r"(\d+)", name))]


def wanted_rows(table: Standings, query: StandingsPageQuery) -> Sequence[StandingsRow]:
    """The rows that are asked for, in the order that is asked for."""
    rows = [row for row in table.rows if query.pool in (None, row.pool) and _has(row.bot, query.search)]
    rows.sort(key=SORTED[query.sort])
    return rows if query.order == "usual" else rows[::-1]


def _has(name: str, search: str) -> bool:
    return search.strip().casefold() in name.casefold()

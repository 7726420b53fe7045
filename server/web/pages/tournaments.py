"""The page of a tournament and the list of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabiya.server.archive.exports import has_sgf
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.json_responses import ApiCall, read_query
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.pages.bracket import bracket_of
from tabiya.server.web.pages.paging import Links, part_of
from tabiya.server.web.pages.rounds import deciding_tie_breaks, latest_rounds, rounds_of
from tabiya.server.web.pages.wall_chart import wall_chart
from tabiya.server.web.schemas.page_requests import TournamentPageQuery, TournamentsPageQuery
from tabiya.server.web.schemas.tournament_responses import CrosstableLine, TournamentDetail
from tabiya.server.web.views.matches import title_of
from tabiya.storage.records import TournamentRecord

MAX_CROSSTABLE_COLUMNS = 64  # a crosstable with more columns is not shown; chosen, not measured
GAMES_SHOWN, TOURNAMENTS_SHOWN = 60, 24
SEARCHABLE_FROM = 12  # with more rows than these a list can be searched
ORDER = {"running": 0, "paused": 0, "created": 1, "ended": 2, "cancelled": 3}
HEADINGS = ("Running", "Coming", "Over", "Cancelled")
BOTS_NAMED = 3  # in the command that an empty list shows
Context = dict[str, Any]


class TournamentPages:
    """The handlers of the two pages. All methods raise StoreError and HttpError."""

    def __init__(self, facade: ServerView, queries: QueryHandlers) -> None:
        self._facade, self._queries, self._store = facade, queries, facade.store

    async def listed(self, call: ApiCall) -> tuple[str, Context]:
        """Running, planned, ended and cancelled tournaments, in this order; the newest first in each."""
        query = read_query(call.given, TournamentsPageQuery)
        records = await self._store.list_tournaments()
        found = sorted(
            (record for record in records if _is_called(record, query.search)),
            key=lambda record: (ORDER[record.status], -record.id),
        )
        part = part_of(found, query.page, shown=TOURNAMENTS_SHOWN)
        lines = await self._queries.tournament_views.lines(part.rows)
        return "tournaments.html", {
            "query": query,
            "to": Links(call.given),
            "part": part,
            "all": len(records),
            "searched": len(records) > SEARCHABLE_FROM,
            "sections": [
                (heading, [line for line in lines if ORDER[line.status] == place])
                for place, heading in enumerate(HEADINGS)
            ],
            "bots": [] if records else await self._connected(),
        }

    async def _connected(self) -> Sequence[str]:
        """Some bots that are connected."""
        present = self._facade.present()
        return [bot.name for bot in await self._store.list_bots() if bot.id in present][:BOTS_NAMED] if present else []

    async def tournament(self, call: ApiCall) -> tuple[str, Context]:
        """Table, rounds and games of one tournament."""
        query = read_query(call.given, TournamentPageQuery)
        detail = await self._queries.tournament(call)
        search = query.search.casefold()
        found = [(at, line) for at, line in enumerate(detail.lines, 1) if search in line.bot.casefold()]
        part = part_of(found, query.page, all_rows=query.rows == "all")
        is_knockout = detail.format == "knockout"
        # in a gauntlet these columns have all that was played
        across = [line for line in detail.lines if detail.format != "gauntlet" or line.note == "challenger"]
        every_round = [] if is_knockout else rounds_of(detail, [row.number for _, row in found] if search else None)
        rounds = every_round if query.rounds == "all" else latest_rounds(every_round)
        return "tournament.html", {
            "tournament": detail,
            "has_sgf": has_sgf(detail.game),
            "query": query,
            "to": Links(call.given),
            "part": part,
            "place": {line.number: at for at, line in enumerate(detail.lines, 1)},
            "names": {line.number: line.bot for line in detail.lines},
            "searched": len(detail.lines) > SEARCHABLE_FROM,
            "noted": any(line.note for line in detail.lines),
            "shown_breaks": deciding_tie_breaks(detail),
            "chart": wall_chart(detail) if detail.round_titles and not is_knockout else {},
            "across": across if not detail.round_titles and len(across) <= MAX_CROSSTABLE_COLUMNS else [],
            "under_way": {
                pair for game in detail.games if game.state == "running" for pair in (game.players, game.players[::-1])
            },
            "bracket": bracket_of(detail) if is_knockout else None,
            "rounds": rounds[::-1],
            "hidden_rounds": len(every_round) - len(rounds),
            **_games(detail, query),
        }


def _is_called(record: TournamentRecord, find: str) -> bool:
    words = f"{record.name} {record.game} {title_of(record.game)}".casefold()
    return find.casefold() in words


def _games(detail: TournamentDetail, query: TournamentPageQuery) -> Context:
    """The games that the page lists: running games first, then the newest."""
    games = [game for game in detail.games if game.state != "pending"]
    if query.of:
        pair = {int(number) for number in query.of.split("-")}
        games = [game for game in detail.games if set(game.players) == pair]
    games.sort(key=lambda game: (game.state != "running", -(game.match or 0), -game.number))
    shown = games if query.games == "all" else games[:GAMES_SHOWN]
    return {"happened": shown, "hidden": len(games) - len(shown), "pair": _pair(detail, query.of)}


def _pair(detail: TournamentDetail, of: str) -> tuple[CrosstableLine, ...]:
    """The two entrants whose games are shown; none if all are."""
    by_number = {line.number: line for line in detail.lines}
    return tuple(by_number[int(number)] for number in of.split("-") if int(number) in by_number) if of else ()

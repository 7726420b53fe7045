"""The page of a tournament and the list of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.json_responses import ApiCall, read_query
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.pages.bracket import bracket_of
from tabiya.server.web.pages.rounds import deciding_tie_breaks, latest_rounds, rounds_of
from tabiya.server.web.pages.wall_chart import wall_chart
from tabiya.server.web.schemas.requests import Name, RequestModel
from tabiya.server.web.schemas.tournament_responses import CrosstableLine, TournamentDetail
from tabiya.server.web.views.matches import title_of
from tabiya.storage.records import TournamentRecord

MAX_CROSSTABLE_COLUMNS = 64  # a crosstable with more columns is not shown; chosen, not measured
ROWS_SHOWN, GAMES_SHOWN, TOURNAMENTS_SHOWN = 100, 60, 24
MANY = 12  # with more rows than these a list can be searched
ORDER = {"running": 0, "paused": 0, "created": 1, "ended": 2, "cancelled": 2}
HEADINGS = ("Running", "Coming", "Over")
BOTS_NAMED = 3  # in the command that an empty list shows
Number = Annotated[int, Meta(ge=1, le=100_000)]
Context = dict[str, Any]
Q = TypeVar("Q", bound="ListQuery")


class ListQuery(RequestModel, frozen=True, kw_only=True):
    """Which tournaments the list shows."""

    find: Annotated[Name, doc("Only those with this in their name or in the game's.")] = ""
    page: Annotated[Number, doc("Which part of the list.")] = 1


class TournamentQuery(ListQuery, frozen=True, kw_only=True):
    """What the page of a tournament shows."""

    games: Annotated[Literal["", "all"], doc("All games, not only the latest.")] = ""
    rounds: Annotated[Literal["", "all"], doc("All rounds, not only the latest.")] = ""
    of: Annotated[str, Meta(pattern=r"^([0-9]{1,4}-[0-9]{1,4})?$"), doc("Games of these two entrants only.")] = ""


class TournamentPages:
    """The handlers of the two pages. All methods raise StoreError and HttpError."""

    def __init__(self, facade: ServerFacade, queries: QueryHandlers) -> None:
        self._facade, self._queries, self._store = facade, queries, facade.store

    async def listed(self, call: ApiCall) -> tuple[str, Context]:
        """Tournaments: those that run, then those to come, then those that are over, the newest first."""
        query = _query(call, ListQuery)
        records = await self._store.list_tournaments()
        found = sorted(
            (record for record in records if _is_called(record, query.find)),
            key=lambda record: (ORDER[record.status], -record.id),
        )
        part = found[TOURNAMENTS_SHOWN * (query.page - 1) :][:TOURNAMENTS_SHOWN]
        lines = [await self._queries.tournament_views.line(record) for record in part]
        return "tournaments.html", {
            "query": query,
            "all": len(records),
            "searched": len(records) > MANY,
            "sections": [
                (heading, [line for line in lines if ORDER[line.status] == place])
                for place, heading in enumerate(HEADINGS)
            ],
            "pages": _pages(len(found), TOURNAMENTS_SHOWN),
            "bots": [] if records else await self._connected(),
        }

    async def _connected(self) -> Sequence[str]:
        """Some bots that are connected."""
        present = self._facade.present()
        return [bot.name for bot in await self._store.list_bots() if bot.id in present][:BOTS_NAMED] if present else []

    async def tournament(self, call: ApiCall) -> tuple[str, Context]:
        """Table, rounds and games of one tournament."""
        query = _query(call, TournamentQuery)
        detail = await self._queries.tournament(call)
        found = [(at, line) for at, line in enumerate(detail.lines, 1) if query.find.casefold() in line.bot.casefold()]
        is_knockout = detail.format == "knockout"
        every_round = [] if is_knockout else rounds_of(detail, [row.number for _, row in found] if query.find else None)
        rounds = every_round if query.rounds else latest_rounds(every_round)
        return "tournament.html", {
            "tournament": detail,
            "query": query,
            "rows": found[ROWS_SHOWN * (query.page - 1) :][:ROWS_SHOWN],
            "place": {line.number: at for at, line in enumerate(detail.lines, 1)},
            "names": {line.number: line.bot for line in detail.lines},
            "searched": len(detail.lines) > MANY,
            "pages": _pages(len(found), ROWS_SHOWN),
            "noted": any(line.note for line in detail.lines),
            "shown_breaks": deciding_tie_breaks(detail),
            "chart": wall_chart(detail) if detail.round_titles and not is_knockout else {},
            "crosses": not detail.round_titles and len(detail.lines) <= MAX_CROSSTABLE_COLUMNS,
            "under_way": {
                pair for game in detail.games if game.state == "running" for pair in (game.players, game.players[::-1])
            },
            "bracket": bracket_of(detail) if is_knockout else None,
            "rounds": rounds[::-1],
            "hidden_rounds": len(every_round) - len(rounds),
            **_games(detail, query),
        }


def _query(call: ApiCall, kind: type[Q]) -> Q:
    """What the address asks for; a form sends empty fields too."""
    return read_query({name: value for name, value in call.request.query.items() if value}, kind)


def _is_called(record: TournamentRecord, find: str) -> bool:
    words = f"{record.name} {record.game} {title_of(record.game)}".casefold()
    return find.casefold() in words


def _pages(rows: int, shown: int) -> int:
    """In how many parts a list comes."""
    return max(1, -(-rows // shown))


def _games(detail: TournamentDetail, query: TournamentQuery) -> Context:
    """The games that the page lists, those that run first, then the newest."""
    games = [game for game in detail.games if game.state != "pending"]
    if query.of:
        pair = {int(number) for number in query.of.split("-")}
        games = [game for game in detail.games if set(game.players) == pair]
    games.sort(key=lambda game: (game.state != "running", -(game.match or 0), -game.number))
    shown = games if query.games else games[:GAMES_SHOWN]
    return {"happened": shown, "hidden": len(games) - len(shown), "pair": _pair(detail, query.of)}


def _pair(detail: TournamentDetail, of: str) -> tuple[CrosstableLine, ...]:
    """The two entrants whose games are shown; none if all are."""
    by_number = {line.number: line for line in detail.lines}
    return tuple(by_number[int(number)] for number in of.split("-") if int(number) in by_number) if of else ()

"""The page of one bot, and that of two."""

from __future__ import annotations

from itertools import chain
from typing import Any

from msgspec import Struct

from tabiya.games.registry import names
from tabiya.server.archive.reviews import JudgedMove
from tabiya.server.standings import StandingsRow
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.json_responses import ApiCall, not_found, read_query
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.pages.record_charts import endings_of, history_chart, time_chart
from tabiya.server.web.schemas.page_requests import BotPageQuery, HeadToHeadPageQuery
from tabiya.server.web.schemas.record_responses import BotInGame
from tabiya.server.web.schemas.responses import BotDetail, MatchLine, ThinkingTimes
from tabiya.server.web.views.bot_games import WINDOW_GAMES
from tabiya.server.web.views.matches import match_line
from tabiya.server.web.views.meetings import meetings_of
from tabiya.storage.records import MatchFilter, MatchId, MatchRecord

RECENT = 10  # matches shown
OPPONENTS_SHOWN = 20  # unless all are asked for
SUGGESTED = 500  # names that the form offers

Context = dict[str, Any]


class LostMatch(Struct, frozen=True):
    """A lost match. seat: the loser's. costliest: the loser's move that cost most, if reviewed."""

    line: MatchLine
    seat: int
    reviewed: bool
    costliest: JudgedMove | None


class RecordPages:
    """The handlers of these pages."""

    def __init__(self, facade: ServerView, queries: QueryHandlers) -> None:
        self._queries, self._store = queries, facade.store

    async def bot(self, call: ApiCall) -> tuple[str, Context]:
        """One bot: its record in one game, and its last matches."""
        query = read_query(call.given, BotPageQuery)
        detail = await self._queries.bot(call)
        recent = await self._store.list_matches(MatchFilter(bot=detail.name, limit=RECENT))
        game = query.game or _most_played(detail)
        shown = await self._in_game(detail, game) if game else None
        context = await self._shown(detail, shown, show_all=query.opponents == "all") if shown else {"shown": None}
        return "bot.html", {"bot": detail, "matches": [match_line(match) for match in recent], **context}

    async def _in_game(self, detail: BotDetail, game: str) -> BotInGame:
        if game not in names():
            not_found("game", game)
        return await self._queries.bot_games.in_game(await self._queries.bot_record(detail.name), game)

    async def _shown(self, detail: BotDetail, shown: BotInGame, *, show_all: bool) -> Context:
        thinking = next((each.thinking for each in detail.games if each.game == shown.game), ())
        return {
            "shown": shown,
            "history": history_chart(shown.history, shown.rating.rating if shown.rating else None),
            "window_games": max((each.games for each in shown.history), default=WINDOW_GAMES),
            "times": time_chart(shown.thinking),
            "endings": endings_of(shown.rating) if shown.rating else [],
            "versions": _versions(shown.versions, thinking),
            "opponents": shown.opponents if show_all else shown.opponents[:OPPONENTS_SHOWN],
            "lost": [await self._lost(record) for record in await self._records(shown.lost)],
        }

    async def _records(self, numbers: tuple[int, ...]) -> list[MatchRecord]:
        records = [await self._store.match(MatchId(number)) for number in numbers]
        return [record for record in records if record is not None]

    async def _lost(self, record: MatchRecord) -> LostMatch:
        views, line = self._queries.match_views, match_line(record)
        assert line.result is not None
        assert line.result.winner is not None
        seat, review = 1 - line.result.winner, await views.review(record)
        costliest = await views.costliest(record, review) if review else ()
        return LostMatch(line, seat, review is not None, next((move for move in costliest if move.seat == seat), None))

    async def head_to_head(self, call: ApiCall) -> tuple[str, Context]:
        """Two bots in one game, or a form to choose them."""
        query = read_query(call.given, HeadToHeadPageQuery)
        game = query.game or names()[0]
        if game not in names():
            not_found("game", game)
        known = {row.bot: None for row in (await self._queries.standings_cache.standings(game)).rows}
        met = None
        if query.first and query.second:
            first, second = [await self._queries.bot_record(name) for name in (query.first, query.second)]
            met = await meetings_of(self._store, self._queries.standings_cache, game, first, second)
        return "head_to_head.html", {"query": query, "met": met, "known": list(known)[:SUGGESTED]}


def _most_played(detail: BotDetail) -> str:
    """The game with most of its rated games; without rated games one it has played; empty if there is none."""
    games = [(sum(row.games for row in each.rows), each.game) for each in detail.games]
    return max(games, key=lambda found: found[0])[1] if games else ""


def _versions(
    rows: tuple[StandingsRow, ...], thinking: tuple[ThinkingTimes, ...]
) -> list[tuple[StandingsRow | None, ThinkingTimes | None]]:
    """Its versions with their ratings and times, where they have them."""
    rated, timed = {row.version: row for row in rows}, {each.version: each for each in thinking}
    return [(rated.get(version), timed.get(version)) for version in dict.fromkeys(chain(rated, timed))]

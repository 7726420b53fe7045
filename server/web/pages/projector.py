"""What the projector's page shows: the games on its boards, the table beside them, and what comes next.

All screens of a class show one *step* at a time, which lasts STEP_S by the clock of the server; so a second screen
shows what the first does not. A page that holds the rotation asks for its step by number.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from tabiya.games.registry import title
from tabiya.protocol.messages.fields import doc
from tabiya.server.pairing import FORMATS
from tabiya.server.standings.models import StandingsRow
from tabiya.server.web.handlers.queries import QueryHandlers, picture_key
from tabiya.server.web.http.auth import host_of
from tabiya.server.web.http.json_responses import ApiCall, not_found, read_query
from tabiya.server.web.http.own_address import reachable_address
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.pages.shown_games import (
    BOARDS,
    LINGER_S,
    Game,
    GameSituation,
    interest,
    order_of_next_step,
    order_within_step,
)
from tabiya.server.web.schemas.requests import Id, RequestModel
from tabiya.server.web.schemas.responses import LiveState, MatchLine
from tabiya.server.web.views.matches import match_line
from tabiya.server.web.views.presentation import format_points
from tabiya.server.web.views.tournaments import GOING_ON, TournamentOutline
from tabiya.storage.errors import DamagedRows
from tabiya.storage.records import MatchFilter, MatchId, MatchRecord, TournamentId, TournamentRecord

STEP_S = 15
GAMES = 60  # looked at: running ones, and the last ones to end
ROWS, COMING = 10, 4  # beside boards
WIDE_ROWS, WIDE_COMING, RESULTS = 16, 12, 12  # without boards
MAX_LINES = 64  # steps and tournaments whose boards are remembered
LAST_WON = 4
Context = dict[str, Any]


class ProjectorQuery(RequestModel, frozen=True, kw_only=True):
    """The query of a screen."""

    screen: Annotated[int, Meta(ge=1, le=9), doc("Number of the screen; each shows what those before it do not.")] = 1
    tournament: Annotated[Id | None, doc("Only this tournament; without it the one in which most is played.")] = None
    step: Annotated[Id | None, doc("The step to hold; without it that of the server's clock.")] = None


class Row(NamedTuple):
    """One row of a table. reached: how far it came, in a knockout."""

    rank: int
    bot: str
    points: str
    played: int
    withdrawn: bool = False
    reached: str = ""


class Table(NamedTuple):
    """The table beside the boards. outline: of the tournament whose table it is, None for ratings."""

    title: str
    rows: tuple[Row, ...] = ()
    outline: TournamentOutline | None = None


class Board(NamedTuple):
    """One game on a board."""

    match: MatchLine
    state: LiveState
    key: str
    why: str


class Projector:
    """The projector's page. All methods raise StoreError."""

    def __init__(self, facade: ServerView, queries: QueryHandlers) -> None:
        self._facade, self._queries, self._store = facade, queries, facade.store
        self._lines: OrderedDict[tuple[int | None, int], list[int]] = OrderedDict()

    async def page(self, call: ApiCall) -> tuple[str, Context]:
        """The template and its values."""
        query = read_query(call.given, ProjectorQuery)
        now = time.time()
        step = query.step or int(now // STEP_S)
        wanted = None if query.tournament is None else TournamentId(query.tournament)
        running = await self._store.list_matches(MatchFilter(status="running", tournament_id=wanted, limit=GAMES))
        ended = await self._store.list_matches(MatchFilter(status="ended", tournament_id=wanted, limit=GAMES))
        going_on, over = await self._tournaments(wanted)
        shown_ones = [*going_on, *over] if wanted else shown_tournaments(going_on, over, playing=bool(running))
        turn, number = divmod(step + query.screen - 1, max(1, len(shown_ones)))
        table = await self._table(shown_ones[number] if shown_ones else None, running, ended)
        matches = {match.id: match for match in (*ended, *running)}
        reasons = await self._place(matches, table, (wanted, step), now)
        shown = self._lines[wanted, step][(query.screen - 1) * BOARDS :][:BOARDS]
        boards = [await self._board(matches[MatchId(match)], reasons.get(match, "")) for match in shown]
        coming = table.outline.coming if table.outline else ()
        idle = table.outline is None or table.outline.line.status not in GOING_ON
        won = await self._queries.tournament_views.lines(over) if idle else ()
        return "projector.html", {
            "query": query,
            "step": step,
            "boards": boards,
            "several_games": len({board.match.game for board in boards}) > 1,
            "table": table,
            "columns": [page_in_turn(table.rows, turn, ROWS)] if boards else two_columns(table.rows, turn),
            "coming": page_in_turn(coming[:WIDE_COMING], turn, COMING if boards else WIDE_COMING),
            "results": [match_line(match) for match in ended[:RESULTS]],
            "idle": idle and not boards,
            "won": [line for line in won if line.leaders and FORMATS[line.format].has_winner],
            "info": self._facade.info(self._facade.reachable_host(host_of(call.request))),
            "address": reachable_address(call.request, self._facade),
        }

    async def _tournaments(
        self, wanted: TournamentId | None
    ) -> tuple[Sequence[TournamentRecord], Sequence[TournamentRecord]]:
        """Running tournaments, the newest first, and the last ones won; or only the requested one."""
        if wanted is None:
            return await self._store.list_tournaments(statuses=GOING_ON), await self._store.ended_tournaments(LAST_WON)
        found = await self._store.tournament(wanted) or not_found("tournament", wanted)
        return ([found], []) if found.status in GOING_ON else ([], [found])

    async def _table(
        self, tournament: TournamentRecord | None, running: Sequence[MatchRecord], ended: Sequence[MatchRecord]
    ) -> Table:
        """That of the tournament; without one, the ratings of the game that is played most, or was played last."""
        if tournament is not None:
            try:
                outline = await self._queries.tournament_views.outline(tournament)
            except DamagedRows:
                return Table(tournament.name)
            rows = (
                Row(
                    line.rank,
                    line.bot,
                    format_points(line.points),
                    line.played,
                    line.withdrawn,
                    line.note if tournament.format == "knockout" else "",
                )
                for line in outline.table
            )
            return Table(tournament.name, tuple(rows), outline)
        played = Counter(match.game for match in running or ended[:1]).most_common(1)
        if not played or not await self._queries.standings_cache.is_ready(0):
            return Table("")
        standings = await self._queries.standings_cache.standings(played[0][0])
        return Table(f"{title(standings.game)}, ratings", best_versions(standings.rows))

    async def _place(
        self, matches: dict[MatchId, MatchRecord], table: Table, key: tuple[int | None, int], now: float
    ) -> dict[int, str]:
        """Put the games on the boards of a step; returns why those that run are interesting.

        matches: those that may be shown, to which the rest of those on the boards are added.
        """
        before = self._lines.get(key)
        last = before if before is not None else self._last_line(key[0])
        for number in last:
            if number not in matches and (found := await self._store.match(MatchId(number))) is not None:
                matches[found.id] = found
        interests = {
            match.id: interest(self._situation(match, table)) for match in matches.values() if match.result is None
        }
        games = [
            Game(
                match.id,
                interests[match.id][0] if match.id in interests else 0,
                _over_s(match, now),
                match.tournament_id is not None,
            )
            for match in matches.values()
        ]
        line = order_within_step(games, before) if before is not None else order_of_next_step(games, last, key[1])
        self._lines[key] = [match for match in line if match in matches]
        while len(self._lines) > MAX_LINES:
            self._lines.popitem(last=False)
        return {match: why for match, (_, why) in interests.items()}

    def _last_line(self, tournament: int | None) -> list[int]:
        return next((line for (of, _), line in reversed(self._lines.items()) if of == tournament), [])

    def _situation(self, match: MatchRecord, table: Table) -> GameSituation:
        watching = self._facade.snapshot(match.id)
        left = watching.clock_ms if watching else None
        clocks = (
            (left[0] * 1000 / match.remaining_us[0], left[1] * 1000 / match.remaining_us[1])
            if left and all(match.remaining_us)
            else None
        )
        outline = table.outline
        if outline is not None and outline.line.id != match.tournament_id:
            return GameSituation(clocks=clocks)
        first, second = (next((row for row in table.rows if row.bot == seat.bot), None) for seat in match.seats)
        if first is None or second is None:
            return GameSituation(clocks=clocks)
        began = first.played > 0 and second.played > 0
        return GameSituation(
            ranks=(_last_place(table, first), _last_place(table, second)) if began else None,
            level=began and first.points == second.points,
            decisive=outline is not None and match.pairing in outline.decisive,
            clocks=clocks,
        )

    async def _board(self, match: MatchRecord, why: str) -> Board:
        return Board(match_line(match), await self._queries.live_state(match), picture_key(match), why)


def _last_place(table: Table, row: Row) -> int:
    """The last place of those with equal rank: at the start of a tournament many share the first ranks."""
    return sum(each.rank <= row.rank for each in table.rows)


def shown_tournaments(
    going_on: Sequence[TournamentRecord], ended: Sequence[TournamentRecord], *, playing: bool
) -> Sequence[TournamentRecord]:
    """Those whose tables take turns: all that run; else the newest that is paused, about to start, or has ended last.

    playing: whether games run; beside those of no tournament, one that has not begun or has ended is not shown.
    """
    by_status = {status: [each for each in going_on if each.status == status] for status in GOING_ON}
    waiting = by_status["paused"] or ([] if playing else by_status["created"] or ended)
    return by_status["running"] or waiting[:1]


def page_in_turn(items: Sequence[Any], turn: int, size: int) -> Sequence[Any]:
    """The page of `items` whose turn it is, of as few pages as hold `size` each."""
    pages = -(-len(items) // size)
    if pages < 2:
        return items
    page, length = turn % pages, -(-len(items) // pages)
    return items[page * length : (page + 1) * length]


def best_versions(rows: Sequence[StandingsRow]) -> tuple[Row, ...]:
    """Each bot once, by its best version, with its place among these in its pool. rows: the best of a pool first."""
    best = {row.bot: row for row in reversed(rows)}
    places, shown = Counter[int](), list[Row]()
    for row in rows:
        if best[row.bot] is row:
            places[row.pool] += 1
            shown.append(Row(places[row.pool], row.bot, f"{row.rating:.0f}", row.games))
    return tuple(shown)


def two_columns(rows: Sequence[Row], turn: int) -> list[Sequence[Row]]:
    """All rows in one or two columns; of more than that, two columns that take turns with the others."""
    pages = -(-len(rows) // WIDE_ROWS)
    shown = range(pages) if pages <= 2 else sorted((turn % pages, (turn + 1) % pages))
    return [page_in_turn(rows, page, WIDE_ROWS) for page in shown]


def _over_s(match: MatchRecord, now: float) -> float | None:
    """For how long it has not been running; None while it is."""
    if match.status == "running":
        return None
    return max(0.0, now - match.result.ended_at) if match.result else LINGER_S

"""GET handlers of the API."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

from aiohttp import web
from msgspec import to_builtins

from tabiya.games.errors import GameError
from tabiya.games.registry import load_game, names
from tabiya.protocol.csv_text import csv_text
from tabiya.protocol.time_control import ControlKind, TimeControlError, parse, parse_by_seat
from tabiya.server.archive.exports import CONTENT_TYPES, ExportFormat, has_sgf, sgf, transcript, without_sgf
from tabiya.server.ratings.anchors import AnchorError, read_anchors
from tabiya.server.standings import Standings, Superiority, View
from tabiya.server.standings.selection import SelectionError, read_selection
from tabiya.server.web.handlers.exports import ExportHandlers
from tabiya.server.web.http.auth import host_of
from tabiya.server.web.http.json_responses import NO_CACHE, ApiCall, HttpError, json_response, not_found, number_in_path
from tabiya.server.web.http.list_parts import part_of_list
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.schemas.board_responses import GameBoard, PlayedBoard
from tabiya.server.web.schemas.record_responses import BotInGame, ExpectedScores, Meetings
from tabiya.server.web.schemas.requests import BotQuery, ExpectedQuery, MatchQuery, StandingsQuery, TournamentQuery
from tabiya.server.web.schemas.responses import (
    Boards,
    BotDetail,
    BotLine,
    Bots,
    Games,
    Health,
    LiveState,
    MatchDetail,
    Matches,
    Review,
    ServerInfo,
)
from tabiya.server.web.schemas.tournament_responses import TournamentDetail, Tournaments
from tabiya.server.web.views.bot_games import BotGames
from tabiya.server.web.views.bots import bot_detail, bot_line, game_info
from tabiya.server.web.views.crosstable_rows import MOST_IN_FILE, crosstable_rows
from tabiya.server.web.views.expected import expected_scores
from tabiya.server.web.views.game_board import FIELDS, game_board
from tabiya.server.web.views.matches import MatchViews, match_line
from tabiya.server.web.views.meetings import meetings_of
from tabiya.server.web.views.replays import ReplayCache
from tabiya.server.web.views.tournaments import TournamentViews
from tabiya.server.web.views.trf import trf
from tabiya.storage.errors import StoreError
from tabiya.storage.records import (
    BotRecord,
    MatchFilter,
    MatchId,
    MatchRecord,
    TournamentId,
    TournamentRecord,
)

HEALTH_TIMEOUT_S = 2.0
CACHE_FOREVER = {"Cache-Control": "public, max-age=604800, immutable"}

T = TypeVar("T")


class QueryHandlers:
    """The GET handlers; pages use them too."""

    def __init__(self, facade: ServerView) -> None:
        self._facade, self._store = facade, facade.store
        self.standings_cache = facade.standings
        self.match_views = MatchViews(facade.store, ReplayCache())
        self.tournament_views = TournamentViews(facade.store, self._clocks_ms)
        self.bot_games = BotGames(facade.store, facade.standings)
        self._exports = ExportHandlers(facade.store)

    # --- the server

    async def server(self, call: ApiCall) -> ServerInfo:
        """Name and version of the server, and the address for bots."""
        return self._facade.info(host_of(call.request))

    async def health(self, call: ApiCall) -> Health:
        """200 while the server's event loop answers, even without its database; no answer: restart it."""
        return Health(status="ok")

    async def ready(self, call: ApiCall) -> web.Response:
        """200 while the server accepts bots, reaches its database and can save, else 503; for proxies."""
        if self._facade.closing:
            return json_response(Health(status="closing"), 503)
        try:
            async with asyncio.timeout(HEALTH_TIMEOUT_S):
                await self._store.schema_version()
        except (StoreError, TimeoutError):
            return json_response(Health(status="no database"), 503)
        status, word = self._facade.readiness
        return json_response(Health(status=word), status)

    async def games(self, call: ApiCall) -> Games:
        """The games with their options and notation."""
        return Games(games=tuple(game_info(name) for name in names()))

    async def standings(self, call: ApiCall) -> Standings:
        """The standings of one game, best first."""
        game = _game_of(call)
        return await self.standings_cache.standings(game, _view(game, call.query))

    async def superiority(self, call: ApiCall) -> Superiority:
        """The probability that each bot is better than each other bot (LOS)."""
        game = _game_of(call)
        return await self.standings_cache.superiority(game, call.query.limit, _view(game, call.query))

    async def expected(self, call: ApiCall) -> ExpectedScores:
        """Expected scores of all other bots of the pool against one bot, with random seats."""
        query: ExpectedQuery = call.query
        game = _game_of(call)
        view = _view(game, query)
        found = await self.standings_cache.fitted(game, view)
        return expected_scores(found, query.bot, query.version) or not_found("bot rated here", query.bot)

    async def game_board(self, call: ApiCall) -> GameBoard:
        """A board from a position, after moves or changes by hand; an illegal board says what is missing."""
        try:
            return await asyncio.to_thread(game_board, load_game(_game_of(call)), call.query)
        except GameError as error:
            raise HttpError(400, str(error), FIELDS[type(error)]) from None

    async def head_to_head(self, call: ApiCall) -> Meetings:
        """Compare two bots, all versions, by their own games and by all games."""
        game = _game_of(call)
        first, second = [await self.bot_record(name) for name in (call.query.first, call.query.second)]
        return await meetings_of(self._store, self.standings_cache, game, first, second)

    # --- bots

    async def bots(self, call: ApiCall) -> Bots:
        """Bots in the order of their arrival, and which are connected."""
        query: BotQuery = call.query
        bots, further = part_of_list(
            call, await self._store.list_bots(after=query.after, limit=query.limit + 1), "after"
        )
        return Bots(bots=self._bot_lines(bots), next=further)

    async def all_bots(self) -> tuple[BotLine, ...]:
        """The same without an end."""
        return self._bot_lines(await self._store.list_bots())

    def _bot_lines(self, bots: Iterable[BotRecord]) -> tuple[BotLine, ...]:
        present, hosted = self._facade.present(), self._facade.hosted()
        return tuple(bot_line(bot, present, hosted) for bot in bots)

    async def bot(self, call: ApiCall) -> BotDetail:
        """One bot with its record."""
        bot = await self.bot_record(call.request.match_info["name"])
        return await bot_detail(bot, self._facade.present(), self._facade.hosted(), self.standings_cache, self._store)

    async def bot_in_game(self, call: ApiCall) -> BotInGame:
        """One bot in one game: by opponent, seat and opening, over time, and its thinking times."""
        return await self.bot_games.in_game(await self.bot_record(call.request.match_info["name"]), _game_of(call))

    async def bot_record(self, name: str) -> BotRecord:
        """The bot of a name. Raises HttpError (404)."""
        return await self._store.bot_by_name(name) or not_found("bot", name)

    # --- matches

    async def matches(self, call: ApiCall) -> Matches:
        """Matches, newest first."""
        query: MatchQuery = call.query
        if query.game is not None and query.game not in names():
            not_found("game", query.game)
        if query.bot is not None:
            await self.bot_record(query.bot)
        if query.tournament is not None and await self._store.tournament(TournamentId(query.tournament)) is None:
            not_found("tournament", query.tournament)
        records = await self._store.list_matches(
            MatchFilter(
                game=query.game,
                bot=query.bot,
                tournament_id=None if query.tournament is None else TournamentId(query.tournament),
                status=query.status,
                before_id=None if query.before is None else MatchId(query.before),
                limit=query.limit + 1,
            )
        )
        page, older = part_of_list(call, records, "before")
        more = page[-1].id if older else None
        return Matches(matches=tuple(match_line(record) for record in page), before=more, next=older)

    async def match(self, call: ApiCall) -> MatchDetail:
        """A whole match."""
        return await self.match_response(await self.match_record(call))

    async def review(self, call: ApiCall) -> Review:
        """The stored review of a match; this request makes none."""
        record = await self.match_record(call)
        return await self.match_views.review(record) or not_found("review kept of match", record.id)

    async def match_response(self, record: MatchRecord) -> MatchDetail:
        """The match with its moves."""
        return await self.match_views.detail(record, self._facade.snapshot(record.id))

    async def live_state(self, record: MatchRecord) -> LiveState:
        """The match as it stands at this moment."""
        watching = self._facade.snapshot(record.id)
        return await (self.match_views.followed(record, watching) if watching else self.match_views.live(record))

    async def match_record(self, call: ApiCall) -> MatchRecord:
        """The match whose number is in the path. Raises HttpError (404)."""
        number = number_in_path(call.request, "match", "match")
        return await self._store.match(MatchId(number)) or not_found("match", number)

    async def picture(self, call: ApiCall) -> web.Response:
        """The position after this many moves, as an SVG document."""
        record = await self.match_record(call)
        named = call.query.v == picture_key(record)
        return web.Response(
            text=await self._at_ply(call, record, self.match_views.picture),
            content_type="image/svg+xml",
            headers=CACHE_FOREVER if named else NO_CACHE,
        )

    async def board(self, call: ApiCall) -> PlayedBoard:
        """A position of a match for playing: places for entering moves, and the moves as written for people."""
        return await self._at_ply(call, await self.match_record(call), self.match_views.board)

    async def boards(self, call: ApiCall) -> Boards:
        """All boards of a match in one document."""
        record = await self.match_record(call)
        moves, line = await self._store.moves(record.id), call.query.line
        if line is not None and line > len(moves):
            raise HttpError(404, f"match {record.id} has moves 0 to {len(moves)}, not {line}", "line")
        try:
            return await self.match_views.boards(record, moves, call.query.seat, line)
        except GameError as error:
            raise HttpError(409, f"the moves of match {record.id} cannot be replayed by the rules: {error}") from None

    async def _at_ply(
        self, call: ApiCall, record: MatchRecord, drawn: Callable[[MatchRecord, Sequence[str], int, int], Awaitable[T]]
    ) -> T:
        text = call.request.match_info["ply"]
        moves = await self._moves_so_far(record)
        if not (text.isascii() and text.isdigit() and len(text) <= 6 and int(text) <= len(moves)):
            raise HttpError(404, f"match {record.id} has pictures 0 to {len(moves)}, not {text[:80]!a}")
        try:
            return await drawn(record, moves, int(text), call.query.seat)
        except GameError as error:
            raise HttpError(409, f"the moves of match {record.id} cannot be replayed by the rules: {error}") from None

    async def _moves_so_far(self, record: MatchRecord) -> tuple[str, ...]:
        watching = self._facade.snapshot(record.id)
        return watching.moves if watching else tuple(move.text for move in await self._store.moves(record.id))

    async def transcript(self, call: ApiCall) -> web.Response:
        """The match as text for other programs: PGN, or the game's notation in the same form."""
        return await self._written(await self.match_record(call), transcript, "text/plain", "pgn")

    async def sgf(self, call: ApiCall) -> web.Response:
        """The match as SGF (FF[4]), for games that SGF defines."""
        record = await self.match_record(call)
        if not has_sgf(record.game):
            raise HttpError(404, without_sgf(record.game))
        return await self._written(record, sgf, CONTENT_TYPES[ExportFormat.SGF], "sgf")

    async def _written(
        self, record: MatchRecord, write: Callable[..., str], content_type: str, ending: str
    ) -> web.Response:
        """The match as `write` writes it, in a thread, as a file."""
        place = record.tournament_id
        tournament = await self._store.tournament(place) if place is not None else None
        moves = await self._store.moves(record.id)
        try:
            text = await asyncio.to_thread(write, record, moves, tournament.name if tournament else "")
        except GameError as error:
            raise HttpError(409, f"the moves of match {record.id} cannot be replayed by the rules: {error}") from None
        headers = NO_CACHE | {"Content-Disposition": f'attachment; filename="match-{record.id}.{ending}"'}
        return web.Response(text=text, content_type=content_type, headers=headers)

    async def export(self, call: ApiCall) -> web.StreamResponse:
        """Games that are over, oldest first, the two games of a pair together; aborted ones have no result."""
        return await self._exports.export(call.request, call.query)

    # --- tournaments

    def _clocks_ms(self, match: int) -> float | None:
        """The time on both clocks of a running match, if nothing is added to them."""
        seen = self._facade.snapshot(match)
        if seen is None or seen.clock_ms is None:
            return None
        for control in parse_by_seat(seen.time_control):
            if control.kind is not ControlKind.FISCHER or control.increment_ms:
                return None
        return max(0, sum(seen.clock_ms) - seen.thinking_ms)

    async def tournaments(self, call: ApiCall) -> Tournaments:
        """Tournaments, newest first."""
        query: TournamentQuery = call.query
        records = await self._store.list_tournaments(before=query.before, limit=query.limit + 1)
        page, older = part_of_list(call, records, "before")
        return Tournaments(tournaments=await self.tournament_views.lines(page), next=older)

    async def tournament(self, call: ApiCall) -> TournamentDetail:
        """The present state of a tournament: crosstable, games, endings."""
        return await self.tournament_views.detail(await self.tournament_record(call))

    async def crosstable(self, call: ApiCall) -> web.Response:
        """The table for a spreadsheet: one line per bot, with points, tie-breaks, and up to 64 opponents across."""
        detail = await self.tournament(call)
        rows, columns = crosstable_rows(to_builtins(detail), MOST_IN_FILE)
        return as_file(csv_text(rows, columns), "text/csv", f"tournament-{detail.id}.csv")

    async def trf(self, call: ApiCall) -> web.Response:
        """A Swiss as a FIDE tournament report (TRF16), one meeting per round."""
        detail = await self.tournament(call)
        if detail.format != "swiss":
            raise HttpError(404, f"tournament {detail.id} is not a Swiss, so it has no TRF report")
        return as_file(trf(detail), "text/plain", f"tournament-{detail.id}.trf")

    async def tournament_record(self, call: ApiCall) -> TournamentRecord:
        """The tournament whose number is in the path. Raises HttpError (404)."""
        number = number_in_path(call.request, "tournament", "tournament")
        return await self._store.tournament(TournamentId(number)) or not_found("tournament", number)


def as_file(text: str, content_type: str, name: str) -> web.Response:
    """A text to be saved under a name."""
    headers = NO_CACHE | {"Content-Disposition": f'attachment; filename="{name}"'}
    return web.Response(text=text, content_type=content_type, headers=headers)


def _game_of(call: ApiCall) -> str:
    """The game in the path. Raises HttpError (404)."""
    game = call.request.match_info["game"]
    return game if game in names() else not_found("game", game)


def _view(game: str, query: StandingsQuery) -> View:
    """The view that a query asks for. Raises HttpError (400)."""
    try:
        # a plus sign that was not encoded comes as a space
        time = str(parse(query.time.replace(" ", "+"))) if query.time else None
        selection = read_selection(game, query.since, query.until, query.among, query.options)
        return View(query.pooled, tuple(sorted(read_anchors(query.anchors).items())), time, selection)
    except (AnchorError, SelectionError, TimeControlError) as error:
        raise HttpError(400, f"a value in the address is not allowed: {error}") from None


def picture_key(record: MatchRecord) -> str:
    """Tells this match from one of the same number in another database, so that pictures can be cached forever."""
    return hashlib.blake2b(record.key.encode(), digest_size=6).hexdigest()

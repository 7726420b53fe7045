"""All routes of the API: parameters, responses and access. docs/reference/api.md is generated from them."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import NamedTuple

from aiohttp import web
from msgspec import Struct

from tabiya.server.archive.exports import CONTENT_TYPES, ExportFormat
from tabiya.server.standings import Standings, Superiority
from tabiya.server.tournaments.settings import TournamentChange, TournamentOrder
from tabiya.server.web.asyncapi import text as asyncapi_text
from tabiya.server.web.handlers.accounts import AccountHandlers
from tabiya.server.web.handlers.admin import AdminHandlers
from tabiya.server.web.handlers.explorer import ExplorerHandlers
from tabiya.server.web.handlers.grades import GradeHandlers
from tabiya.server.web.handlers.lobby import LobbyHandlers
from tabiya.server.web.handlers.operator import OperatorHandlers
from tabiya.server.web.handlers.programs import ProgramHandlers
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.handlers.reviews import LINES, ReviewHandlers
from tabiya.server.web.handlers.seasons import SeasonHandlers
from tabiya.server.web.handlers.sessions import SessionHandlers
from tabiya.server.web.handlers.workers import WorkerHandlers
from tabiya.server.web.http.json_responses import NO_CACHE, ApiCall
from tabiya.server.web.http.route import API, Handler, Other, Route
from tabiya.server.web.live.match_moves import MatchFollowing
from tabiya.server.web.live.matches import MatchStreams
from tabiya.server.web.live.server_news import ServerNews
from tabiya.server.web.metrics import Metrics
from tabiya.server.web.openapi import text as openapi_text
from tabiya.server.web.schemas import (
    lobby_responses,
    operator,
    record_responses,
    requests,
    responses,
    tournament_responses,
)
from tabiya.server.web.schemas.board_responses import GameBoard, PlayedBoard
from tabiya.server.web.schemas.explorer_requests import CallsRequest, DifferenceRequest, ExercisesRequest, SearchRequest
from tabiya.server.web.schemas.grade_responses import GradesQuery, TournamentGrades
from tabiya.server.web.schemas.program_responses import (
    GamesAskedFor,
    HostedBots,
    LostMatches,
    Program,
    Programs,
    ProgramSource,
)
from tabiya.server.web.schemas.season_responses import SeasonList, SeasonTables
from tabiya.server.web.schemas.worker_messages import (
    Heartbeat,
    HeartbeatAnswer,
    ReportAnswer,
    WorkerAnswer,
    WorkerQuestion,
    WorkerReport,
    Workers,
)

EVENTS = Other(
    "a stream of server-sent events, each a [LiveState](#livestate); with `after` a [LiveMoves](#livemoves)",
    ("text/event-stream",),
    is_stream=True,
)
SVG = Other("an SVG document; it never changes", ("image/svg+xml",))
TRANSCRIPT = Other("text: PGN for chess, the same form for every game", ("text/plain",))
SGF = Other("text: SGF (FF[4])", (CONTENT_TYPES[ExportFormat.SGF],))
GAMES = Other("text: transcripts, SGF, or a JSON line a game", tuple(CONTENT_TYPES.values()), is_stream=True)
ZIP = Other("a zip of the program's files", ("application/zip",))
MOST_WITH_PROGRAM = 1_400_000  # bytes of an order: base64 takes a third more
CSV = Other("a table as CSV, for spreadsheets", ("text/csv",))
TRF = Other("a tournament report in FIDE's format", ("text/plain",))
OPENAPI = Other("an OpenAPI 3.1 document", ("application/json",))
ASYNCAPI = Other("an AsyncAPI 3.0 document", ("application/json",))
SEARCH = Other(
    "a recorded search: lines of JSON, then its columns as bytes", ("application/octet-stream",), is_stream=True
)
CALLS = Other("calls with their lines, as JSON", ("application/json",))
DIFFERENCE = Other("what both visited and what one, subtree by subtree, as JSON", ("application/json",))
EXERCISES = Other("exercises with their solutions, as JSON", ("application/json",))
EXAMPLES = Other("examples with their searches, as JSON", ("application/json",))
LISTINGS = Other("the listings, as JSON", ("application/json",))
REVIEW = Other("lines of JSON while it is made, each a [ReviewProgress](#reviewprogress)", (LINES,), is_stream=True)
NEWS = Other(
    "a stream of server-sent events for processes that show these pages; it may change with each version",
    ("text/event-stream",),
    is_stream=True,
)
NUMBERS = Other("numbers for Prometheus, as text", ("text/plain",))


class Handlers(NamedTuple):
    """What answers: an object for each part of the API."""

    queries: QueryHandlers
    lobby: LobbyHandlers
    orders: AdminHandlers
    accounts: AccountHandlers
    operators: OperatorHandlers
    sessions: SessionHandlers
    streams: MatchStreams
    following: MatchFollowing
    explorer: ExplorerHandlers
    programs: ProgramHandlers
    seasons: SeasonHandlers
    workers: WorkerHandlers
    grades: GradeHandlers
    reviews: ReviewHandlers
    news: ServerNews
    metrics: Metrics


def routes(handlers: Handlers) -> tuple[Route, ...]:
    """All routes, in the order of the reference page."""
    queries, lobby, orders, accounts, operators, sessions = handlers[:6]
    streams, following, explorer, programs, seasons, workers, grades, reviews, news, metrics = handlers[6:]

    async def follow(call: ApiCall) -> web.StreamResponse:
        """Follow a match: server-sent events named `state` (or `moves`), the last with status `ended` or `frozen`."""
        record, after = await queries.match_record(call), call.query.after
        if after is None:
            return await streams.follow(call.request, record)
        seen = call.request.headers.get("Last-Event-ID", "")  # of a browser that comes again by itself
        after = int(seen) if seen.isascii() and seen.isdigit() and len(seen) <= 6 else after
        return await following.follow(call.request, record, after, call.query.seat)

    async def follow_all(call: ApiCall) -> web.StreamResponse:
        """Follow everything that happens on the server."""
        return await news.follow(call.request)

    described = cache(lambda: openapi_text(listed))

    async def openapi(call: ApiCall) -> web.Response:
        """This API, for programs that make clients, pages or tests of it."""
        return _json_document(await asyncio.to_thread(described))

    async def asyncapi(call: ApiCall) -> web.Response:
        """The protocol of the bots, for programs that make clients of it."""
        return _json_document(await asyncio.to_thread(asyncapi_text))

    def get(
        path: str,
        handler: Handler,
        answer: type[Struct] | Other,
        query: type[Struct] | None = None,
        *,
        stored: bool = True,
        server_only: bool = False,
    ) -> Route:
        return Route("GET", path, handler, answer, query, stored=stored, server_only=server_only)

    def searched(path: str, handler: Handler, answer: Other, query: type[Struct] | None = None) -> Route:
        return Route("GET", path, handler, answer, query, stored=False, crowded=True)

    def order(path: str, handler: Handler, answer: type[Struct], body: type[Struct], status: int = 200) -> Route:
        return Route("POST", path, handler, answer, None, body, "operator", status)

    def operator_get(path: str, handler: Handler, answer: type[Struct], query: type[Struct] | None = None) -> Route:
        return Route("GET", path, handler, answer, query, access="operator")

    def owner_order(path: str, handler: Handler, answer: type[Struct]) -> Route:
        return Route("POST", path, handler, answer, None, requests.EmptyOrder, "owner")

    def of_program(
        path: str, handler: Handler, answer: type[Struct], body: type[Struct] = requests.EmptyOrder, status: int = 200
    ) -> Route:
        return Route("POST", path, handler, answer, None, body, "owner", status, most_bytes=MOST_WITH_PROGRAM)

    def of_worker(path: str, handler: Handler, answer: type[Struct], body: type[Struct]) -> Route:
        return Route(
            "POST", f"{API}/workers/{path}", handler, answer, None, body, "worker", most_bytes=MOST_WITH_PROGRAM
        )

    def by_page(path: str, handler: Handler, body: type[Struct], status: int = 200) -> Route:
        return Route("POST", path, handler, responses.SignedIn, None, body, "sender", status)

    def tournament_order(
        path: str, handler: Handler, body: type[Struct] = requests.EmptyOrder, status: int = 200
    ) -> Route:
        return order(path, handler, tournament_responses.TournamentDetail, body, status)

    match, tournament, bot = f"{API}/matches/{{match}}", f"{API}/tournaments/{{tournament}}", f"{API}/bots/{{name:.+}}"
    standings = f"{API}/standings/{{game}}"
    listed = (
        get(f"{API}/server", queries.server, responses.ServerInfo, stored=False),
        get(f"{API}/games", queries.games, responses.Games, stored=False),
        get(f"{API}/games/{{game}}/board", queries.game_board, GameBoard, requests.GameBoardQuery, stored=False),
        get(standings, queries.standings, Standings, requests.StandingsQuery),
        get(f"{standings}/superiority", queries.superiority, Superiority, requests.SuperiorityQuery),
        get(f"{standings}/expected", queries.expected, record_responses.ExpectedScores, requests.ExpectedQuery),
        get(f"{API}/opponents", lobby.opponents, lobby_responses.Opponents, stored=False, server_only=True),
        get(
            f"{API}/challenges/{{code}}",
            lobby.challenge,
            lobby_responses.OpenChallenge,
            stored=False,
            server_only=True,
        ),
        get(f"{standings}/head-to-head", queries.head_to_head, record_responses.Meetings, requests.HeadToHeadQuery),
        get(f"{API}/seasons", seasons.listed, SeasonList),
        get(f"{API}/seasons/{{season}}", seasons.season, SeasonTables),
        order(f"{API}/seasons", seasons.begin, SeasonTables, requests.SeasonOrder, 201),
        order(f"{API}/seasons/{{season}}/end", seasons.end, SeasonTables, requests.EmptyOrder),
        get(f"{API}/bots", queries.bots, responses.Bots, requests.BotQuery),
        Route("GET", f"{bot}/programs", programs.programs, Programs, access="owner"),
        Route("GET", f"{bot}/programs/{{number}}/files", programs.files, ZIP, access="owner"),
        Route("GET", f"{bot}/programs/{{number}}/source", programs.source, ProgramSource, access="owner"),
        Route("GET", f"{bot}/failures", programs.failures, LostMatches, access="owner"),
        of_program(f"{bot}/programs", programs.hand_in, Program, requests.ProgramOrder, 201),
        of_program(f"{bot}/programs/{{number}}/use", programs.use, Programs),
        of_program(f"{bot}/programs/games", programs.ask_for_games, GamesAskedFor, requests.GamesOrder),
        of_program(f"{bot}/programs/games/{{wish}}/take-back", programs.take_back, Programs),
        of_program(f"{bot}/programs/stop", programs.stop, Programs),
        operator_get(f"{API}/programs", programs.hosted, HostedBots),
        Route("GET", f"{API}/programs/files", programs.all_files, ZIP, access="operator"),
        order(f"{API}/programs/deadline", programs.set_deadline, HostedBots, requests.DeadlineOrder),
        order(f"{bot}/programs/disable", programs.disable, Programs, requests.EmptyOrder),
        order(f"{bot}/programs/enable", programs.enable, Programs, requests.EmptyOrder),
        Route("GET", f"{API}/workers", workers.workers, Workers, access="operator"),
        of_worker("ask", workers.ask_for_work, WorkerAnswer, WorkerQuestion),
        of_worker("heartbeat", workers.heartbeat, HeartbeatAnswer, Heartbeat),
        of_worker("report", workers.report, ReportAnswer, WorkerReport),
        Route("GET", f"{API}/workers/programs/{{program}}/files", workers.program_files, ZIP, access="worker"),
        get(f"{bot}/games/{{game}}", queries.bot_in_game, record_responses.BotInGame),
        get(bot, queries.bot, responses.BotDetail),
        get(f"{API}/matches", queries.matches, responses.Matches, requests.MatchQuery),
        get(match, queries.match, responses.MatchDetail),
        get(f"{match}/review", queries.review, responses.Review),
        Route("POST", f"{match}/review", reviews.order_review, REVIEW, None, requests.EmptyOrder, "owner"),
        get(f"{match}/live", follow, EVENTS, requests.LiveQuery),
        get(f"{match}/picture/{{ply}}.svg", queries.picture, SVG, requests.PictureQuery),
        get(f"{match}/board/{{ply}}", queries.board, PlayedBoard, requests.BoardQuery),
        get(f"{match}/boards", queries.boards, responses.Boards, requests.BoardsQuery),
        get(f"{match}/transcript", queries.transcript, TRANSCRIPT),
        get(f"{match}/game.sgf", queries.sgf, SGF),
        get(f"{API}/export", queries.export, GAMES, requests.ExportQuery),
        get(f"{API}/tournaments", queries.tournaments, tournament_responses.Tournaments, requests.TournamentQuery),
        get(tournament, queries.tournament, tournament_responses.TournamentDetail),
        get(f"{tournament}/crosstable.csv", queries.crosstable, CSV),
        get(f"{tournament}/report.trf", queries.trf, TRF),
        Route("GET", f"{tournament}/grades", grades.grades, TournamentGrades, GradesQuery, access="operator", also=CSV),
        searched(f"{API}/explorer/search", explorer.search, SEARCH, SearchRequest),
        searched(f"{API}/explorer/calls", explorer.calls, CALLS, CallsRequest),
        searched(f"{API}/explorer/difference", explorer.difference, DIFFERENCE, DifferenceRequest),
        searched(f"{API}/explorer/listings", explorer.listings, LISTINGS),
        searched(f"{API}/explorer/examples", explorer.examples, EXAMPLES),
        searched(f"{API}/explorer/exercises", explorer.exercises, EXERCISES, ExercisesRequest),
        Route(
            "POST",
            f"{API}/register",
            accounts.register,
            responses.Registered,
            None,
            requests.RegisterOrder,
            "sender",
            201,
        ),
        Route(
            "POST", f"{API}/session", sessions.sign_in, responses.SignedIn, None, requests.SignInOrder, "sender", 201
        ),
        get(f"{API}/session", sessions.session, responses.SignedIn, server_only=True),
        Route("POST", f"{API}/session/end", sessions.sign_out, responses.SignedIn, None, requests.EmptyOrder, "sender"),
        Route("GET", f"{API}/account", accounts.account, responses.Account, access="owner"),
        Route("GET", f"{match}/failure", accounts.failure, responses.Failure, access="owner"),
        owner_order(f"{bot}/token", accounts.new_token, responses.Registered),
        owner_order(f"{bot}/revoke", accounts.revoke_token, responses.Account),
        order(f"{bot}/role", accounts.set_role, responses.Account, requests.RoleOrder),
        tournament_order(f"{API}/tournaments", orders.create_tournament, TournamentOrder, 201),
        tournament_order(f"{tournament}/start", orders.start_tournament),
        tournament_order(f"{tournament}/pause", orders.pause_tournament),
        tournament_order(f"{tournament}/cancel", orders.cancel_tournament),
        tournament_order(f"{tournament}/change", orders.change_tournament, TournamentChange),
        tournament_order(f"{tournament}/enter", orders.enter_tournament, requests.EnterOrder),
        tournament_order(f"{tournament}/withdraw", orders.withdraw_from_tournament, requests.WithdrawOrder),
        tournament_order(f"{tournament}/bye", orders.bye_in_tournament, requests.ByeOrder),
        order(f"{match}/abort", orders.abort_match, responses.MatchLine, requests.AbortOrder),
        order(f"{match}/adjudicate", orders.adjudicate_match, responses.MatchLine, requests.AdjudicateOrder),
        order(f"{match}/replay", orders.replay_match, responses.Replayed, requests.ReplayOrder),
        operator_get(f"{API}/accounts", accounts.accounts, operator.Accounts, requests.BotQuery),
        order(f"{API}/accounts", accounts.make_account, responses.Registered, operator.AccountOrder, 201),
        operator_get(f"{API}/invite", operators.invite, operator.Invite),
        order(f"{API}/invite", operators.renew_invite, operator.Invite, requests.EmptyOrder),
        operator_get(f"{API}/settings", operators.settings, operator.Settings),
        order(f"{API}/settings", operators.change_settings, operator.Settings, operator.SettingsOrder),
        operator_get(f"{API}/load", operators.load, operator.Load, operator.LoadQuery),
        operator_get(f"{API}/audit", operators.audit, operator.Audit, operator.AuditQuery),
        get(f"{API}/openapi.json", openapi, OPENAPI, stored=False),
        get(f"{API}/asyncapi.json", asyncapi, ASYNCAPI, stored=False),
        get("/healthz", queries.health, responses.Health, stored=False),
        get("/readyz", queries.ready, responses.Health),
        get("/metrics", metrics.page, NUMBERS),
        get("/live", follow_all, NEWS, stored=False, server_only=True),
    )
    return listed


def _json_document(text: str) -> web.Response:
    return web.Response(text=text, content_type="application/json", headers=NO_CACHE)

"""The handlers of the HTML pages. Pages are complete without JavaScript; scripts refresh, replay and follow."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp_jinja2
import jinja2
from aiohttp import web

from tabiya.games.registry import load_game, names, title
from tabiya.server.archive.exports import has_sgf
from tabiya.server.web.handlers.queries import CACHE_FOREVER, QueryHandlers, picture_key
from tabiya.server.web.http.auth import host_of
from tabiya.server.web.http.content_policy import content_security_policy
from tabiya.server.web.http.json_responses import NO_CACHE, ApiCall, not_found, read_query
from tabiya.server.web.http.misdirected import MISDIRECTED, misdirected
from tabiya.server.web.http.own_address import reachable_address
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.live.pages import PageStreams, accepts_events
from tabiya.server.web.pages.card_pictures import CardPictures
from tabiya.server.web.pages.charts import bar_scale, score_chart, width_of
from tabiya.server.web.pages.compiled_templates import COMPILED
from tabiya.server.web.pages.embeds import Embeds, framed, theme_sheets
from tabiya.server.web.pages.exercises import ExercisePage
from tabiya.server.web.pages.explore import explore_page
from tabiya.server.web.pages.feed import ATOM, TournamentFeed
from tabiya.server.web.pages.my_bot import MyBotPage
from tabiya.server.web.pages.operator import OperatorPages
from tabiya.server.web.pages.projector import Projector
from tabiya.server.web.pages.records import RecordPages
from tabiya.server.web.pages.seasons import SeasonPages
from tabiya.server.web.pages.seat_colours import seat_colours_css
from tabiya.server.web.pages.tables import TablePages
from tabiya.server.web.pages.tournaments import TournamentPages
from tabiya.server.web.schemas.requests import MatchQuery
from tabiya.server.web.schemas.responses import MatchDetail, Review, ServerInfo
from tabiya.server.web.views import presentation
from tabiya.server.web.views.match_pieces import MatchPieces
from tabiya.server.web.views.match_scores import costly_moves, longest_ms
from tabiya.server.web.views.matches import costliest_moves, match_line
from tabiya.server.web.views.tournaments import ENDED, GOING_ON
from tabiya.storage.records import MatchFilter, MatchRecord

FOLDER = Path(__file__).parent
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
PAGE_CACHE_S = 0.5  # a rendered page is served from the cache for this long
MAX_CACHED_PAGES = 256
COUNTING_S = 0.8  # how long the first page waits for the standings
BOARDS, RESULTS, TOURNAMENTS, LEADERS = 12, 10, 6, 5
SERVER_PAGES = ("/play", "/my-bot", "/operator", "/operator/{part}")  # pages of users who sign in or play

FILTERS = (
    "isolate_names",
    "isolate_quotes",
    "ending_label",
    "how_ended",
    "format_points",
    "format_clock",
    "format_duration",
    "format_time_of_day",
    "iso_time",
    "format_date_time",
    "count_noun",
    "url_quote",
    "bot_info_text",
    "bot_report",
    "tie_break_heading",
    "two_decimals",
    "rough_range",
    "adjudication_text",
    "shell_word",
)

Context = dict[str, Any]


class Pages:
    """The handlers of all pages."""

    def __init__(self, facade: ServerView, queries: QueryHandlers, streams: PageStreams) -> None:
        self._facade, self._queries, self._store, self._streams = facade, queries, facade.store, streams
        self._shared: dict[str, tuple[float, asyncio.Task[str]]] = {}
        self._static = {file.name: file.read_bytes() for file in sorted((FOLDER / "static").iterdir())}
        self._static |= theme_sheets(self._static["tabiya.css"].decode())
        self._static["seats.css"] = seat_colours_css().encode()
        self.match_pieces: MatchPieces

    def set_up(self, app: web.Application) -> None:
        """Templates and addresses."""
        environment = aiohttp_jinja2.setup(
            app,
            loader=jinja2.FileSystemLoader(FOLDER / "templates"),
            default_helpers=False,
            undefined=jinja2.StrictUndefined,  # a misspelt name is an error and not an empty place
            trim_blocks=True,
            lstrip_blocks=True,
            bytecode_cache=COMPILED,
            filters={name: getattr(presentation, name) for name in FILTERS},
        )
        self.match_pieces = MatchPieces(environment)
        titles = {name: title(name) for name in names()}
        environment.globals["trouble"] = lambda: self._facade.trouble
        environment.globals |= {"static": self._static_address, "games": list(titles.items()), "titles": titles}
        app.on_cleanup.append(self._stop)
        pages = {path: self.shown(page) for path, page in self._all_pages().items()} | {"/play": self._play}
        if self._facade.orders_at(""):
            pages |= dict.fromkeys(SERVER_PAGES, misdirected(self._facade))
        for path, handler in pages.items():
            app.router.add_get(path, handler)
        for path, page in Embeds(self._queries).pages().items():
            app.router.add_get(path, framed(self.shown(page)))
        feed = TournamentFeed(self._store, self._queries)
        app.router.add_get("/tournaments/feed.atom", self.shown(feed.page, ATOM))
        CardPictures(self._facade.info("").name, self._queries).set_up(app)
        app.router.add_get("/standings", self._first_standings)
        app.router.add_get("/static/{file}", self._static_file)

    def _all_pages(self) -> dict[str, Callable[[ApiCall], Awaitable[tuple[str, Context]]]]:
        tables, tournaments = TablePages(self._queries), TournamentPages(self._facade, self._queries)
        records, operator = RecordPages(self._facade, self._queries), OperatorPages(self._facade)
        return {
            "/": self.home,
            "/standings/{game}": tables.standings,
            "/seasons/{game}": SeasonPages(self._facade.seasons).page,
            "/tournaments": tournaments.listed,
            "/tournaments/{tournament}": tournaments.tournament,
            "/matches": self.matches,
            "/matches/{match}": self.match,
            "/bots": tables.bots,
            "/bots/{name:.+}": records.bot,
            "/head-to-head": records.head_to_head,
            "/about": self.about,
            "/explore": explore_page,
            "/explore/exercises": ExercisePage(self._facade).page,
            "/my-bot": MyBotPage(self._facade).page,
            "/operator": operator.page,
            "/operator/{part}": operator.page,
            "/projector": Projector(self._facade, self._queries).page,
        }

    # --- pages: the template and what it shows

    async def home(self, call: ApiCall) -> tuple[str, Context]:
        """Overview: running matches, latest results, tournaments, standings."""
        running = await self._store.list_matches(MatchFilter(status="running", limit=BOARDS))
        ended = await self._store.list_matches(MatchFilter(status="ended", limit=RESULTS))
        going_on = await self._store.list_tournaments(statuses=GOING_ON, limit=TOURNAMENTS)
        over = await self._store.list_tournaments(statuses=ENDED, limit=TOURNAMENTS - len(going_on))
        cache = self._queries.standings_cache
        ready = await cache.is_ready(COUNTING_S)
        tables = [await cache.standings(game) for game in names()] if ready else []
        return "home.html", {
            "info": self._info(call.request),
            "boards": [self._board(record) for record in running],
            "results": [match_line(record) for record in ended],
            "tournaments": await self._queries.tournament_views.lines((*going_on, *over)),
            "counting": not ready,
            "tables": [(table, table.rows[:LEADERS]) for table in tables if table.games],
        }

    async def matches(self, call: ApiCall) -> tuple[str, Context]:
        query = read_query(call.given, MatchQuery)
        older = {name: value for name, value in call.given.items() if name != "before"}
        page = await self._queries.matches(call._replace(query=query))
        return "matches.html", {"query": query, "page": page, "older": older}

    async def match(self, call: ApiCall) -> tuple[str, Context]:
        """Board, moves, clocks and result of one match."""
        record = await self._queries.match_record(call)
        detail = await self._queries.match_response(record)
        review = await self._queries.match_views.review(record)
        asked, moves = call.request.query.get("ply", ""), detail.moves
        ply = min(len(moves), int(asked) if asked.isascii() and asked.isdigit() and len(asked) <= 6 else len(moves))
        texts = [move.move for move in moves]
        views, judged = self._queries.match_views, review.judged if review else None
        board, tally = ("", ("", "")) if detail.fault else await views.board_at(record, texts, ply)
        return "match.html", {
            "match": detail,
            "ply": ply,
            "board": board,
            "tally": tally,
            "key": picture_key(record),
            "turns": record.game in names() and load_game(record.game).boards_have_sides,
            "width": width_of(len(moves)),
            "longest_ms": longest_ms(moves),
            "scale": bar_scale(moves),
            "review": review,
            "scores": score_chart(moves, judged),
            "falls": costly_moves(moves, judged),
            "downloads": _downloads(detail, review),
            "costly": costliest_moves(detail.moves, review) if review else (),
            "watched_live": detail.status == "running" and self._facade.snapshot(record.id) is not None,
        }

    async def about(self, call: ApiCall) -> tuple[str, Context]:
        """How to connect."""
        return "about.html", {"info": self._info(call.request)}

    async def play(self, call: ApiCall) -> tuple[str, Context]:
        """The board at which a person plays."""
        websocket = self._facade.websocket_of_page(host_of(call.request))
        return "play.html", {"info": self._info(call.request), "websocket": websocket}

    def _board(self, record: MatchRecord) -> Context:
        return {"match": match_line(record), "key": picture_key(record)}

    # --- showing

    def shown(
        self, page: Callable[[ApiCall], Awaitable[tuple[str, Context]]], content_type: str = "text/html"
    ) -> Callable[..., Awaitable[web.StreamResponse]]:
        """The aiohttp handler of a page, which is rendered once for all requests within PAGE_CACHE_S."""

        async def handle(request: web.Request) -> web.StreamResponse:
            asked = request.clone(rel_url=request.rel_url.without_query_params("after"))
            key = f"{request.headers.get('Host')} {asked.path_qs}"  # pages name the address by which they are asked for

            async def make() -> str:
                template, context = await page(ApiCall(asked, None, None))
                text = await asyncio.to_thread(self._render, asked, template, context)
                return await self._streams.numbered(key, text)

            if accepts_events(request):
                return await self._streams.follow(request, key, lambda: self._render_once(key, make))
            text = await self._render_once(key, make)
            return web.Response(text=text, content_type=content_type, headers=NO_CACHE | {"Vary": "Accept"})

        return handle

    async def _stop(self, app: web.Application) -> None:
        """Render nothing any more: the store is closed next."""
        await self._streams.stop()
        tasks = [task for _, task in self._shared.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _render_once(self, key: str, make: Callable[[], Awaitable[str]]) -> str:
        now = asyncio.get_running_loop().time()
        until, task = self._shared.get(key, (0.0, None))
        if task is None or now >= until:
            if len(self._shared) >= MAX_CACHED_PAGES:
                self._shared = {known: kept for known, kept in self._shared.items() if kept[0] > now}
            task = asyncio.ensure_future(make())
            if len(self._shared) < MAX_CACHED_PAGES:
                self._shared[key] = now + PAGE_CACHE_S, task
        return await asyncio.shield(task)  # one visitor who leaves must not cancel the page for the others

    def _info(self, request: web.Request) -> ServerInfo:
        """The server with addresses that others can use: pages are shown on projectors."""
        return self._facade.info(self._facade.reachable_host(host_of(request)))

    def _render(self, request: web.Request, template: str, context: Context) -> str:
        site = reachable_address(request, self._facade)
        common = {"path": request.path, "server": self._info(request), "site": site}
        return aiohttp_jinja2.render_string(template, request, common | context)

    async def _play(self, request: web.Request) -> web.StreamResponse:
        """That page may connect to where bots do, as the request has named this server."""
        response = await self.shown(self.play)(request)
        websocket = self._facade.websocket_of_page(host_of(request))
        response.headers["Content-Security-Policy"] = content_security_policy(f"'self' {websocket}")
        return response

    def error(self, request: web.Request, status: int, sentence: str) -> web.Response:
        link = f"{self._facade.orders_at(host_of(request))}{request.path_qs}" if status == MISDIRECTED else ""
        text = self._render(request, "error.html", {"status": status, "sentence": sentence, "link": link})
        return web.Response(text=text, status=status, content_type="text/html", headers=NO_CACHE)

    async def _first_standings(self, request: web.Request) -> web.Response:
        """Redirect to the standings of the first game with rated games."""
        for game in names():
            if (await self._queries.standings_cache.standings(game)).games:
                return _redirect(f"/standings/{game}")
        return _redirect(f"/standings/{names()[0]}")

    # --- files

    def _static_address(self, name: str) -> str:
        return f"/static/{name}?v={self._digest(name)}"

    def _digest(self, name: str) -> str:
        return hashlib.blake2b(self._static[name], digest_size=6).hexdigest()

    async def _static_file(self, request: web.Request) -> web.Response:
        name = request.match_info["file"]
        if name not in self._static:
            not_found("file", name)
        named = request.query.get("v") == self._digest(name)
        headers = CACHE_FOREVER if named else NO_CACHE
        content_type = TYPES[Path(name).suffix]
        return web.Response(body=self._static[name], content_type=content_type, charset="utf-8", headers=headers)


def _redirect(path: str) -> web.Response:
    return web.Response(status=302, headers={"Location": path, **NO_CACHE})


def _downloads(match: MatchDetail, review: Review | None) -> list[tuple[str, str, str]]:
    """What can be downloaded of a match: names for people, addresses, and names of files."""
    address, file = f"/api/v1/matches/{match.id}", f"match-{match.id}"
    found = [] if match.fault else [("Transcript", f"{address}/transcript", f"{file}.pgn")]
    if found and has_sgf(match.game):
        found.append(("SGF", f"{address}/game.sgf", f"{file}.sgf"))
    found.append(("JSON", address, f"{file}.json"))
    return [*found, ("Review", f"{address}/review", f"{file}-review.json")] if review else found

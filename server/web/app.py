"""The web server: one aiohttp application with pages and API over a running server."""

from __future__ import annotations

from functools import partial
from typing import Any, get_type_hints

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from tabiya.server.transport.addresses import is_loopback_name
from tabiya.server.transport.public_address import PublicAddress
from tabiya.server.web.documents.pages import DocumentPages
from tabiya.server.web.downloads.client_pages import ClientPages
from tabiya.server.web.handlers.accounts import AccountHandlers
from tabiya.server.web.handlers.admin import AdminHandlers
from tabiya.server.web.handlers.explorer import ExplorerHandlers
from tabiya.server.web.handlers.grades import GradeHandlers
from tabiya.server.web.handlers.lobby import LobbyHandlers
from tabiya.server.web.handlers.operator import OperatorHandlers
from tabiya.server.web.handlers.programs import ProgramHandlers
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.handlers.reviews import ReviewHandlers
from tabiya.server.web.handlers.seasons import SeasonHandlers
from tabiya.server.web.handlers.sessions import SessionHandlers
from tabiya.server.web.handlers.workers import WorkerHandlers
from tabiya.server.web.http.audit import ORDER, AuditLog
from tabiya.server.web.http.auth import Authorizer, host_of
from tabiya.server.web.http.connection_limits import SERVER_NAME, HttpConnectionLimiter, LimitedAppRunner
from tabiya.server.web.http.connection_limits import log as pages_log
from tabiya.server.web.http.content_policy import content_security_policy
from tabiya.server.web.http.cross_origin import CrossOriginReads
from tabiya.server.web.http.delivery import delivered
from tabiya.server.web.http.json_responses import (
    MAX_BODY_BYTES,
    ApiCall,
    HttpError,
    json_response,
    problem_response,
    read_body,
    read_query,
    status_and_message,
)
from tabiya.server.web.http.misdirected import MISDIRECTED, misdirected
from tabiya.server.web.http.route import OLD_API, OLD_SINCE, Route, is_versioned, successor
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.live.match_moves import MatchFollowing
from tabiya.server.web.live.matches import MatchStreams
from tabiya.server.web.live.pages import PageStreams
from tabiya.server.web.live.server_news import ServerNews
from tabiya.server.web.live.streams import EventStreams
from tabiya.server.web.metrics import Metrics
from tabiya.server.web.pages.pages import Pages
from tabiya.server.web.routes import Handlers, routes
from tabiya.server.web.schemas.responses import ListPage
from tabiya.server.web.views.match_pieces import MatchPieces

UNVERSIONED = (f"{OLD_API}/", "/healthz", "/readyz", "/metrics", "/live")
CONTENT_SECURITY_POLICY = content_security_policy()
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
OPENER_POLICY = {"Cross-Origin-Opener-Policy": "same-origin"}  # over plain http browsers ignore it, and complain
FORBIDDEN = 403
NO_BOTS_HERE = "This is the address of the pages of a Tabiya server; bots connect to its other address,"
SHUTDOWN_S = 2.0  # time for requests in progress when the server closes


class WebApp:
    """Pages and API of one server: `port = await WebApp(view).start(host, port)`, later `await stop()`."""

    def __init__(self, view: ServerView) -> None:
        """view: `ServerFacade` for all there is; any other, and what needs the server's own process is not here."""
        self._view = view
        self._runner: web.AppRunner | None = None
        self.streams: EventStreams | None = None
        self.following: MatchFollowing | None = None
        self.match_pieces: MatchPieces | None = None
        self.connection_limiter = HttpConnectionLimiter(view.config.limits)

    async def start(self, host: str, port: int) -> int:
        """Listen; returns the port (the system's choice for 0). Raises OSError."""
        self._runner = LimitedAppRunner(
            self.application(host),
            self.connection_limiter,
            access_log=None,
            logger=pages_log,
            shutdown_timeout=SHUTDOWN_S,
        )
        await self._runner.setup()
        try:
            # the port of a server that has just ended is taken at once; aiohttp knows every interface as None
            await web.TCPSite(self._runner, host or None, port, reuse_address=True).start()
        except OSError:
            await self.stop()
            raise
        return next(int(address[1]) for address in self._runner.addresses)

    def load_rest(self) -> None:
        """Load what the start did not need, before a page does. May run in a thread."""
        if self.match_pieces is not None:
            self.match_pieces.macros()

    async def stop(self) -> None:
        """End all streams and requests. May be called twice."""
        if self._runner is not None:
            runner, self._runner = self._runner, None
            self.connection_limiter.close()
            if self.streams is not None:
                await self.streams.stop()  # first: aiohttp would wait for the streams, which do not end by themselves
            await runner.cleanup()

    def application(self, host: str) -> web.Application:
        """The application for the address it will listen on."""
        view, queries = self._view, QueryHandlers(self._view)
        self.streams = streams = EventStreams(view.config.limits)
        metrics = Metrics(view, lambda: len(streams), self.connection_limiter)
        pages = Pages(view, queries, PageStreams(view, streams))
        cross_origin, limiter = CrossOriginReads(host, behind_proxy=view.public is not None), self.connection_limiter
        app = web.Application(
            client_max_size=MAX_BODY_BYTES,
            middlewares=[_error_middleware(view, pages, metrics, limiter, cross_origin)],
        )
        pages.set_up(app)
        self.match_pieces = pages.match_pieces
        ClientPages(view).set_up(app, pages.shown)
        DocumentPages(view).set_up(app, pages.shown)
        self.following = MatchFollowing(view, queries.match_views, streams, pages.match_pieces)
        handlers: dict[str, Any] = get_type_hints(Handlers)  # classes describe what is not answered here
        handlers |= {
            "queries": queries,
            "streams": MatchStreams(view, queries.match_views, streams),
            "following": self.following,
            "explorer": ExplorerHandlers(view),
            "seasons": SeasonHandlers(view.seasons),
            "metrics": metrics,
        }
        authorizer = None
        if isinstance(view, ServerFacade):
            local_orders = view.config.local_orders and view.public is None
            authorizer = Authorizer(
                view.accounts, view.web_sessions, host, view.allowed_hosts, local_orders=local_orders
            )
            handlers |= _order_handlers(view, queries, authorizer, streams)
            app.on_cleanup.append(handlers["reviews"].close)
        for route in routes(Handlers(**handlers)):
            handler = (
                misdirected(view) if route.needs_server and not authorizer else _handler(route, authorizer, limiter)
            )
            if route.is_public:
                cross_origin.open(handler)
            # a stream or an export would run to its end for a HEAD
            methods = ["GET", "HEAD"] if route.method == "GET" and isinstance(route.answer, type) else [route.method]
            for path in filter(None, (route.path, route.old_path)):
                resource = app.router.add_resource(path)
                for method in methods:
                    resource.add_route(method, handler)
        app.on_response_prepare.append(partial(_add_headers, cross_origin, view.public))
        return app


def _order_handlers(
    facade: ServerFacade, queries: QueryHandlers, authorizer: Authorizer, streams: EventStreams
) -> dict[str, Any]:
    """The handlers that need the server's own process."""
    return {
        "lobby": LobbyHandlers(facade),
        "orders": AdminHandlers(facade, queries),
        "accounts": AccountHandlers(facade, queries, authorizer),
        "operators": OperatorHandlers(facade),
        "sessions": SessionHandlers(facade, authorizer),
        "programs": ProgramHandlers(facade, queries, authorizer),
        "workers": WorkerHandlers(facade),
        "grades": GradeHandlers(facade, queries),
        "reviews": ReviewHandlers(facade, queries, authorizer),
        "news": ServerNews(facade, streams),
    }


async def _add_headers(
    cross_origin: CrossOriginReads,
    public: PublicAddress | None,
    request: web.Request,
    response: web.StreamResponse,
) -> None:
    for name, value in (HEADERS | (OPENER_POLICY if _is_secure(request, public) else {})).items():
        response.headers.setdefault(name, value)
    response.headers["Server"] = SERVER_NAME  # aiohttp has set its own before
    cross_origin.add_headers(request, response)
    new_address = successor(request.rel_url.raw_path)
    if new_address is not None and request.match_info.http_exception is None:
        response.headers["Deprecation"] = f"@{OLD_SINCE}"
        response.headers.add("Link", f'<{new_address}>; rel="successor-version"')


def _is_secure(request: web.Request, public: PublicAddress | None) -> bool:
    """Whether browsers treat the page as secure: loopback, or HTTPS at the public address."""
    host = host_of(request)
    return is_loopback_name(host) or (public is not None and public.is_secure and host == public.host)


def _handler(route: Route, authorizer: Authorizer | None, limiter: HttpConnectionLimiter) -> Handler:
    """The aiohttp handler of a route: authorise, read query and body, call, answer as JSON.

    authorizer: needed unless everybody has access.
    """

    async def handle(request: web.Request) -> web.StreamResponse:
        if authorizer is not None:
            await authorizer.check_access(request, route.access)
        query = read_query(request.query, route.query) if route.query else None
        body = (
            await read_body(request, route.body, limiter.limits.pages_body_s, route.most_bytes) if route.body else None
        )
        if body is not None:
            request[ORDER] = body
        answer = await route.handler(ApiCall(request, query, body))
        if isinstance(answer, web.StreamResponse):
            return answer
        response = json_response(answer, route.status)
        if isinstance(answer, ListPage) and answer.next:
            response.headers.add("Link", f'<{answer.next}>; rel="next"')
        return response

    return handle


def _error_middleware(
    view: ServerView, pages: Pages, metrics: Metrics, limiter: HttpConnectionLimiter, cross_origin: CrossOriginReads
) -> Middleware:
    """The middleware: refuses foreign requests, turns errors into responses, counts and records."""
    audit = AuditLog(view.store)

    @web.middleware
    async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            limiter.request_started(request)
            hosts, origins = (request.headers.getall(name, []) for name in ("Host", "Origin"))
            foreign = [] if cross_origin.may_read(request) else origins
            refusal = view.allowed_hosts.refusal(hosts, foreign, same_port=True)
            if request.headers.get("Upgrade", "").lower() == "websocket":
                if refusal:
                    return web.Response(status=FORBIDDEN, text=f"{refusal}\n")
                return web.Response(status=MISDIRECTED, text=f"{NO_BOTS_HERE} {view.websocket(host_of(request))}\n")
            if refusal:
                raise HttpError(FORBIDDEN, refusal)
            response = await handler(request)
        except Exception as error:
            status, sentence, headers = status_and_message(error, request)
            if is_versioned(request.path):
                response = problem_response(status, sentence, getattr(error, "field", None))
            elif request.path.startswith(UNVERSIONED):
                response = json_response({"error": sentence}, status)
            else:
                response = pages.error(request, status, sentence)
            response.headers.update(headers)
        finally:
            limiter.request_finished(request)
        await audit.keep(request, response.status)  # before the answer, so that its receiver finds the order in the log
        response = delivered(request, response)
        metrics.answers[response.status] += 1
        return response

    return answer

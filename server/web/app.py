"""The web server: one aiohttp application with pages and API over a running server."""

from __future__ import annotations

from functools import partial

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from tabiya.server.transport.allowed_hosts import AllowedHosts
from tabiya.server.web.documents.pages import DocumentPages
from tabiya.server.web.downloads.client_pages import ClientPages
from tabiya.server.web.handlers.accounts import AccountHandlers
from tabiya.server.web.handlers.admin import AdminHandlers
from tabiya.server.web.handlers.explorer import ExplorerHandlers
from tabiya.server.web.handlers.lobby import LobbyHandlers
from tabiya.server.web.handlers.operator import OperatorHandlers
from tabiya.server.web.handlers.programs import ProgramHandlers
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.handlers.seasons import SeasonHandlers
from tabiya.server.web.handlers.sessions import SessionHandlers
from tabiya.server.web.handlers.workers import WorkerHandlers
from tabiya.server.web.http.audit import ORDER, AuditLog
from tabiya.server.web.http.auth import Authorizer, host_of
from tabiya.server.web.http.connection_limits import SERVER_NAME, HttpConnectionLimiter, LimitedAppRunner
from tabiya.server.web.http.connection_limits import log as pages_log
from tabiya.server.web.http.content_policy import content_security_policy
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
from tabiya.server.web.http.other_sites import OtherSites
from tabiya.server.web.http.route import OLD_API, OLD_SINCE, Route, is_versioned, successor
from tabiya.server.web.http.server_facade import RunningServer, ServerFacade
from tabiya.server.web.live.match_moves import MatchFollowing
from tabiya.server.web.live.matches import MatchStreams
from tabiya.server.web.live.pages import PageStreams
from tabiya.server.web.live.streams import EventStreams
from tabiya.server.web.metrics import Metrics
from tabiya.server.web.pages.pages import Pages
from tabiya.server.web.routes import Handlers, routes
from tabiya.server.web.schemas.responses import ListPage

UNVERSIONED = (f"{OLD_API}/", "/healthz", "/metrics")
CONTENT_SECURITY_POLICY = content_security_policy()
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
FORBIDDEN, MISDIRECTED = 403, 421
NO_BOTS_HERE = "This is the address of the pages of a Tabiya server; bots connect to its other address,"
SHUTDOWN_S = 2.0  # time for requests in progress when the server closes


class WebApp:
    """Pages and API of one server: `port = await WebApp(server).start(host, port)`, later `await stop()`."""

    def __init__(self, server: RunningServer) -> None:
        self._server = server
        self._runner: web.AppRunner | None = None
        self.streams: EventStreams | None = None
        self.connection_limiter = HttpConnectionLimiter(server.config.limits)

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
        facade = ServerFacade(self._server)
        queries, authorizer = (
            QueryHandlers(facade),
            Authorizer(
                facade.accounts,
                facade.web_sessions,
                host,
                self._server.allowed_hosts,
                local_orders=self._server.config.local_orders and facade.public is None,
            ),
        )
        self.streams = streams = EventStreams(facade.limits)
        match_streams, page_streams = MatchStreams(facade, queries.match_views, streams), PageStreams(facade, streams)
        metrics = Metrics(facade, lambda: len(streams), self.connection_limiter)
        pages = Pages(facade, queries, page_streams)
        other_sites, limiter = OtherSites(host, behind_proxy=facade.public is not None), self.connection_limiter
        app = web.Application(
            client_max_size=MAX_BODY_BYTES,
            middlewares=[_error_middleware(facade, pages, metrics, limiter, self._server.allowed_hosts, other_sites)],
        )
        pages.set_up(app)
        ClientPages(facade).set_up(app, pages.shown)
        DocumentPages(facade).set_up(app, pages.shown)
        handlers = Handlers(
            queries,
            LobbyHandlers(facade),
            AdminHandlers(facade, queries),
            AccountHandlers(facade, queries, authorizer),
            OperatorHandlers(facade),
            SessionHandlers(facade, authorizer),
            match_streams,
            MatchFollowing(facade, queries.match_views, streams, pages.match_pieces),
            ExplorerHandlers(facade),
            ProgramHandlers(facade, queries, authorizer),
            SeasonHandlers(facade.seasons),
            WorkerHandlers(facade),
            metrics,
        )
        for route in routes(handlers):
            handler = _handler(route, authorizer, limiter)
            if route.is_public:
                other_sites.open(handler)
            # a stream or an export would run to its end for a HEAD
            methods = ["GET", "HEAD"] if route.method == "GET" and isinstance(route.answer, type) else [route.method]
            for path in filter(None, (route.path, route.old_path)):
                resource = app.router.add_resource(path)
                for method in methods:
                    resource.add_route(method, handler)
        app.on_response_prepare.append(partial(_add_headers, other_sites))
        return app


async def _add_headers(other_sites: OtherSites, request: web.Request, response: web.StreamResponse) -> None:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers["Server"] = SERVER_NAME  # aiohttp has set its own before
    other_sites.add_headers(request, response)
    new_address = successor(request.rel_url.raw_path)
    if new_address is not None and request.match_info.http_exception is None:
        response.headers["Deprecation"] = f"@{OLD_SINCE}"
        response.headers.add("Link", f'<{new_address}>; rel="successor-version"')


def _handler(route: Route, authorizer: Authorizer, limiter: HttpConnectionLimiter) -> Handler:
    """The aiohttp handler of a route: authorise, read query and body, call, answer as JSON."""

    async def handle(request: web.Request) -> web.StreamResponse:
        if route.access == "operator":
            await authorizer.check_operator(request)
        elif route.access == "worker":
            await authorizer.check_worker(request)
        elif route.access == "sender":
            authorizer.check_sender(request)
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
    facade: ServerFacade,
    pages: Pages,
    metrics: Metrics,
    limiter: HttpConnectionLimiter,
    allowed_hosts: AllowedHosts,
    other_sites: OtherSites,
) -> Middleware:
    """The middleware that refuses what is foreign, turns errors into responses, and counts and keeps what it must."""
    audit = AuditLog(facade.store)

    @web.middleware
    async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            limiter.request_started(request)
            hosts, origins = (request.headers.getall(name, []) for name in ("Host", "Origin"))
            foreign = [] if other_sites.may_read(request) else origins
            refusal = allowed_hosts.refusal(hosts, foreign, same_port=True)
            if request.headers.get("Upgrade", "").lower() == "websocket":
                if refusal:
                    return web.Response(status=FORBIDDEN, text=f"{refusal}\n")
                return web.Response(status=MISDIRECTED, text=f"{NO_BOTS_HERE} {facade.websocket(host_of(request))}\n")
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
        await audit.keep(request, response.status)  # before the answer: who has that finds the order in the log
        response = delivered(request, response)
        metrics.answers[response.status] += 1
        return response

    return answer

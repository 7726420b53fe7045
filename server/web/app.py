"""The web part as a whole: an aiohttp application over one running server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from tabiya.server.web.auth import Guard, host_of
from tabiya.server.web.connection_limits import Doors, GuardedRunner
from tabiya.server.web.connection_limits import log as pages_log
from tabiya.server.web.downloads.client_pages import ClientPages
from tabiya.server.web.handlers.accounts import AccountOrders
from tabiya.server.web.handlers.admin import Orders
from tabiya.server.web.handlers.queries import Reading
from tabiya.server.web.json_responses import (
    MOST_BODY_BYTES,
    json_answer,
    read_body,
    read_query,
    status_and_sentence,
)
from tabiya.server.web.live import Streams
from tabiya.server.web.metrics import Metrics
from tabiya.server.web.pages import Pages
from tabiya.server.web.routes import Call, Route, routes
from tabiya.server.web.server_facade import Backend

if TYPE_CHECKING:
    from tabiya.server.app import TabiyaServer

MACHINES = ("/api/", "/healthz", "/metrics")
POLICY = (
    "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Server": "Tabiya",
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
MISDIRECTED = 421
NO_BOTS_HERE = "This is the address of the pages of a Tabiya server; bots connect to its other address,"
SHUTDOWN_S = 2.0  # so long a page under way may take when the server closes


class WebApp:
    """Pages and API of one server: `port = await WebApp(server).start(host, port)`, later `await stop()`."""

    def __init__(self, server: TabiyaServer) -> None:
        self._server = server
        self._runner: web.AppRunner | None = None
        self._streams: Streams | None = None
        self.doors = Doors(server.config.limits)

    async def start(self, host: str, port: int) -> int:
        """Listen; returns the port (the system's choice for 0). Raises OSError."""
        self._runner = GuardedRunner(
            self.application(host), self.doors, access_log=None, logger=pages_log, shutdown_timeout=SHUTDOWN_S
        )
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, host or None, port, reuse_address=True).start()
        except OSError:
            await self.stop()
            raise
        return next(int(address[1]) for address in self._runner.addresses)

    async def stop(self) -> None:
        """End every stream and page. Calling it twice is no error."""
        if self._runner is not None:
            runner, self._runner = self._runner, None
            self.doors.close()
            if self._streams is not None:
                await self._streams.stop()
            await runner.cleanup()

    def application(self, host: str) -> web.Application:
        """The application for the address it will listen on."""
        backend = Backend(self._server)
        reading, guard = Reading(backend), Guard(backend.accounts, host, local_orders=self._server.config.local_orders)
        self._streams = streams = Streams(backend, reading.matches_views)
        metrics = Metrics(backend, lambda: len(streams), self.doors)
        pages = Pages(backend, reading)
        app = web.Application(
            client_max_size=MOST_BODY_BYTES, middlewares=[_answering(backend, pages, metrics, self.doors)]
        )
        pages.set_up(app)
        ClientPages(backend).set_up(app, pages.shown)
        orders, accounts = Orders(backend, reading), AccountOrders(backend, reading, guard)
        for route in routes(reading, orders, accounts, streams, metrics):
            if route.method == "GET":
                app.router.add_get(
                    route.path, _handler(route, guard, self.doors), allow_head=isinstance(route.answer, type)
                )
            else:
                app.router.add_post(route.path, _handler(route, guard, self.doors))
        app.on_response_prepare.append(_protect)
        return app


async def _protect(request: web.Request, response: web.StreamResponse) -> None:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)


def _handler(route: Route, guard: Guard, doors: Doors) -> Handler:
    """The route as aiohttp calls it: first the guard, then query and body, then the answer as JSON."""

    async def handle(request: web.Request) -> web.StreamResponse:
        if route.access == "operator":
            await guard.check_operator(request)
        elif route.access == "sender":
            guard.check_sender(request)
        query = read_query(request.query, route.query) if route.query else None
        body = await read_body(request, route.body, doors.limits.pages_body_s) if route.body else None
        answer = await route.handler(Call(request, query, body))
        return answer if isinstance(answer, web.StreamResponse) else json_answer(answer, route.status)

    return handle


def _answering(backend: Backend, pages: Pages, metrics: Metrics, doors: Doors) -> Middleware:
    """The one place that turns errors into answers and counts them."""

    @web.middleware
    async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            doors.begins(request)
            if request.headers.get("Upgrade", "").lower() == "websocket":
                return web.Response(status=MISDIRECTED, text=f"{NO_BOTS_HERE} {backend.websocket(host_of(request))}\n")
            response = await handler(request)
        except Exception as error:
            status, sentence, headers = status_and_sentence(error, request)
            if request.path.startswith(MACHINES):
                response = json_answer({"error": sentence}, status)
            else:
                response = pages.error(request, status, sentence)
            response.headers.update(headers)
        finally:
            doors.ends(request)
        metrics.answers[response.status] += 1
        return response

    return answer

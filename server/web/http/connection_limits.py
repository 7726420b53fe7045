"""Limits for the HTTP port: connections in all and per address, idle time, requests per second.

aiohttp bounds the size of heads and bodies, but it never closes a connection without a request, and it waits forever
for a client that does not read. Here every connection is tracked, and an idle one is cut. Streams that follow a match
have other limits (server/web/live/).
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import Any, cast

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from tabiya.protocol.limits import WireLimits
from tabiya.server.transport.addresses import is_loopback, network_of
from tabiya.server.transport.rate_limit import KeyedTokenBuckets
from tabiya.server.web.http.json_responses import HttpError, problem, problem_response

SERVER_NAME = "Tabiya"  # who attacks need not be told the versions of Python and aiohttp
UNREADABLE = "this cannot be read as HTTP, or its address or a header has more than 8,190 bytes"
SWEEPS_PER_IDLE = 4  # sweeps within the time that a connection may be idle; chosen, not measured
BURST_S = 4.0  # this many seconds' worth of requests may come at once
_TURNED_AWAY = problem(503, "too many connections")
TOO_MANY_CONNECTIONS = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\n"
    b"Content-Type: application/problem+json\r\nContent-Length: %d\r\n\r\n%b" % (len(_TURNED_AWAY), _TURNED_AWAY)
)


class IgnoreClientErrors(logging.Filter):
    """Drops log records of malformed HTTP and broken connections: they are errors of the client."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is kept."""
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, HttpProcessingError | ConnectionError)


log = logging.getLogger("tabiya.pages")
log.addFilter(IgnoreClientErrors())


class HttpConnection:
    """One connection."""

    __slots__ = ("active_at", "open_requests", "origin", "transport", "unsent_bytes")

    def __init__(self, transport: asyncio.Transport, origin: str, now: float) -> None:
        self.transport, self.origin = transport, origin
        self.active_at = now  # loop time of the last progress
        self.open_requests = 0  # being answered: 0 or 1
        self.unsent_bytes = 0  # in the transport's buffer at the last sweep


class _Handler(web.RequestHandler):
    """aiohttp's protocol, whose own answers (to malformed HTTP) have our words, and name neither Python nor aiohttp."""

    __slots__ = ()

    def handle_error(self, *arguments: Any, **more: Any) -> web.StreamResponse:
        response: web.StreamResponse = super().handle_error(*arguments, **more)
        if response.status == 400:
            response = problem_response(400, UNREADABLE)
            response.force_close()
        response.headers["Server"] = SERVER_NAME
        return response


class HttpConnectionLimiter:
    """All connections of the HTTP port, and the factory of their protocols."""

    def __init__(self, limits: WireLimits) -> None:
        self.limits = limits
        self.counts: Counter[str] = Counter()  # connections refused or cut, by reason
        self._new_handler: Callable[[], asyncio.Protocol] | None = None
        self._connections: dict[asyncio.Protocol, HttpConnection] = {}
        self._origins: Counter[str] = Counter()
        self._requests = KeyedTokenBuckets(BURST_S * limits.pages_requests_per_second, limits.pages_requests_per_second)
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._connections)

    def open(self, new_handler: Callable[[], asyncio.Protocol]) -> HttpConnectionLimiter:
        """Accept connections from now on. new_handler: makes the protocol that answers one."""
        self._new_handler = new_handler
        self._schedule_sweep()
        return self

    def close(self) -> None:
        """Stop the sweeps."""
        if self._timer is not None:
            self._timer.cancel()

    def __call__(self) -> asyncio.Protocol:
        """A protocol for the next connection."""
        return _AcceptProtocol(self)

    # --- connections

    def accept(self, transport: asyncio.Transport) -> None:
        """Pass a new connection to aiohttp, or answer 503 and close it."""
        assert self._new_handler is not None
        origin, exempt = _origin(transport)
        if self._is_full(origin, exempt):
            self._sweep()  # some may have closed since the last sweep
            if self._is_full(origin, exempt):
                self.counts["turned_away"] += 1
                transport.write(TOO_MANY_CONNECTIONS)
                transport.close()
                return
        handler = self._new_handler()
        self._connections[handler] = HttpConnection(transport, origin, asyncio.get_running_loop().time())
        self._origins[origin] += 1
        transport.set_protocol(handler)
        handler.connection_made(transport)

    def _is_full(self, origin: str, exempt: bool) -> bool:
        limits = self.limits
        crowded = not exempt and self._origins[origin] >= limits.pages_connections_per_address
        return crowded or len(self._connections) >= limits.pages_connections

    def _forget(self, handler: asyncio.Protocol) -> None:
        origin = self._connections.pop(handler).origin
        self._origins[origin] -= 1
        if not self._origins[origin]:
            del self._origins[origin]

    # --- requests

    def request_started(self, request: web.Request) -> None:
        """Count a request whose head has arrived. Raises HttpError (429) over the rate of its address."""
        connection = self._connections.get(request.protocol)
        if connection is not None:
            connection.open_requests += 1  # also if it is refused below: `request_finished` follows in any case
        if is_loopback(request.remote or ""):
            return
        origin = network_of(request.remote or "")
        if wait_s := self._requests.wait_s(origin):
            raise HttpError(429, f"too many requests from here; try again in {wait_s} s", Retry_After=str(wait_s))
        self._requests.spend(origin)

    def request_finished(self, request: web.Request) -> None:
        """The response of a request is ready; it may not be written yet."""
        connection = self._connections.get(request.protocol)
        if connection is not None:
            connection.open_requests -= 1
            connection.active_at = asyncio.get_running_loop().time()

    # --- idle connections

    def _schedule_sweep(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self.limits.pages_idle_s / SWEEPS_PER_IDLE, self._on_timer)

    def _on_timer(self) -> None:
        self._sweep()
        self._schedule_sweep()

    def _sweep(self) -> None:
        """Forget closed connections; cut those idle for too long: no whole request, or nothing read by the client."""
        now = asyncio.get_running_loop().time()
        for handler, connection in list(self._connections.items()):
            if connection.transport.is_closing():
                self._forget(handler)
            elif connection.open_requests:  # it waits for us
                connection.active_at = now
            elif (unsent := connection.transport.get_write_buffer_size()) != connection.unsent_bytes:
                connection.active_at, connection.unsent_bytes = now, unsent
            elif now - connection.active_at > self.limits.pages_idle_s:
                self.counts["idle"] += 1
                connection.transport.abort()
                self._forget(handler)


class LimitedAppRunner(web.AppRunner):
    """An AppRunner whose connections are accepted by an HttpConnectionLimiter."""

    def __init__(self, app: web.Application, limiter: HttpConnectionLimiter, **settings: Any) -> None:
        super().__init__(app, **settings)
        self._limiter = limiter

    async def setup(self) -> None:
        """Get ready for sites and start the limiter."""
        await super().setup()
        server = super().server
        assert server is not None

        def handler() -> web.RequestHandler:
            made = server()
            made.__class__ = _Handler  # aiohttp makes them, and can be given no class
            return made

        self._limiter.open(handler)

    @property
    def server(self) -> Any:
        """The factory of protocols that a site gives to the event loop."""
        return None if super().server is None else self._limiter


class _AcceptProtocol(asyncio.Protocol):
    """The protocol of a new connection until the limiter has passed it to aiohttp."""

    def __init__(self, limiter: HttpConnectionLimiter) -> None:
        self._limiter = limiter

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._limiter.accept(cast("asyncio.Transport", transport))  # uvloop's are no subclass of it


def _origin(transport: asyncio.Transport) -> tuple[str, bool]:
    """The address (or network) of the client, and whether it is this machine, which has no limit by address."""
    peer = transport.get_extra_info("peername")
    address = str(peer[0]) if isinstance(peer, tuple) else ""
    return network_of(address), not address or is_loopback(address)

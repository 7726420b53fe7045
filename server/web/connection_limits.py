"""The door of the pages' port: how many connections, for how long they may be silent, how many requests a second.

aiohttp bounds the size of heads and bodies; it never closes a connection on which nothing was ever asked, and it waits
for ever for a reader that takes nothing. Here every connection is known, and what keeps us waiting is cut. Streams that
follow a match have limits of their own (server/web/live.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import Any, cast

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from tabiya.protocol.limits import WireLimits
from tabiya.server.transport.rate_limit import KeyedTokenBuckets, origin_of
from tabiya.server.transport.websocket import is_loopback
from tabiya.server.web.json_responses import HttpError

SWEEPS_PER_IDLE = 4  # how often the doorkeeper looks in the time that a connection may be silent
BURST_S = 4.0  # requests at once after a quiet time: those of so many seconds
TOO_MANY_CONNECTIONS = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\n"
    b"Content-Type: text/plain\r\nContent-Length: 21\r\n\r\ntoo many connections\n"
)


class IgnoreClientErrors(logging.Filter):
    """What a peer sends that is no HTTP is no error of ours: debug, and no traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is kept."""
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, HttpProcessingError | ConnectionError)


log = logging.getLogger("tabiya.pages")
log.addFilter(IgnoreClientErrors())


class HttpConnection:
    """One connection. since: when something last went on.  asking: requests being answered, of which there is one."""

    __slots__ = ("active_at", "open_requests", "origin", "transport", "unsent_bytes")

    def __init__(self, transport: asyncio.Transport, origin: str, now: float) -> None:
        self.transport, self.origin, self.active_at = transport, origin, now
        self.open_requests, self.unsent_bytes = 0, 0


class HttpConnectionLimiter:
    """All connections of the pages' port; the factory of their protocols.

    counts: what was turned away or cut, by reason.
    """

    def __init__(self, limits: WireLimits) -> None:
        self.limits = limits
        self.counts: Counter[str] = Counter()
        self._server: web.Server | None = None
        self._connections: dict[asyncio.Protocol, HttpConnection] = {}
        self._origins: Counter[str] = Counter()
        self._requests = KeyedTokenBuckets(BURST_S * limits.pages_requests_per_second, limits.pages_requests_per_second)
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._connections)

    def open(self, server: web.Server) -> HttpConnectionLimiter:
        """Let in for this server, from now on."""
        self._server = server
        self._schedule_sweep()
        return self

    def close(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()

    def __call__(self) -> asyncio.Protocol:
        """A protocol for the next connection."""
        return _AcceptProtocol(self)

    # --- coming and going

    def accept(self, transport: asyncio.Transport) -> None:
        """A connection is made: hand it to aiohttp, or turn it away."""
        assert self._server is not None
        origin, exempt = _origin(transport)
        if self._is_full(origin, exempt):
            self._sweep()  # some may have gone since
            if self._is_full(origin, exempt):
                self.counts["turned_away"] += 1
                transport.write(TOO_MANY_CONNECTIONS)
                transport.close()
                return
        handler = self._server()
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
        """A request's head is here. Raises HttpError (429) for an address that asks too often."""
        connection = self._connections.get(request.protocol)
        if connection is not None:
            connection.open_requests += 1
        if is_loopback(request.remote or ""):
            return
        origin = origin_of(request.remote or "")
        if wait_s := self._requests.wait_s(origin):
            raise HttpError(429, f"too many requests from here; try again in {wait_s} s", Retry_After=str(wait_s))
        self._requests.count(origin)

    def request_finished(self, request: web.Request) -> None:
        """The answer is ready; writing it is the connection's affair."""
        connection = self._connections.get(request.protocol)
        if connection is not None:
            connection.open_requests -= 1
            connection.active_at = asyncio.get_running_loop().time()

    # --- who keeps us waiting

    def _schedule_sweep(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self.limits.pages_idle_s / SWEEPS_PER_IDLE, self._on_timer)

    def _on_timer(self) -> None:
        self._sweep()
        self._schedule_sweep()

    def _sweep(self) -> None:
        """Forget who has gone, cut who has been silent for too long: no request, half a head, or nothing taken."""
        now = asyncio.get_running_loop().time()
        for handler, connection in list(self._connections.items()):
            if connection.transport.is_closing():
                self._forget(handler)
            elif connection.open_requests:
                connection.active_at = now
            elif (unsent := connection.transport.get_write_buffer_size()) != connection.unsent_bytes:
                connection.active_at, connection.unsent_bytes = now, unsent
            elif now - connection.active_at > self.limits.pages_idle_s:
                self.counts["idle"] += 1
                connection.transport.abort()
                self._forget(handler)


class LimitedAppRunner(web.AppRunner):
    """An AppRunner whose sites let connections in through doors."""

    def __init__(self, app: web.Application, limiter: HttpConnectionLimiter, **settings: Any) -> None:
        super().__init__(app, **settings)
        self._limiter = limiter

    async def setup(self) -> None:
        """Ready for sites; the doors open."""
        await super().setup()
        server = super().server
        assert server is not None
        self._limiter.open(server)

    @property
    def server(self) -> Any:
        """What a site gives to the loop as the factory of protocols."""
        return None if super().server is None else self._limiter


class _AcceptProtocol(asyncio.Protocol):
    """Stands where a connection comes in, until it is handed on."""

    def __init__(self, limiter: HttpConnectionLimiter) -> None:
        self._limiter = limiter

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._limiter.accept(cast("asyncio.Transport", transport))  # uvloop's are no subclass of it


def _origin(transport: asyncio.Transport) -> tuple[str, bool]:
    """Where a connection comes from, and whether the limit by address is not for it: this machine."""
    peer = transport.get_extra_info("peername")
    address = str(peer[0]) if isinstance(peer, tuple) else ""
    return origin_of(address), not address or is_loopback(address)

"""The websocket gateway: handshakes, admission, decoding and limits; knows nothing of games."""

from __future__ import annotations

import asyncio
import contextlib
import http
import logging
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakSet

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import NegotiationError
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.typing import Subprotocol

from tabiya.protocol.codec import CodecError, decode_client, negotiate
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import Busy, ClientMessage
from tabiya.server.transport.base import Clock, Connection, MessageHandler
from tabiya.server.transport.keepalive import enable_keepalive
from tabiya.server.transport.rate_limit import KeyedTokenBuckets, origin_of
from tabiya.server.transport.websocket import (
    LoopLagMonitor,
    TokenBucket,
    WebsocketConnection,
    WebsocketProtocol,
    is_loopback,
)
from tabiya.server.transport.ws_frames import Framer

log = logging.getLogger("tabiya.gateway")

BURST_S = 10  # so many seconds' worth of new connections may come at once: a class behind one address, and its retries


class Gateway:
    """Listens for websockets and feeds a `MessageHandler`."""

    def __init__(self, handler: MessageHandler, limits: WireLimits, now_ns: Clock) -> None:
        self._handler, self.limits, self.now_ns = handler, limits, now_ns
        self._sockets: WeakSet[WebsocketProtocol] = WeakSet()
        self._closing = False
        self._shaking_hands: set[WebsocketProtocol] = set()
        self._comers = KeyedTokenBuckets(BURST_S * limits.connections_per_second, limits.connections_per_second)
        self._hasty: set[WebsocketConnection] = set()  # came sooner than their address may
        self._draw = Random()
        self._open: set[WebsocketConnection] = set()
        self._welcome: set[WebsocketConnection] = set()
        self._addresses: Counter[str] = Counter()
        self._unwritten: list[WebsocketConnection] = []
        self.framer = Framer()
        self._loop = asyncio.get_running_loop()
        self._server: Server | None = None
        self._housekeeping: asyncio.Task[None] | None = None
        self.lag_monitor = LoopLagMonitor(now_ns, self._process_paused)
        self.counts: Counter[str] = Counter()

    async def start(self, address: str, port: int) -> int:
        """Listen; returns the port (the system's choice for 0). Raises OSError."""
        self._server = await serve(
            self._handle,
            address,
            port,
            subprotocols=None,
            select_subprotocol=self._select,
            process_request=self._screen,
            create_connection=self._make_socket,  # type: ignore[arg-type]  # any callable that makes one will do
            compression=None,
            open_timeout=self.limits.handshake_timeout_s,
            ping_interval=None,
            max_size=self.limits.frame_bytes,
            max_queue=None,
            write_limit=0,  # what is flushed is written at once, not behind the next reads: its clock has begun
            server_header=None,
            logger=logging.getLogger("tabiya.websockets"),
            backlog=1024,
        )
        self._housekeeping = asyncio.create_task(self._keep_house())
        self.lag_monitor.start()
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self, reason: str) -> None:
        """Close the door, then every line, with SERVER_CLOSING; returns when all are gone."""
        self.lag_monitor.stop()
        if self._housekeeping:
            self._housekeeping.cancel()
        if self._server is None:
            return
        self._closing = True
        self._server.close(close_connections=False)
        for socket in list(self._sockets):
            if socket.protocol.state is State.CONNECTING and hasattr(socket, "transport"):
                socket.transport.abort()  # it would have the whole time limit for handshakes
        for line in list(self._open):
            line.close(CloseCode.SERVER_CLOSING, reason)
        await self._server.wait_closed()

    @property
    def connections(self) -> int:
        """Lines that are open."""
        return len(self._open)

    def welcomed(self, line: Connection) -> None:
        """The host has said `welcome`: the time limit for `hello` ends."""
        if isinstance(line, WebsocketConnection):
            self._welcome.add(line)

    # --- handshake ---

    def _make_socket(self, *args: Any, **kwargs: Any) -> WebsocketProtocol:
        socket = WebsocketProtocol(*args, **kwargs)
        socket.line = WebsocketConnection(socket, self)
        self._sockets.add(socket)
        return socket

    def comes(self, socket: WebsocketProtocol) -> bool:
        """Whether a TCP connection may begin its handshake: strangers who never finish one keep nobody out."""
        line = socket.line
        peer = socket.transport.get_extra_info("peername")
        line.address = str(peer[0]) if isinstance(peer, tuple) else "local"
        line.is_loopback = not isinstance(peer, tuple) or is_loopback(line.address)
        enable_keepalive(socket.transport, self.limits.vanished_s)
        alike = sum(other.line.address == line.address for other in self._shaking_hands)
        crowded = not line.is_loopback and alike >= self.limits.connections_per_address
        if crowded or len(self._shaking_hands) >= self.limits.handshakes_in_progress or not self._comes_in_time(line):
            self.counts["turned_away"] += 1
            return False
        self._shaking_hands.add(socket)
        return True

    def _comes_in_time(self, line: WebsocketConnection) -> bool:
        """Count it for its address. Who comes too soon will be told `busy`; who comes all the same is cut at once."""
        if line.is_loopback:
            return True
        origin = origin_of(line.address)
        wait_s = self._comers.wait_s(origin)
        if wait_s > BURST_S:
            return False
        self._comers.count(origin)
        if wait_s:
            self._hasty.add(line)
        return True

    def gone(self, socket: WebsocketProtocol) -> None:
        """The TCP connection is lost."""
        self._shaking_hands.discard(socket)
        self._hasty.discard(socket.line)

    def _screen(self, socket: ServerConnection, request: Request) -> Response | None:
        """Turn browsers of foreign pages away before the handshake; bots send no Origin."""
        origins, hosts = request.headers.get_all("Origin"), request.headers.get_all("Host")
        if origins and _hostname(origins) not in {_hostname([f"//{host}"]) for host in hosts} - {None}:
            return socket.respond(http.HTTPStatus.FORBIDDEN, "Pages of other sites cannot connect here.\n")
        if "upgrade" not in ",".join(request.headers.get_all("Connection")).lower():
            response = socket.respond(
                http.HTTPStatus.UPGRADE_REQUIRED,
                "This is the websocket address of a Tabiya server, for bots. Its pages are at its other address, "
                "usually port 8080.\n",
            )
            response.headers["Upgrade"] = "websocket"
            return response
        return None

    def _select(self, socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
        encoding = negotiate(offered)
        if encoding is None:
            raise NegotiationError(f"none of the subprotocols {', '.join(offered)[:200]} is spoken here")
        assert isinstance(socket, WebsocketProtocol)
        socket.line.encoding = encoding
        return Subprotocol(encoding.subprotocol) if offered else None

    # --- life of a connection ---

    async def _handle(self, socket: ServerConnection) -> None:
        assert isinstance(socket, WebsocketProtocol)
        line = socket.line
        self._shaking_hands.discard(socket)
        self._open.add(line)
        self._addresses[line.address] += 1
        try:
            if self._admit(line):
                await self._serve(socket, line)
            else:
                await socket.wait_closed()
        finally:
            self._forget(line)

    def _admit(self, line: WebsocketConnection) -> bool:
        limits = self.limits
        if self._closing:
            line.close(CloseCode.SERVER_CLOSING, "the server closes")
            return False
        crowded = not line.is_loopback and self._addresses[line.address] > limits.connections_per_address
        if crowded or len(self._open) > limits.connections:
            line.close(CloseCode.TOO_MANY_CONNECTIONS, "too many connections; try again later")
            return False
        if line in self._hasty:
            return self._later(line, "too many new connections from your address")
        if len(self._open) - len(self._welcome) > limits.hellos_in_progress:
            return self._later(line, "too many bots are connecting at once")
        return True

    def _later(self, line: WebsocketConnection, why: str) -> bool:
        """Say when to come again: drawn for each, so that a herd does not come again at one instant."""
        self.counts["busy"] += 1
        line.send(Busy(retry_ms=int(self.limits.busy_retry_ms * self._draw.uniform(1.0, 2.0)), message=why))
        line.close(CloseCode.BUSY, why)
        return False

    async def _serve(self, socket: WebsocketProtocol, line: WebsocketConnection) -> None:
        loop, limits = socket.loop, self.limits
        line.allowance = TokenBucket(limits.messages_per_second, limits.message_burst, self.now_ns())
        timer = loop.call_later(limits.hello_timeout_s, self._hello_timeout, line)
        self._handler.opened(line)
        try:
            line.attach()
            await socket.wait_closed()
        finally:
            timer.cancel()
            line.ended()
            self._handler.closed(line)

    def _forget(self, line: WebsocketConnection) -> None:
        self._open.discard(line)
        self._welcome.discard(line)
        self._addresses[line.address] -= 1
        if self._addresses[line.address] <= 0:
            del self._addresses[line.address]

    def _hello_timeout(self, line: WebsocketConnection) -> None:
        if line.excused_s:
            asyncio.get_running_loop().call_later(line.excused_s, self._hello_timeout, line)
            line.excused_s = 0.0
        elif line not in self._welcome:
            line.close(CloseCode.HELLO_TIMEOUT, f"no hello within {self.limits.hello_timeout_s:g} seconds")

    def message(self, line: WebsocketConnection, data: bytes, is_text: bool) -> None:
        """One complete message of a peer; a failure of ours closes that line alone."""
        self.counts["messages"] += 1
        arrived_ns = line.arrived_ns
        try:
            if self.allows(line):
                self._hand_on(line, data, is_text, arrived_ns)
        except Exception:
            log.exception("%s: an error of ours", line.session)
            self.counts["errors"] += 1
            line.close(CloseCode.SERVER_ERROR, f"an error of the server; quote {line.session}")

    def allows(self, line: WebsocketConnection) -> bool:
        """Whether the peer may say one thing more, pings and pongs included; closes its line if not."""
        if line.allowance is None or line.allowance.take(line.arrived_ns):
            return True
        self.counts["flood"] += 1
        line.close(CloseCode.FLOOD, f"more than {self.limits.messages_per_second} messages a second")
        return False

    def flush_soon(self, line: WebsocketConnection) -> None:
        """All lines that have said something in this turn of the loop write at its end."""
        if not self._unwritten:
            self._loop.call_soon(self._flush)
        self._unwritten.append(line)

    def _flush(self) -> None:
        lines, self._unwritten = self._unwritten, []
        for line in lines:
            line.flush()

    def _hand_on(self, line: WebsocketConnection, data: bytes, is_text: bool, arrived_ns: int) -> None:
        try:
            frame = data.decode() if is_text else data
            message: ClientMessage = decode_client(frame, line.encoding, self.limits.frame_bytes)
        except UnicodeDecodeError:
            self._unreadable(line, CodecError("received a text frame that is not UTF-8", garbage=True), arrived_ns)
        except CodecError as error:
            self._unreadable(line, error, arrived_ns)
        else:
            self._handler.received(line, message, arrived_ns)

    def _unreadable(self, line: WebsocketConnection, error: CodecError, arrived_ns: int) -> None:
        self.counts["unreadable"] += 1
        self._handler.unreadable(line, error, arrived_ns)

    def _process_paused(self, since_ns: int, until_ns: int) -> None:
        self.counts["standstills"] += 1
        self._handler.process_paused(since_ns, until_ns)
        for line in self._open:
            line.excuse((until_ns - since_ns) / 1e9)

    async def _keep_house(self) -> None:
        """Pings for the round trips, and the search for readers that are stuck."""
        while True:
            await asyncio.sleep(self.limits.ping_interval_s)
            now = asyncio.get_running_loop().time()
            for line in list(self._open):
                with contextlib.suppress(OSError, RuntimeError):
                    line.look_for_stuck_reader(now)
                    line.ping()


def _hostname(urls: Sequence[str]) -> str | None:
    """The host of the one URL in a header; None if there are several, or none that can be read."""
    try:
        return urlsplit(urls[0]).hostname if len(urls) == 1 else None
    except ValueError:
        return None

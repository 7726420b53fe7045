"""The websocket gateway: listens, admits connections and keeps their limits; knows nothing of games."""

from __future__ import annotations

import asyncio
import contextlib
import http
import logging
from collections import Counter, deque
from collections.abc import Callable
from random import Random
from typing import cast

from websockets.http11 import Request, Response

from tabiya.protocol.codes import CloseCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import Busy
from tabiya.server.transport.addresses import is_loopback, network_of
from tabiya.server.transport.allowed_hosts import AllowedHosts
from tabiya.server.transport.base import Clock, Connection, MessageHandler
from tabiya.server.transport.loop_lag import LoopLagMonitor
from tabiya.server.transport.rate_limit import KeyedTokenBuckets, TokenBucket
from tabiya.server.transport.tcp import enable_keepalive
from tabiya.server.transport.websocket import WebsocketConnection
from tabiya.server.transport.ws_frames import Framer

log = logging.getLogger("tabiya.gateway")

BURST_S = (
    10  # this many seconds' worth of new connections may come at once: a class behind one address, and its retries
)
HANDSHAKES_PER_TURN = 4  # handshakes in one turn of the loop: each takes as long as three moves, and moves go first
WAITING_TCP_CONNECTIONS = 1_024  # that the kernel holds while the loop is busy: a class that connects at one moment


class RejectedConnection(asyncio.Protocol):
    """A TCP connection that is cut at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).abort()  # uvloop's is none by inheritance


class Gateway:
    """Listens for websockets and feeds a `MessageHandler`."""

    def __init__(
        self,
        handler: MessageHandler,
        limits: WireLimits,
        now_ns: Clock,
        allowed_hosts: AllowedHosts,
        new_connection: Callable[[Gateway], WebsocketConnection] = WebsocketConnection,
    ) -> None:
        self.handler, self.limits, self.now_ns, self._new_connection = handler, limits, now_ns, new_connection
        self._allowed_hosts = allowed_hosts
        self._closing = False
        self._handshaking: dict[WebsocketConnection, asyncio.TimerHandle] = {}  # with their time limits
        self._open: dict[WebsocketConnection, asyncio.TimerHandle | None] = {}  # with the time limits for `hello`
        self._over_rate: set[WebsocketConnection] = set()  # came sooner than their address may
        self._connection_rate = KeyedTokenBuckets(
            BURST_S * limits.connections_per_second, limits.connections_per_second
        )
        self._welcomed: set[WebsocketConnection] = set()
        self._requests: deque[WebsocketConnection] = deque()  # of handshakes, to be answered
        self._half_open: Counter[str] = Counter()  # those in the handshake, by address
        self._addresses: Counter[str] = Counter()  # of open connections
        self._to_flush: list[WebsocketConnection] = []
        self._random = Random()
        self._loop = asyncio.get_running_loop()
        self._server: asyncio.Server | None = None
        self._all_lost: asyncio.Future[None] | None = None
        self._check_timers: dict[WebsocketConnection, asyncio.TimerHandle] = {}  # timers of open connections
        self.framer = Framer()
        self.lag_monitor = LoopLagMonitor(now_ns, self._process_paused)
        self.counts: Counter[str] = Counter()

    async def start(self, address: str, port: int, *, shares_port: bool = False) -> int:
        """Listen; returns the port (the system's choice for 0). Raises OSError.

        shares_port: with other processes of this user, among which the system shares out the connections.
        """
        self._server = await self._loop.create_server(
            self._new_protocol,
            address,
            port,
            backlog=WAITING_TCP_CONNECTIONS,
            reuse_port=shares_port,
        )
        self.lag_monitor.start()
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self, reason: str) -> None:
        """Stop listening and close every connection with SERVER_CLOSING; returns when all are gone."""
        self.lag_monitor.stop()
        if self._server is None:
            return
        self._closing = True
        self._server.close()
        for connection in list(self._handshaking):
            connection.transport.abort()  # before the end of the handshake there are no close frames
        for connection in list(self._open):
            connection.close(CloseCode.SERVER_CLOSING, reason)
        if self._handshaking or self._open:
            self._all_lost = self._loop.create_future()
            await self._all_lost
        await self._server.wait_closed()

    @property
    def connections(self) -> int:
        return len(self._open)

    def welcomed(self, connection: Connection) -> None:
        """The handler has sent `welcome`: the time limit for `hello` ends."""
        if isinstance(connection, WebsocketConnection):
            self._welcomed.add(connection)

    # --- handshake ---

    def accept(self, connection: WebsocketConnection) -> bool:
        """Whether a TCP connection may begin its handshake; unfinished handshakes have their own limits."""
        peer = connection.transport.get_extra_info("peername")
        # a socket of the file system has no address; only a process of this machine can have opened it
        connection.address = str(peer[0]) if isinstance(peer, tuple) else "local"
        connection.is_loopback = not isinstance(peer, tuple) or is_loopback(connection.address)
        alike = self._half_open[connection.address]
        crowded = not connection.is_loopback and alike >= self.limits.connections_per_address
        if crowded or self._takes_none or not self._check_connection_rate(connection):
            self.counts["turned_away"] += 1
            return False
        timeout_s = self.limits.handshake_timeout_s
        self._handshaking[connection] = self._loop.call_later(timeout_s, connection.transport.abort)
        self._half_open[connection.address] += 1
        return True

    @property
    def _takes_none(self) -> bool:
        """Whether no connection may begin its handshake now."""
        return self._closing or len(self._handshaking) >= self.limits.handshakes_in_progress

    def _new_protocol(self) -> asyncio.Protocol:
        """The protocol of a new TCP connection; in a flood most get one that costs little."""
        if not self._takes_none:
            return self._new_connection(self)
        self.counts["turned_away"] += 1
        return RejectedConnection()

    def _check_connection_rate(self, connection: WebsocketConnection) -> bool:
        """Count it for its address: over the rate it will be told `busy`, far over the rate it is cut at once."""
        if connection.is_loopback:
            return True
        network = network_of(connection.address)
        wait_s = self._connection_rate.wait_s(network)
        if wait_s > BURST_S:
            return False
        self._connection_rate.spend(network)
        if wait_s:
            self._over_rate.add(connection)
        return True

    def answer_soon(self, connection: WebsocketConnection) -> None:
        """A few handshakes in each turn of the loop, so that many that come together hold up no move."""
        if not self._requests:
            self._loop.call_soon(self._answer_some)
        self._requests.append(connection)

    def _answer_some(self) -> None:
        for _ in range(min(HANDSHAKES_PER_TURN, len(self._requests))):
            self._loop.call_soon(self._requests.popleft().answer_request)
        if self._requests:
            self._loop.call_soon(self._answer_some)

    def check_request(self, connection: WebsocketConnection, request: Request) -> Response | None:
        """Turn foreign names and browsers of foreign pages away before the handshake; bots send no Origin."""
        headers = request.headers
        if refusal := self._allowed_hosts.refusal(headers.get_all("Host"), headers.get_all("Origin")):
            return connection.reject(http.HTTPStatus.FORBIDDEN, f"{refusal}\n")
        if "upgrade" not in ",".join(request.headers.get_all("Connection")).lower():
            response = connection.reject(
                http.HTTPStatus.UPGRADE_REQUIRED,
                "This is the websocket address of a Tabiya server, for bots. Its pages are at its other address, "
                "usually port 8080.\n",
            )
            response.headers["Upgrade"] = "websocket"
            return response
        return None

    # --- life of a connection ---

    def opened(self, connection: WebsocketConnection) -> None:
        """Admit a connection after its handshake, or close it with the reason."""
        self._end_handshake(connection)
        # entered also if it is refused: until its close frame is answered it costs as much as any other
        self._open[connection] = None
        self._addresses[connection.address] += 1
        self._schedule_check(connection, self._loop.time())
        if self._admit(connection):
            limits = self.limits
            enable_keepalive(connection.transport, limits.vanished_s)
            # a turn and the end of the match before it, in each match
            most_answers_due = limits.challenges_to_bot + 2 * limits.matches_per_bot
            connection.bucket = TokenBucket(
                limits.message_burst, limits.messages_per_second, self.now_ns(), most_answers_due
            )
            self._open[connection] = self._loop.call_later(limits.hello_timeout_s, self._hello_timeout, connection)
            self.handler.opened(connection)

    def _admit(self, connection: WebsocketConnection) -> bool:
        limits = self.limits
        crowded = not connection.is_loopback and self._addresses[connection.address] > limits.connections_per_address
        if crowded or len(self._open) > limits.connections:
            connection.close(CloseCode.TOO_MANY_CONNECTIONS, "too many connections; try again later")
            return False
        if connection in self._over_rate:
            return self._refuse_for_now(connection, "too many new connections from your address")
        if len(self._open) - len(self._welcomed) > limits.hellos_in_progress:
            return self._refuse_for_now(connection, "too many bots are connecting at once")
        return True

    def _refuse_for_now(self, connection: WebsocketConnection, why: str) -> bool:
        """Say `busy` with a random time to wait, so that many bots do not come again at one instant."""
        self.counts["busy"] += 1
        connection.send(Busy(retry_ms=int(self.limits.busy_retry_ms * self._random.uniform(1.0, 2.0)), message=why))
        connection.close(CloseCode.BUSY, why)
        return False

    def lost(self, connection: WebsocketConnection) -> None:
        """The TCP connection is gone."""
        self._over_rate.discard(connection)
        if connection in self._handshaking:
            self._end_handshake(connection)
        try:
            if connection in self._open:
                self._forget(connection)
        finally:  # `stop` must not wait forever because the handler failed
            if self._all_lost is not None and not (self._handshaking or self._open or self._all_lost.done()):
                self._all_lost.set_result(None)

    def _end_handshake(self, connection: WebsocketConnection) -> None:
        self._handshaking.pop(connection).cancel()
        _count_down(self._half_open, connection.address)

    def _forget(self, connection: WebsocketConnection) -> None:
        timer = self._open.pop(connection)
        self._check_timers.pop(connection).cancel()
        self._welcomed.discard(connection)
        _count_down(self._addresses, connection.address)
        if timer is not None:  # it had been admitted
            timer.cancel()
            self.handler.closed(connection)

    def _hello_timeout(self, connection: WebsocketConnection) -> None:
        if connection.paused_s:  # the time of the pause is added to the deadlines
            self._open[connection] = self._loop.call_later(connection.paused_s, self._hello_timeout, connection)
            connection.paused_s = 0.0
        elif connection not in self._welcomed:
            connection.close(CloseCode.HELLO_TIMEOUT, f"no hello within {self.limits.hello_timeout_s:g} seconds")

    def flush_soon(self, connection: WebsocketConnection) -> None:
        """All connections that were sent something in this turn of the loop write at its end."""
        if not self._to_flush:
            self._loop.call_soon(self._flush)
        self._to_flush.append(connection)

    def _flush(self) -> None:
        to_flush, self._to_flush = self._to_flush, []
        for connection in to_flush:
            connection.flush()

    def _process_paused(self, since_ns: int, until_ns: int) -> None:
        self.counts["standstills"] += 1
        self.handler.process_paused(since_ns, until_ns)
        for connection in self._open:
            connection.extend_timeouts((until_ns - since_ns) / 1e9)

    def _schedule_check(self, connection: WebsocketConnection, last_s: float) -> None:
        """Check each connection at its own times; checking all at once would delay moves."""
        interval_s = self.limits.ping_interval_s
        missed = max(0, (self._loop.time() - last_s) // interval_s)  # while the process was paused
        at_s = last_s + (missed + 1) * interval_s
        self._check_timers[connection] = self._loop.call_at(at_s, self._ping_and_check, connection, at_s)

    def _ping_and_check(self, connection: WebsocketConnection, due_s: float) -> None:
        """Ping for the round trip, and find out whether the reader is stuck."""
        self._schedule_check(connection, due_s)
        with contextlib.suppress(OSError, RuntimeError):  # one that is just going
            connection.check_write_timeout(self._loop.time())
            connection.ping()


def _count_down(counts: Counter[str], address: str) -> None:
    """One less of an address, which is forgotten with its last."""
    counts[address] -= 1
    if counts[address] <= 0:
        del counts[address]

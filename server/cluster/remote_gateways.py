"""The host's end: connections of bots that other processes hold."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections import deque
from collections.abc import Callable
from typing import Protocol

from tabiya.protocol.codec import CodecError
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.encodings import Encoding
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import ClientMessage, Move, ServerMessage, Welcome
from tabiya.server.cluster.bus import HOSTS, Bus, gateway_subject, host_subject
from tabiya.server.cluster.link import HEARTBEAT_S, Arrival, ClockOffset, LinkEnd
from tabiya.server.cluster.messages import (
    Close,
    ConnectionIdentified,
    ConnectionLost,
    ConnectionOpened,
    DrainReads,
    GatewayBatch,
    GatewayItem,
    GatewayPaused,
    HostBatch,
    HostItem,
    HostPresence,
    MessageReceived,
    ReadsDrained,
    Redirect,
    SendBacklog,
    SendWelcome,
    TurnWritten,
    pack,
    sending,
    unpack,
)
from tabiya.server.cluster.received_moves import AwaitedMoves, ReceivedMoves
from tabiya.server.matches.dispatcher import PlayerMessage
from tabiya.server.transport.base import Clock, Connection, MessageHandler
from tabiya.server.transport.loop_lag import LoopLagMonitor
from tabiya.server.transport.websocket import asks_for_answer, decoded
from tabiya.server.transport.ws_frames import Framer

log = logging.getLogger("tabiya.gateways")

MAX_MISSED_BEATS = 6
"""Heartbeats without a word of a gateway, after which its bots are away; no clock has run against them in that time.

Only those in which the bus works: who is cut off from it hears nobody, and no bot is away for that.
"""
RESEND_NS = 1_000_000_000
"""Given back beyond that, at most: what was lost has to be said again over the bot's own line."""


class GatewayHandler(MessageHandler, AwaitedMoves, Protocol):
    """A handler that knows that its connections are behind gateways, and that there are other hosts."""

    def introduced(self, connection: Connection, bot_id: int, name: str, *, legal_moves: bool) -> None:
        """The server has welcomed this bot."""

    def host_of(self, match_id: int) -> int:
        """The number of another host that plays a match; 0 for none."""

    def bot_on(self, connection: Connection) -> int:
        """The id of the bot that is welcomed on this connection."""

    def lost(self, connection: Connection) -> None:
        """The gateway of this connection is gone."""

    def unreachable(self, connection: Connection, since_ns: int, until_ns: int) -> None:
        """The connection was unreachable in this time (the server's clock)."""


class RemoteConnection:
    """A `Connection` of a bot whose websocket is held by a gateway."""

    def __init__(self, link: GatewayLink, opened: ConnectionOpened) -> None:
        self.id = f"{link.gateway[:4]}:{opened.connection}"
        self.number, self.address, self.is_loopback = opened.connection, opened.address, opened.is_loopback
        self.encoding = Encoding(opened.encoding)
        self.opened_ns = link.now_ns() - opened.age_ns
        self.round_trip_ns = self.backlog = 0
        self._link = link
        self._ended = False
        self._on_written: dict[tuple[int, int], Callable[[int], None]] = {}

    def send(self, message: ServerMessage) -> None:
        """See `Connection.send`."""
        if self._ended:
            return
        if isinstance(message, Welcome):
            self._link.end.put(SendWelcome(self.number, self._link.handler.bot_on(self), message))
            return
        try:
            frame = self._link.framer.frame(message, self.encoding)
        except CodecError:
            about = {"connection": self.id}
            log.exception("%s: a message of ours cannot be written: %r", self.id, message, extra=about)
            self.close(CloseCode.SERVER_ERROR, "the server could not write a message")
            return
        send = sending(self.number, message, frame, asks_for_answer=asks_for_answer(message))
        self._link.end.put(send, len(frame))

    def flush(self) -> None:
        """See `Connection.flush`."""
        self._link.end.flush()

    def written(self, match: int, ply: int, callback: Callable[[int], None]) -> None:
        """See `Connection.written`; called back when the gateway says so."""
        self._on_written[match, ply] = callback

    def after_reads(self, callback: Callable[[], None]) -> None:
        """See `Connection.after_reads`; called back when the gateway has answered, or is lost."""
        self._link.ask(callback)

    def close(self, code: CloseCode, reason: str) -> None:
        """See `Connection.close`."""
        if not self._ended:
            self._ended = True
            self._link.end.put(Close(self.number, code, reason))

    # --- what the link calls

    @property
    def gateway(self) -> str:
        """The name of the gateway that holds the websocket."""
        return self._link.gateway

    def turn_written(self, item: TurnWritten) -> None:
        """The turn has been handed to the network."""
        self._turn_written(item.match, item.ply, self._link.to_our_clock(item.at_ns))

    def received(self, item: MessageReceived, most_bytes: int) -> None:
        """Handle a message of the bot; a server error closes only this connection."""
        if self._ended:
            return
        try:
            self._forward(item, most_bytes)
        except Exception:
            log.exception("%s: an internal error", self.id, extra={"connection": self.id})
            self.close(CloseCode.SERVER_ERROR, f"an error of the server; quote {self.id}")

    def _forward(self, item: MessageReceived, most_bytes: int) -> None:
        handler = self._link.handler
        self.round_trip_ns, read_ns = item.round_trip_ns, self._link.to_our_clock(item.read_ns)
        message: ClientMessage | None
        error: CodecError | None = None
        try:
            message = decoded(item.data, item.is_text, self.encoding, most_bytes)
        except CodecError as found:
            message, error = found.move, found
        if self._is_redirected(item, message) or self._link.moves.is_duplicate(item, message):
            return
        if isinstance(message, Move):  # a turn that is written later was answered when it was sent before
            self._turn_written(message.match, message.ply, read_ns)
        if error is not None:
            handler.unreadable(self, error, read_ns)
        elif message is not None:
            handler.received(self, message, read_ns)

    def _turn_written(self, match: int, ply: int, at_ns: int) -> None:
        callback = self._on_written.pop((match, ply), None)
        if callback is not None:
            callback(at_ns)

    def _is_redirected(self, item: MessageReceived, message: ClientMessage | None) -> bool:
        """Send a message about another host's match back, with that host's number."""
        if not isinstance(message, PlayerMessage):
            return False
        host = self._link.handler.host_of(message.match)
        if host:
            self._link.end.put(Redirect(item, message.match, host), len(item.data))
        return bool(host)


class GatewayLink:
    """One gateway on one link."""

    def __init__(self, gateway: str, link: int, host: int, bus: Bus, handler: GatewayHandler, now_ns: Clock) -> None:
        self.gateway, self.link, self.handler, self.now_ns = gateway, link, handler, now_ns
        self.framer = Framer()
        self.connections: dict[int, RemoteConnection] = {}
        self.offset, self.moves = ClockOffset(), ReceivedMoves(handler)
        self.last_batch_ns = now_ns()
        self.silent_beats = 0  # counted in beats, not seconds: a paused process receives nothing
        self.is_lost = False
        self._questions: dict[int, Callable[[], None]] = {}
        self._question_numbers = itertools.count(1)
        self._unacknowledged: deque[tuple[int, int]] = deque()  # batches sent to the gateway: number, when sent
        subject = gateway_subject(gateway)

        def publish(number: int, items: tuple[HostItem, ...]) -> None:
            if not self.is_lost:
                self._unacknowledged.append((number, now_ns()))
                bus.publish(subject, pack(HostBatch(host, link, number, items)))

        self.end: LinkEnd[HostItem] = LinkEnd(publish)

    def batch_received(self, batch: GatewayBatch) -> None:
        """The next batch has arrived."""
        self.last_batch_ns, self.silent_beats = self.now_ns(), 0
        self.offset.measure(batch.at_ns, self.last_batch_ns)
        while self._unacknowledged and self._unacknowledged[0][0] <= batch.received:
            self._unacknowledged.popleft()

    def to_our_clock(self, gateways_ns: int) -> int:
        """A time of the gateway on our clock."""
        return min(self.now_ns(), self.offset.to_our_clock(gateways_ns))

    def ask(self, callback: Callable[[], None]) -> None:
        """Call back when the gateway has passed on all that has reached it by now."""
        if self.is_lost:
            asyncio.get_running_loop().call_soon(callback)
            return
        question = next(self._question_numbers)
        self._questions[question] = callback
        self.end.put(DrainReads(question))

    def answered(self, question: int) -> None:
        """The gateway has answered `ask`."""
        self._questions.pop(question, lambda: None)()

    def lose(self) -> None:
        """The link is lost: its bots are gone, and nobody is charged for the time since it failed."""
        self.unreachable(min([self.last_batch_ns, *(sent_ns for _, sent_ns in self._unacknowledged)]) - RESEND_NS)
        for connection in self.connections.values():
            self.handler.lost(connection)
        self.end_questions()  # last: the deadlines that are asked about have been moved by now

    def unreachable(self, since_ns: int) -> None:
        """The bots of this gateway were unreachable from then until now."""
        for connection in self.connections.values():
            self.handler.unreachable(connection, since_ns, self.now_ns())

    def end_questions(self) -> None:
        """Stop sending and receiving; callbacks that wait for an answer are called."""
        self.is_lost = True
        for callback in self._questions.values():
            callback()


class RemoteGateways:
    """All gateways that speak to this host."""

    def __init__(
        self,
        bus: Bus,
        host: int,
        handler: GatewayHandler,
        limits: WireLimits,
        now_ns: Clock,
        lag_monitor: LoopLagMonitor,
        *,
        is_server: bool = True,
        gateway: str = "",
        rules: dict[str, int] | None = None,
    ) -> None:
        """host: the number of this host, higher than every one before.  Others: see `HostPresence`."""
        self.host, self._bus, self._handler, self._limits, self._now_ns = host, bus, handler, limits, now_ns
        self._lag_monitor = lag_monitor
        self._is_server, self._gateway, self._rules = is_server, gateway, rules or {}
        self.hosts: Callable[[], tuple[int, ...]] = tuple
        """As of `HostPresence`."""
        self._links: dict[str, GatewayLink] = {}
        self._beating: asyncio.Task[None] | None = None
        self._bus_works = self._stopped = False

    async def start(self) -> None:
        """Listen, and tell every gateway. Raises BusError."""
        await self._bus.subscribe(HOSTS, self._host_is)
        await self._bus.subscribe(host_subject(self.host), self._arrived)
        self._beating = asyncio.create_task(self._beat())

    async def stop(self) -> None:
        """Stop sending and receiving; gateways keep their bots and wait for the next host."""
        self._stopped = True
        if self._beating is not None:
            self._beating.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._beating
        for link in self._links.values():
            link.end.flush()
            link.end_questions()

    @property
    def count(self) -> int:
        """How many gateways are connected."""
        return len(self._links)

    @property
    def connections(self) -> int:
        """How many bots they hold."""
        return sum(len(link.connections) for link in self._links.values())

    def announce(self) -> None:
        """Announce this host, and the server also all others."""
        presence = HostPresence(self.host, self._is_server, self.hosts(), self._gateway, self._rules)
        self._bus.publish(HOSTS, pack(presence))

    async def _beat(self) -> None:
        while True:
            self.announce()
            works, self._bus_works = self._bus_works, False
            for link in list(self._links.values()):
                link.silent_beats += works
                if link.silent_beats > MAX_MISSED_BEATS:
                    log.warning("gateway %s is gone, and %d bots with it", link.gateway, len(link.connections))
                    del self._links[link.gateway]
                    link.lose()
                else:
                    link.end.beat()
            await asyncio.sleep(HEARTBEAT_S)

    def _host_is(self, data: bytes) -> None:
        presence = unpack(data, HostPresence)
        if presence is not None and presence.host == self.host:
            self._bus_works = True

    def _arrived(self, data: bytes) -> None:
        batch = unpack(data, GatewayBatch)
        if batch is None or self._stopped:
            return
        self._lag_monitor.earliest_arrival_ns(self._now_ns())  # a pause is reported before what has come meanwhile
        link = self._links.get(batch.gateway)
        if link is None or batch.link > link.link:
            link = self._begun(batch, link)
        arrival = link.end.arrival(batch.number) if link is not None and batch.link == link.link else None
        if link is not None and arrival is Arrival.NEXT:
            link.batch_received(batch)
            for item in batch.items:
                self._handle(link, item)
        elif link is None or arrival is Arrival.GAP:
            again = HostBatch(self.host, batch.link, 0, ())
            self._bus.publish(gateway_subject(batch.gateway), pack(again))

    def _begun(self, batch: GatewayBatch, before: GatewayLink | None) -> GatewayLink | None:
        """The new link that this batch begins, in place of the one before; None if its first batch is lost."""
        if batch.number != 1:
            return None
        if before is not None:
            before.lose()
        parts = self.host, self._bus, self._handler, self._now_ns
        link = self._links[batch.gateway] = GatewayLink(batch.gateway, batch.link, *parts)
        if before is not None:
            link.offset = before.offset  # of the same clock; the first batch of the new link may have been slow
        return link

    def _handle(self, link: GatewayLink, item: GatewayItem) -> None:
        match item:
            case ConnectionOpened():
                if (before := link.connections.get(item.connection)) is not None:  # it is another bot now
                    self._handler.closed(before)
                opened = link.connections[item.connection] = RemoteConnection(link, item)
                self._handler.opened(opened)
            case ReadsDrained():
                link.answered(item.question)
            case GatewayPaused():
                link.unreachable(self._now_ns() - item.nanoseconds)
            case _:
                connection = link.connections.get(item.connection)
                if connection is not None:
                    self._handle_of(link, connection, item)

    def _handle_of(self, link: GatewayLink, connection: RemoteConnection, item: GatewayItem) -> None:
        match item:
            case MessageReceived():
                connection.received(item, self._limits.frame_bytes)
            case TurnWritten():
                connection.turn_written(item)
            case ConnectionIdentified():
                self._handler.introduced(connection, item.bot_id, item.name, legal_moves=item.legal_moves)
            case SendBacklog():
                connection.backlog = item.backlog
            case ConnectionLost():
                del link.connections[connection.number]
                self._handler.closed(connection)

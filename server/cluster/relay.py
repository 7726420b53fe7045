"""The gateway's end: passes messages from bots to the server and its hosts, and back.

When the server changes, or something was lost on the way, every bot is introduced again: its `hello`, under the name by
which it was welcomed, and the seeks and watches that stand. The server answers with `welcome`, and whoever plays its
matches with the turns that are due, as to a bot that has connected again.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import secrets
from collections.abc import Callable, Iterator
from typing import TypeVar, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tabiya.protocol.codec import CodecError, encode
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.encodings import Encoding
from tabiya.protocol.messages import (
    ClientMessage,
    Hello,
    Move,
    Seek,
    ServerMessage,
    Unseek,
    Unwatch,
    Watch,
)
from tabiya.server.cluster.bus import HOSTS, Bus, gateway_subject
from tabiya.server.cluster.host_dispatcher import HostDispatcher
from tabiya.server.cluster.host_link import HostLink
from tabiya.server.cluster.in_process_host import InProcessHostLink
from tabiya.server.cluster.messages import (
    Close,
    ConnectionIdentified,
    ConnectionLost,
    ConnectionOpened,
    DrainReads,
    GatewayItem,
    GatewayPaused,
    HostBatch,
    HostItem,
    HostPresence,
    MessageReceived,
    ReadsDrained,
    Redirect,
    Send,
    SendBacklog,
    SendWelcome,
    TurnWritten,
    sending,
    unpack,
)
from tabiya.server.matches.dispatcher import PlayerMessage
from tabiya.server.transport.base import READ_CYCLE_S, Clock, Connection
from tabiya.server.transport.gateway import Gateway
from tabiya.server.transport.websocket import WebsocketConnection, decoded

log = logging.getLogger("tabiya.relay")

SERVERLESS_BEATS = 120  # then bots are asked to reconnect later
MAX_MISSED_BEATS = 6  # of a host beside the server: then its matches are with another one, or soon will be
MOST_STANDING = 128  # seeks and watches that are kept for a bot
MOST_MATCHES = 1_024  # of a bot, whose host and end are remembered
MOST_ANSWERS = 16_384  # that are kept, the last of each bot in each match
NO_HOST = "no server of matches can be reached; try again later"
K = TypeVar("K")
T = TypeVar("T")
TYPES = frozenset(kind.__struct_config__.tag for kind in get_args(PlayerMessage))
MOVE = Move.__struct_config__.tag


class _About(Struct):
    """Type, match and ply of a message, as far as a gateway needs them."""

    type: str = ""
    match: int = 0
    ply: int = 0


_ABOUT: dict[Encoding, Callable[[bytes], _About]] = {
    Encoding.JSON: msgspec.json.Decoder(_About).decode,
    Encoding.MSGPACK: msgspec.msgpack.Decoder(_About).decode,
}


class _SentTurn(Struct, frozen=True):
    """A turn that a bot has got. illegal_moves: as in its message."""

    match: int
    ply: int
    illegal_moves: int


class _Answer(Struct, frozen=True):
    """A bot's answer to a turn."""

    turn: _SentTurn
    message: MessageReceived


def _keep(kept: dict[K, T], key: K, what: T, most: int = MOST_MATCHES) -> None:
    """Remember this about a match, for a limited number of matches."""
    kept[key] = what
    if len(kept) > most:
        del kept[next(iter(kept))]


class RelayedConnection(WebsocketConnection):
    """A bot's websocket whose messages are passed on as they came."""

    def __init__(self, gateway: Gateway, relay: Relay) -> None:
        super().__init__(gateway)
        self._gateway, self._relay = gateway, relay
        self.number = 0
        self.reported_backlog = 0  # bytes that the bot had not taken, as the hosts know
        self.hello: Hello | None = None
        self.bot_id = 0  # as soon as it is welcomed
        self.standing: dict[tuple[type, object], ClientMessage] = {}
        self._host_of: dict[int, int] = {}  # matches that others than the server play
        self._over: dict[int, None] = {}  # matches whose end was sent to the bot
        self._turns: dict[int, _SentTurn] = {}  # the last one in each match

    def hand_on(self, data: bytes, is_text: bool) -> None:
        """Pass a message on, and remember what another host would need to know about the bot."""
        if self.hello is None or b"seek" in data or b"watch" in data:
            self._remember(data, is_text)
        message = MessageReceived(self.number, data, is_text, self.arrived_ns, self.round_trip_ns)
        about = self._about(data)
        if about.type == MOVE and (turn := self._turns.get(about.match)) is not None and turn.ply == about.ply:
            self._relay.keep(self.bot_id, _Answer(turn, message))
        # a bot without a match: the server answers, and explains a bad message
        self._relay.forward(message, self._host_of.get(about.match, 0) if about.type in TYPES else 0)

    def _about(self, data: bytes) -> _About:
        """Type and match of a message; both are empty if it cannot be read."""
        try:
            return _ABOUT[self.encoding](data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return _About()

    def plays_at(self, match: int, host: int) -> None:
        """Send the bot's messages about this match to this host from now on; 0: the server."""
        if self._host_of.get(match, 0) == host:
            return
        self._host_of.pop(match, None)
        if host:
            _keep(self._host_of, match, host)

    def send(self, message: ServerMessage) -> None:
        """See `Connection.send`: also what the host of this process says, as if it had come over the bus."""
        if self.takes(sending(self.number, message), self._relay.own_host):
            super().send(message)

    def takes(self, item: Send, host: int) -> bool:
        """Whether to pass this message of a host on to the bot.

        An end is sent once, by its host or the server.  No turn comes after it, nor one of an earlier ply than before,
        as of a host that does not know yet that another one plays the match, nor one that this bot has answered here.
        """
        if item.ended:
            return self._ends(item.ended)
        if item.refused:
            self._relay.forget(self.bot_id, item.refused)
        if item.turn is None:
            return True
        turn = _SentTurn(*item.turn, item.illegal_moves)
        if turn.match in self._over or turn.ply < self._turns.get(turn.match, turn).ply:
            return False
        _keep(self._turns, turn.match, turn)
        self.plays_at(turn.match, host)
        return not self._relay.forward_known_answer(self, turn, host)

    def _ends(self, match: int) -> bool:
        if match in self._over:
            return False
        _keep(self._over, match, None)
        self._relay.forget(self.bot_id, match)
        return True

    def _remember(self, data: bytes, is_text: bool) -> None:
        try:
            message = decoded(data, is_text, self.encoding, self._owner.limits.frame_bytes)
        except CodecError:
            return  # the server sends the refusal
        match message:
            case Hello() if self.hello is None:
                self.hello = replace(message, seek=())
                for game in message.seek:
                    self._stands(Seek, game, Seek(game=game))
            case Seek():
                self._stands(Seek, message.game, message)
            case Unseek():
                self.standing.pop((Seek, message.game), None)
            case Watch():
                self._stands(Watch, message.match, message)
            case Unwatch():
                self.standing.pop((Watch, message.match), None)

    def _stands(self, kind: type, about: object, message: ClientMessage) -> None:
        if len(self.standing) < MOST_STANDING:
            self.standing[kind, about] = message

    def welcome(self, welcomed: SendWelcome) -> None:
        """The server has welcomed the bot. It may not know yet that one of the bot's matches has ended."""
        self._gateway.welcomed(self)
        self.bot_id, message = welcomed.bot_id, welcomed.welcome
        if self.hello is not None:
            self.hello = replace(self.hello, name=message.name, resume=message.resume or self.hello.resume)
        self.send(replace(message, matches=tuple(each for each in message.matches if each.match not in self._over)))

    def opened_since(self, now_ns: int) -> ConnectionOpened:
        """The first item to a host about this connection."""
        age_ns = now_ns - self.opened_ns
        return ConnectionOpened(self.number, self.address, self.is_loopback, self.encoding.value, age_ns)

    def introduction(self) -> Iterator[ClientMessage]:
        """The messages for a server that does not know the bot."""
        if self.hello is not None:
            yield self.hello
            yield from self.standing.values()

    @property
    def introduced(self) -> ConnectionIdentified:
        """The item for a host beside the server."""
        assert self.hello is not None
        return ConnectionIdentified(self.number, self.bot_id, self.hello.name, self.hello.legal_moves)


class Relay:
    """A `tabiya.server.transport.base.MessageHandler` for a `Gateway` of relayed connections."""

    def __init__(
        self,
        bus: Bus,
        now_ns: Clock,
        most_bytes: int,
        also_paused: Callable[[int, int], None] | None = None,
    ) -> None:
        """most_bytes: of a message of a bot.  also_paused: told when this process did not run, if a server is in it."""
        self.name = secrets.token_hex(8)
        """Unlike that of any other gateway."""
        self._also_paused = also_paused
        self._bus, self._now_ns = bus, now_ns
        self._connections: dict[int, RelayedConnection] = {}
        self._answers: dict[tuple[int, int], _Answer] = {}  # by bot and match
        self._last_number = 0
        self._link_numbers = itertools.count(1)
        self._server: HostLink | None = None
        self._hosts: dict[int, HostLink | InProcessHostLink] = {}  # beside the server
        self._own: HostDispatcher | None = None
        self._most_bytes = most_bytes
        self.own_host = 0
        """The number of the host in this process, 0 for none."""
        self._known_hosts: tuple[int, ...] = ()  # hosts that the server has not ended
        self._serverless_beats = 0  # counted in beats, not seconds: a paused process receives nothing

    async def start(self) -> None:
        """Listen for the server and its hosts. Raises BusError."""
        await self._bus.subscribe(gateway_subject(self.name), self._batch_arrived)
        await self._bus.subscribe(HOSTS, self._host_is)

    def plays_here(self, host: int, handler: HostDispatcher) -> None:
        """This process has a host, too. Call it before `start`."""
        self.own_host, self._own = host, handler

    def connection(self, number: int) -> RelayedConnection | None:
        """The connection that hosts know by this number."""
        return self._connections.get(number)

    @property
    def host(self) -> int:
        """Number of the server, 0 while none is known."""
        return self._server.host if self._server else 0

    @property
    def _links(self) -> Iterator[HostLink | InProcessHostLink]:
        if self._server is not None:
            yield self._server
        yield from self._hosts.values()

    # --- from bots

    def opened(self, connection: Connection) -> None:
        """A bot's connection is there."""
        assert isinstance(connection, RelayedConnection)
        self._last_number += 1
        connection.number = self._last_number
        self._connections[self._last_number] = connection
        if self._is_serverless:
            connection.close(CloseCode.BUSY, NO_HOST)
        elif self._server is not None:
            self._server.put(connection.opened_since(self._now_ns()))

    def forward(self, message: MessageReceived, host: int) -> None:
        """Pass a message of a bot on to the host of this number, 0 for the server."""
        link = self._hosts.get(host, self._server)
        if link is not None and message.connection in self._connections:
            link.put(message, len(message.data))

    def keep(self, bot_id: int, answer: _Answer) -> None:
        """Keep a bot's answer until it is refused or the next turn is answered, because it may have been lost."""
        _keep(self._answers, (bot_id, answer.turn.match), answer, MOST_ANSWERS)

    def forget(self, bot_id: int, match: int) -> None:
        self._answers.pop((bot_id, match), None)

    def forward_known_answer(self, connection: RelayedConnection, turn: _SentTurn, host: int) -> bool:
        """Pass on the bot's known answer to this turn; returns whether it came on this connection."""
        answer = self._answers.get((connection.bot_id, turn.match))
        if answer is None or answer.turn != turn:
            return False
        again = replace(answer.message, connection=connection.number, passed_on=True)
        asyncio.get_running_loop().call_soon(self.forward, again, host)  # a host of this process has not asked yet
        return answer.message.connection == connection.number

    def received(self, connection: Connection, message: ClientMessage, arrived_ns: int) -> None:
        """Not called: messages are passed on before they are decoded."""
        raise AssertionError("a relayed connection decodes nothing")

    def unreadable(self, connection: Connection, error: CodecError, arrived_ns: int) -> None:
        """Not called, as `received`."""
        raise AssertionError("a relayed connection decodes nothing")

    def process_paused(self, since_ns: int, until_ns: int) -> None:
        """See `MessageHandler.process_paused`."""
        self._put_to_all(GatewayPaused(until_ns - since_ns))
        if self._also_paused is not None:
            self._also_paused(since_ns, until_ns)

    def closed(self, connection: Connection) -> None:
        """The connection is gone."""
        assert isinstance(connection, RelayedConnection)
        if self._connections.pop(connection.number, None) is not None:
            self._put_to_all(ConnectionLost(connection.number))

    def _put_to_all(self, item: GatewayItem) -> None:
        for link in self._links:
            link.put(item)

    # --- links

    def _link(self, host: int, introduce: Callable[[HostLink], None]) -> HostLink:
        return HostLink(self.name, host, self._bus, self._now_ns, self._link_numbers, introduce, self._carry_out)

    def _introduce_to_server(self, link: HostLink) -> None:
        now_ns = self._now_ns()
        for number, connection in self._connections.items():
            connection.reported_backlog = 0
            link.put(connection.opened_since(now_ns))
            for message in connection.introduction():
                data = encode(message, connection.encoding)
                is_text = isinstance(data, str)
                payload = data.encode() if isinstance(data, str) else data
                link.put(MessageReceived(number, payload, is_text, now_ns, connection.round_trip_ns), len(payload))

    def _introduce_to_host(self, link: HostLink | InProcessHostLink) -> None:
        for connection in self._connections.values():
            if connection.bot_id:
                connection.reported_backlog = 0
                self._introduce(connection, link)

    def _introduce(self, connection: RelayedConnection, link: HostLink | InProcessHostLink) -> None:
        link.put(connection.opened_since(self._now_ns()))
        link.put(connection.introduced)

    def beat(self) -> None:
        """Called each `HEARTBEAT_S`: send a sign of life, and check those of the others."""
        self._serverless_beats += 1
        if self._is_serverless:
            for connection in list(self._connections.values()):
                connection.close(CloseCode.BUSY, NO_HOST)
        for number, connection in self._connections.items():
            if connection.backlog != connection.reported_backlog:
                connection.reported_backlog = connection.backlog
                self._put_to_all(SendBacklog(number, connection.backlog))
        for link in list(self._hosts.values()):
            link.silent_beats += 1
            if link.silent_beats > MAX_MISSED_BEATS:
                self._drop(link)
        for link in self._links:
            link.beat()

    def _drop(self, link: HostLink | InProcessHostLink) -> None:
        log.warning("host %d is gone; its matches go on at another one", link.host)
        link.end()
        del self._hosts[link.host]

    @property
    def _is_serverless(self) -> bool:
        return self._serverless_beats > SERVERLESS_BEATS

    # --- from hosts

    def _host_is(self, data: bytes) -> None:
        presence = unpack(data, HostPresence)
        if presence is None:
            return
        if not presence.is_server:
            self._host_beside_is(presence.host)
        elif presence.host >= self.host:  # otherwise an old server that does not know yet that it was replaced
            self._serverless_beats = 0
            if presence.host > self.host:
                log.info(
                    "process %d is the server now; %d bots are announced to it", presence.host, len(self._connections)
                )
                if self._server is not None:
                    self._server.end()
                self._server = self._link(presence.host, self._introduce_to_server)
            self._known_hosts = presence.hosts
            for link in [link for link in self._hosts.values() if link.host not in self._known_hosts]:
                self._drop(link)

    def _host_beside_is(self, host: int) -> None:
        known = self._hosts.get(host)
        if known is not None:
            known.silent_beats = 0
        elif host in self._known_hosts:  # otherwise a host that does not know yet that it was ended
            if self._own is not None and host == self.own_host:
                own = host, self._own, self._most_bytes, self.connection, self._introduce_to_host
                self._hosts[host] = InProcessHostLink(*own)
            else:
                self._hosts[host] = self._link(host, self._introduce_to_host)

    def _batch_arrived(self, data: bytes) -> None:
        batch = unpack(data, HostBatch)
        if batch is None:
            return
        if self._server is not None and batch.host == self._server.host:
            self._serverless_beats = 0
            self._server.arrived(batch)
        elif isinstance(link := self._hosts.get(batch.host), HostLink):
            link.arrived(batch)

    def _carry_out(self, link: HostLink, item: HostItem) -> None:
        match item:
            case DrainReads():
                self._answer_when_read(link, item.question)
            case Redirect():
                if (connection := self.connection(item.message.connection)) is not None:
                    self._host_beside_is(item.host)
                    connection.plays_at(item.match, item.host)
                    self.forward(replace(item.message, passed_on=True), item.host)
            case _:
                connection = self.connection(item.connection)
                if connection is not None:  # otherwise it is gone, and the host will be notified
                    self._carry_out_for(connection, link, item)

    def _carry_out_for(self, connection: RelayedConnection, link: HostLink, item: Send | SendWelcome | Close) -> None:
        match item:
            case Send():
                self._send(connection, link, item)
            case SendWelcome():
                known_before = connection.bot_id
                connection.welcome(item)
                for host in self._hosts.values() if item.bot_id != known_before else ():
                    self._introduce(connection, host)
            case Close():
                connection.close(CloseCode(item.code), item.reason)
                self.closed(connection)  # already: it must not be introduced to another host

    def _send(self, connection: RelayedConnection, link: HostLink, item: Send) -> None:
        if not connection.takes(item, 0 if link is self._server else link.host):
            return
        connection.send_frame(item.frame, asks_for_answer=item.asks_for_answer)
        if item.turn is not None:
            match, ply = item.turn
            connection.written(match, ply, lambda now_ns: link.put(TurnWritten(item.connection, match, ply, now_ns)))

    def _answer_when_read(self, link: HostLink, question: int) -> None:
        number = link.number

        def answer() -> None:
            if link.number == number:
                link.put(ReadsDrained(question))

        asyncio.get_running_loop().call_later(READ_CYCLE_S, answer)

"""Connections between simulated peers and a simulated server, and what can happen to them.

Bytes arrive in order, late, in pieces, or never. What a server writes is checked when it is written: it counts as sent,
whether or not it arrives.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any, Protocol

from scripts.long_runs.harness.memory_transport import MemoryTransport
from scripts.long_runs.simulation.environment.link_model import LinkModel
from scripts.long_runs.simulation.environment.loop import Process, SimulatedLoop
from scripts.websocket_frames import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    FrameReader,
    client_frame,
    handshake,
    message_frame,
)
from tabiya.protocol.codec import decode_server, encode
from tabiya.protocol.encodings import Encoding
from tabiya.protocol.messages import ClientMessage, Hello, ServerMessage


class Peer(Protocol):
    """The owner of the other end of a connection."""

    name: str

    def opened(self) -> None:
        """The handshake is complete."""

    def received(self, message: ServerMessage) -> None:
        """A message has arrived."""

    def ended(self, why: str) -> None:
        """The connection is over; called once."""


class Watcher(Protocol):
    """Checks messages when they are written."""

    def sent(self, link: Link, message: ServerMessage) -> None:
        """The server has written this message."""

    def readable(self, link: Link, message: ClientMessage) -> None:
        """The last byte of this message has reached the server."""


class ServerEnd(MemoryTransport):
    """The server's end of a link."""

    def __init__(self, link: Link, process: Process, address: str) -> None:
        super().__init__(address)
        self.link, self._process = link, process
        self.gone = False
        self._unread = bytearray()

    def begin(self, factory: Callable[[], asyncio.Protocol]) -> None:
        """The connection is accepted."""
        self.protocol = factory()
        self.protocol.connection_made(self)

    def comes(self, data: bytes) -> None:
        """Bytes have arrived; the server reads all there are at once."""
        if not self._unread:
            self.link.loop.arrives(self._process, self.link, self._read)
        self._unread += data

    def _read(self) -> None:
        data = bytes(self._unread)
        self._unread.clear()
        if not (self.gone or self.closing or self.is_paused) and data:
            self.protocol.data_received(data)

    def lost(self) -> None:
        """The line is broken, and the server notices."""
        self.link.loop.arrives(self._process, self.link, self._lost, ConnectionResetError("reset by the simulation"))

    def _lost(self, error: Exception | None) -> None:
        if not self.gone:
            self.gone = self.closing = True
            self.protocol.connection_lost(error)
            self.link.server_closed()

    def close(self) -> None:
        if not self.closing:
            self.closing = True
            self.link.loop.call_soon(self._lost, None)

    def write(self, data: Any) -> None:
        if self._process.alive and not self.closing and data:
            self.link.written(bytes(data))


class Pipe:
    """One direction: what is put in comes out in order, each after a delay of its own."""

    def __init__(self, loop: SimulatedLoop, delay_s: Callable[[], float]) -> None:
        self._loop, self._delay_s, self._latest_s = loop, delay_s, 0.0
        self._under_way: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self.open = True

    def put(self, arrive: Callable[..., None], *args: Any) -> None:
        """Call this at the other end, unless the way is cut before."""
        if self.open:
            self._latest_s = max(self._latest_s, self._loop.time() + self._delay_s())
            self._under_way.append((arrive, args))
            self._loop.call_in(self._loop.world, self._latest_s, self._come)

    def _come(self) -> None:
        arrive, args = self._under_way.popleft()
        if self.open:
            arrive(*args)


class Link:
    """One connection, from the peer's `connect` to its end."""

    def __init__(self, network: Network, number: int, peer: Peer, encoding: Encoding, link_model: LinkModel) -> None:
        self.network, self.number, self.peer, self.encoding = network, number, peer, encoding
        self.loop, self.link_model = network.loop, link_model
        self.up, self.down = Pipe(self.loop, link_model.delay_s), Pipe(self.loop, link_model.delay_s)
        self.server_end: ServerEnd | None = None
        self.process: Process | None = None
        self.over = False
        self.name = peer.name  # as welcomed: a guest may have got a suffix
        self.welcomed_s = 0.0
        self.turns_of: set[int] | None = None  # matches with a turn since it was introduced to a host, if it ever was
        self._opened = False
        self._reader = FrameReader()

    @property
    def is_newest(self) -> bool:
        """Whether its peer has not begun another connection since."""
        return self.network.newest.get(self.peer.name) is self

    # --- the peer's side

    def say(self, message: ClientMessage) -> None:
        """Send a message; on a bad link once more later, or after what is said next."""
        again_s, later_s = (None, None) if isinstance(message, Hello) else self.link_model.mishap()
        if again_s is not None:
            self._later(again_s, message)
        if later_s is not None:
            self._later(later_s, message)
        else:
            self._put(message)

    def _later(self, seconds: float, message: ClientMessage) -> None:
        self.loop.call_in(self.loop.world, self.loop.time() + seconds, self._put, message)

    def _put(self, message: ClientMessage) -> None:
        if not self.over:
            self.network.trace("says", self.peer.name, self.number, message)
            self._put_bytes(message_frame(encode(message, self.encoding)), message)

    def _put_bytes(self, data: bytes, message: ClientMessage | None = None) -> None:
        parts = self.link_model.parts(data)
        for part in parts[:-1]:
            self.up.put(self._reaches_server, part, None)
        self.up.put(self._reaches_server, parts[-1], message)

    def cut(self, noticed_s: float | None) -> None:
        """Break the line. noticed_s: after how long the server notices; None: it never does by itself."""
        if self.over:
            return
        self.up.open = self.down.open = False
        if self.server_end is not None and noticed_s is not None:
            self.loop.call_in(self.loop.world, self.loop.time() + noticed_s, self.server_end.lost)
        self._end("cut")

    def _end(self, why: str) -> None:
        if not self.over:
            self.over = True
            self.network.trace("ended", self.peer.name, self.number, why)
            self.peer.ended(why)

    # --- the way

    def connect(self) -> None:
        """Ask for a connection."""
        self.up.put(self._knock)
        self._put_bytes(handshake(self.encoding.subprotocol))

    def _knock(self) -> None:
        process, factory = self.network.door()
        if factory is None:
            self.down.put(self._end, "refused")
            return
        self.process, self.server_end = process, ServerEnd(self, process, self.network.address_of(self.peer))
        self.loop.arrives(process, self, self.server_end.begin, factory)

    def _reaches_server(self, data: bytes, message: ClientMessage | None) -> None:
        end = self.server_end
        if end is not None and end._process.alive and not end.gone:
            if message is not None:
                self.network.watcher.readable(self, message)
            end.comes(data)

    # --- the server's side

    def written(self, data: bytes) -> None:
        """The server has written this; it is told from now on."""
        for opcode, payload in self._reader.read(data):
            if opcode in (TEXT, BINARY):
                message = decode_server(payload.decode() if opcode == TEXT else payload, self.encoding)
                self.network.trace("tells", self.peer.name, self.number, message)
                self.network.watcher.sent(self, message)
                self.down.put(self._reaches_peer, message)
            elif opcode == PING:
                self.down.put(self._pong, payload)
            elif opcode == CLOSE:
                self.network.trace("closes", self.peer.name, self.number, payload[2:])
                self.down.put(self._closed, payload)
        if self._reader.accepted is False:
            self.down.put(self._end, "no websocket")
        elif self._reader.accepted and not self._opened:
            self._opened = True
            self.down.put(self._begins)

    def _begins(self) -> None:
        if not self.over:
            self.peer.opened()

    def _reaches_peer(self, message: ServerMessage) -> None:
        if not self.over:
            self.peer.received(message)

    def _pong(self, payload: bytes) -> None:
        if not self.over:
            self._put_bytes(client_frame(payload, PONG))

    def _closed(self, payload: bytes) -> None:
        if not self.over:
            self._put_bytes(client_frame(payload[:2], CLOSE))
            self._end(f"closed {int.from_bytes(payload[:2], 'big')} {payload[2:].decode()}")

    def server_closed(self) -> None:
        """The server has let go of its end."""
        self.down.put(self._end, "lost")


class Network:
    """All links. address_of: where a peer is; door: the process that listens and its factory, None if nobody does.

    doors: the gateways, which peers take in turns; None: they connect to the server.
    """

    def __init__(self, loop: SimulatedLoop, watcher: Watcher, trace: Callable[..., None]) -> None:
        self.loop, self.watcher, self.trace = loop, watcher, trace
        self.links: list[Link] = []
        self.newest: dict[str, Link] = {}
        self.server: Process | None = None
        self.doors: list[Process] | None = None
        self.addresses: dict[str, str] = {}

    def address_of(self, peer: Peer) -> str:
        """Where a peer is."""
        return self.addresses.get(peer.name, "127.0.0.1")

    def door(self) -> tuple[Process, Any]:
        """The process that listens for bots, and its factory."""
        doors = [self.server] if self.doors is None else self.doors
        server = doors[len(self.links) % len(doors)] if doors else None
        if server is None or not server.alive or not self.loop.listening.get(server.name):
            return self.loop.world, None
        return server, self.loop.listening[server.name][0]

    def connect(self, peer: Peer, encoding: Encoding, link_model: LinkModel) -> Link:
        """A new link of this peer."""
        link = Link(self, len(self.links) + 1, peer, encoding, link_model)
        self.links.append(link)
        self.newest[peer.name] = link
        self.trace("connects", peer.name, link.number)
        link.connect()
        return link

    def died(self, process: Process, draw: Random) -> None:
        """A server was killed: what it had written may still arrive, then its peers notice."""
        for link in self.links:
            if link.process is process and not link.over:
                if draw.random() < 0.5:
                    link.down.open = False  # the machine has gone with what it had not sent yet
                    link.down = Pipe(self.loop, link.link_model.delay_s)
                link.server_closed()

    def left_open(self, process: Process) -> list[Link]:
        """Links whose server end is still held."""
        ends = [link for link in self.links if link.process is process and link.server_end is not None]
        return [link for link in ends if link.server_end is not None and not link.server_end.gone]

"""A transport inside one process, without sockets.

    network = LocalNetwork(server.dispatcher, server.gateway.limits, now_ns)
    client = network.connect(heard.append)
    client.send(Hello(name="ada", seek=("some game",)))

Every message passes the real codec both ways. Frames arrive in order, each in a turn of the loop of its own, `delay_s`
after they were sent, and are lost only when the connection is cut. What counts messages (floods, connections per
address) is the websocket gateway's and not repeated here; an error of the server's own goes to the event loop.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Callable

from tabiya.protocol.codec import CodecError, Encoding, decode_client, decode_server, encode
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import ClientMessage, ServerMessage
from tabiya.server.transport.base import Clock, InProcess, MessageHandler

CLOSING_GRACE_S = 2.0  # how long a client that reads nothing can put off the end of its connection
NORMAL, BROKEN = 1000, 1006  # close codes of RFC 6455: said goodbye; no close frame came

Frame = str | bytes
GOODBYE = b""  # stands for the close frame
OnMessage = Callable[[ServerMessage], object]
OnClose = Callable[[int, str], object]
_numbers = itertools.count(1)


class Pipe:
    """One direction of a connection: what is put in comes out at the other end, in order, `delay_s` later."""

    def __init__(self, delay_s: Callable[[], float], arrive: Callable[[Frame], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._delay_s, self._arrive = delay_s, arrive
        self._on_the_way: deque[tuple[Frame, float]] = deque()
        self._arrived: deque[Frame] = deque()
        self.open = True
        self.held = False

    def put(self, frame: Frame) -> None:
        """Send a frame; nothing once the connection is cut."""
        if self.open:
            earliest = self._on_the_way[-1][1] if self._on_the_way else 0.0
            now = self._loop.time()
            due = max(earliest, now + self._delay_s())
            self._on_the_way.append((frame, due))
            if due > now:
                self._loop.call_at(due, self._come)
            else:
                self._loop.call_soon(self._come)

    def _come(self) -> None:
        if self._on_the_way:
            self._arrived.append(self._on_the_way.popleft()[0])
            self.take()

    def take(self) -> None:
        """Hand on what has arrived, unless the reader is held."""
        while self._arrived and self.open and not self.held:
            self._arrive(self._arrived.popleft())

    def cut(self) -> None:
        """Lose what is under way and whatever follows."""
        self.open = False
        self._on_the_way.clear()
        self._arrived.clear()

    @property
    def waiting(self) -> int:
        """Bytes sent and not yet taken."""
        return sum(map(_size, self._arrived)) + sum(_size(frame) for frame, _ in self._on_the_way)


class LocalConnection(InProcess):
    """The server's end: a `tabiya.server.transport.base.Connection`."""

    client: LocalClient  # set by `LocalNetwork.connect`
    address = "local"
    is_loopback = True

    def __init__(self, network: LocalNetwork, encoding: Encoding) -> None:
        self.id = f"l{next(_numbers)}"
        self.round_trip_ns = 0  # as measured; set by who simulates a network
        self.encoding = encoding
        self._network = network
        self._ended = False

    @property
    def backlog(self) -> int:
        return self.client.down.waiting

    def send(self, message: ServerMessage) -> None:
        if not self._ended:
            self.client.down.put(encode(message, self.encoding))

    def flush(self) -> None:
        """Nothing waits here: a frame is under way as soon as it is sent."""

    def close(self, code: CloseCode, reason: str) -> None:
        """Close the connection after what is queued; cut it if the client does not read."""
        if not self._ended:
            self._ended = True
            self.client.receive_close(code, reason)
            asyncio.get_running_loop().call_later(CLOSING_GRACE_S, self.lost)

    def receive(self, frame: Frame) -> None:
        """A frame of the client has arrived."""
        network, arrived_ns = self._network, self._network.now_ns()
        most = network.limits.frame_bytes
        if self._ended:
            return
        if _size(frame) > most:
            self.close(CloseCode.OVERSIZE, f"at most {most} bytes are read")
            return
        try:
            message = decode_client(frame, self.encoding, most)
        except CodecError as error:
            network.handler.unreadable(self, error, arrived_ns)
        else:
            network.handler.received(self, message, arrived_ns)

    def lost(self) -> None:
        """The connection is gone; the server hears of it once."""
        self._ended = True
        self._network.forget(self)


class LocalClient:
    """The client's end."""

    def __init__(
        self, connection: LocalConnection, received: OnMessage, ended: OnClose, delay_s: Callable[[], float]
    ) -> None:
        self.connection, self._received, self._ended = connection, received, ended
        self._close: tuple[int, str] | None = None
        self.up = Pipe(delay_s, connection.receive)
        self.down = Pipe(delay_s, self._read)
        self.closed = False

    def send(self, message: ClientMessage) -> None:
        """Send a message."""
        self.send_frame(encode(message, self.connection.encoding))

    def send_frame(self, frame: Frame) -> None:
        """Send a frame as it is, for what no codec would write."""
        self.up.put(frame)

    def stop_reading(self) -> None:
        """From now on what the server sends piles up."""
        self.down.held = True

    def read_on(self) -> None:
        """Read what has piled up, and what follows."""
        self.down.held = False
        self.down.take()

    def cut(self) -> None:
        """Break the connection: frames under way are lost, both ends learn of it now."""
        self._end(BROKEN, "")

    def receive_close(self, code: int, reason: str) -> None:
        """The server has sent its close frame behind everything else."""
        self._close = code, reason
        self.down.put(GOODBYE)

    def _read(self, frame: Frame) -> None:
        if frame == GOODBYE and self._close is not None:
            self._end(*self._close)
        else:
            self._received(decode_server(frame, self.connection.encoding))

    def _end(self, code: int, reason: str) -> None:
        if not self.closed:
            self.closed = True
            self.up.cut()
            self.down.cut()
            self.connection.lost()
            self._ended(code, reason)


class LocalNetwork:
    """All in-memory connections of a server."""

    def __init__(self, handler: MessageHandler, limits: WireLimits, now_ns: Clock) -> None:
        self.handler, self.limits, self.now_ns = handler, limits, now_ns
        self.connections: set[LocalConnection] = set()

    def connect(
        self,
        received: OnMessage,
        ended: OnClose = lambda code, reason: None,
        *,
        encoding: Encoding = Encoding.MSGPACK,
        delay_s: Callable[[], float] = lambda: 0.0,
    ) -> LocalClient:
        """A new connection. received: called for every message.  ended: called once, with close code and reason.

        delay_s: how long the next frame takes, in either direction; it never overtakes an earlier one.
        """
        connection = LocalConnection(self, encoding)
        connection.client = LocalClient(connection, received, ended, delay_s)
        self.connections.add(connection)
        self.handler.opened(connection)
        return connection.client

    def forget(self, connection: LocalConnection) -> None:
        """The connection is gone."""
        if connection in self.connections:
            self.connections.discard(connection)
            self.handler.closed(connection)

    def close(self, reason: str) -> None:
        """Close every connection, as a server does that stops."""
        for connection in list(self.connections):
            connection.close(CloseCode.SERVER_CLOSING, reason)


def _size(frame: Frame) -> int:
    return len(frame.encode()) if isinstance(frame, str) else len(frame)

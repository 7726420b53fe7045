"""A transport inside one process, without sockets, for tests.

    network = LocalNetwork(server.dispatcher, server.gateway.limits, now_ns)
    peer = network.connect(heard.append)
    peer.send(Hello(name="ada", seek=("some game",)))

Every message passes the real codec both ways. Frames arrive in order, each in a turn of the loop of its own, `delay_s`
after they were sent, and are lost only when the line is cut. What counts messages (floods, connections per address) is
the websocket gateway's and not repeated here.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import deque
from collections.abc import Callable

from tabiya.protocol.codec import CodecError, Encoding, decode_client, decode_server, encode
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import ClientMessage, ServerMessage
from tabiya.server.transport.base import Clock, MessageHandler

log = logging.getLogger("tabiya.local")

CLOSING_GRACE_S = 2.0  # how long a peer that reads nothing can put off the end of its line
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
        """Send a frame; nothing once the line is cut."""
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


class LocalConnection:
    """The server's end: a `tabiya.server.transport.base.Connection`."""

    def __init__(self, network: LocalNetwork, encoding: Encoding) -> None:
        self.session = f"l{next(_numbers)}"
        self.address = "local"
        self.is_loopback = True
        self.round_trip_ns = 0  # as measured; set by who simulates a network
        self.encoding = encoding
        self._network = network
        self._ended = False
        self.peer: LocalClient  # set by `LocalNetwork.connect`

    @property
    def backlog(self) -> int:
        """Bytes queued that the peer has not taken."""
        return self.peer.down.waiting

    def send(self, message: ServerMessage) -> None:
        """Queue a message."""
        if self._ended:
            return
        try:
            frame = encode(message, self.encoding)
        except CodecError:
            log.exception("%s: a message of ours cannot be written: %r", self.session, message)
            self.close(CloseCode.SERVER_ERROR, "the server could not write a message")
            return
        self.peer.down.put(frame)

    def flush(self) -> None:
        """Nothing waits here: a frame is under way as soon as it is sent."""

    def close(self, code: CloseCode, reason: str) -> None:
        """Close the line after what is queued; cut it if the peer does not read."""
        if not self._ended:
            self._ended = True
            self.peer.receive_close(code, reason)
            asyncio.get_running_loop().call_later(CLOSING_GRACE_S, self.lost)

    def frame(self, frame: Frame) -> None:
        """A frame of the peer has been read; a failure of ours closes this line alone, as in the gateway."""
        if self._ended:
            return
        try:
            self._hand_on(frame)
        except Exception:
            log.exception("%s: an error of ours", self.session)
            self.close(CloseCode.SERVER_ERROR, f"an error of the server; quote {self.session}")

    def _hand_on(self, frame: Frame) -> None:
        network, arrived_ns = self._network, self._network.now_ns()
        if _size(frame) > network.limits.frame_bytes:
            self.close(CloseCode.OVERSIZE, f"at most {network.limits.frame_bytes} bytes are read")
            return
        try:
            message: ClientMessage = decode_client(frame, self.encoding, network.limits.frame_bytes)
        except CodecError as error:
            network.handler.unreadable(self, error, arrived_ns)
        else:
            network.handler.received(self, message, arrived_ns)

    def lost(self) -> None:
        """The line is gone; the host hears of it once."""
        self._ended = True
        self._network.forget(self)


class LocalClient:
    """The client's end."""

    def __init__(self, line: LocalConnection, heard: OnMessage, ended: OnClose, delay_s: Callable[[], float]) -> None:
        self._line, self._heard, self._ended = line, heard, ended
        self._close: tuple[int, str] | None = None
        self.up = Pipe(delay_s, line.frame)
        self.down = Pipe(delay_s, self._read)
        self.closed = False

    @property
    def line(self) -> LocalConnection:
        """The server's end."""
        return self._line

    def send(self, message: ClientMessage) -> None:
        """Send a message."""
        self.send_frame(encode(message, self._line.encoding))

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
        """Break the line: frames under way are lost, both ends learn of it now."""
        self._end(BROKEN, "")

    def receive_close(self, code: int, reason: str) -> None:
        """The server has sent its close frame behind everything else."""
        self._close = code, reason
        self.down.put(GOODBYE)

    def _read(self, frame: Frame) -> None:
        if frame == GOODBYE and self._close is not None:
            self._end(*self._close)
        else:
            self._heard(decode_server(frame, self._line.encoding))

    def _end(self, code: int, reason: str) -> None:
        if not self.closed:
            self.closed = True
            self.up.cut()
            self.down.cut()
            self._line.lost()
            self._ended(code, reason)


class LocalNetwork:
    """All in-memory connections of a server."""

    def __init__(self, handler: MessageHandler, limits: WireLimits, now_ns: Clock) -> None:
        self.handler, self.limits, self.now_ns = handler, limits, now_ns
        self.lines: set[LocalConnection] = set()

    def connect(
        self,
        heard: OnMessage,
        ended: OnClose = lambda code, reason: None,
        *,
        encoding: Encoding = Encoding.MSGPACK,
        delay_s: Callable[[], float] = lambda: 0.0,
    ) -> LocalClient:
        """A new line. heard: called for every message.  ended: called once, with close code and reason.

        delay_s: how long the next frame takes, in either direction; it never overtakes an earlier one.
        """
        line = LocalConnection(self, encoding)
        line.peer = LocalClient(line, heard, ended, delay_s)
        self.lines.add(line)
        self.handler.opened(line)
        return line.peer

    def forget(self, line: LocalConnection) -> None:
        """The line is gone."""
        if line in self.lines:
            self.lines.discard(line)
            self.handler.closed(line)

    def close(self, reason: str) -> None:
        """Close every line, as a server does that stops."""
        for line in list(self.lines):
            line.close(CloseCode.SERVER_CLOSING, reason)


def _size(frame: Frame) -> int:
    return len(frame.encode()) if isinstance(frame, str) else len(frame)

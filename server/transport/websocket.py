"""A bot's websocket as a `Connection` (base.py): decodes, limits, measures round trips, writes once per loop turn.

A move is stamped the moment its bytes were read, and no task or queue stands between the socket and the match.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Protocol

from websockets.exceptions import NegotiationError
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from tabiya.protocol.codec import CodecError, Encoding, decode_client, negotiate
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import Challenged, ClientMessage, MatchEnded, ServerMessage, Turn
from tabiya.server.transport.base import READ_CYCLE_S, Clock, MessageHandler
from tabiya.server.transport.loop_lag import LoopLagMonitor
from tabiya.server.transport.rate_limit import TokenBucket
from tabiya.server.transport.tcp import kernel_round_trip_ns, trip_ns
from tabiya.server.transport.websocket_protocol import WebsocketProtocol
from tabiya.server.transport.ws_frames import Framer

log = logging.getLogger("tabiya.gateway")

ROUND_TRIPS_KEPT = 8  # one prompt pong of eight shows the network; a bot that thinks delays the others
MOST_FRAGMENTS = 1_024  # far more than any client makes of 16 KiB; each costs us more than it costs the peer
CLOSING_GRACE_S = 2.0  # chosen: a few round trips for the close frame's answer
READ_AFTER_END_BYTES = 65_536  # of a peer that goes on sending instead of answering the close frame
LONGEST_REASON_BYTES = 123  # of a websocket close frame
_numbers = itertools.count(1)


class ConnectionOwner(Protocol):
    """The gateway as a connection uses it."""

    handler: MessageHandler
    limits: WireLimits
    framer: Framer
    lag_monitor: LoopLagMonitor
    counts: Counter[str]
    now_ns: Clock

    def accept(self, connection: WebsocketConnection) -> bool:
        """Whether a TCP connection may begin its handshake."""

    def check_request(self, connection: WebsocketConnection, request: Request) -> Response | None:
        """The refusal of a handshake, None to go on with it."""

    def answer_soon(self, connection: WebsocketConnection) -> None:
        """Have its request answered when it is its turn."""

    def opened(self, connection: WebsocketConnection) -> None:
        """The handshake is done."""

    def lost(self, connection: WebsocketConnection) -> None:
        """The TCP connection is gone."""

    def flush_soon(self, connection: WebsocketConnection) -> None:
        """Flush this connection at the end of this turn of the loop."""


class Library(ServerProtocol):
    """The library, and which subprotocol it shall choose."""

    def select_subprotocol(self, subprotocols: Sequence[Subprotocol]) -> Subprotocol | None:
        """The subprotocol of the encoding; a client that offers none uses JSON. Raises NegotiationError."""
        encoding = negotiate(subprotocols)
        if encoding is None:
            raise NegotiationError(f"none of the subprotocols {', '.join(subprotocols)[:200]} is supported")
        return Subprotocol(encoding.subprotocol) if subprotocols else None


class WebsocketConnection(WebsocketProtocol):
    """One websocket of one bot. bucket: the messages that it may still send, None before it is admitted."""

    def __init__(self, owner: ConnectionOwner) -> None:
        super().__init__(Library, owner.limits.frame_bytes)
        self.id = f"c{next(_numbers)}"
        self.address = "?"
        self.is_loopback = False
        self.encoding = Encoding.JSON
        self.arrived_ns, self.opened_ns = 0, owner.now_ns()
        self.bucket: TokenBucket | None = None
        self.paused_s = 0.0  # pauses of this process, by which its time limit for `hello` is extended
        self._owner = owner
        self._parts: list[bytes] = []
        self._is_text = False
        self._round_trips: deque[int] = deque(maxlen=ROUND_TRIPS_KEPT)
        self._ping: tuple[bytes, int] | None = None
        self._flush_planned = False
        self._taken_bytes, self._taken_at = 0, 0.0
        self._ended = False
        self._abort_timer: asyncio.TimerHandle | None = None
        self._read_after_end = 0

    # --- the handshake ---

    def on_connected(self) -> bool:
        """See `ConnectionOwner.accept`."""
        return self._owner.accept(self)

    def check_request(self, request: Request) -> Response | None:
        """See `ConnectionOwner.check_request`."""
        return self._owner.check_request(self, request)

    def on_request(self) -> None:
        """See `ConnectionOwner.answer_soon`."""
        self._owner.answer_soon(self)

    def on_open(self, subprotocol: Subprotocol | None) -> None:
        """See `ConnectionOwner.opened`."""
        if subprotocol == Encoding.MSGPACK.subprotocol:
            self.encoding = Encoding.MSGPACK
        self._owner.opened(self)

    def on_lost(self) -> None:
        """See `ConnectionOwner.lost`."""
        self._ended = True
        if self._abort_timer is not None:
            self._abort_timer.cancel()
        self._owner.lost(self)

    # --- in ---

    def on_read(self) -> None:
        """Stamp the bytes that were read; they may have lain there for as long as the loop had not looked."""
        self.arrived_ns = self._owner.lag_monitor.earliest_arrival_ns(self._owner.now_ns())

    def may_parse(self, size: int) -> bool:
        """Whether to parse this many more bytes; after a close frame the server soon stops reading."""
        if not self._ended:
            return True
        self._read_after_end += size
        if self._read_after_end > READ_AFTER_END_BYTES:
            with contextlib.suppress(RuntimeError):  # uvloop raises if it is closed already
                self.transport.pause_reading()
            return False
        return True

    @property
    def is_receiving(self) -> bool:
        """Whether a message would be taken now."""
        return not self._ended

    def on_message(self, data: bytes, is_text: bool) -> None:
        """Decode one complete message and hand it on; a server error closes only this connection."""
        counts = self._owner.counts
        counts["messages"] += 1
        try:
            if self._is_within_rate():  # before the message is decoded, which costs more than to count it
                self.hand_on(data, is_text)
        except Exception:
            log.exception("%s: an internal error", self.id, extra={"connection": self.id})
            counts["errors"] += 1
            self.close(CloseCode.SERVER_ERROR, f"an error of the server; quote {self.id}")

    def hand_on(self, data: bytes, is_text: bool) -> None:
        """Decode a message of the peer and have it handled."""
        owner, arrived_ns = self._owner, self.arrived_ns
        try:
            message = decoded(data, is_text, self.encoding, owner.limits.frame_bytes)
        except CodecError as error:
            owner.counts["unreadable"] += 1
            owner.handler.unreadable(self, error, arrived_ns)
        else:
            owner.handler.received(self, message, arrived_ns)

    def _is_within_rate(self) -> bool:
        """Whether one more message, ping or pong is within the peer's rate limit; closes the connection if not."""
        if self.bucket is None or self.bucket.take(self.arrived_ns):
            return True
        self._owner.counts["flood"] += 1
        self.close(CloseCode.FLOOD, f"more than {self._owner.limits.messages_per_second} messages a second")
        return False

    def on_frame(self, frame: Frame) -> None:
        """A control frame, or a part of a message."""
        if self._ended:
            return
        if frame.opcode in (Opcode.PING, Opcode.PONG):
            if self._is_within_rate() and frame.opcode is Opcode.PONG:
                self._pong(bytes(frame.data))
        elif frame.opcode is not Opcode.CLOSE:  # the library answers that one itself and then expects the end
            self._assemble(frame)

    def _assemble(self, frame: Frame) -> None:
        if frame.opcode is not Opcode.CONT:
            self._is_text = frame.opcode is Opcode.TEXT
        elif len(self._parts) >= MOST_FRAGMENTS:
            self.close(CloseCode.FLOOD, f"a message in more than {MOST_FRAGMENTS} fragments")
            return
        self._parts.append(bytes(frame.data))
        if frame.fin:
            data, self._parts = b"".join(self._parts), []
            self.on_message(data, self._is_text)

    # --- round trips ---

    @property
    def round_trip_ns(self) -> int:
        """Shortest of the last eight round trips, of pings and of the kernel; 0 on loopback or while unmeasured."""
        return 0 if self.is_loopback or not self._round_trips else min(self._round_trips)

    def ping(self) -> None:
        """Ping, unless the last one is still unanswered (a bot that blocks while it thinks is no dead bot)."""
        if self._ping is None and self._may_send:
            now_ns = self._owner.now_ns()
            self._ping = (now_ns.to_bytes(8, "big"), now_ns)  # its time as its payload: each ping has another
            self.send_ping(self._ping[0])

    def _pong(self, payload: bytes) -> None:
        if self._ping is not None and payload == self._ping[0]:  # a pong may also come unasked
            pong_ns = self.arrived_ns - self._ping[1]
            self._round_trips.append(trip_ns(pong_ns, kernel_round_trip_ns(self.transport)))
            self._ping = None

    # --- out ---

    @property
    def _may_send(self) -> bool:
        return not self._ended and self.is_open

    @property
    def backlog(self) -> int:
        """Bytes queued that the peer has not taken."""
        return self.transport.get_write_buffer_size()

    def send(self, message: ServerMessage) -> None:
        """Queue a message. Never blocks, never raises."""
        try:
            frame = self._owner.framer.frame(message, self.encoding)
        except CodecError:
            about = {"connection": self.id}
            log.exception("%s: a message of ours cannot be written: %r", self.id, message, extra=about)
            self.close(CloseCode.SERVER_ERROR, "the server could not write a message")
            return
        self.send_frame(frame, asks_for_answer=asks_for_answer(message))

    def send_frame(self, frame: bytes, *, asks_for_answer: bool) -> None:
        """Queue the frame of a message. asks_for_answer: the peer may say one thing more for it."""
        if not self._may_send:
            return
        self.queue(frame)
        if asks_for_answer and self.bucket is not None:
            self.bucket.give()
        if not self._flush_planned:
            self._flush_planned = True
            self._owner.flush_soon(self)

    def written(self, match: int, ply: int, callback: Callable[[int], None]) -> None:
        """See `Connection.written`."""
        if self._flush_planned:  # since the gateway's own flush: it must not wait for the next
            self.flush()
        callback(self._owner.now_ns())

    def after_reads(self, callback: Callable[[], None]) -> None:
        """See `Connection.after_reads`."""
        asyncio.get_running_loop().call_later(READ_CYCLE_S, callback)

    def flush(self) -> None:
        """Write what is queued; a peer that cannot be written to, or leaves too much unread, is cut."""
        self._flush_planned = False
        try:
            super().flush()
        except (OSError, RuntimeError) as error:
            self._cut(f"it cannot be written to: {error}")
            return
        most = self._owner.limits.send_buffer_bytes
        if self.transport.get_write_buffer_size() > most and not self.transport.is_closing():
            self._cut(f"{most} bytes wait unread")

    def check_write_timeout(self, now: float) -> None:
        """Cut a peer that has taken no byte for `send_timeout_s` while bytes wait. now: the loop's clock."""
        waiting = self.backlog
        taken = self.written_bytes - waiting
        if not waiting or taken > self._taken_bytes:  # slow is no fault: one byte in the time is enough
            self._taken_bytes, self._taken_at = taken, now
        elif now - self._taken_at > self._owner.limits.send_timeout_s:
            self._cut("nothing was read for too long")

    def extend_timeouts(self, seconds: float) -> None:
        """Extend all timeouts by a pause of this process: the peer could not be read in that time."""
        self._taken_at += seconds
        self.paused_s += seconds

    # --- the end ---

    def close(self, code: CloseCode, reason: str) -> None:
        """Send the close frame behind what is queued; cut the connection if the peer does not answer it in time."""
        if self._ended:
            return
        self._ended = True  # first: from here on `send` queues nothing that would come behind the close frame
        if self.is_open:
            # cut by bytes, which may leave half a character at the end
            self.send_close(code, reason.encode()[:LONGEST_REASON_BYTES].decode(errors="ignore"))
        self.on_closing()

    def on_closing(self) -> None:
        """A close frame is sent, by us or by the library: the peer has a moment to answer before it is cut."""
        self._ended = True
        if self._abort_timer is None:
            self._abort_timer = asyncio.get_running_loop().call_later(CLOSING_GRACE_S, self.transport.abort)

    def _cut(self, why: str) -> None:
        """Cut at once: the peer does not read, so no close frame would reach it."""
        log.info("%s: cut, %s", self.id, why, extra={"connection": self.id})
        self._owner.counts["slow_reader"] += 1
        self._ended = True
        self.transport.abort()


def decoded(data: bytes, is_text: bool, encoding: Encoding, most_bytes: int) -> ClientMessage:
    """The message in what a frame held. Raises CodecError."""
    try:
        return decode_client(data.decode() if is_text else data, encoding, most_bytes)
    except UnicodeDecodeError:
        raise CodecError("received a text frame that is not UTF-8", garbage=True) from None


def asks_for_answer(message: ServerMessage) -> bool:
    """Whether the peer may say one thing more for it: a move, a new seek, its word on the challenge of another.

    Two quick bots play a thousand moves a second, and how many challenge a bot is not for it to choose.
    """
    return isinstance(message, Turn | MatchEnded) or (isinstance(message, Challenged) and not message.yours)

"""One websocket: frames assembled to messages inside the read callback, messages sent once per turn of the loop.

A move is stamped the moment its bytes were read, and no task or queue stands between the socket and the match.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import itertools
import logging
from collections import Counter, deque
from collections.abc import Callable
from typing import Any, Protocol

from websockets import frames
from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import SEND_EOF, Event, State
from websockets.streams import StreamReader

from tabiya.protocol.codec import CodecError, Encoding
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import MatchEnded, ServerMessage, Turn
from tabiya.server.core.lag import trip_ns
from tabiya.server.core.process_pause import is_process_pause
from tabiya.server.transport.base import READ_CYCLE_S, Clock
from tabiya.server.transport.tcp_info import kernel_round_trip_ns
from tabiya.server.transport.ws_frames import MASKED, MEDIUM, SHORT, WHOLE_BINARY, WHOLE_TEXT, Framer

log = logging.getLogger("tabiya.gateway")

apply_mask: Callable[[bytes, bytes], bytes] = frames.apply_mask  # type: ignore[attr-defined]
"""The library's, in its compiled form where that is installed."""

ROUND_TRIPS_KEPT = 8
FRAMES_BEFORE_ATTACHED = 16
MOST_FRAGMENTS = 1_024
CLOSING_GRACE_S = 2.0
SLICE_BYTES = 16_384  # parsed at once: a read of 256 KiB can hold forty thousand empty frames, which take 0.3 s
READ_AFTER_END_BYTES = 65_536  # of a peer that goes on sending instead of answering the close frame
TICK_NS = 10_000_000
READ_CYCLE_NS = round(READ_CYCLE_S * 1e9)
LATE_NS = 1_000_000  # of a tick, from which on what lay unread meanwhile is looked for
LONGEST_REASON_BYTES = 123  # of a websocket close frame
ASKS_FOR_AN_ANSWER = (Turn, MatchEnded)  # a move; a new seek. Two quick bots play a thousand moves a second
_numbers = itertools.count(1)


class ConnectionOwner(Protocol):
    """What a line needs of its gateway."""

    limits: WireLimits
    framer: Framer
    lag_monitor: LoopLagMonitor
    counts: Counter[str]
    now_ns: Clock

    def comes(self, socket: WebsocketProtocol) -> bool:
        """Whether a TCP connection may begin its handshake."""

    def gone(self, socket: WebsocketProtocol) -> None:
        """The TCP connection is lost."""

    def message(self, line: WebsocketConnection, data: bytes, is_text: bool) -> None:
        """One complete message of a peer."""

    def allows(self, line: WebsocketConnection) -> bool:
        """Whether the peer may say one thing more; closes its line if not."""

    def flush_soon(self, line: WebsocketConnection) -> None:
        """Flush this line at the end of this turn of the loop."""


def is_loopback(address: str) -> bool:
    """Whether an IP address text is of this machine."""
    try:
        return ipaddress.ip_address(address.split("%", maxsplit=1)[0]).is_loopback
    except ValueError:
        return False


class TokenBucket:
    """How many more messages a peer may send: a bucket of `burst` that refills at `per_second`."""

    __slots__ = ("_burst", "_left", "_per_ns", "_seen_ns")

    def __init__(self, per_second: int, burst: int, now_ns: int) -> None:
        self._burst, self._left = float(burst), float(burst)
        self._per_ns, self._seen_ns = per_second / 1e9, now_ns

    def take(self, now_ns: int) -> bool:
        """Whether one more message is within the limit; takes it if so."""
        if now_ns > self._seen_ns:  # bytes can have lain there since before the bucket was made
            self._left = min(self._burst, self._left + (now_ns - self._seen_ns) * self._per_ns)
            self._seen_ns = now_ns
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def give(self) -> None:
        """One message more: the server has just asked for it."""
        self._left = min(self._burst, self._left + 1)


class LoopLagMonitor:
    """A regular tick of the loop: when one is overdue, the loop has not looked at its sockets since it was due.

    A short lag is taken off the time of arrival of what lay unread. A long one is no lag: the process stood still,
    and whoever keeps clocks is told, before anything that lay unread is handled. Neither is charged to a bot.
    """

    def __init__(self, now_ns: Clock, process_paused: Callable[[int, int], None]) -> None:
        """process_paused: called with the latest instant at which the process surely ran, and with now."""
        self._now_ns, self._process_paused = now_ns, process_paused
        self._due_ns: int | None = None
        self._ticked_ns = 0  # when the last late tick came
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to tick."""
        self._due_ns = self._now_ns() + TICK_NS
        self._timer = asyncio.get_running_loop().call_at(self._due_ns / 1e9, self._tick)

    def stop(self) -> None:
        """Tick no more."""
        if self._timer is not None:
            self._timer.cancel()
        self._due_ns = None

    def _tick(self) -> None:
        """An overdue tick may come before what lay unread is read: until that is done, it stays overdue."""
        now_ns = self._now_ns()
        if self._due_ns is None or now_ns - self._due_ns < LATE_NS:
            self.start()
        else:
            self.earliest_arrival_ns(now_ns)
            self._stay_overdue(now_ns)

    def _stay_overdue(self, now_ns: int) -> None:
        """Until everything that had come by now is read."""
        self._ticked_ns = now_ns
        self._timer = asyncio.get_running_loop().call_later(READ_CYCLE_S, self._go_on)

    def _go_on(self) -> None:
        """Tick again, unless the loop was held up just now, too: what came meanwhile is not read yet."""
        now_ns, ticked_ns = self._now_ns(), self._ticked_ns
        self.earliest_arrival_ns(now_ns)
        if self._due_ns is None or now_ns - ticked_ns - READ_CYCLE_NS < LATE_NS:
            self.start()
        else:
            self._due_ns = max(self._due_ns, ticked_ns)
            self._stay_overdue(now_ns)

    def earliest_arrival_ns(self, now_ns: int) -> int:
        """The earliest time at which bytes read now can have arrived, as far as the monitor can tell."""
        due_ns = self._due_ns
        if due_ns is None or now_ns <= due_ns:
            return now_ns
        if is_process_pause(due_ns, now_ns):
            self._due_ns = now_ns
            self._process_paused(due_ns, now_ns)
            return now_ns
        return due_ns


class WebsocketProtocol(ServerConnection):
    """The library's connection, with its frames going straight to a `WebsocketConnection` inside the read callback."""

    line: WebsocketConnection
    _between_frames = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A TCP connection, cut at once if too many have not finished their handshake."""
        super().connection_made(transport)
        if not self.line.may_begin():
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tells the gateway, for what never became a websocket."""
        super().connection_lost(exc)
        self.line.lost()

    def data_received(self, data: bytes) -> None:
        """Stamps what was read, then parses it, slice by slice: a flood is cut off in the middle."""
        self.line.read()
        for start in range(0, len(data), SLICE_BYTES):
            piece = data[start : start + SLICE_BYTES] if len(data) > SLICE_BYTES else data
            if not self.line.takes(len(piece)):
                return
            rest = self._take_whole_messages(piece) if self._between_frames else piece
            if rest:
                super().data_received(rest)
                self._give_up_lost_handshake()
                self._between_frames = self._is_between_frames()
        if self.protocol.state is State.CLOSING:
            self.line.closing()

    def _take_whole_messages(self, data: bytes) -> bytes:
        """Hand on the messages that `data` begins with; returns what is left for the library to judge.

        Only a masked frame that is here to its end and is a message by itself is taken. That is what a move is, and
        the library needs 7 microseconds for each, a sixth of what a move may take.
        """
        at, size, line = 0, len(data), self.line
        longest = self.protocol.max_message_size or 0
        while size - at > 2 and data[at] in (WHOLE_TEXT, WHOLE_BINARY):
            length, mask = data[at + 1] - MASKED, at + 2
            if length == MEDIUM:
                length, mask = int.from_bytes(data[mask : mask + 2], "big"), mask + 2
            elif not 0 <= length <= SHORT:
                break
            start = mask + 4
            if start + length > size or length > longest or not line.hears:
                break
            line.message(apply_mask(data[start : start + length], data[mask:start]), data[at] == WHOLE_TEXT)
            at = start + length
        return data[at:] if at else data

    def _is_between_frames(self) -> bool:
        """Whether the library has parsed everything to the end of a message, and waits for the head of another."""
        protocol = self.protocol
        waits: Any = protocol.parser  # generators, the innermost of which knows what is awaited
        if protocol.state is not State.OPEN or protocol.current_size is not None:
            return False
        while waits.gi_yieldfrom is not None:
            waits = waits.gi_yieldfrom
        return waits.gi_code is StreamReader.at_eof.__code__

    def eof_received(self) -> None:
        """The peer says nothing more."""
        super().eof_received()
        self._give_up_lost_handshake()

    def _give_up_lost_handshake(self) -> None:
        """What stood behind a request was no websocket frame, or the end: the library has hung up, and must not answer.

        It would find itself in an impossible state and log an error of its own for what a stranger has sent.
        """
        if self.protocol.state is State.CONNECTING and self.protocol.eof_sent:
            self.protocol.state = State.CLOSING
            self.transport.abort()

    def send_data(self) -> None:
        """All frames at once, and counted, so that it can be told whether the peer takes any of it."""
        writes = self.protocol.writes
        if len(writes) > 1 and SEND_EOF not in writes:
            writes = self.protocol.writes = [b"".join(writes)]
        for data in writes:
            self.line.written_bytes += len(data)
        super().send_data()

    def process_event(self, event: Event) -> None:
        """One parsed frame goes to the line; the handshake stays with the library."""
        if isinstance(event, Frame):
            self.line.frame(event)
        else:
            super().process_event(event)

    def pause_writing(self) -> None:
        """The library's back-pressure is for its awaiting senders; a line has limits of its own."""

    def resume_writing(self) -> None:
        """See `pause_writing`."""


class WebsocketConnection:
    """One websocket as a `Connection` (base.py): assembles messages, sends once per turn of the loop."""

    def __init__(self, socket: WebsocketProtocol, gateway: ConnectionOwner) -> None:
        self.session = f"c{next(_numbers)}"
        self.address = "?"
        self.excused_s = 0.0
        self.is_loopback = False
        self.encoding = Encoding.JSON
        self.arrived_ns = 0
        self.allowance: TokenBucket | None = None
        self._socket, self._gateway = socket, gateway
        self._early: list[Frame] | None = []
        self._parts: list[bytes] = []
        self._is_text = False
        self._round_trips: deque[int] = deque(maxlen=ROUND_TRIPS_KEPT)
        self._ping: tuple[bytes, int] | None = None
        self.written_bytes = 0
        self._flush_planned = False
        self._taken_bytes, self._taken_at = 0, 0.0
        self._ended = False
        self._grace: asyncio.TimerHandle | None = None
        self._read_after_end = 0

    # --- in ---

    def may_begin(self) -> bool:
        """Whether the handshake may begin."""
        return self._gateway.comes(self._socket)

    def lost(self) -> None:
        """The TCP connection is lost."""
        self._gateway.gone(self._socket)

    def read(self) -> None:
        """Bytes were read now; they may have lain there for as long as the loop had not looked."""
        self.arrived_ns = self._gateway.lag_monitor.earliest_arrival_ns(self._gateway.now_ns())

    def takes(self, size: int) -> bool:
        """Whether so many more bytes shall be parsed; a peer that was sent its close frame is soon left unread."""
        if not self._ended:
            return True
        self._read_after_end += size
        if self._read_after_end > READ_AFTER_END_BYTES:
            with contextlib.suppress(RuntimeError):
                self._socket.transport.pause_reading()
            return False
        return True

    def frame(self, frame: Frame) -> None:
        """One frame as it was read; those that come before `attach` wait."""
        if frame.opcode in (Opcode.PING, Opcode.PONG):
            if not self._ended and self._gateway.allows(self) and frame.opcode is Opcode.PONG:
                self._pong(bytes(frame.data))
        elif frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            if self._early is None:
                self._data(frame)
            elif len(self._early) < FRAMES_BEFORE_ATTACHED:
                self._early.append(frame)
            else:
                self.close(CloseCode.FLOOD, "too many messages before the server could answer the handshake")

    @property
    def hears(self) -> bool:
        """Whether a message would be handed on now."""
        return self._early is None and not self._ended

    def message(self, data: bytes, is_text: bool) -> None:
        """A message that came whole, in a frame of its own."""
        self._gateway.message(self, data, is_text)

    def attach(self) -> None:
        """From here on messages are handed on; those that came with the handshake first."""
        early, self._early = self._early or [], None
        for frame in early:
            self._data(frame)

    def _data(self, frame: Frame) -> None:
        if self._ended:
            return
        if frame.opcode is not Opcode.CONT:
            self._is_text = frame.opcode is Opcode.TEXT
        elif len(self._parts) >= MOST_FRAGMENTS:
            self.close(CloseCode.FLOOD, f"a message in more than {MOST_FRAGMENTS} fragments")
            return
        self._parts.append(bytes(frame.data))
        if frame.fin:
            data, self._parts = b"".join(self._parts), []
            self._gateway.message(self, data, self._is_text)

    # --- round trips ---

    @property
    def round_trip_ns(self) -> int:
        """Shortest of the last eight round trips, of pings and of the kernel; 0 on loopback or while unmeasured."""
        return 0 if self.is_loopback or not self._round_trips else min(self._round_trips)

    def ping(self) -> None:
        """Ping, unless the last one is still unanswered (a bot that blocks while it thinks is no dead bot)."""
        if self._ping is None and self._is_open:
            now_ns = self._gateway.now_ns()
            self._ping = (now_ns.to_bytes(8, "big"), now_ns)
            self._socket.protocol.send_ping(self._ping[0])
            self._socket.send_data()

    def _pong(self, data: bytes) -> None:
        if self._ping is not None and data == self._ping[0]:
            pong_ns = self.arrived_ns - self._ping[1]
            self._round_trips.append(trip_ns(pong_ns, kernel_round_trip_ns(self._socket.transport)))
            self._ping = None

    # --- out ---

    @property
    def _is_open(self) -> bool:
        return not self._ended and self._socket.protocol.state is State.OPEN

    @property
    def backlog(self) -> int:
        """Bytes queued that the peer has not taken."""
        return self._socket.transport.get_write_buffer_size()

    def send(self, message: ServerMessage) -> None:
        """Queue a message. Never blocks, never raises."""
        if not self._is_open:
            return
        try:
            frame = self._gateway.framer.frame(message, self.encoding)
        except CodecError:
            log.exception("%s: a message of ours cannot be written: %r", self.session, message)
            self.close(CloseCode.SERVER_ERROR, "the server could not write a message")
            return
        self._socket.protocol.writes.append(frame)
        if self.allowance is not None and isinstance(message, ASKS_FOR_AN_ANSWER):
            self.allowance.give()
        if not self._flush_planned:
            self._flush_planned = True
            self._gateway.flush_soon(self)

    def flush(self) -> None:
        """Write what is queued."""
        self._flush_planned = False
        socket, most = self._socket, self._gateway.limits.send_buffer_bytes
        if not socket.protocol.writes or socket.transport.is_closing():
            return
        try:
            socket.send_data()
        except (OSError, RuntimeError) as error:
            self._cut(f"it cannot be written to: {error}")
            return
        if socket.transport.get_write_buffer_size() > most:
            self._cut(f"{most} bytes wait unread")

    def look_for_stuck_reader(self, now: float) -> None:
        """Cut a peer that has taken no byte for `send_timeout_s` while bytes wait."""
        waiting = self._socket.transport.get_write_buffer_size()
        taken = self.written_bytes - waiting
        if not waiting or taken > self._taken_bytes:
            self._taken_bytes, self._taken_at = taken, now
        elif now - self._taken_at > self._gateway.limits.send_timeout_s:
            self._cut("nothing was read for too long")

    def excuse(self, seconds: float) -> None:
        """The server stood still for so long: the peer cannot have done anything in that time."""
        self._taken_at += seconds
        self.excused_s += seconds

    # --- the end ---

    def close(self, code: CloseCode, reason: str) -> None:
        """Send the close frame behind what is queued; cut the line if the peer does not answer it in time."""
        if self._ended:
            return
        self._ended = True
        if self._socket.protocol.state is State.OPEN:
            short = reason.encode()[:LONGEST_REASON_BYTES].decode(errors="ignore")
            self._socket.protocol.send_close(code, short)
            with contextlib.suppress(OSError, RuntimeError):
                self._socket.send_data()
        self.closing()

    def closing(self) -> None:
        """A close frame is sent, by us or by the library: the peer has a moment to answer before the line is cut."""
        self._ended = True
        if self._grace is None:
            self._grace = self._socket.loop.call_later(CLOSING_GRACE_S, self._socket.transport.abort)

    def _cut(self, why: str) -> None:
        """Cut at once: the peer does not read, so no close frame would reach it."""
        log.info("%s: cut, %s", self.session, why)
        self._gateway.counts["slow_reader"] += 1
        self._ended = True
        self._socket.transport.abort()

    def ended(self) -> None:
        """The socket is closed: nothing more goes in or out."""
        self._ended = True
        if self._grace is not None:
            self._grace.cancel()

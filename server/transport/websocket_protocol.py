"""One websocket as an asyncio protocol: bytes to messages, and frames to bytes.

A message in one masked frame, which every move is, is unpacked here: the library takes 7 microseconds for each, a sixth
of what a move may take, and framing an answer 2.3 more. The library reads and judges everything else: the handshake,
control frames, fragments, and whatever is wrong. Only its public sans-I/O interface is used, but for the end: the
library and its parser hold each other, and many peers that come and go would leave 20 ms of work at once to the garbage
collector.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from abc import abstractmethod
from typing import cast

from websockets.frames import Frame
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from tabiya.server.transport.ws_frames import (
    MASKED,
    SHORT,
    WHOLE_BINARY,
    WHOLE_TEXT,
    frame_size,
    payload_start,
    unmasked,
)

LIBRARY_LOG = logging.getLogger("tabiya.websockets")
SLICE_BYTES = 16_384  # parsed at once: a read of 256 KiB can hold forty thousand empty frames, which take 0.3 s
END_OF_REQUEST = b"\r\n\r\n"


class WebsocketProtocol(asyncio.Protocol):
    """Parses and writes frames. What is done with them is decided by a subclass, in the abstract methods."""

    transport: asyncio.Transport

    def __init__(self, library: type[ServerProtocol], longest_message: int) -> None:
        self._library = library(max_size=longest_message, logger=LIBRARY_LOG)
        self._longest_message = longest_message
        self._request_tail = b""  # the last bytes of an unfinished request: its end may be cut
        self._request: Request | None = None  # that has come and is not yet answered
        self._head = b""  # of a frame, until it is here to its end
        self._frame_left = 0  # bytes to come of a frame that the library has begun to read
        self._in_fragments = False
        self._to_write: list[bytes] = []
        self.written_bytes = 0

    # --- what the subclass decides ---

    @property
    @abstractmethod
    def is_receiving(self) -> bool:
        """Whether a message would be taken now."""

    @abstractmethod
    def on_connected(self) -> bool:
        """A TCP connection was made: whether its handshake may begin; it is cut otherwise."""

    @abstractmethod
    def check_request(self, request: Request) -> Response | None:
        """The refusal of a request, None to go on with the handshake."""

    @abstractmethod
    def on_request(self) -> None:
        """A request has come: have it answered by `answer_request`."""

    @abstractmethod
    def on_open(self, subprotocol: Subprotocol | None) -> None:
        """The handshake is done."""

    @abstractmethod
    def on_read(self) -> None:
        """Bytes were read now."""

    @abstractmethod
    def may_parse(self, size: int) -> bool:
        """Whether to parse this many more bytes."""

    @abstractmethod
    def on_message(self, data: bytes, is_text: bool) -> None:
        """A message that came whole, in one frame."""

    @abstractmethod
    def on_frame(self, frame: Frame) -> None:
        """A frame that the library has parsed."""

    @abstractmethod
    def on_closing(self) -> None:
        """The closing handshake has begun; may be called again."""

    @abstractmethod
    def on_lost(self) -> None:
        """The TCP connection is gone."""

    # --- in ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Cut the TCP connection at once unless it may begin its handshake."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is none by inheritance
        self.transport.set_write_buffer_limits(0)  # what is flushed is written now, not behind the next reads
        if not self.on_connected():
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop, once."""
        self._library.parser.close()
        self.on_lost()

    def data_received(self, data: bytes) -> None:
        """Parse slice by slice: a flood is cut off in the middle."""
        self.on_read()
        for start in range(0, len(data), SLICE_BYTES):
            piece = data[start : start + SLICE_BYTES] if len(data) > SLICE_BYTES else data
            if not self.may_parse(len(piece)):
                return
            if self._library.state is State.CONNECTING:
                piece = self._read_request(piece)
            piece = self._head + piece if self._head else piece
            if self._request is None:
                self._read_frames(piece)
            else:
                self._keep(piece)

    def _keep(self, data: bytes) -> None:
        """Keep these bytes until the handshake is answered: some clients send without waiting for it."""
        self._head = data
        if len(data) > SLICE_BYTES:
            self.transport.abort()

    def eof_received(self) -> None:
        """The peer sends nothing more. Since this returns None the event loop closes the transport."""
        self.on_closing()

    def _read_request(self, data: bytes) -> bytes:
        """Give the library the request and nothing more; returns the bytes behind it, where the first frame begins."""
        if self._request is not None:
            return data
        seen = self._request_tail + data
        end = seen.find(END_OF_REQUEST)
        size = len(data) if end < 0 else end + len(END_OF_REQUEST) - len(self._request_tail)
        self._request_tail = seen[1 - len(END_OF_REQUEST) :]
        self._give_library(data[:size])
        return data[size:]

    def _read_frames(self, data: bytes) -> None:
        at, self._head = 0, b""
        while at < len(data):
            if self._library.state is not State.OPEN:  # closing, or refused: the library alone knows what still counts
                self._give_library(data[at:])
                return
            if self._frame_left:  # the rest of a frame whose beginning the library has: it must get all of it
                end = min(len(data), at + self._frame_left)
                self._frame_left -= end - at
                self._give_library(data[at:end])
                at = end
                continue
            at = self._read_whole_messages(data, at)
            if at < len(data) and self._library.state is State.OPEN:
                size = frame_size(data, at)
                if size is None:
                    self._head = data[at:]
                    return
                self._begin_frame(data[at], size)

    def _begin_frame(self, first_byte: int, size: int) -> None:
        """The library shall read this frame."""
        self._frame_left = size
        if not first_byte & 0x08:  # no control frame, which may stand between fragments
            self._in_fragments = not first_byte & 0x80

    def _read_whole_messages(self, data: bytes, at: int) -> int:
        """Pass on the whole masked messages from offset `at`; returns the offset of the first other byte."""
        size = len(data)
        while size - at > 2 and data[at] in (WHOLE_TEXT, WHOLE_BINARY) and data[at + 1] & MASKED:
            length = data[at + 1] - MASKED
            if length <= SHORT:  # as a move is
                start = at + 6
            else:
                start, length = payload_start(data, at)
            end = start + length
            # Left to the library: what is not here to its end, what it closes for as too long, a new message amid the
            # fragments of another (which breaks the protocol), and all that comes after the connection has ended.
            if end > size or length > self._longest_message or self._in_fragments or not self.is_receiving:
                break
            self.on_message(unmasked(data[start:end], data[start - 4 : start]), data[at] == WHOLE_TEXT)
            at = end
        return at

    def _give_library(self, data: bytes) -> None:
        self._library.receive_data(data)
        for event in self._library.events_received():
            if isinstance(event, Frame):
                self.on_frame(event)
            else:
                assert isinstance(event, Request)
                self._request = event
                self.on_request()
        self._after_library()

    def answer_request(self) -> None:
        """Answer the request that has come, unless the connection has ended since; then read what came behind it."""
        request, self._request = self._request, None
        assert request is not None
        if self.transport.is_closing():
            return
        self._library.send_response(self.check_request(request) or self._library.accept(request))
        self._after_library()
        if self.is_open:
            self.on_open(self._library.subprotocol)
        self._read_frames(self._head)

    def _after_library(self) -> None:
        """Write the library's pending bytes, and close the connection if it asks for that."""
        self.flush()
        if self._library.close_expected():
            self.on_closing()

    # --- out ---

    @property
    def is_open(self) -> bool:
        """Whether messages can go both ways: after the handshake, before any close frame."""
        return self._library.state is State.OPEN

    def queue(self, frame: bytes) -> None:
        """Have a whole frame written by the next `flush`."""
        self._to_write.append(frame)

    def flush(self) -> None:
        """Write the queued frames, then the library's pending bytes. Raises OSError, RuntimeError."""
        to_write, self._to_write = self._to_write, []
        ends = False
        for data in self._library.data_to_send():
            if data:
                to_write.append(data)
            else:  # empty bytes are the library's way to say that the TCP stream ends here
                ends = True
        if self.transport.is_closing():
            return
        if to_write:
            data = to_write[0] if len(to_write) == 1 else b"".join(to_write)
            self.written_bytes += len(data)
            self.transport.write(data)
        if ends and self.transport.can_write_eof():
            with contextlib.suppress(OSError, RuntimeError):
                self.transport.write_eof()

    def send_ping(self, payload: bytes) -> None:
        self._library.send_ping(payload)
        self.flush()

    def send_close(self, code: int, reason: str) -> None:
        """Send a close frame behind what is queued."""
        self.flush()
        self._library.send_close(code, reason)
        with contextlib.suppress(OSError, RuntimeError):  # the line is gone, which is what is wanted
            self.flush()

    def reject(self, status: int, text: str) -> Response:
        """An HTTP answer in place of a handshake."""
        return self._library.reject(status, text)

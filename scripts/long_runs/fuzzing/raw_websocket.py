"""A websocket client that sends any frame, byte by byte, also what no library would send.

socket = await RawWebsocket.connect(host, port)
await socket.upgrade(Encoding.JSON)          # raises Closed when the server does not want to
socket.data('{"type":"hello"}')              # queued; `await socket.flush()` waits until the peer takes it
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable

from scripts.websocket_frames import BINARY, CLOSE, PONG, TEXT, FrameReader, client_frame, handshake, message_frame
from tabiya.protocol.codec import CodecError, Encoding, decode_server
from tabiya.protocol.messages import ServerMessage

PATIENCE_S = 30.0
READ_BYTES = 65_536


class Closed(Exception):
    """The server has ended the connection, or does not answer; the text says how."""


class RawWebsocket:
    """One connection. on_message: called for each message.  wrong: frames of the server that are no message of it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.encoding = Encoding.JSON
        self.on_message: Callable[[ServerMessage], object] = lambda message: None
        self.kinds: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.close_code: int | None = None
        self._listener: asyncio.Task[None] | None = None
        self._ponged, self._spoken_to = asyncio.Event(), asyncio.Event()

    @classmethod
    async def connect(cls, host: str, port: int) -> RawWebsocket:
        """A TCP connection. Raises OSError."""
        return cls(*await asyncio.open_connection(host, port))

    async def upgrade(self, encoding: Encoding | None, *headers: str) -> None:
        """The handshake; None names no subprotocol and means JSON. Raises Closed."""
        self.encoding = encoding or Encoding.JSON
        self.raw(handshake(encoding.subprotocol if encoding else "", *headers))
        try:
            async with asyncio.timeout(PATIENCE_S):
                head = await self._reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, TimeoutError, OSError) as error:
            raise Closed(f"no answer to the handshake: {error!r}") from None
        if b" 101 " not in head:
            raise Closed(head.decode("latin-1"))
        if b"permessage-deflate" in head.lower():
            self.wrong.append("compression was agreed to")
        self._listener = asyncio.ensure_future(self._listen())

    # --- out

    def raw(self, data: bytes) -> None:
        """Any bytes; nothing once the connection is lost."""
        if not self._writer.transport.is_closing():
            self._writer.write(data)

    def frame(self, opcode: int, data: bytes = b"", *, fin: bool = True, rsv: int = 0, masked: bool = True) -> None:
        """One frame. rsv: the three reserved bits."""
        self.raw(client_frame(data, opcode, fin=fin, rsv=rsv, masked=masked))

    def data(self, frame: str | bytes) -> None:
        """One message."""
        self.raw(message_frame(frame))

    async def flush(self) -> None:
        """Wait until what was written is taken. Raises Closed."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._writer.drain()
        except (OSError, TimeoutError) as error:
            raise Closed(repr(error)) from None

    @property
    def is_closed(self) -> bool:
        """Whether the server has said that it ends it, or has ended it."""
        return self._listener is None or self._listener.done()

    async def ended(self, patience_s: float = PATIENCE_S) -> None:
        """Wait until the server has closed it. Raises Closed when it does not."""
        if self._listener is not None:
            done, _ = await asyncio.wait([self._listener], timeout=patience_s)
            if not done:
                raise Closed(f"the server has not closed the connection in {patience_s:g} s")

    async def ponged(self, patience_s: float = PATIENCE_S) -> None:
        """Wait for the answer to a ping, which comes in order, or the end. Raises Closed when there is neither."""
        if not await self._comes(self._ponged, patience_s):
            raise Closed(f"no answer to a ping in {patience_s:g} s")
        self._ponged.clear()

    async def first_message(self, patience_s: float = PATIENCE_S) -> None:
        """Wait for the first message of the server, or the end. Raises Closed when there is neither."""
        if not await self._comes(self._spoken_to, patience_s):
            raise Closed(f"no answer to hello in {patience_s:g} s")

    async def _comes(self, what: asyncio.Event, patience_s: float) -> bool:
        """Whether it, or the end of the connection, comes in time."""
        assert self._listener is not None
        waiter = asyncio.ensure_future(what.wait())
        done, _ = await asyncio.wait([waiter, self._listener], timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
        waiter.cancel()
        return bool(done)

    def stop_reading(self) -> None:
        """Read nothing from now on, so that the server's messages pile up."""
        self._writer.transport.pause_reading()  # type: ignore[attr-defined]

    async def drop(self, *, reset: bool = False) -> None:
        """End it: with a reset, or in order."""
        if reset:
            self._writer.transport.abort()
        self._writer.close()
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.gather(self._listener, return_exceptions=True)
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(1.0):
                await self._writer.wait_closed()

    # --- in

    async def _listen(self) -> None:
        frames = FrameReader(accepted=True)
        with contextlib.suppress(OSError):
            while data := await self._reader.read(READ_BYTES):
                for opcode, payload in frames.read(data):
                    self._take(opcode, payload)
                    if opcode == CLOSE:
                        return

    def _take(self, opcode: int, data: bytes) -> None:
        if opcode in (TEXT, BINARY):
            try:
                message = decode_server(data.decode() if opcode == TEXT else data, self.encoding)
            except (CodecError, UnicodeDecodeError) as error:
                self.wrong.append(f"not a message of a server: {error}")
                return
            self._spoken_to.set()
            self.kinds[type(message).__name__] += 1
            self.on_message(message)
        elif opcode == PONG:
            self._ponged.set()
        elif opcode == CLOSE and len(data) >= 2:
            self.close_code = int.from_bytes(data[:2], "big")

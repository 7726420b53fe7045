"""Websocket frames of a peer that is no library: what it sends, and what it reads of a server's bytes."""

from __future__ import annotations

from collections.abc import Iterator

from tabiya.protocol.encodings import Encoding

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
END_OF_HEAD = b"\r\n\r\n"
HANDSHAKE = (
    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Protocol: {}\r\n\r\n"
)
NO_MASK = bytes(4)


def handshake(encoding: Encoding) -> bytes:
    """The request that begins a connection."""
    return HANDSHAKE.format(encoding.subprotocol).encode()


def frame(opcode: int, data: bytes) -> bytes:
    """One whole frame, masked with zeros."""
    size = len(data)
    length = bytes([size | 0x80]) if size < 126 else bytes([126 | 0x80]) + size.to_bytes(2, "big")
    return bytes([opcode | 0x80]) + length + NO_MASK + data


def message_frame(data: str | bytes) -> bytes:
    """The frame of one message."""
    return frame(TEXT, data.encode()) if isinstance(data, str) else frame(BINARY, data)


class FrameReader:
    """Reads a server's bytes: the head of its answer to the handshake, then frames (never masked, never in parts)."""

    def __init__(self) -> None:
        self._unread = b""
        self.accepted: bool | None = None  # whether the handshake was; None before its end

    def read(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Opcode and data of each frame that is now complete."""
        self._unread += data
        if self.accepted is None and not self._read_head():
            return
        while (found := self._frame()) is not None:
            yield found

    def _read_head(self) -> bool:
        head, end, rest = self._unread.partition(END_OF_HEAD)
        if not end:
            return False
        self.accepted, self._unread = b" 101 " in head, rest
        return True

    def _frame(self) -> tuple[int, bytes] | None:
        unread = self._unread
        if len(unread) < 2:
            return None
        size, start = unread[1], 2
        if size >= 126:
            start += 2 if size == 126 else 8
            size = int.from_bytes(unread[2:start], "big")
        if len(unread) < start + size:
            return None
        self._unread = unread[start + size :]
        return unread[0] & 15, unread[start : start + size]

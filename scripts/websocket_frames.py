"""Websocket frames byte by byte: for a load generator, a simulated network, and clients that break the rules.

A library's client needs more time for a frame than the server that is to be measured, and refuses to send what a server
must withstand. Masks are zero.
"""

from __future__ import annotations

from collections.abc import Iterator

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
MASK = bytes(4)
END_OF_HEAD = b"\r\n\r\n"
KEY = "dGhlIHNhbXBsZSBub25jZQ=="  # of RFC 6455; the server's answer to it is not checked


def handshake(subprotocol: str = "", *headers: str) -> bytes:
    """The request that opens a websocket; an empty subprotocol names none."""
    lines = [
        "GET / HTTP/1.1",
        "Host: localhost",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {KEY}",
        "Sec-WebSocket-Version: 13",
        *([f"Sec-WebSocket-Protocol: {subprotocol}"] if subprotocol else []),
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def client_frame(data: bytes, opcode: int = BINARY, *, fin: bool = True, rsv: int = 0, masked: bool = True) -> bytes:
    """One whole frame. rsv: the three reserved bits."""
    size, mask_bit = len(data), 0x80 if masked else 0
    first = opcode | rsv << 4 | (0x80 if fin else 0)
    if size < 126:
        head = bytes((first, mask_bit | size))
    elif size < 65_536:
        head = bytes((first, mask_bit | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((first, mask_bit | 127)) + size.to_bytes(8, "big")
    return head + MASK + data if masked else head + data


def message_frame(message: str | bytes) -> bytes:
    """The frame of one message."""
    if isinstance(message, str):
        return client_frame(message.encode("utf-8", "surrogatepass"), TEXT)
    return client_frame(message)


def server_frame_end(data: bytes, at: int) -> tuple[int, int]:
    """Where the payload of the frame at `at` begins and ends; an end of -1 if its head is not complete."""
    if len(data) - at < 2:
        return 0, -1
    size, start = data[at + 1], at + 2
    if size < 126:
        return start, start + size
    start += 2 if size == 126 else 8
    if len(data) < start:
        return 0, -1
    return start, start + int.from_bytes(data[at + 2 : start], "big")


class FrameReader:
    """Reads a server's bytes: its answer to the handshake unless that is `accepted` already, then its frames."""

    def __init__(self, *, accepted: bool | None = None) -> None:
        self._unread = b""
        self.accepted = accepted  # None until the answer is complete
        self.head = b""  # of the answer

    def read(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Opcode and payload of each frame that is now complete."""
        self._unread += data
        if self.accepted is None and not self._read_head():
            return
        while True:
            start, end = server_frame_end(self._unread, 0)
            if not 0 < end <= len(self._unread):
                return
            opcode, payload = self._unread[0] & 15, self._unread[start:end]
            self._unread = self._unread[end:]
            yield opcode, payload

    def _read_head(self) -> bool:
        head, end, rest = self._unread.partition(END_OF_HEAD)
        if end:
            self.accepted, self.head, self._unread = b" 101 " in head, head, rest
        return bool(end)

"""The least of a websocket that a load generator needs: binary frames, zero masks, a handshake.

A library would need more time for a frame than the server that is to be measured.
"""

from __future__ import annotations

BINARY, CLOSE, PING = 0x82, 0x88, 0x89
PONG = 0x8A
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
MASK = bytes(4)
LONGEST_SHORT = 125


def handshake(subprotocol: str) -> bytes:
    """The request that opens a websocket; an empty subprotocol names none."""
    lines = [
        "GET / HTTP/1.1",
        "Host: localhost",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {KEY}",
        "Sec-WebSocket-Version: 13",
    ]
    if subprotocol:
        lines.append(f"Sec-WebSocket-Protocol: {subprotocol}")
    return "\r\n".join([*lines, "", ""]).encode()


def client_frame(payload: bytes, opcode: int = BINARY) -> bytes:
    """A whole frame of a client."""
    size = len(payload)
    if size <= LONGEST_SHORT:
        return bytes((opcode, 0x80 | size)) + MASK + payload
    return bytes((opcode, 0x80 | 126)) + size.to_bytes(2, "big") + MASK + payload


def server_frame_end(data: bytes, at: int) -> tuple[int, int]:
    """Where the payload of the frame at `at` begins and ends; an end of -1 if its head is not complete."""
    if len(data) - at < 2:
        return 0, -1
    size = data[at + 1]
    if size <= LONGEST_SHORT:
        return at + 2, at + 2 + size
    width = 2 if size == 126 else 8
    start = at + 2 + width
    if len(data) < start:
        return 0, -1
    return start, start + int.from_bytes(data[at + 2 : start], "big")

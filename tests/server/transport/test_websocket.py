"""Frames to messages and back: the short way for whole messages gives the same as the library, however bytes arrive."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side, State

from tabiya.protocol.codec import Encoding, encode
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import Notice
from tabiya.server.transport.websocket import WebsocketConnection
from tabiya.server.transport.ws_frames import Framer, unmasked, whole_frame, xor_mask
from tests.live import live_server, welcomed

Message = tuple[bytes, bool]


class Received:
    """A connection of a running server whose messages are kept, and how many frames the library has parsed."""

    def __init__(self, connection: WebsocketConnection, monkeypatch: pytest.MonkeyPatch) -> None:
        self.connection = connection
        self.messages: list[Message] = []
        self.by_library = 0
        parse = connection.on_frame

        def frame(parsed: Frame) -> None:
            self.by_library += 1
            parse(parsed)

        monkeypatch.setattr(connection, "on_frame", frame)
        monkeypatch.setattr(connection, "on_message", lambda data, is_text: self.messages.append((data, is_text)))

    def read(self, data: bytes, cuts: list[int]) -> None:
        """Bytes arrive, cut into pieces at these places."""
        for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
            if end > start:
                self.connection.data_received(data[start:end])


@pytest.fixture
async def received(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Received]:
    generous = WireLimits(message_burst=10_000)
    async with live_server(limits=generous) as server, welcomed(server.websocket_url, "ada", Encoding.MSGPACK):
        (connection,) = server.gateway._open
        yield Received(connection, monkeypatch)


def frame_of(payload: bytes, opcode: Opcode = Opcode.BINARY, *, fin: bool = True) -> bytes:
    return Frame(opcode, payload, fin).serialize(mask=True, extensions=[])


def several(seed: int) -> tuple[bytes, list[Message]]:
    """Frames of all kinds in one stream, and the messages in them."""
    chance = random.Random(seed)
    stream, messages = b"", list[Message]()
    for _ in range(40):
        payload = chance.randbytes(chance.choice((0, 1, 40, 125, 126, 127, 300, 2_000)))
        is_text = chance.random() < 0.5
        opcode = Opcode.TEXT if is_text else Opcode.BINARY
        kind = chance.random()
        if kind < 0.15:
            stream += frame_of(payload[:100], chance.choice((Opcode.PING, Opcode.PONG)))
            continue
        if kind < 0.3:
            cut = chance.randint(0, len(payload))
            stream += frame_of(payload[:cut], opcode, fin=False) + frame_of(b"ping", Opcode.PING)
            stream += frame_of(payload[cut:], Opcode.CONT)
        else:
            stream += frame_of(payload, opcode)
        messages.append((payload, is_text))
    return stream, messages


@pytest.mark.parametrize("seed", range(20))
async def test_messages_are_the_same_wherever_the_stream_is_cut(received: Received, seed: int) -> None:
    stream, messages = several(seed)
    chance = random.Random(-seed)
    received.read(stream, sorted(chance.sample(range(len(stream)), chance.randint(0, 60))))
    assert received.messages == messages


async def test_a_stream_that_comes_byte_by_byte_holds_the_same_messages(received: Received) -> None:
    stream, messages = several(99)
    received.read(stream, list(range(1, len(stream))))
    assert received.messages == messages


async def test_whole_messages_do_not_pass_through_the_library(received: Received) -> None:
    received.read(frame_of(b"move") * 50 + frame_of(b"m" * 200), [])
    assert len(received.messages) == 51
    assert received.by_library == 0


async def test_the_short_way_is_taken_again_after_a_message_in_fragments(received: Received) -> None:
    parts = frame_of(b"mo", fin=False) + frame_of(b"ve", Opcode.CONT)
    received.read(parts, [])
    received.read(frame_of(b"move"), [])
    assert received.messages == [(b"move", False)] * 2
    assert received.by_library == 2


@pytest.mark.parametrize(
    "wrong",
    [
        Frame(Opcode.BINARY, b"bare").serialize(mask=False, extensions=[]),
        bytes((0xC2, 0x84)) + bytes(4) + b"rsv1",
        frame_of(b"more", Opcode.CONT),
        bytes((0x82, 0xFE)) + (16_385).to_bytes(2, "big") + bytes(4 + 16_385),
        bytes((0x83, 0x80)) + bytes(4),
    ],
    ids=["unmasked", "reserved bit", "nothing to continue", "too long", "unknown opcode"],
)
async def test_incomplete_messages_are_left_to_the_library(received: Received, wrong: bytes) -> None:
    received.read(frame_of(b"move") + wrong + frame_of(b"late"), [])
    assert received.messages == [(b"move", False)]
    assert not received.connection.is_open


async def test_nothing_is_handed_on_after_the_line_was_closed_in_the_middle_of_a_read(
    received: Received, monkeypatch: pytest.MonkeyPatch
) -> None:
    def close(data: bytes, is_text: bool) -> None:
        received.messages.append((data, is_text))
        received.connection.close(CloseCode.FLOOD, "enough")

    monkeypatch.setattr(received.connection, "on_message", close)
    received.read(frame_of(b"one") + frame_of(b"two"), [])
    assert received.messages == [(b"one", False)]


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 300])
def test_a_payload_is_unmasked_the_same_with_and_without_the_librarys_compiled_function(size: int) -> None:
    payload = random.Random(size).randbytes(size)
    assert xor_mask(xor_mask(payload, b"mask"), b"mask") == payload
    assert unmasked(payload, b"mask") == xor_mask(payload, b"mask")


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
@pytest.mark.parametrize("text", [False, True])
def test_a_message_goes_out_in_the_frame_that_the_library_would_write(size: int, text: bool) -> None:
    library: Any = Protocol(Side.SERVER, state=State.OPEN)
    if text:
        library.send_text(b"x" * size)
    else:
        library.send_binary(b"x" * size)
    assert [whole_frame("x" * size if text else b"x" * size)] == library.data_to_send()


def test_a_message_to_many_is_encoded_once_per_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[Encoding] = []

    def counted(message: Notice, encoding: Encoding) -> str | bytes:
        encoded.append(encoding)
        return encode(message, encoding)

    monkeypatch.setattr("tabiya.server.transport.ws_frames.encode", counted)
    framer, first, second = Framer(), Notice(kind="news", text="one"), Notice(kind="news", text="two")
    for message in (first, second, first):
        for encoding in 3 * tuple(Encoding):
            assert framer.frame(message, encoding) == whole_frame(encode(message, encoding))
    assert encoded == 3 * [*Encoding]

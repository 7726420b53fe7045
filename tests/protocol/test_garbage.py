"""Whatever bytes arrive, the codec raises `CodecError` and nothing else, and never asks for much memory."""

import tracemalloc
from collections.abc import Callable

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabiya.protocol.codec import CodecError, Encoding, decode_client, decode_server, encode
from tabiya.protocol.codes import RefusalCode
from tabiya.protocol.messages import Message
from tests.protocol.strategies import client_messages, server_messages, steady

FRAME_BYTES = 16_384


def read_both_ways(frame: str | bytes) -> list[CodecError]:
    """Reads a frame as every sender and every encoding; the errors that came. Any other exception goes through."""
    read = [
        error_or_message(decode, frame, encoding) for decode in (decode_client, decode_server) for encoding in Encoding
    ]
    errors = [outcome for outcome in read if isinstance(outcome, CodecError)]
    for error in errors:
        assert 0 < len(str(error)) <= 1_000
        assert str(error).encode(), "what the refusal says must itself be sendable"
        assert error.code in (RefusalCode.BAD_MESSAGE, RefusalCode.UNKNOWN_TYPE)
    return errors


def error_or_message(decode: Callable[..., Message], frame: str | bytes, encoding: Encoding) -> Message | CodecError:
    try:
        message = decode(frame, encoding)
    except CodecError as error:
        return error
    encode(message, encoding)
    return message


@pytest.mark.slow
@steady
@given(frame=st.binary(max_size=300) | st.text(st.characters(), max_size=300))
def test_random_bytes_and_texts(frame: bytes | str) -> None:
    assert len(read_both_ways(frame)) >= 2  # a frame of the other kind is always wrong


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.slow
@steady
@given(value=JSON_VALUES)
def test_well_formed_values_that_are_no_messages(value: object) -> None:
    try:
        packed = msgpack.packb(value)
    except OverflowError:
        return
    assert len(read_both_ways(packed)) >= 2


@pytest.mark.slow
@steady
@given(message=client_messages | server_messages, data=st.data())
def test_valid_frames_cut_short_or_with_some_bytes_changed(message: Message, data: st.DataObject) -> None:
    for encoding in Encoding:
        frame = encode(message, encoding)
        read_both_ways(frame[: data.draw(st.integers(0, len(frame) - 1))])
        raw = bytearray(frame.encode() if isinstance(frame, str) else frame)
        for _ in range(data.draw(st.integers(1, 4))):
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
        read_both_ways(bytes(raw))
        read_both_ways(raw.decode("utf-8", "replace"))


@pytest.mark.slow
@steady
@given(
    kind=st.sampled_from(["hello", "move", "seek", "turn", "watching"]),
    fields=st.dictionaries(st.sampled_from(["match", "ply", "move", "name", "info", "game"]), JSON_VALUES),
)
def test_messages_with_any_value_in_any_field(kind: str, fields: dict[str, object]) -> None:
    try:
        packed = msgpack.packb({"type": kind, **fields})
    except OverflowError:
        return
    read_both_ways(packed)


def test_nesting_in_a_field_of_later_versions_is_read_or_refused() -> None:
    """Python's json reads it from 3.13 on; nothing else may come of it."""
    read_both_ways('{"type":"resign","match":7,"later":' + "[" * 8_000 + "]" * 8_000 + "}")


@pytest.mark.parametrize(
    "frame",
    [
        "[" * FRAME_BYTES,
        '{"a":' * 3_000,
        '{"type":"resign","later":' + "[" * 8_000 + "]" * 8_000 + "}",
        '{"type":"resign","match":' + "9" * 16_000 + "}",
        '{"type":"resign","match":-' + "9" * 16_000 + "}",
        '{"type":"resign","match":1e999999}',
        '{"type":"resign","match":NaN}',
        '{"type":"resign","match":Infinity}',
        '{"type":"hello","name":"\ud800"}',
        r'{"type":"hello","name":"\ud800"}',
        r'{"type":"hello","name":"\udfff\ud800"}',
        '{"type":"hello","name":"a\x00"',
        "\x00",
        "\ufeff{}",
        "",
        " ",
    ],
)
def test_hostile_texts(frame: str) -> None:
    assert len(read_both_ways(frame)) == 4


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xc1",  # the byte MessagePack does not use
        b"\x91" * FRAME_BYTES,  # arrays in arrays
        b"\x81\xa1a" * 5_000,  # maps in maps
        b"\xdd\xff\xff\xff\xff",  # an array of 4,294,967,295 items
        b"\xdf\xff\xff\xff\xff",  # a map of as many
        b"\xdb\xff\xff\xff\xff",  # a text of as many bytes
        b"\xc6\xff\xff\xff\xff",  # the same in bytes
        b"\xc9\xff\xff\xff\xff\x01",  # an extension of as many
        b"\x82\xa4type\xa6resign\xa5match\xcf" + b"\xff" * 8,  # 2**64 - 1
        b"\x82\xa4type\xa6resign\xa5match\xd3\x80" + b"\x00" * 7,  # -2**63
        b"\x82\xa4type\xa6resign\xa5match\xcb\x7f\xf8" + b"\x00" * 6,  # nan
        b"\x82\xa4type\xa6resign\xa5match\xcb\x7f\xf0" + b"\x00" * 6,  # infinity
        b"\x82\xa4type\xa5hello\xa4name\xa3\xed\xa0\x80",  # half a surrogate pair
        b"\x82\xa4type\xa5hello\xa4name\xc4\x01a",  # bytes for text
        b"\x81\xa4type\xd7\xff" + b"\xff" * 8,  # a timestamp out of range
        b"\x81\xa4type\xd6\xff" + b"\x00" * 4,  # a timestamp
        b"\x81\xc0\xc0",  # nil as a key
        b"\x81\x90\xc0",  # an array as a key
        b"\x81\xa4type\x81\xa4type\xa4move",
        b"\x82\xa4type\xa6resign\xa5match\x07\x00",  # a byte too many
    ],
)
def test_hostile_bytes(frame: bytes) -> None:
    assert len(read_both_ways(frame)) == 4


@pytest.mark.slow
@pytest.mark.parametrize("header", [b"\xdd\x00\x00\x40\x00", b"\xdc\x04\x00", b"\xde\x04\x00\xa1a", b"\x9f"])
def test_nested_large_arrays_do_not_fill_the_memory(header: bytes) -> None:
    frame = (header * FRAME_BYTES)[:FRAME_BYTES]
    tracemalloc.start()
    try:
        with pytest.raises(CodecError):
            decode_client(frame, Encoding.MSGPACK)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 32 * 1_048_576

"""Every message survives both encodings, and what bots add or misspell is met as the page promises."""

import msgpack
import msgspec
import pytest
from hypothesis import given, settings

from tabiya.protocol.codec import CodecError, Encoding, decode_client, decode_server, encode
from tabiya.protocol.codes import RefusalCode
from tabiya.protocol.messages import (
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
    ClientMessage,
    Hello,
    Message,
    Move,
    MoveInfo,
    Refused,
)
from tabiya.protocol.messages.client import snake_case
from tests.protocol.strategies import client_messages, server_messages, steady

ENCODINGS = pytest.mark.parametrize("encoding", list(Encoding))


def frame(message: object, encoding: Encoding) -> str | bytes:
    """A frame of any value, in the way another language's libraries would write it."""
    if encoding is Encoding.JSON:
        return msgspec.json.encode(message).decode()
    packed: bytes = msgpack.packb(message)
    return packed


def refusal(message: object, encoding: Encoding) -> CodecError:
    with pytest.raises(CodecError) as caught:
        decode_client(frame(message, encoding), encoding)
    return caught.value


@pytest.mark.slow
@settings(steady, max_examples=400)
@given(message=client_messages | server_messages)
def test_every_message_comes_back_equal_and_has_the_same_fields_in_both_encodings(message: Message) -> None:
    decode = decode_client if isinstance(message, ClientMessage) else decode_server
    packed, text = encode(message, Encoding.MSGPACK), encode(message, Encoding.JSON)
    assert decode(packed, Encoding.MSGPACK) == decode(text, Encoding.JSON) == message
    assert packed == msgpack.packb(msgspec.to_builtins(message)), "to the byte as msgpack writes it"
    assert msgpack.unpackb(packed) == msgspec.json.decode(text)


def test_defaults_are_left_out_on_the_wire() -> None:
    assert encode(Hello(name="ada"), Encoding.JSON) == '{"type":"hello","name":"ada"}'


@pytest.mark.parametrize("kind", [*CLIENT_MESSAGES, *SERVER_MESSAGES])
def test_messages_cannot_be_changed_and_their_type_is_the_class_name_in_snake_case(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.frozen
    assert kind.__struct_config__.tag == snake_case(kind.__name__)
    assert snake_case("DrawOffer") == "draw_offer"


@ENCODINGS
def test_unknown_fields_are_ignored_at_every_depth(encoding: Encoding) -> None:
    sent = {"type": "move", "match": 7, "ply": 2, "move": "c3", "mood": {"a": [1]}, "info": {"depth": 3, "luck": 0.5}}
    assert decode_client(frame(sent, encoding), encoding) == Move(match=7, ply=2, move="c3", info=MoveInfo(depth=3))


@ENCODINGS
def test_an_unknown_type_or_one_of_the_server_is_refused_by_its_name(encoding: Encoding) -> None:
    assert refusal({"type": "turn", "match": 7}, encoding).code is RefusalCode.UNKNOWN_TYPE
    error = refusal({"type": "moev", "match": 7}, encoding)
    assert (error.code, error.about, error.match, error.garbage) == (RefusalCode.UNKNOWN_TYPE, "moev", 7, False)
    assert str(error).startswith('received the type "moev"; a bot may send hello, move, seek')


@ENCODINGS
def test_the_reader_of_server_messages_refuses_messages_of_bots(encoding: Encoding) -> None:
    with pytest.raises(CodecError, match="the server may send welcome, turn"):
        decode_server(frame({"type": "hello", "name": "ada"}, encoding), encoding)


@ENCODINGS
@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"type": "move", "match": 0, "ply": 2, "move": "c3"}, "move: match: expected an integer >= 1, received 0"),
        ({"type": "move", "match": 7, "move": "c3"}, "move: the field `ply` is missing"),
        ({"type": "move", "match": 7, "ply": "2", "move": "c3"}, 'move: ply: expected an integer, received "2"'),
        ({"type": "hello", "name": 3}, "hello: name: expected a text, received 3"),
        ({"type": "hello", "name": ["a"]}, "hello: name: expected a text, received a list of 1"),
        ({"type": "hello", "name": "a", "seek": ["x", 3]}, "hello: seek[1]: expected a text, received 3"),
        (
            {"type": "move", "match": 7, "ply": 2, "move": "c3", "info": {"pv": ["", "a"]}},
            'move: info.pv[0]: expected a text of length >= 1, received ""',
        ),
        (
            {"type": "seek", "game": "nim", "options": {"heaps": 1.5}},
            "seek: options[...]: expected true or false or an integer or a text, received something else",
        ),
    ],
)
def test_a_refusal_says_what_came_and_what_is_allowed(message: object, words: str, encoding: Encoding) -> None:
    assert str(refusal(message, encoding)) == words


@ENCODINGS
@pytest.mark.parametrize(
    ("info", "kept"),
    [
        ({"score": 12.5, "depth": 4}, MoveInfo(depth=4)),
        ({"time_ms": 3.7, "score": -3}, MoveInfo(score=-3)),
        ({"pv": ["c3"] * 129}, None),
        ({"pv": ["c3", ""], "nodes": 9, "more": 1.5}, MoveInfo(nodes=9)),
        ({"pv": ["a move that is too long"]}, None),
        ({"text": "x" * 501, "depth": -1}, None),
        ("deep", None),
        ([1], None),
    ],
)
def test_a_bad_info_costs_its_bad_fields_and_never_the_move(
    info: object, kept: MoveInfo | None, encoding: Encoding
) -> None:
    error = refusal({"type": "move", "match": 7, "ply": 2, "move": "c3", "info": info}, encoding)
    assert error.move == Move(match=7, ply=2, move="c3", info=kept)
    assert str(error).startswith("move: info")


@ENCODINGS
def test_a_move_that_is_bad_itself_is_not_played_whatever_its_info(encoding: Encoding) -> None:
    assert refusal({"type": "move", "match": 7, "ply": 2.5, "move": "c3", "info": {"depth": -1}}, encoding).move is None
    assert refusal({"type": "resign", "match": 0, "info": {"depth": -1}}, encoding).move is None


@ENCODINGS
def test_a_refusal_names_match_and_ply_where_they_can_be_read(encoding: Encoding) -> None:
    error = refusal({"type": "move", "match": 7, "ply": 2, "move": 5}, encoding)
    assert (error.match, error.ply) == (7, 2)
    error = refusal({"type": "move", "match": "7", "ply": -2, "move": 5}, encoding)
    assert (error.match, error.ply) == (None, None)


@ENCODINGS
def test_an_object_without_type_is_refused_and_not_garbage(encoding: Encoding) -> None:
    error = refusal({"match": 7}, encoding)
    assert (error.code, error.garbage, error.about) == (RefusalCode.BAD_MESSAGE, False, "")
    assert str(error).startswith("received an object without `type`")


@ENCODINGS
@pytest.mark.parametrize("name", [7, None, True, ["move"], {"move": 1}])
def test_a_type_that_is_no_text_is_refused(name: object, encoding: Encoding) -> None:
    assert refusal({"type": name}, encoding).code is RefusalCode.BAD_MESSAGE


@ENCODINGS
@pytest.mark.parametrize("value", [[], 1, "move", None, True, 1.5])
def test_a_message_that_is_no_object_is_refused(value: object, encoding: Encoding) -> None:
    assert refusal(value, encoding).garbage


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ("", "received an empty frame; a frame holds one message"),
        ("banana", 'received "banana", which is not JSON: invalid character (byte 0)'),
        ("{'type':'hello'}", "\"{'type':'hello'}\", which is not JSON: object keys must be strings (byte 1)"),
        ('\ufeff{"type":"hello","name":"a"}', "which is not JSON: it begins with a byte order mark"),
        ('{"type":"watch","match":7}\n{}', "which is not JSON: a frame holds one message; trailing characters"),
    ],
)
def test_what_is_not_json_is_shown_with_what_is_wrong(frame: str, words: str) -> None:
    with pytest.raises(CodecError) as caught:
        decode_client(frame, Encoding.JSON)
    assert words in str(caught.value)
    assert caught.value.garbage


def test_a_frame_of_the_other_kind_is_garbage() -> None:
    with pytest.raises(CodecError, match=r"received a binary frame; tabiya.v1.json has JSON in text frames") as caught:
        decode_client(b'{"type":"resign","match":7}', Encoding.JSON)
    assert caught.value.garbage
    with pytest.raises(CodecError, match=r"received a text frame; tabiya.v1.msgpack has MessagePack in binary frames"):
        decode_client('{"type":"resign","match":7}', Encoding.MSGPACK)


@ENCODINGS
def test_a_frame_longer_than_the_limit_is_not_even_decoded(encoding: Encoding) -> None:
    long = frame({"type": "hello", "name": "a" * 100}, encoding)
    with pytest.raises(CodecError, match=f"received a frame of {len(long)} .*; at most 50 are read"):
        decode_client(long, encoding, max_bytes=50)


@ENCODINGS
def test_text_that_cannot_be_encoded_raises_codec_error_and_leaves_nothing_behind(encoding: Encoding) -> None:
    move = Move(match=7, ply=2, move="c3")
    before = encode(move, encoding)
    with pytest.raises(CodecError, match=f"move cannot be written as {encoding}"):
        encode(Move(match=7, ply=2, move="c3", info=MoveInfo(text="\ud800")), encoding)
    assert encode(move, encoding) == before


@ENCODINGS
def test_a_refusal_code_travels_as_its_word(encoding: Encoding) -> None:
    sent = Refused(code=RefusalCode.WRONG_PLY, message="ply 3 is played")
    received = decode_server(encode(sent, encoding), encoding)
    assert isinstance(received, Refused)
    assert received.code == RefusalCode.WRONG_PLY
    assert type(received.code) is str

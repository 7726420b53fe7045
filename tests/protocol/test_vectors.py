"""The published test vectors: the codec writes exactly these bytes, reads them, and refuses what they say."""

from collections.abc import Sequence

import msgspec
import pytest

from scripts.docs.protocol_vectors import Readable, Refusal, Vector, read_vectors
from tabiya.games.registry import load_game
from tabiya.protocol.codec import CodecError, Encoding, decode_client, decode_server, encode
from tabiya.protocol.messages import CLIENT_MESSAGES, SERVER_MESSAGES, MatchStarted, Message, Turn

VECTORS = read_vectors()


def named(vectors: Sequence[Vector | Readable | Refusal]) -> list[object]:
    return [pytest.param(vector, id=vector.name) for vector in vectors]


def read(vector: Vector, encoding: Encoding) -> Message:
    decode = decode_client if vector.sender == "client" else decode_server
    return decode(vector.json if encoding is Encoding.JSON else bytes.fromhex(vector.msgpack), encoding)


def frame_of(vector: Readable | Refusal) -> str | bytes:
    return vector.frame if vector.encoding == "json" else bytes.fromhex(vector.frame)


@pytest.mark.parametrize("vector", named(VECTORS.messages))
def test_the_codec_reads_and_writes_precisely_these_bytes(vector: Vector) -> None:
    message = read(vector, Encoding.JSON)
    assert message == read(vector, Encoding.MSGPACK)
    packed = encode(message, Encoding.MSGPACK)
    assert isinstance(packed, bytes)
    assert encode(message, Encoding.JSON) == vector.json
    assert packed.hex() == vector.msgpack


@pytest.mark.parametrize("vector", named(VECTORS.readable))
def test_other_ways_to_write_a_message_are_read(vector: Readable) -> None:
    assert encode(decode_client(frame_of(vector), Encoding(vector.encoding)), Encoding.JSON) == vector.json


@pytest.mark.parametrize("vector", named(VECTORS.refused))
def test_bad_frames_are_refused_as_the_vectors_say(vector: Refusal) -> None:
    with pytest.raises(CodecError) as caught:
        decode_client(frame_of(vector), Encoding(vector.encoding))
    assert ("garbage" if caught.value.garbage else caught.value.code) == vector.answer


@pytest.mark.parametrize("kind", [*CLIENT_MESSAGES, *SERVER_MESSAGES])
def test_every_message_and_every_field_of_it_has_an_example(kind: type[msgspec.Struct]) -> None:
    tag = kind.__struct_config__.tag
    shown = [
        fields for fields in (msgspec.json.decode(each.json) for each in VECTORS.messages) if fields["type"] == tag
    ]
    assert shown
    missing = set(kind.__struct_encode_fields__) - {name for fields in shown for name in fields}
    assert missing <= {"protocol"} if tag == "hello" else not missing


def of_kind(kind: type[Message]) -> list[object]:
    found = ((vector.name, read(vector, Encoding.JSON)) for vector in VECTORS.messages)
    return [pytest.param(message, id=name) for name, message in found if isinstance(message, kind)]


@pytest.mark.slow
@pytest.mark.parametrize("turn", of_kind(Turn))
def test_the_turns_of_the_vectors_are_true_by_the_rules(turn: Turn) -> None:
    game = load_game(turn.game)
    position = game.parse(turn.position)
    assert position.to_move == turn.seat
    assert turn.legal_moves is None or sorted(turn.legal_moves) == sorted(position.legal_moves())
    replayed = game.parse(turn.history.position)
    for move in turn.history.moves:
        replayed = replayed.play(move)
    assert replayed.text() == turn.position


@pytest.mark.slow
@pytest.mark.parametrize("started", of_kind(MatchStarted))
def test_the_matches_of_the_vectors_start_by_the_rules(started: MatchStarted) -> None:
    position = load_game(started.game).start(started.options)
    assert position.text() == started.position
    for move in started.opening:
        position = position.play(move)


def test_every_vector_has_a_name_of_its_own() -> None:
    vectors: list[Vector | Readable | Refusal] = [*VECTORS.messages, *VECTORS.readable, *VECTORS.refused]
    names = [vector.name for vector in vectors]
    assert len(names) == len(set(names))

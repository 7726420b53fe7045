"""Messages to frames and back, in both encodings; whatever bytes arrive, the only error is `CodecError`.

    frame = encode(Move(match=7, ply=4, move="d3"), Encoding.JSON)       # str: a text frame
    decode_client(frame, Encoding.JSON) == Move(match=7, ply=4, move="d3")

Encoding.MSGPACK gives and takes bytes: binary frames. How fast this is, `python -m benchmarks.codec` says.
"""

from typing import Any

import msgpack
import msgspec

from tabiya.protocol.encodings import SUBPROTOCOLS, Encoding, negotiate
from tabiya.protocol.errors import CodecError
from tabiya.protocol.explain import explain, shown
from tabiya.protocol.limits import DEFAULT_LIMITS
from tabiya.protocol.messages import (
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
    ClientMessage,
    Message,
    Move,
    MoveInfo,
    ServerMessage,
)
from tabiya.protocol.messages.client import WireMessage
from tabiya.protocol.messages.fields import MOST_LEGAL_MOVES

__all__ = ["SUBPROTOCOLS", "CodecError", "Encoding", "decode_client", "decode_server", "encode", "negotiate"]

# msgpack makes room for as many items as an array claims before it has seen them, and arrays nest: without a bound
# of its own, a frame of a few kilobytes could ask for gigabytes.
MOST_ITEMS_FROM_CLIENT = 1_024
MOST_ITEMS_FROM_SERVER = MOST_LEGAL_MOVES

# msgspec and msgpack raise more than they document: RecursionError on deep nesting, OverflowError and TypeError on
# odd numbers and extension types, UnicodeDecodeError (a ValueError) on broken text.
ANYTHING_A_DECODER_RAISES = (
    ValueError,
    TypeError,
    LookupError,
    OverflowError,
    RecursionError,
    MemoryError,
    msgpack.UnpackException,
)
ANYTHING_AN_ENCODER_RAISES = (ValueError, TypeError, OverflowError, RecursionError)

_json_encode = msgspec.json.Encoder().encode
_pack = msgspec.msgpack.Encoder().encode
MAP_16, SHORT_MAP, MOST_IN_SHORT = 0xDE, 0x80, 15  # first bytes of MessagePack's maps


def encode(message: Message, encoding: Encoding) -> str | bytes:
    """The frame of a message: str (a text frame) in JSON, bytes (a binary frame) in MessagePack.

    Raises CodecError if the message cannot be written, such as half a surrogate pair; types and bounds are
    checked by the receiver, not here.
    """
    try:
        if encoding is Encoding.MSGPACK:
            return _with_short_map_header(_pack(message))
        return _json_encode(message).decode()
    except ANYTHING_AN_ENCODER_RAISES as error:
        about = str(type(message).__struct_config__.tag)
        raise CodecError(f"{about} cannot be written as {encoding}: {error}", about=about) from error


def _with_short_map_header(packed: bytes) -> bytes:
    """The exact bytes that msgpack would write: docs/decisions/010-packing.md

    Where a message may have 16 fields msgspec always writes the long head of a map, also for fewer.
    """
    if packed[0] == MAP_16 and packed[1] == 0 and packed[2] <= MOST_IN_SHORT:
        return bytes((SHORT_MAP | packed[2],)) + packed[3:]
    return packed


def decode_client(frame: str | bytes, encoding: Encoding, max_bytes: int = DEFAULT_LIMITS.frame_bytes) -> ClientMessage:
    """The message of a bot. Unknown fields are ignored.

    frame: as the websocket gave it, str for a text frame.  max_bytes: longer frames are refused (the websocket layer
    counts bytes and has closed with 1009 before; here a text counts by characters).
    Raises CodecError, and nothing else, for any other frame; with the `move` to play if only its `info` is bad.
    """
    message: ClientMessage = _FROM_CLIENT.read(frame, encoding, max_bytes)
    return message


def decode_server(
    frame: str | bytes, encoding: Encoding, max_bytes: int = DEFAULT_LIMITS.server_frame_bytes
) -> ServerMessage:
    """The message of a server; otherwise as `decode_client`."""
    message: ServerMessage = _FROM_SERVER.read(frame, encoding, max_bytes)
    return message


def read_plain(frame: str | bytes, encoding: Encoding, most_items: int) -> Any:
    """The value in a frame, of any type and not yet a message. Raises what the decoders raise."""
    if encoding is Encoding.JSON:
        return msgspec.json.decode(frame)
    return msgpack.unpackb(
        frame,
        raw=False,
        strict_map_key=True,
        ext_hook=_refuse_extension,
        max_array_len=most_items,
        max_map_len=most_items,
    )


def _refuse_extension(number: int, _: bytes) -> None:
    raise ValueError(f"extension type {number}; messages have none")


class _Reader:
    """Reads the messages of one sender; made once, so that the decoders are too."""

    def __init__(self, sender: str, messages: tuple[type[WireMessage], ...], union: Any, most_items: int) -> None:
        self._sender = sender
        self._kinds = {str(kind.__struct_config__.tag): kind for kind in messages}
        self._most_items = most_items
        self._json_decode = msgspec.json.Decoder(union).decode

    def read(self, frame: str | bytes, encoding: Encoding, max_bytes: int) -> Any:
        is_text = isinstance(frame, str)
        if is_text is not (encoding is Encoding.JSON):
            raise CodecError(_wrong_frame(is_text, encoding), garbage=True)
        if len(frame) > max_bytes:  # before anything is decoded, which costs memory and time
            unit = "characters" if is_text else "bytes"
            raise CodecError(f"received a frame of {len(frame)} {unit}; at most {max_bytes} are read", garbage=True)
        try:
            if is_text:
                return self._json_decode(frame)
            plain = read_plain(frame, encoding, self._most_items)
            # By the class and not by the union: convert keeps what it has worked out about classes only. What is no
            # map, or has no type of ours, raises TypeError or LookupError here and is explained like any other fault.
            return msgspec.convert(plain, self._kinds[plain["type"]])
        except ANYTHING_A_DECODER_RAISES as error:
            raise self._explained(frame, encoding, error) from error

    def _explained(self, frame: str | bytes, encoding: Encoding, error: BaseException) -> CodecError:
        """Decodes once more without types, only to explain the error."""
        try:
            plain = read_plain(frame, encoding, self._most_items)
        except ANYTHING_A_DECODER_RAISES as unreadable:
            return CodecError(_unreadable(frame, unreadable), garbage=True)
        explained = explain(plain, error, self._sender, tuple(self._kinds))
        # only in what bots send: a server has no `move` among its types
        explained.move = _without_bad_info(plain) if explained.about in self._kinds else None
        return explained


def _without_bad_info(plain: Any) -> Move | None:
    """The move in `plain` with the valid part of its `info`; None if something else is wrong, or it is no move.

    plain: any value the decoders give.
    """
    if not isinstance(plain, dict) or plain.get("type") != "move" or plain.get("info") is None:
        return None
    info = plain["info"]
    given = {name: info[name] for name in MoveInfo.__struct_fields__ if name in info} if isinstance(info, dict) else {}
    # field by field: one bad value must not cost the others
    good = {name: value for name, value in given.items() if _fits({name: value}, MoveInfo)}
    move = plain | {"info": good or None}
    return msgspec.convert(move, Move) if _fits(move, Move) else None


def _fits(plain: dict[str, Any], kind: type[msgspec.Struct]) -> bool:
    try:
        msgspec.convert(plain, kind)
    except ANYTHING_A_DECODER_RAISES:
        return False
    return True


def _words(error: BaseException) -> str:
    """The text of an error, or its name: most of msgpack's errors have no text."""
    return str(error)[:400] or type(error).__name__


def _unreadable(frame: str | bytes, error: BaseException) -> str:
    words = _words(error).removeprefix("JSON is malformed: ")
    if not frame:
        return "received an empty frame; a frame holds one message"
    if isinstance(frame, bytes):
        return f"received a frame that is not MessagePack: {words}"
    if frame.startswith("\ufeff"):
        words = "it begins with a byte order mark"
    elif words.startswith("trailing characters"):
        words = f"a frame holds one message; {words}"
    return f"received {shown(frame)}, which is not JSON: {words}"


_NAMES = {Encoding.JSON: "JSON", Encoding.MSGPACK: "MessagePack"}


def _wrong_frame(is_text: bool, encoding: Encoding) -> str:
    received, allowed = ("text", "binary") if is_text else ("binary", "text")
    return f"received a {received} frame; {encoding.subprotocol} has {_NAMES[encoding]} in {allowed} frames"


_FROM_CLIENT = _Reader("a bot", CLIENT_MESSAGES, ClientMessage, MOST_ITEMS_FROM_CLIENT)
_FROM_SERVER = _Reader("the server", SERVER_MESSAGES, ServerMessage, MOST_ITEMS_FROM_SERVER)

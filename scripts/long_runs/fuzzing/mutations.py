"""Frames that no client of ours would send: messages bent in one place or many, broken bytes, noise.

mutator = MessageMutator(Random(7))
mutator.observe(turn)                      # a message of the server: its numbers make the next frames hit something
frame = mutator.frame(Encoding.JSON)     # str or bytes; sometimes of the wrong kind

About every hundredth is no message at all, and a server closes the connection; the others are well-formed and wrong,
or right. The examples of docs/reference/protocol.vectors.json are what is bent.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgpack

from tabiya.games.registry import names
from tabiya.protocol.codec import CodecError, Encoding, decode_client, decode_server, encode
from tabiya.protocol.messages import Challenged, MatchStarted, ServerMessage, Turn

VECTORS = Path(__file__).parents[3] / "docs/reference/protocol.vectors.json"
ODD: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2, 127, 128, 255, 2**31 - 1, 2**31, 2**53 - 1, 2**53, 2**63 - 1, 2**63, 2**64 - 1,
    -(2**53), -(2**63), 0.0, -0.0, 1.5, 1e308, 5e-324, math.nan, math.inf, -math.inf,
    "", " ", "x", "x" * 41, "x" * 300, "x" * 9_000, "\x00", "\x1b[31m", "\r\n", "\u202e", "\ufeff", "\ud800",
    "\udfff\ud800", "é" * 40, "\U0001d54f" * 9, "pass", "a1", "e2e4", "e7e8q", "b3", "none", "6+0", "0.01+0", "1e9+1",
    "40/6", "hello", "move", [], {}, [[]], [{}], {"": ""}, {"type": "hello"}, ["a1"] * 500, [0] * 1_000,
    {"heaps": "99999"}, {"size": "20"}, {"a": {"b": {"c": {}}}}, b"", b"\xff\xfe", b"a1",
)  # fmt: skip
KEYS = (
    "type",
    "match",
    "ply",
    "move",
    "name",
    "token",
    "game",
    "options",
    "info",
    "opponent",
    "extra",
    "",
    "\x00",
    "ß",
)
HONEST = ("honest-one", "honest-two")
NAMES = (*(f"fuzz{number}" for number in range(24)), *HONEST)
TIMES = ("", "none", "0.01+0", "0.2+0", "1+0", "2+0.1", "1/move", "4/2", "soon")  # short: a run waits for what is left
NO_MESSAGE = 1 / 200
KEPT = 8


def examples() -> list[dict[str, Any]]:
    """Every message that a bot may send, as the page of the protocol shows it."""
    vectors = json.loads(VECTORS.read_text("utf-8"))["messages"]
    return [json.loads(vector["json"]) for vector in vectors if vector["from"] == "client"]


def try_codec(frame: str | bytes, encodings: Iterable[Encoding]) -> Iterator[str]:
    """Read a frame as either sender's, and write what was read: what came of each. Raises what is no CodecError."""
    for decode in (decode_client, decode_server):
        for encoding in encodings:
            try:
                encode(decode(frame, encoding), encoding)
            except CodecError as error:
                str(error).encode()
                yield "garbage" if error.garbage else str(error.code)
            else:
                yield "message"


def _is_garbage(frame: str | bytes, encoding: Encoding) -> bool:
    """Whether a server closes the connection for it."""
    try:
        decode_client(frame, encoding)
    except CodecError as error:
        return error.garbage
    return False


class MessageMutator:
    """Draws frames. no_message: the share of those that are none at all."""

    def __init__(self, draw: Random, no_message: float = NO_MESSAGE) -> None:
        self.draw, self._no_message = draw, no_message
        self._examples = examples()
        self._turns: list[Turn] = []
        self._matches: list[int] = [1, 2]
        self._challenges: list[int] = [1]

    def observe(self, message: ServerMessage) -> None:
        """Remember the numbers of what is going on."""
        if isinstance(message, Turn):
            self._turns = [*self._turns[1 - KEPT :], message]
        elif isinstance(message, MatchStarted):
            self._matches = [*self._matches[1 - KEPT :], message.match]
        elif isinstance(message, Challenged):
            self._challenges = [*self._challenges[1 - KEPT :], message.challenge]

    def hello(self, name: str | None = None) -> dict[str, Any]:
        """A valid `hello` with a seek."""
        draw = self.draw
        hello = {"type": "hello", "name": name or draw.choice(NAMES), "seek": draw.sample(names(), draw.randrange(3))}
        return hello | {"max_matches": draw.choice((0, 1, 1, 3, 64)), "legal_moves": draw.random() < 0.9}

    def frame(self, encoding: Encoding) -> str | bytes:
        """The next one."""
        draw = self.draw
        if draw.random() < self._no_message:
            return self.corrupted(self.encoded(self.message(), encoding))
        frame = self._wrong(encoding)
        while draw.random() > self._no_message and _is_garbage(frame, encoding):
            frame = self._wrong(encoding)
        return frame

    def _wrong(self, encoding: Encoding) -> str | bytes:
        """A message bent in some places, or in none; what comes out may be no message at all."""
        draw = self.draw
        message = self.message()
        for _ in range(draw.choice((0, 0, 1, 1, 1, 2, 4))):
            message = self.mutated(message)
        return self.encoded(message, encoding)

    # --- what is said

    def message(self) -> dict[str, Any]:
        """A message of a bot with present match numbers and plies; often the right move."""
        draw = self.draw
        if self._turns and draw.random() < 0.3:
            turn = draw.choice(self._turns[-2:])
            move = draw.choice(turn.legal_moves) if turn.legal_moves else draw.choice(("a1", "b2", "e2e4"))
            return {"type": "move", "match": turn.match, "ply": turn.ply, "move": move}
        return {field: self._present(field, value) for field, value in draw.choice(self._examples).items()}

    def _present(self, field: str, value: Any) -> Any:
        """The value of an example, or one that is valid now."""
        draw = self.draw
        match field:
            case "match":
                return draw.choice((*self._matches, *(turn.match for turn in self._turns), draw.randrange(1, 200)))
            case "challenge":
                return draw.choice(self._challenges)
            case "ply":
                return self._turns[-1].ply if self._turns else value
            case "game":
                return draw.choice((*names(), "go"))
            case "opponent":
                return draw.choice(NAMES)
            case "time":
                return draw.choice(TIMES)
            case _:
                return value

    # --- bent: still readable, wrong in one place

    def mutated(self, message: dict[str, Any]) -> dict[str, Any]:
        """One field odd, gone, renamed, nested deep, or changed with another."""
        draw, bent = self.draw, dict(message)
        field = draw.choice((*bent, *KEYS)) if bent else draw.choice(KEYS)
        match draw.randrange(7):
            case 0:
                bent.pop(field, None)
            case 1 if len(bent) > 1:
                one, other = draw.sample(sorted(bent), 2)
                bent[one], bent[other] = bent[other], bent[one]
            case 2:
                bent[draw.choice(KEYS)] = bent.pop(field, None)
            case 3:
                bent[field] = self._deep()
            case 4 if isinstance(bent.get(field), int):
                bent[field] += draw.choice((-1, 1, 2**31, 2**53))
            case 5 if isinstance(bent.get(field), str):
                bent[field] = self._bent_text(bent[field])
            case _:
                bent[field] = draw.choice(ODD)
        return bent

    def _deep(self) -> Any:
        value: Any = self.draw.choice((None, 1, "x"))
        for _ in range(self.draw.choice((2, 10, 100, 300))):
            value = [value] if self.draw.random() < 0.5 else {"a": value}
        return value

    def _bent_text(self, text: str) -> str:
        draw = self.draw
        at = draw.randrange(len(text) + 1)
        return draw.choice((text[:at], text * 2, text[:at] + chr(draw.randrange(1, 0x3000)) + text[at:], text.upper()))

    # --- written

    def encoded(self, message: dict[str, Any], encoding: Encoding) -> str | bytes:
        """The frame of any dictionary, with what only bytes have: double keys, odd keys, extensions."""
        return self._json(message) if encoding is Encoding.JSON else self._packed(message)

    def _json(self, message: dict[str, Any]) -> str:
        draw = self.draw
        text = json.dumps(message, default=lambda raw: raw.decode("latin-1"), ensure_ascii=draw.random() < 0.5)
        text = text.encode("utf-8", "replace").decode()
        if draw.random() < 0.03:
            text = (
                text[:-1]
                + ("," if len(message) else "")
                + f'"{draw.choice(KEYS[:5])}":{draw.choice((0, "null", "[]"))}}}'
            )
        if draw.random() < 0.03:
            number = draw.choice(("1" * 5_000, "-0", "1e999", "0.1e-9999", "00", "0x10", "9007199254740993.0"))
            text = text.replace(":", f": {number},", 1) if draw.random() < 0.1 else text[:-1] + f',"ply":{number}}}'
        return text

    def _packed(self, message: dict[str, Any]) -> bytes:
        draw = self.draw
        packed: bytes = msgpack.packb(message, unicode_errors="surrogatepass", default=str)
        if draw.random() < 0.05 and len(message) < 14:
            pair = draw.choice((
                b"\xc0\x01", b"\x01\x02", b"\x90\xc0", b"\xa4type\xa4move", b"\xa3ply\xcf" + b"\xff" * 8,
                b"\xa3ply\xd4\x05\x00", b"\xa3ply\xd7\xff" + b"\xff" * 8, b"\xa3ply\xc7\x00\x01", b"\xc4\x03ply\x01",
                b"\xa4info\xdd\x00\x00\x10\x00", b"\xa3ply\xcb\x7f\xf8" + b"\x00" * 6,
            ))  # fmt: skip
            packed = bytes([packed[0] + 1]) + packed[1:] + pair
        return packed

    # --- broken: no message

    def corrupted(self, frame: str | bytes) -> str | bytes:
        """Cut short, changed in some bytes, doubled, of the other kind, deep without an end, or noise."""
        draw = self.draw
        raw = bytearray(frame.encode("utf-8", "replace") if isinstance(frame, str) else frame)
        match draw.randrange(7):
            case 0:
                raw = raw[: draw.randrange(len(raw) + 1)]
            case 1:
                for _ in range(draw.randrange(1, 5)):
                    raw[draw.randrange(len(raw))] = draw.randrange(256)
            case 2:
                raw = raw * 2
            case 3:
                return bytes(raw) if isinstance(frame, str) else raw.decode(errors="replace")
            case 4:
                raw = bytearray(draw.choice((b"[", b'{"a":', b"\x91", b"\x81\xa1a", b"\xdc\x04\x00"))) * draw.choice(
                    (9, 3_000)
                )
            case 5:
                raw = bytearray(
                    draw.choice((b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff"))
                )
            case _:
                raw = bytearray(draw.randbytes(draw.randrange(1, 400)))
        return raw.decode(errors="replace") if isinstance(frame, str) else bytes(raw)

"""Peers who have read docs/reference/protocol.md and mean no good: random, bent and broken messages in any state."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import msgpack

from tabiya.games.registry import names
from tabiya.protocol.codec import Encoding
from tabiya.protocol.messages import ServerMessage, Turn
from tests.fakes.local_network import Frame, LocalClient
from tests.server.local_bots import Table

ODD: tuple[Any, ...] = (
    None, True, -1, 0, 2, 2**31, 2**53, 2**63, 2**64 - 1, -(2**63), 1.5, float("inf"), "", "x", "x" * 300, "\u202e",
    "\x00", "pass", "a1", "e2e4", "none", "60+0", "0.01+0", [], {}, [[]], {"type": "hello"}, ["a1"] * 50,
    {"heaps": "1000000"},
)  # fmt: skip
ACCOUNTS = 4


class Attacker:
    """One who connects again and again and says anything."""

    def __init__(self, there: Table, draw: Random, tokens: dict[str, str]) -> None:
        self._there, self._draw, self._tokens = there, draw, tokens
        self.received: list[ServerMessage] = []
        self.client: LocalClient | None = None
        self.encoding = Encoding.JSON

    def act(self) -> None:
        """One thing at random."""
        draw = self._draw
        if self.client is None or self.client.closed:
            self._connect()
        assert self.client is not None
        deed = draw.random()
        if deed < 0.01:
            self.client.cut()
        elif deed < 0.02:
            self.client.stop_reading()
        elif deed < 0.04:
            self.client.read_on()
        elif deed < 0.07:
            self.client.send_frame(self._broken(self._frame(self._message())))
        elif deed < 0.17:
            self.client.send_frame(self._frame(self._bent(self._message())))
        else:
            self.client.send_frame(self._frame(self._message()))

    def _connect(self) -> None:
        self.encoding = self._draw.choice(tuple(Encoding))
        self.client = self._there.network.connect(self.received.append, encoding=self.encoding)
        if self._draw.random() < 0.9:
            self.client.send_frame(self._frame(self._hello()))

    def _frame(self, message: Any) -> Frame:
        if self.encoding is Encoding.JSON:
            return json.dumps(message)
        packed: bytes = msgpack.packb(message)
        return packed

    def _broken(self, frame: Frame) -> Frame:
        """Cut short, changed in a byte, of the other kind, or noise."""
        draw = self._draw
        raw = bytearray(frame.encode() if isinstance(frame, str) else frame)
        match draw.randrange(4):
            case 0:
                raw = raw[: draw.randrange(len(raw))]
            case 1:
                raw[draw.randrange(len(raw))] = draw.randrange(256)
            case 2:
                return bytes(raw) if isinstance(frame, str) else raw.decode(errors="replace")
            case _:
                raw = bytearray(draw.randbytes(draw.randrange(1, 200)))
        return raw.decode(errors="replace") if isinstance(frame, str) else bytes(raw)

    def _bent(self, message: dict[str, Any]) -> dict[str, Any]:
        """One field odd, missing or too much."""
        field = self._draw.choice([*message, "match", "ply", "extra"])
        if field in message and self._draw.random() < 0.3:
            return {key: value for key, value in message.items() if key != field}
        return message | {field: self._draw.choice(ODD)}

    def _hello(self) -> dict[str, Any]:
        draw = self._draw
        if draw.random() < 0.5:
            name = draw.choice(list(self._tokens))
            return {"type": "hello", "name": name, "token": self._tokens[name], "max_matches": draw.randrange(4)}
        hello: dict[str, Any] = {"type": "hello", "name": draw.choice(("eve", "Eve", "mallory"))}
        return hello | {"max_matches": draw.choice((0, 1, 3, 2**53 - 1)), "seek": draw.sample(names(), 2)}

    def _message(self) -> dict[str, Any]:
        draw, turn = self._draw, self._turn()
        match = turn.match if turn and draw.random() < 0.7 else draw.randrange(1, 40)
        game = draw.choice((*names(), "go"))
        terms = {"time": draw.choice(("0.01+0", "1+0", "60+0.5", "none", "")), "rated": draw.random() < 0.5}
        kinds: list[dict[str, Any]] = [
            self._hello(),
            {"type": "move", "match": match, "ply": turn.ply if turn else 0, "move": self._move(turn)},
            {"type": "move", "match": match, "ply": draw.randrange(20), "move": self._move(turn)},
            {"type": "seek", "game": game, **terms},
            {"type": "seek", "game": game, "opponent": draw.choice(("eve", "bot1", "honest0"))},
            {"type": "unseek", "game": game},
            {"type": "challenge", "opponent": draw.choice(("eve", "bot1", "honest0", "eve-2")), "game": game, **terms},
            {"type": "accept", "challenge": draw.randrange(1, 60)},
            {"type": "decline", "challenge": draw.randrange(1, 60), "reason": "no"},
            {"type": "resign", "match": match},
            {"type": "draw_offer", "match": match, "ply": turn.ply if turn else 0},
            {"type": "watch", "match": match},
            {"type": "unwatch", "match": match},
        ]
        return draw.choice(kinds[1:2] if turn and draw.random() < 0.4 else kinds)

    def _turn(self) -> Turn | None:
        turns = [message for message in self.received[-20:] if isinstance(message, Turn)]
        return turns[-1] if turns else None

    def _move(self, turn: Turn | None) -> Any:
        if turn is not None and turn.legal_moves and self._draw.random() < 0.9:
            return self._draw.choice(turn.legal_moves)
        return self._draw.choice(ODD)

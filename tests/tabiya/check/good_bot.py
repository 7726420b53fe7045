"""A bot that does everything right, cut into small methods, so that a broken one changes just one of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, ClassVar

import msgpack

from tabiya.protocol.codec import Encoding
from tabiya.protocol.codes import should_reconnect
from tests.tabiya.check.in_memory import InMemoryConnection, InMemoryServer

Message = dict[str, Any]
FIRST_S = 0.5
LONGEST_S = 30.0
ASKS_AGAIN = ("illegal_move", "unreadable_move")


class GoodBot:
    """Reads and writes plain values; comes back with back-off."""

    games: ClassVar[tuple[str, ...]] = ("nim", "tictactoe")
    offers: ClassVar[tuple[str, ...]] = ()
    most: ClassVar[int] = 1

    def __init__(self, server: InMemoryServer) -> None:
        self.server = server
        self.wire: InMemoryConnection
        self.delay_s = FIRST_S
        self.busy_s = 0.0
        self.turns: dict[int, Message] = {}

    # --- connections ---

    async def run(self) -> None:
        while True:
            code = await self.connection()
            if not self.returns(code):
                return
            await asyncio.sleep(self.pause_s())
            self.busy_s = 0.0

    def returns(self, code: int) -> bool:
        return should_reconnect(code)

    def pause_s(self) -> float:
        pause_s = max(self.delay_s, 1.3 * self.busy_s)
        self.delay_s = min(2 * self.delay_s, LONGEST_S)
        return pause_s

    async def connection(self) -> int:
        try:
            self.wire = self.server.connect(self.offers)
        except ConnectionRefusedError:
            return 1006
        try:
            self.hello()
            async for frame in self.wire.frames():
                await self.receive(frame)
        finally:
            self.wire.cut()
        return self.wire.end.code

    def hello(self) -> None:
        self.wire.say(type="hello", name="ada", games=self.games, max_matches=self.most)

    # --- messages ---

    async def receive(self, frame: str | bytes) -> None:
        await self.hear(json.loads(frame) if self.wire.encoding is Encoding.JSON else msgpack.unpackb(frame))

    async def hear(self, message: Message) -> None:
        handler = getattr(self, f"on_{message['type']}", None)
        if handler is not None:
            await handler(message)

    async def on_welcome(self, message: Message) -> None:
        self.delay_s = FIRST_S
        running = [match["match"] for match in message["matches"]]
        self.turns = {match: turn for match, turn in self.turns.items() if match in running}

    async def on_turn(self, turn: Message) -> None:
        self.turns[turn["match"]] = turn
        await self.think(turn)
        self.move(turn, self.choose(turn))

    async def on_match_ended(self, message: Message) -> None:
        self.turns.pop(message["match"], None)

    async def on_refused(self, message: Message) -> None:
        turn = self.turns.get(message.get("match", 0))
        if turn and message["code"] in ASKS_AGAIN and message.get("ply") == turn["ply"]:
            self.move(turn, self.choose(turn))

    async def on_busy(self, message: Message) -> None:
        self.busy_s = message["retry_ms"] / 1000

    # --- moves ---

    async def think(self, turn: Message) -> None:
        await asyncio.sleep(0.01)

    def choose(self, turn: Message) -> str:
        return str(turn["legal_moves"][turn["ply"] % len(turn["legal_moves"])])

    def move(self, turn: Message, text: str) -> None:
        self.wire.say(type="move", match=turn["match"], ply=turn["ply"], move=text)


BROKEN: dict[type[GoodBot], frozenset[str]] = {}
"""Bots that break one rule, with the scenarios that they must fail."""


def breaks(*scenarios: str) -> Callable[[type[GoodBot]], type[GoodBot]]:
    """Enters a bot in BROKEN."""

    def enter(bot: type[GoodBot]) -> type[GoodBot]:
        BROKEN[bot] = frozenset(scenarios)
        return bot

    return enter

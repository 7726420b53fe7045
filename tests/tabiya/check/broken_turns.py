"""Bots that go wrong on a kind of turn, and on no other."""

from __future__ import annotations

import asyncio

from tabiya.check.scenarios.turns import turns_of
from tests.tabiya.check.good_bot import GoodBot, Message, breaks


@breaks("match-and-ply")
class CountsItsOwnMoves(GoodBot):
    def move(self, turn: Message, text: str) -> None:
        self.wire.say(type="move", match=turn["match"], ply=0, move=text)


@breaks("match-and-ply")
class NamesTheWrongMatch(GoodBot):
    def move(self, turn: Message, text: str) -> None:
        self.wire.say(type="move", match=turn["match"] + 1000, ply=turn["ply"], move=text)


@breaks("nim/first")
class CannotBegin(GoodBot):
    def choose(self, turn: Message) -> str:
        return "z63" if turn["position"] == "3,5,7 normal 1" else super().choose(turn)


@breaks(*(scenario.name for scenario in turns_of("nim")))
class CannotPlayOneOfItsGames(GoodBot):
    def choose(self, turn: Message) -> str:
        assert turn["game"] != "nim"
        return super().choose(turn)


@breaks("reversi/o-is-the-first-to-move", "reversi/o-must-pass")
class ThinksThatTheFirstPlayerBegins(GoodBot):
    games = ("reversi",)

    def choose(self, turn: Message) -> str:
        assert turn["ply"] % 2 == turn["seat"] or turn["ply"]
        return super().choose(turn)


@breaks("reversi/x-must-pass", "reversi/o-must-pass")
class NeverPasses(GoodBot):
    games = ("reversi",)

    def choose(self, turn: Message) -> str:
        return super().choose(turn | {"legal_moves": [move for move in turn["legal_moves"] if move != "pass"]})


@breaks("reversi/late")
class GivesUpInLongGames(GoodBot):
    games = ("reversi",)

    async def on_turn(self, turn: Message) -> None:
        if turn["ply"] > 50:
            self.wire.say(type="resign", match=turn["match"])
        else:
            await super().on_turn(turn)


@breaks("nim/quick")
class AlwaysThinksLong(GoodBot):
    games = ("nim",)

    async def think(self, turn: Message) -> None:
        await asyncio.sleep(0.95)


@breaks("time-controls")
class NeedsAClock(GoodBot):
    async def think(self, turn: Message) -> None:
        assert turn["clock_ms"]["you"] > 0


@breaks("large-numbers")
class Has32Bits(GoodBot):
    def move(self, turn: Message, text: str) -> None:
        self.wire.say(type="move", match=turn["match"] & 0x7FFFFFFF, ply=turn["ply"], move=text)


@breaks("large-frames")
class HasASmallBuffer(GoodBot):
    async def receive(self, frame: str | bytes) -> None:
        if len(frame) < 65_536:
            await super().receive(frame)

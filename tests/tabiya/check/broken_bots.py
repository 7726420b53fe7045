"""Bots that each break one rule of the protocol and keep all others.

`BROKEN` has them, and those of broken_turns.py, with the scenarios that they must fail, and no others.
"""

from __future__ import annotations

import asyncio
import json

from tests.tabiya.check import broken_turns
from tests.tabiya.check.good_bot import BROKEN, GoodBot, Message, breaks
from tests.tabiya.check.in_memory import InMemoryServer

__all__ = ["BROKEN", "broken_turns"]

# --- the first words ---


@breaks("hello")
class SeeksFirst(GoodBot):
    def hello(self) -> None:
        self.wire.say(type="seek", game="nim")
        super().hello()


@breaks("hello")
class SaysHelloWithoutName(GoodBot):
    def hello(self) -> None:
        self.wire.say(type="hello", games=self.games)


@breaks("hello")
class OffersAnotherSubprotocol(GoodBot):
    offers = ("chat",)


@breaks("hello")
class IsCalledServer(GoodBot):
    def hello(self) -> None:
        self.wire.say(type="hello", name="Server", games=self.games)


@breaks("hello")
class SpeaksVersionTwo(GoodBot):
    def hello(self) -> None:
        self.wire.say(type="hello", name="ada", games=self.games, protocol=2)


@breaks("hello")
class SaysNothing(GoodBot):
    def hello(self) -> None:
        """Not a word."""


@breaks("hello")
class EndsAtOnce(GoodBot):
    async def run(self) -> None:
        raise ModuleNotFoundError("No module named 'websocket'")


@breaks("hello")
class EndsSilently(GoodBot):
    async def run(self) -> None:
        return


@breaks("patience")
class DoesNotWait(GoodBot):
    def hello(self) -> None:
        super().hello()
        self.wire.say(type="seek", game="nim")


@breaks("claims")
class NamesNoGame(GoodBot):
    games = ()


@breaks("claims")
class NamesAGameOfItsOwn(GoodBot):
    games = ("nim", "calvinball")


@breaks("claims")
class OnlyWatches(GoodBot):
    most = 0


@breaks("no-list")
class DeclinesTheListAndNeedsIt(GoodBot):
    def hello(self) -> None:
        self.wire.say(type="hello", name="ada", games=self.games, legal_moves=False)


@breaks("encodings")
class OffersAnEncodingItDoesNotSpeak(GoodBot):
    offers = ("tabiya.v1.json", "tabiya.v1.msgpack")

    def hello(self) -> None:
        self.wire.send_frame(json.dumps({"type": "hello", "name": "ada", "games": self.games}))


# --- whatever else a server says ---


@breaks("unknown-fields")
class WantsNoNewFields(GoodBot):
    async def on_match_started(self, message: Message) -> None:
        assert "anthem" not in message


@breaks("unknown-types")
class WantsNoNewTypes(GoodBot):
    async def hear(self, message: Message) -> None:
        assert message["type"] != "weather"
        await super().hear(message)


@breaks("other-messages")
class StumblesOverNews(GoodBot):
    async def on_notice(self, message: Message) -> None:
        raise KeyError(message["kind"])


@breaks("names")
class WritesLatinOne(GoodBot):
    async def on_match_started(self, message: Message) -> None:
        "".join(message["names"]).encode("latin-1")


@breaks("draw-offers")
class ResignsWhenADrawIsOffered(GoodBot):
    async def on_turn(self, turn: Message) -> None:
        if turn.get("draw_offered"):
            self.wire.say(type="resign", match=turn["match"])
        else:
            await super().on_turn(turn)


@breaks("refusals")
class RepeatsItselfWhenRefused(GoodBot):
    async def on_refused(self, message: Message) -> None:
        turn = self.turns.get(message.get("match", 0))
        if turn:
            self.move(turn, self.choose(turn))


# --- when to move, and when not ---


@breaks("next-match")
class LeavesAfterAMatch(GoodBot):
    async def on_match_ended(self, message: Message) -> None:
        self.wire.leave()

    def returns(self, code: int) -> bool:
        return code != 1000 and super().returns(code)


@breaks("out-of-turn")
class MovesWhenAMatchStarts(GoodBot):
    games = ("reversi",)

    async def on_match_started(self, message: Message) -> None:
        plies = len(message.get("opening", ()))
        to_move = ("XO".index(message["position"][-1]) + plies) % 2
        if message["seat"] != to_move:
            self.wire.say(type="move", match=message["match"], ply=plies, move="a1")


@breaks("match-over")
class HasTheLastWord(GoodBot):
    async def on_match_ended(self, message: Message) -> None:
        self.wire.say(type="move", match=message["match"], ply=message["plies"] + 1, move="a1")


@breaks("slow-server")
class IsImpatient(GoodBot):
    def move(self, turn: Message, text: str) -> None:
        super().move(turn, text)
        asyncio.get_running_loop().call_later(1.0, self.repeat, turn, text, self.wire)

    def repeat(self, turn: Message, text: str, line: object) -> None:
        if line is self.wire and self.turns.get(turn["match"]) is turn:
            super().move(turn, text)


@breaks("same-turn-twice")
class TrustsThatTurnsComeOnce(GoodBot):
    async def on_turn(self, turn: Message) -> None:
        known = self.turns.get(turn["match"])
        assert known is None or known["ply"] < turn["ply"]
        await super().on_turn(turn)

    async def on_welcome(self, message: Message) -> None:
        self.turns.clear()
        await super().on_welcome(message)


@breaks("at-once")
class SeesOnlyTheLastTurn(GoodBot):
    most = 4

    async def on_turn(self, turn: Message) -> None:
        await asyncio.sleep(0.05)
        for frame in self.wire.waiting():
            later = json.loads(frame)
            turn = later if later["type"] == "turn" else turn
        if turn["match"] not in self.turns or turn["ply"] > self.turns[turn["match"]]["ply"] or turn["ply"] < 4:
            await super().on_turn(turn)


@breaks("reversi/whole")
class ForgetsTheRules(GoodBot):
    """After its third move in a match."""

    games = ("reversi",)

    def __init__(self, server: InMemoryServer) -> None:
        super().__init__(server)
        self.moved: dict[int, int] = {}

    def choose(self, turn: Message) -> str:
        count = self.moved[turn["match"]] = self.moved.get(turn["match"], 0) + 1
        return "a1b2" if count > 3 else super().choose(turn)


@breaks("messages")
class SaysGoodLuck(GoodBot):
    async def on_match_started(self, message: Message) -> None:
        self.wire.say(type="chat", text="good luck")


@breaks("messages")
class SaysHelloTwice(GoodBot):
    async def on_welcome(self, message: Message) -> None:
        await super().on_welcome(message)
        self.hello()


@breaks("messages")
class ThinksInHalves(GoodBot):
    """Its info is no such thing; the moves count, and nothing else is lost by it."""

    def move(self, turn: Message, text: str) -> None:
        info = {"score": 12.5, "pv": [""]}
        self.wire.say(type="move", match=turn["match"], ply=turn["ply"], move=text, info=info)


# --- connections that end ---


@breaks("resume")
class KnowsOnlyWhatHasStarted(GoodBot):
    """Keeps what it knows of matches from one connection to the next."""

    def __init__(self, server: InMemoryServer) -> None:
        super().__init__(server)
        self.known: set[int] = set()

    async def on_match_started(self, message: Message) -> None:
        self.known.add(message["match"])

    async def think(self, turn: Message) -> None:
        assert turn["match"] in self.known


@breaks("busy")
class DoesNotListenToBusy(GoodBot):
    def pause_s(self) -> float:
        self.busy_s = 0.0
        return super().pause_s()


@breaks("back-off")
class Hammers(GoodBot):
    def pause_s(self) -> float:
        return max(0.05, self.busy_s)


@breaks("replaced")
class FightsWithItsTwin(GoodBot):
    def returns(self, code: int) -> bool:
        return True


@breaks("comes-back")
class ComesBackAsSomebodyElse(GoodBot):
    count = 0

    def hello(self) -> None:
        self.count += 1
        self.wire.say(type="hello", name=f"ada{self.count}", games=self.games)


@breaks("cut-at-turn", "cut-while-thinking", "restart")
class ThinksThatItHasAnswered(GoodBot):
    async def think(self, turn: Message) -> None:
        await asyncio.sleep(0.2)

    async def on_turn(self, turn: Message) -> None:
        known = self.turns.get(turn["match"])
        if known is None or known["ply"] != turn["ply"] or known["illegal_moves"] != "never":
            turn["illegal_moves"] = "never"
            await super().on_turn(turn)


@breaks("cut-after-move", "cut-while-thinking")
class LosesItsPlace(GoodBot):
    """Does not go on with a match in which it had moved on an earlier connection."""

    def __init__(self, server: InMemoryServer) -> None:
        super().__init__(server)
        self.on: dict[int, object] = {}

    async def on_turn(self, turn: Message) -> None:
        known = self.turns.get(turn["match"])
        if known is None or known["ply"] == turn["ply"] or self.on[turn["match"]] is self.wire:
            self.on[turn["match"]] = self.wire
            await super().on_turn(turn)


@breaks("answers-again")
class TriesAnythingWhenRefused(GoodBot):
    async def on_refused(self, message: Message) -> None:
        turn = self.turns.get(message.get("match", 0))
        if turn and message["code"] == "illegal_move":
            self.move(turn, "z63")


@breaks("ended-while-away")
class DoesNotForget(GoodBot):
    async def on_welcome(self, message: Message) -> None:
        before = dict(self.turns)
        await super().on_welcome(message)
        for match, turn in before.items():
            if match not in self.turns:
                self.move(turn, self.choose(turn))

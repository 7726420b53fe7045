"""The bots of the day, our clients and plain ones, and their messages in both directions."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections import defaultdict
from collections.abc import Sequence
from random import Random

from websockets.exceptions import ConnectionClosed, WebSocketException

from scripts.long_runs.checks.wire_recorder import WireRecorder
from scripts.long_runs.cluster_day.outages import Outage
from scripts.long_runs.harness.random_bots import COMES_BACK_S, HURRY, BotBehaviour, Notes, RandomBot
from tabiya.bots.client.bot import Bot
from tabiya.bots.client.connection import Client
from tabiya.bots.client.events import Event, Note
from tabiya.bots.client.run import run_config
from tabiya.bots.client.turn import Turn as TurnToChoose
from tabiya.protocol.codec import CodecError, decode_server
from tabiya.protocol.codes import RefusalCode, should_reconnect
from tabiya.protocol.messages import (
    ClientMessage,
    MatchEnded,
    MatchStarted,
    Move,
    Refused,
    ServerMessage,
    Turn,
    Unseek,
    Welcome,
)

LONGEST_THOUGHT_S = 3.0


class BotMessages:
    """The messages of bots, known by numbers from 1, in both directions. outages: those that are not over.

    sent_moves: the moves by match and ply.  thought_s: time of them that lay between the turn and the move, at the bot.
    running: matches, with the bots that know of them.
    """

    def __init__(self) -> None:
        self.recorder, self.notes = WireRecorder(), Notes()
        self.outages: list[Outage] = []
        self.sent_moves: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
        self.thought_s: defaultdict[tuple[int, int], float] = defaultdict(float)
        self.running: defaultdict[int, set[int]] = defaultdict(set)
        self._asked_s: dict[tuple[int, int], float] = {}

    def to_bot(self, bot: int, message: ServerMessage) -> None:
        """Note a message of the server to a bot."""
        self.recorder.record(message, bot)
        match message:
            case MatchStarted():
                self.running[message.match].add(bot)
            case Turn():
                self.running[message.match].add(bot)
                self._asked_s.setdefault((message.match, message.ply), time.monotonic())
                for outage in self.outages:
                    outage.turn_sent(message.match, bot)
            case MatchEnded():
                self._over(message.match)
            case Welcome():
                listed = {running.match for running in message.matches}
                for gone in [match for match, bots in self.running.items() if bot in bots and match not in listed]:
                    self._over(gone)

    def _over(self, match: int) -> None:
        self.running.pop(match, None)
        for outage in self.outages:
            outage.ended(match)

    def from_bot(self, message: ClientMessage) -> None:
        """Note a message of a bot."""
        if isinstance(message, Move):
            about = message.match, message.ply
            self.sent_moves[about].add(message.move)
            if (asked_s := self._asked_s.pop(about, None)) is not None:
                self.thought_s[about] += time.monotonic() - asked_s


class AnyMove(Bot):
    """Thinks for a random time and plays any move."""

    needs_rules = False

    def __init__(self, name: str, think_s: float, notes: Notes, draw: Random) -> None:
        self.name, self._think_s, self._notes, self._draw = name, think_s, notes, draw

    async def choose(self, turn: TurnToChoose) -> str:
        """One of those that the server lists."""
        think_s = self._draw.expovariate(1 / self._think_s) / (HURRY if self._notes.hurry else 1)
        await asyncio.sleep(min(think_s, LONGEST_THOUGHT_S))
        return self._draw.choice(turn.legal_moves)


class OurBot(Client):
    """Our client, with its messages recorded."""

    def __init__(
        self, number: int, behaviour: BotBehaviour, urls: Sequence[str], messages: BotMessages, draw: Random
    ) -> None:
        bot = AnyMove(behaviour.name, behaviour.think_s, messages.notes, draw)
        config = run_config(
            bot,
            ",".join(urls),
            token=behaviour.token,
            seek=behaviour.games,
            at_once=behaviour.max_matches,
            encoding=behaviour.encoding.value,
        )
        super().__init__(bot, config, self._noted, draw)
        self.number, self.behaviour, self._messages = number, behaviour, messages

    @property
    def url(self) -> str:
        """Of the gateway that it is connected to, or was last."""
        return self._url

    def _noted(self, event: Event) -> None:
        if isinstance(event, Note) and "could not be read" in event.text:
            self._messages.notes.fault(self.behaviour.name, event.text)

    async def _read(self, frame: str | bytes) -> None:
        with contextlib.suppress(CodecError):  # which the client itself tells of
            message = decode_server(frame, self._encoding)
            self._messages.to_bot(self.number, message)
            self._check(message)
        await super()._read(frame)

    def _check(self, message: ServerMessage) -> None:
        notes, name = self._messages.notes, self.behaviour.name
        match message:
            case MatchStarted():
                notes.begin(name, message)
            case Turn():
                notes.show(name, message)
            case MatchEnded():
                notes.end(name, message)

    async def _send(self, message: ClientMessage) -> None:
        if self._socket is not None:
            self._messages.from_bot(message)
        await super()._send(message)

    async def play(self) -> None:
        """Until it is cancelled, or is sent away for good."""
        await self.run()

    async def stop_seeking(self) -> None:
        """Seek no match more."""
        seeks, self.session.config = self.session.config.seeks, self.session.config._replace(seeks=())
        for seek in seeks:
            await self._send(Unseek(game=seek.game))


class PlainBot(RandomBot):
    """A bot without our client; it goes from one gateway to the next when its line ends."""

    def __init__(
        self, number: int, behaviour: BotBehaviour, urls: Sequence[str], messages: BotMessages, draw: Random
    ) -> None:
        super().__init__(behaviour, messages.notes, draw)
        self.number, self._urls, self._messages = number, urls, messages
        self.url = urls[0]

    async def play(self) -> None:
        """Until it is cancelled, or is sent away for good."""
        for url in itertools.cycle(self._urls):
            self.url = url
            with contextlib.suppress(OSError, TimeoutError, WebSocketException):
                await self._connected(url)
            for timer in self._thinking.values():
                timer.cancel()
            self._thinking.clear()
            if self._done.is_set():
                return
            await asyncio.sleep(COMES_BACK_S * (1 + self._draw.random()))

    def _closed(self, closed: ConnectionClosed) -> None:
        if closed.rcvd is not None and not should_reconnect(closed.rcvd.code):
            super()._closed(closed)

    def _hear(self, message: ServerMessage) -> None:
        self._messages.to_bot(self.number, message)
        is_early = isinstance(message, Refused) and message.code == RefusalCode.NOT_YOUR_TURN
        if not is_early:  # its match is taken up by another host; the turn comes again
            super()._hear(message)

    def _say(self, message: ClientMessage) -> None:
        self._messages.from_bot(message)
        super()._say(message)

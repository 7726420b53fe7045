"""Simulated bots: the session of our own client, with thinking that takes virtual time and lines that break."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

from msgspec import Struct

from scripts.long_runs.simulation.environment.link_model import LinkModel
from scripts.long_runs.simulation.environment.network import Link, Network
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.session import (
    Abort,
    AskAboutChallenge,
    AskAboutDraw,
    CloseConnection,
    RetryLater,
    Send,
    Session,
    SessionConfig,
    StopThinking,
    Think,
)
from tabiya.games.registry import load_game, names
from tabiya.protocol.encodings import Encoding
from tabiya.protocol.messages import Challenge, MatchStarted, Seek, ServerMessage, Turn, Unseek, Watch

ACCEPTS = 0.8  # of the challenges
CHALLENGES_S = (0.5, 2.0)  # from one to the next
USES = 0.2  # of the time it has, at most, for one move
FOR_EVER_S = 10_000.0
BRINK_S, MOST_BRINK_S = (0.015, 0.1), 2.0


class SimulatedBehaviour(Struct, frozen=True, kw_only=True):
    """How a bot plays. think_s: at most, usually.  brinks, sleeps, errs, resigns, offers: chances, each turn.

    brinks: to answer in the last tenth of a second.  sleeps: not to answer at all.  watches: another match.
    """

    think_s: float
    brinks: float = 0.0
    sleeps: float = 0.0
    errs: float = 0.0
    resigns: float = 0.0
    resigns_from_ply: int = 16
    offers: float = 0.0
    watches: float = 0.0


class SimulatedBot:
    """One bot over all its lines."""

    def __init__(
        self,
        network: Network,
        draw: Random,
        config: SessionConfig,
        behaviour: SimulatedBehaviour,
        link_model: LinkModel,
        encoding: Encoding,
    ) -> None:
        self.name, self.behaviour, self.link_model, self.encoding = config.name, behaviour, link_model, encoding
        self.session = Session(config)
        self.link: Link | None = None
        self.leaving = False
        self.open = True  # for challenges
        self.failed = ""
        self._network, self._loop, self._draw = network, network.loop, draw
        self._thoughts: dict[int, asyncio.TimerHandle] = {}
        self._tries = 0

    # --- its line

    def come(self) -> None:
        """Connect, unless it is connected."""
        if self.link is None and not self.leaving:
            self.link = self._network.connect(self, self.encoding, self.link_model)

    def opened(self) -> None:
        """The handshake is complete."""
        self._do([Send(self.session.hello())])
        if not self.session.config.seeks:
            self._loop.call_later(self._draw.uniform(*CHALLENGES_S), self._challenge, self.link)

    def _challenge(self, link: Link) -> None:
        """A bot that does not seek sends challenges now and then, as long as this line lasts."""
        if self.open and link is self.link:
            others = sorted(self._network.newest.keys() - {self.name})
            if others and self.session.connected:
                self._do([Send(Challenge(opponent=self._draw.choice(others), game=self._draw.choice(names())))])
            self._loop.call_later(self._draw.uniform(*CHALLENGES_S), self._challenge, link)

    def ended(self, why: str) -> None:
        """The line is gone; it tries again a little later, as our client does."""
        self.link = None
        self.session.lost()
        self._tries = 0 if self.session.connected else self._tries + 1
        if not self.leaving:
            most_s = min(2.0, 0.1 * 2**self._tries)
            self._loop.call_later(self._draw.uniform(0.05, most_s), self.come)

    def cut(self, noticed_s: float | None) -> None:
        """Its line breaks."""
        if self.link is not None:
            self.link.cut(noticed_s)

    # --- the server's messages

    def received(self, message: ServerMessage) -> None:
        """A message has arrived."""
        if isinstance(message, MatchStarted) and not self.open and not message.tournament:
            self._do([Send(Unseek(game=message.game))])  # a seek held back on its way has come behind its unseek
        self._do(self.session.received(message, self._loop.time()))

    def _do(self, actions: list[Any]) -> None:
        for action in actions:
            match action:
                case Send(message):
                    if self.link is not None:
                        self.link.say(message)
                case Think(number, turn, _, refused):
                    self._think(number, turn, refused)
                case StopThinking(number):
                    self._forget(number)
                case RetryLater(retry_ms, about):
                    self._loop.call_later(retry_ms / 1_000 * self._draw.uniform(1, 2), self._retry, about)
                case AskAboutDraw(turn, _):
                    if self._draw.random() < self.behaviour.offers:
                        self._do(self.session.accept_draw(turn.match, turn.ply))
                case AskAboutChallenge(challenge):
                    plays = self.open and self._draw.random() < ACCEPTS
                    self._do(self.session.challenge_answered(challenge, plays))
                case Abort(text):
                    self.failed = text
                case CloseConnection():
                    self.leaving = True

    def _retry(self, about: str) -> None:
        self._do(self.session.retry(about))

    # --- its thinking

    def _think(self, number: int, turn: Turn, refused: str) -> None:
        draw, behaviour = self._draw, self.behaviour
        self._look_around(turn)
        seconds = min(draw.random() * behaviour.think_s, USES * turn.move_limit_ms / 1_000)
        if turn.move_limit_ms <= 1_000 * MOST_BRINK_S and draw.random() < behaviour.brinks:
            seconds = max(seconds, turn.move_limit_ms / 1_000 - self.link_model.usual_s - draw.uniform(*BRINK_S))
        if draw.random() < behaviour.sleeps:
            seconds = FOR_EVER_S
        self._thoughts[number] = self._loop.call_later(seconds, self._chosen, number, self._choice(turn, refused))

    def _look_around(self, turn: Turn) -> None:
        """Watch another match."""
        if self._draw.random() < self.behaviour.watches:
            self._do([Send(Watch(match=max(1, turn.match - self._draw.randrange(4))))])

    def _choice(self, turn: Turn, refused: str) -> Choice:
        draw, behaviour = self._draw, self.behaviour
        legal = turn.legal_moves
        if legal is None:
            legal = load_game(turn.game).parse(turn.position).legal_moves()
        if turn.ply >= behaviour.resigns_from_ply and draw.random() < behaviour.resigns:
            return Choice(resign=True)
        if not refused and draw.random() < behaviour.errs:
            return Choice("zz9")
        return Choice(draw.choice(legal), offer_draw=draw.random() < behaviour.offers)

    def _chosen(self, number: int, choice: Choice) -> None:
        self._thoughts.pop(number, None)
        self._do(self.session.chosen(number, choice))

    def _forget(self, number: int) -> None:
        thought = self._thoughts.pop(number, None)
        if thought is not None:
            thought.cancel()

    # --- for the scenario

    def seek_no_more(self) -> None:
        """Take its seeks back, on this line and every later one; and no more challenges."""
        self.open = False
        seeks, self.session.config = self.session.config.seeks, self.session.config._replace(seeks=())
        if self.session.connected:
            self._do([Send(Unseek(game=seek.game)) for seek in seeks])

    def seek(self, seeks: tuple[Seek, ...]) -> None:
        """Seek these from now on."""
        self.session.config = self.session.config._replace(seeks=seeks)
        if self.session.connected:
            self._do([Send(seek) for seek in seeks])

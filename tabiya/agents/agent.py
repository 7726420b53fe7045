"""A bot whose moves an agent chooses, and its connection, made when needed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace

from tabiya.api_client.api import Api
from tabiya.api_client.settings import ClientSettings
from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.connection import Client
from tabiya.bots.client.events import Connected, Event, MatchBegan, MatchOver, Note
from tabiya.bots.client.run import run_config
from tabiya.bots.client.turn import Turn
from tabiya.protocol.messages import Challenge, Challenged, ClientMessage, Seek

CONNECT_S = 10.0
MOST_NEWS = 50
# How notes begin that answer a seek or a challenge (tabiya/bots/client/connection.py).
ANSWERS = ("seek was refused", "challenge was refused", "the challenge", "the server is busy")


class AgentError(Exception):
    """The agent's request cannot be carried out now. The text is one sentence."""


class AgentBot(Bot):
    """`choose` waits until the agent has decided. `turns` has what waits for it, by match."""

    needs_rules = False

    def __init__(self, name: str, version: str = "") -> None:
        self.name, self.version = name, version
        self.called = name
        """By which name the server knows it: of a guest another, if that was taken."""
        self.turns: dict[int, tuple[Turn, asyncio.Future[Choice]]] = {}
        self.running: set[int] = set()
        """Its matches that have begun and not ended."""
        self.news: list[str] = []
        """What happened that no question has been asked about, the oldest first."""
        self.answers: list[str] = []
        """What the server said to seeks and challenges."""
        self.waits_for_match = 0
        """How many questions wait for a match: only then it accepts challenges."""
        self._changed = asyncio.Event()

    async def choose(self, turn: Turn) -> Choice:
        """The agent's answer to this turn."""
        answer: asyncio.Future[Choice] = asyncio.get_running_loop().create_future()
        self.turns[turn.match] = turn, answer
        self.happened()
        try:
            return await answer
        finally:
            if self.turns[turn.match][0] is turn:
                del self.turns[turn.match]

    def accepts_challenge(self, challenge: Challenged) -> bool:
        """Whether the agent waits for a match. Without a running agent the bot would lose on time."""
        return self.waits_for_match > 0 and not self.running

    def on_event(self, event: Event) -> None:
        """A listener of its client."""
        match event:
            case Connected():
                self.called = event.welcome.name
                self.running = {match.match for match in event.welcome.matches}
            case MatchBegan():
                self.running.add(event.message.match)
            case MatchOver():
                self.running.discard(event.message.match)
            case Note() if event.text.startswith(ANSWERS):
                self.answers.append(event.text)
            case _:
                self.news = [*self.news, str(event)][-MOST_NEWS:]
        self.happened()

    def happened(self) -> None:
        """Wake the tasks that wait in `until`."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(self, true: Callable[[], bool], seconds: float) -> bool:
        """Wait until a condition is true, up to a time limit; returns whether it is."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not true():
                    await self._changed.wait()
        return true()


class Agent:
    """One bot on one server, with the rights of its token and no more."""

    def __init__(self, settings: ClientSettings, name: str, token: str, version: str = "") -> None:
        """settings: which server; an operator's token that they hold is not used."""
        self.bot = AgentBot(name, version)
        self.api = Api(replace(settings, token="", operator_token=""))
        self._server, self._token = settings.server, token
        self._client: Client | None = None
        self._running: asyncio.Task[object] | None = None

    async def connected(self) -> Client:
        """The bot's connection, made if there is none. Raises AgentError."""
        if self._client is None or self._running is None or self._running.done():
            plan = run_config(self.bot, self._server, token=self._token)
            self._client = Client(self.bot, plan, self.bot.on_event)
            self._running = asyncio.create_task(self._client.run())
            self._running.add_done_callback(lambda _: self.bot.happened())
        client, running = self._client, self._running
        if await self.bot.until(lambda: client.session.connected or running.done(), CONNECT_S) and not running.done():
            return client
        problem = running.exception() if running.done() and not running.cancelled() else None
        raise AgentError(str(problem or f"no server answers at {self._server}"))

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def send_message(self, message: ClientMessage) -> None:
        """Send a message of the protocol. Raises AgentError."""
        client = await self.connected()
        if not await client.send_message(message):
            raise AgentError("the connection to the server is lost; it is made again: ask once more")

    async def ask_for_match(self, asking: Seek | Challenge, seconds: float) -> int | None:
        """The number of the match that came of it, None if nobody has agreed yet. Raises AgentError."""
        await self.connected()
        if self.bot.running:
            raise AgentError(f"you play match {min(self.bot.running)} now; one at a time")
        self.bot.answers.clear()
        await self.send_message(asking)
        await self.bot.until(lambda: bool(self.bot.running or self.bot.answers), seconds)
        if self.bot.running:
            return min(self.bot.running)
        if self.bot.answers:
            raise AgentError(self.bot.answers[0])
        return None

    async def wait_for_match(self, seconds: float) -> int | None:
        """The number of the match that begins or runs already, None if none does. Challenges are accepted meanwhile."""
        await self.connected()
        self.bot.waits_for_match += 1
        try:
            await self.bot.until(lambda: bool(self.bot.running), seconds)
        finally:
            self.bot.waits_for_match -= 1
        return min(self.bot.running, default=None)

    async def wait_for_turn(self, match: int, seconds: float) -> None:
        """Wait until it is the bot's move, or the match is over. Raises AgentError."""
        await self.connected()
        await self.bot.until(lambda: match in self.bot.turns or match not in self.bot.running, seconds)

    async def play(self, match: int, choice: Choice) -> None:
        """Play a move. Raises AgentError for one that is not legal, and when it is not the bot's move."""
        await self.connected()
        if match not in self.bot.turns:
            raise AgentError(
                f"it is not your move in match {match}"
                if match in self.bot.running
                else f"you do not play match {match}"
            )
        turn, answer = self.bot.turns[match]
        if choice.move not in turn.legal_moves:
            raise AgentError(f"{choice.move!r} is no legal move; the legal moves are {' '.join(turn.legal_moves)}")
        if not answer.done():
            answer.set_result(choice)
        await self.bot.until(lambda: self.bot.turns.get(match, (None,))[0] is not turn, CONNECT_S)

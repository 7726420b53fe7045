"""One bot of a client: its connection to the server by the protocol, its games and its challenges.

The client's program is a bot like any other. Its moves answer turns, so lost connections, refusals and the clock are
those of our client library; here is only what Lichess's API has besides: events, challenges and offers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from typing import Any

from tabiya.api_client.api import Api
from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.connection import Client
from tabiya.bots.client.errors import ClientError, Rejected
from tabiya.bots.client.events import BotError, Event
from tabiya.bots.client.run import Seeks, run_config
from tabiya.bots.client.session import Action, Session
from tabiya.bots.client.turn import Turn
from tabiya.errors import UserError
from tabiya.lichess.challenges import Challenges
from tabiya.lichess.feed import Feed
from tabiya.lichess.forms import VARIANTS, Json, match_id, status_of
from tabiya.lichess.game import Game
from tabiya.lichess.players import Players
from tabiya.lichess.refusal import Refusal
from tabiya.protocol.messages import (
    Challenged,
    ClientMessage,
    DrawOffer,
    DrawOffered,
    MatchEnded,
    MatchStarted,
    Resign,
    ServerMessage,
    Unwatch,
    Watch,
    Watching,
    Welcome,
)

log = logging.getLogger("tabiya.lichess")

CONNECT_S = 10.0
NAME_TIMEOUT_S = 1.0  # how long a new match waits for the news that it comes from a challenge, whose name it then gets
MOST_ENDED = 64  # games that have ended and can still be looked at


class _Player(Bot):
    """Its moves are asked of the link. Other games than those of this API it does not play."""

    needs_rules = False
    games = tuple(VARIANTS)

    def __init__(self, name: str, ask: Callable[[Turn], Any]) -> None:
        self.name, self._ask = name, ask

    async def choose(self, turn: Turn) -> Choice:
        """The move that the client sends."""
        choice: Choice = await self._ask(turn)
        return choice


class _Session(Session):
    """Shows every message to the link before it acts on it; challenges are the client's affair alone."""

    on_message: Callable[[ServerMessage], None]

    def received(self, message: ServerMessage, now_s: float) -> list[Action]:
        """See `Session.received`."""
        self.on_message(message)
        return [] if isinstance(message, Challenged) else super().received(message, now_s)


class Link:
    """A bot and its connection, made by `connected` and ended by `close`."""

    def __init__(
        self, name: str, token: str, server: str, api: Api, players: Players, *, seek: Seeks = (), at_once: int = 1
    ) -> None:
        """players: those of all links.  server, seek, at_once: as of `run_async`."""
        self.name, self.streams = name, 0
        self.players, self.rejected = players, ""  # why the server does not take the bot any more
        self._api = api
        self._player = _Player(name, self._choose)
        self._plan = run_config(self._player, server, token=token, seek=seek, at_once=at_once)
        self._client: Client | None = None
        self._running: asyncio.Task[object] | None = None
        self._welcome = asyncio.Event()
        self._games: dict[int, Game] = {}
        self._held: set[int] = set()  # matches that the client has not been told of: they may come of a challenge
        self._ids: dict[int, str] = {}  # of matches that come of challenges, before they begin
        self._turns: dict[int, tuple[Turn, asyncio.Future[Choice]]] = {}
        self.challenges = Challenges(name, self.players, self._say, self._put, self._begins)
        self._feeds: set[Feed] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    # --- the connection

    async def connected(self) -> None:
        """Be connected, and know the matches that run. Raises Refusal (401, 503)."""
        if self._running is None or self._running.done():  # nothing is awaited here: others ask at the same time
            session = _Session(self._plan.session)
            session.on_message = self._on_message
            self._client = Client(self._player, self._plan, self._notice, session=session)
            self._running = asyncio.create_task(self._run(self._client))
        welcome = asyncio.ensure_future(self._welcome.wait())
        try:
            await asyncio.wait((welcome, self._running), timeout=CONNECT_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            welcome.cancel()
        if self.rejected:
            raise Refusal(401, self.rejected)
        if not self._welcome.is_set():
            raise Refusal(503, "The server cannot be reached now")

    async def _run(self, client: Client) -> None:
        try:
            await self.players.prepare()
            await client.run()
        except ClientError as error:
            self.rejected = str(error) if isinstance(error, Rejected) else ""
            log.warning("%s: %s", self.name, error, extra={"bot": self.name})
        finally:
            self._welcome.clear()
            self.challenges.all_lapsed()
            for feed in self._feeds | {feed for game in self._games.values() for feed in game.feeds}:
                feed.end()

    async def close(self) -> None:
        """Disconnect; the bot's matches go on without it."""
        tasks = [task for task in (self._running, *self._tasks) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _say(self, message: ClientMessage) -> None:
        if self._client is None or not await self._client.send_message(message):
            raise Refusal(503, "The connection to the server is lost; it is made again")

    def _spawn(self, coroutine: Any) -> None:
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _notice(self, event: Event) -> None:
        level = logging.WARNING if isinstance(event, BotError) else logging.DEBUG
        log.log(level, "%s: %s", self.name, event, extra={"bot": self.name})

    # --- what the server says

    def _on_message(self, message: ServerMessage) -> None:
        match message:
            case Welcome():
                self._welcomed(message)
            case MatchStarted():
                self._began(message)
            case MatchEnded():
                self._ended(message)
            case Watching():
                self._seen(message)
            case DrawOffered() if message.match in self._games:
                self._games[message.match].draw_offered()
            case _:
                self.challenges.on_message(message)

    def _welcomed(self, message: Welcome) -> None:
        """After a welcome: watch running matches that are not known, read results of ended ones, drop challenges."""
        running = {match.match for match in message.matches}
        for match in running - self._games.keys():
            self._spawn(self._read_result(match))
        for game in list(self._games.values()):
            if not game.is_over and game.match not in running:
                self._spawn(self._ask_for_end(game))
        self.challenges.all_lapsed()
        self._welcome.set()

    async def _read_result(self, match: int) -> None:
        with contextlib.suppress(Refusal):  # it is asked again after the next welcome
            await self._welcome.wait()
            await self._say(Watch(match=match))

    async def _ask_for_end(self, game: Game) -> None:
        """How a match has ended while there was no connection."""
        try:
            match = await asyncio.to_thread(self._api.get, f"/matches/{game.match}")
        except UserError as error:
            log.warning("match %d: %s", game.match, error, extra={"match": game.match, "bot": self.name})
            result = None
        else:
            result = match["result"]
        if game.is_over:  # its end has arrived meanwhile
            return
        self._tell(game)
        if result is None:  # it was stopped by an error of the server, or is not to be known
            game.end("unknownFinish", None)
        else:
            game.end(status_of(result["ending"], result["winner"]), result["winner"])
        self._finished(game)

    def _began(self, message: MatchStarted) -> None:
        if message.game not in VARIANTS:  # it was entered in a tournament of another game, and loses that by its clock
            log.error("%s does not play %s", self.name, message.game, extra={"bot": self.name, "match": message.match})
            return
        game = self._add(message)
        if message.match in self._ids or not self.challenges.is_open_with(game.opponent):
            self._tell(game)
        else:
            self._held.add(game.match)
            asyncio.get_running_loop().call_later(NAME_TIMEOUT_S, self._tell, game)

    def _add(self, begun: MatchStarted) -> Game:
        first, second = (self.players.user(name, begun.game) for name in begun.names)
        game = Game(begun, (first, second), _now_ms())
        self._games[game.match] = game
        for old in [match for match, one in self._games.items() if one.is_over][:-MOST_ENDED]:
            del self._games[old]
        if game.match in self._turns:
            self._show(self._turns[game.match][0])
        return game

    def _begins(self, match: int, name: str) -> None:
        """A match comes of a challenge, whose name it has."""
        self._ids[match] = name
        if match in self._held:
            self._tell(self._games[match])

    def _tell(self, game: Game) -> None:
        """Tell the client of a match that has begun, once it has a name."""
        if not game.id:
            self._held.discard(game.match)
            game.id = self._ids.pop(game.match, "") or match_id(game.match)
            self._put({"type": "gameStart", "game": game.summary()})

    def _ended(self, message: MatchEnded) -> None:
        game = self._games.get(message.match)
        if game is not None and not game.is_over:
            self._tell(game)
            game.ended(message)
            self._finished(game)

    def _finished(self, game: Game) -> None:
        self._put({"type": "gameFinish", "game": game.summary()})

    def _seen(self, message: Watching) -> None:
        if message.match not in self._games:
            begun = MatchStarted(
                match=message.match,
                game=message.game,
                seat=message.names.index(self.name),
                names=message.names,
                position=message.start,
                time_control=message.time_control,
                rated=True,
            )
            self._began(begun)
        if message.match in self._games:
            self._games[message.match].seen(message)
            if message.match in self._turns:
                self._show(self._turns[message.match][0])
        self._spawn(self._unwatch(message.match))

    async def _unwatch(self, match: int) -> None:
        with contextlib.suppress(Refusal):
            await self._say(Unwatch(match=match))

    # --- moves

    async def _choose(self, turn: Turn) -> Choice:
        answer: asyncio.Future[Choice] = asyncio.get_running_loop().create_future()
        self._turns[turn.match] = turn, answer
        self._show(turn)
        try:
            return await answer
        finally:
            if self._turns[turn.match][0] is turn:
                del self._turns[turn.match]

    def _show(self, turn: Turn) -> None:
        game = self._games.get(turn.match)
        if game is not None and not game.turn(turn.message, _now_ms()):
            self._spawn(self._read_result(turn.match))

    def game(self, name: str) -> Game:
        """The game of this name. Raises Refusal (404)."""
        for game in self._games.values():
            if game.id == name:
                return game
        raise Refusal(404, "No such game")

    @property
    def playing(self) -> list[Game]:
        """The games that run and that the client has been told of."""
        return [game for game in self._games.values() if game.id and not game.is_over]

    def play(self, name: str, move: str, *, offers_draw: bool) -> None:
        """Play a move. Raises Refusal (400) for one that is not legal, and when it is not the bot's move."""
        game = self.game(name)
        turn, answer = self._turns.get(game.match, (None, None))
        if turn is None or answer is None or answer.done() or game.is_over:
            raise Refusal(400, "Not your turn, or game already over")
        if move not in turn.legal_moves:
            raise Refusal(400, f"{move} is not legal in {turn.message.position}")
        answer.set_result(Choice(move, offer_draw=offers_draw))
        game.played(move, _now_ms(), offers_draw=offers_draw)

    async def resign(self, name: str) -> None:
        """Give a game up. Raises Refusal."""
        await self._say(Resign(match=self._running_game(name).match))

    async def agree_to_draw(self, name: str) -> None:
        """Offer a draw, or accept the opponent's. Raises Refusal."""
        game = self._running_game(name)
        await self._say(DrawOffer(match=game.match, ply=len(game.moves)))

    def _running_game(self, name: str) -> Game:
        game = self.game(name)
        if game.is_over:
            raise Refusal(400, "Game already over")
        return game

    # --- events

    def follow(self) -> Feed:
        """Events, beginning with the games that run and the challenges that are open. Given back by `leave`."""
        feed = Feed()
        for game in self.playing:
            feed.put({"type": "gameStart", "game": game.summary()})
        for form in self.challenges.open["in"]:
            feed.put({"type": "challenge", "challenge": form})
        self._feeds.add(feed)
        return feed

    def leave(self, feed: Feed) -> None:
        """Remove a reader."""
        self._feeds.discard(feed)

    def _put(self, event: Json) -> None:
        for feed in self._feeds:
            feed.put(event)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000

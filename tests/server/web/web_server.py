"""A real server with its pages on free ports, scripted bots on local lines, and a client for the pages."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import aiohttp

from tabiya.games.openings import Opening
from tabiya.games.registry import load_game
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import Hello, MatchEnded, Notice, Turn, Welcome
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tabiya.server.core import events
from tabiya.server.core.adjudication import Adjudication
from tabiya.server.matches.factory import MatchTerms
from tabiya.storage.memory import MemoryStore
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.records import MatchId, MatchRecord, SeatRecord
from tests.fakes.local_network import LocalNetwork
from tests.present import present
from tests.server.local_bots import Choose, LocalBot
from tests.server.web.declared import assert_declared

LINE = "a1 a2 b1 b2 c1"  # tic-tac-toe, won by seat 0
DRAW = "a1 b1 c1 b2 a2 c2 b3 a3 c3"
GAME = "tictactoe"
LARGE = 2**20  # bytes that aiohttp does not take at once
JSON = {"Content-Type": "application/json"}
OPERATOR = "the operator's own"


def script(moves: str) -> Callable[[], Choose]:
    """Two bots that share this play these moves of one game; when they are over they think forever."""
    listed = moves.split()

    def choose(turn: Turn) -> str | None:
        return listed[turn.ply] if turn.ply < len(listed) else None

    return lambda: choose


class Answer:
    """What came back."""

    def __init__(self, status: int, headers: Any, body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def assert_refused(self, status: int, words: str) -> None:
        """It is an error of the API with this status and these words in its sentence."""
        assert self.status == status, self.text
        assert words in self.error

    @property
    def error(self) -> str:
        """The sentence of an error of the API."""
        assert self.headers["Content-Type"] == "application/problem+json", self.text
        assert (self.json["status"], self.json["error"]) == (self.status, self.json["detail"]), self.text
        return str(self.json["detail"])


class WebServer:
    """One server, its bots and a visitor of its pages."""

    def __init__(self, server: TabiyaServer, session: aiohttp.ClientSession) -> None:
        self.server, self.store, self.dispatcher = server, server.store, server.dispatcher
        self.url = f"http://127.0.0.1:{server.pages_port}"
        self.session = session
        self.network = LocalNetwork(server.dispatcher, server.config.limits, time.monotonic_ns)
        self.bots: dict[str, LocalBot] = {}
        self.players: dict[int, tuple[str, str]] = {}
        self._numbers = itertools.count()

    # --- asking

    async def ask(self, method: str, path: str, **request: Any) -> Answer:
        """One request; redirects are answers."""
        async with self.session.request(method, self.url + path, allow_redirects=False, **request) as answer:
            assert_declared(method, path, answer.status, answer.headers.get("Content-Type", ""))
            return Answer(answer.status, answer.headers, await answer.read())

    async def get(self, path: str, *, token: str = "", **headers: str) -> Answer:
        """A page or an answer of the API."""
        return await self.ask("GET", path, headers=bearer(token) | _hyphened(headers))

    async def json(self, path: str) -> Any:
        """An answer of the API that must come."""
        answer = await self.get(path)
        assert answer.status == 200, answer.text
        return answer.json

    async def post(self, path: str, order: Any, *, token: str = "", **headers: str) -> Answer:
        """An order. token: the sender's, sent as a bearer's."""
        body = order if isinstance(order, bytes) else json.dumps(order).encode()
        sent = body if len(body) < LARGE else io.BytesIO(body)
        return await self.ask("POST", path, data=sent, headers=JSON | bearer(token) | _hyphened(headers))

    # --- playing

    async def bot(self, name: str, choose: Choose, **hello: Any) -> LocalBot:
        """A connected bot; the same one when asked for again."""
        if name not in self.bots:
            bot = self.bots[name] = LocalBot(self.network, name, choose)
            bot.say(Hello(name=name, **hello))
            await bot.receives(Welcome)
        self.bots[name].choose = choose
        return self.bots[name]

    async def begin(
        self,
        moves: str = LINE,
        *,
        game: str = GAME,
        bots: tuple[str, str] = ("ada", "bob"),
        control: str = "60+0.5",
        options: dict[str, Any] | None = None,
        opening: str = "",
        adjudication: Adjudication | None = None,
    ) -> int:
        """A match of connected bots that play these moves, begun and not waited for. opening: its first moves."""
        choose = script(moves)()
        seats = []
        for name in bots:
            await self.bot(name, choose, version="1.0")
            session = present(self.dispatcher.sessions.by_name(name))
            seats.append(SeatRecord(bot_id=session.bot.id, bot=session.name, version=session.version))
        rules = load_game(game)
        checked = rules.read_options(options)
        terms = MatchTerms(game, control, checked, rated=True)
        start = Opening(rules.start(checked).text(), tuple(opening.split()))
        key = f"test-{next(self._numbers)}"
        match = await self.dispatcher.match_factory.create(
            self.dispatcher.match_factory.plan(terms, (seats[0], seats[1]), start, key=key, adjudication=adjudication)
        )
        self.players[match] = bots
        return match

    async def play(self, moves: str = LINE, **terms: Any) -> int:
        """A match played to its end."""
        match = await self.begin(moves, **terms)
        await self.ends(match)
        return match

    async def ends(self, match: int) -> None:
        """Wait until both players have heard the result, which is saved then."""
        for name in self.players[match]:
            bot = self.bots[name]
            await bot.until(partial(_has_ended, bot, match))

    async def at_ply(self, match: int, ply: int) -> None:
        """Wait until so many moves are saved and the next turn is out; for games in which seats take turns."""
        bot = self.bots[self.players[match][ply % 2]]
        await bot.until(lambda: any((turn.match, turn.ply) == (match, ply) for turn in bot.received(Turn)))

    async def record(self, match: int) -> MatchRecord:
        """The match as stored."""
        return present(await self.store.match(MatchId(match)))

    async def tournament_ends(self, bot: str = "ada") -> None:
        """Wait until this bot has heard the end of its tournament."""
        received = self.bots[bot]
        await received.until(lambda: any(notice.kind == "tournament_ended" for notice in received.received(Notice)))

    async def freeze(self, match: int) -> None:
        """An internal error stops a running match."""
        self.dispatcher.runner.post_to(
            match, events.RulesFailed("an error made for a test", self.dispatcher.runner.now_ns())
        )
        await self.store.put_setting("after", "the freezing is saved")


def bearer(token: str) -> dict[str, str]:
    """The header with a token; none without one."""
    return {"Authorization": f"Bearer {token}"} if token else {}


def _has_ended(bot: LocalBot, match: int) -> bool:
    return match in {ended.match for ended in bot.received(MatchEnded)}


def _hyphened(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@contextlib.asynccontextmanager
async def web_server(
    limits: WireLimits | None = None, tables: MemoryTables | None = None, **config: Any
) -> AsyncIterator[WebServer]:
    """A running server on free ports. tables: what an earlier one has saved.  config: fields of ServerConfig."""
    settings: dict[str, Any] = {"port": 0, "pages_port": 0, "database_url": "memory:"} | config
    store = MemoryStore(tables) if settings["database_url"] == "memory:" else None
    server = TabiyaServer(ServerConfig(limits=limits or WireLimits(), **settings), store=store)
    await server.start()
    server.load_rest()  # now: it would hold up a stream that is waited for
    try:
        async with aiohttp.ClientSession() as session:
            yield WebServer(server, session)
    finally:
        await server.stop()

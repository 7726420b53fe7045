"""Playing a match: a private server on loopback, two bots on it, and games seated one after the other."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

from bots.adapters.python_file import load_bot
from bots.client.bot import Bot, name_of
from bots.client.connection import Client
from bots.client.events import Connected, Event, Listener
from bots.client.run import plan_of
from bots.player_spec import Kind, parse_player
from bots.pool.as_bot import as_bot
from games.endings import Ending
from games.openings import Opening, openings
from games.registry import load_game
from games.warm import warm
from server.app import TabiyaServer
from server.config import ServerConfig
from server.core.events import Aborted
from server.lobby import MatchTerms
from server.seating import checked_options
from storage.records import BotId, MatchId, MatchRecord, ResultRecord, SeatRecord
from tabiya.match.score import Score, score_of

ABORT_S = 5.0
LOOK_S = 1.0  # how often a game that does not end is looked at


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """What is to be played.

    players: two texts of the PLAYER grammar.  pairs: how many openings, each played twice with seats changed.
    at_once: games at the same time.  database: an address as for `tabiya serve`.
    """

    players: tuple[str, str]
    game: str
    pairs: int = 10
    time_control: str = "10+0.1"
    at_once: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    database: str = "memory:"

    @property
    def games(self) -> int:
        """How many games that are."""
        return 2 * self.pairs


@dataclass(frozen=True, slots=True)
class Game:
    """One game that is over. number: from 0; two of a pair follow each other.  first_seat: that of the first player."""

    number: int
    match: int
    first_seat: int
    winner: int | None
    ending: str
    reason: str

    @property
    def score(self) -> float | None:
        """The first player's: 1, 0.5 or 0; None without a result."""
        if self.ending == Ending.ABORTED:
            return None
        return 0.5 if self.winner is None else float(self.winner == self.first_seat)


@dataclass(slots=True)
class Played:
    """What has been played so far. names: of the players on the server."""

    names: tuple[str, str] = ("", "")
    games: dict[int, Game] = field(default_factory=dict)

    @property
    def score(self) -> Score:
        """The first player's score."""
        if not self.games:
            return Score(0, 0, 0)
        found = (self.games.get(number) for number in range(max(self.games) + 1))
        return score_of([game.score if game is not None else None for game in found])


Progress = Callable[[Played], None]


class MatchFailed(Exception):
    """The match cannot go on; the text is one sentence."""


async def play(plan: MatchPlan, played: Played, listener: Listener, progress: Progress = lambda played: None) -> None:
    """Play the match; `played` fills while it goes on, and holds what there is when it is cancelled.

    listener: is told what happens to the bots.  Raises MatchFailed, ClientError, GameError, PlayerError,
    server.app.StartError and what a player's own start raises.
    """
    game = load_game(plan.game)
    checked_options(game, plan.options)
    warm(game)
    draws = cycle(openings(game, plan.seed, plan.pairs, plan.options))
    config = ServerConfig(
        port=0, pages_port=0, database_url=plan.database, time_control=plan.time_control, open_registration=True
    )
    server = TabiyaServer(config)
    await server.start()
    try:
        await _play_on(plan, server, [next(draws) for _ in range(plan.pairs)], played, listener, progress)
    except BaseExceptionGroup as group:
        raise _first_of(group) from None
    finally:
        await server.stop()


async def _play_on(
    plan: MatchPlan,
    server: TabiyaServer,
    draws: Sequence[Opening],
    played: Played,
    listener: Listener,
    progress: Progress,
) -> None:
    lives = [_Life(_bot(plan, number), plan, server.websocket_url, listener) for number in (0, 1)]
    async with asyncio.TaskGroup() as group:
        clients = []
        for life in lives:  # one after the other: of two of one name the second gets the suffix
            clients.append(group.create_task(life.client.run()))
            await life.arrived.wait()
        first, second = (_seat(server, life) for life in lives)
        played.names = first.bot, second.bot
        await _Table(plan, server, (first, second), played, progress).play(draws)
        for client in clients:
            client.cancel()


def _first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What went wrong first, out of the groups that it travels in."""
    error = group.exceptions[0]
    return _first_of(error) if isinstance(error, BaseExceptionGroup) else error


def _bot(plan: MatchPlan, number: int) -> Bot:
    """The player as a bot; its thinking is done by worker processes, so that no player takes another's time."""
    player, seed = plan.players[number], plan.seed * 2 + number
    spec = parse_player(player)
    name = name_of(load_bot(spec.path, spec.name)) if spec.kind is Kind.FILE else ""
    return as_bot(player, name=name, games=(plan.game,), workers=plan.at_once, seed=seed)


class _Life:
    """One player's client."""

    def __init__(self, bot: Bot, plan: MatchPlan, url: str, listener: Listener) -> None:
        self.name = ""
        self.arrived = asyncio.Event()
        self._listener = listener
        self.client = Client(bot, plan_of(bot, url, at_once=plan.at_once), self._hear)

    def _hear(self, event: Event) -> None:
        if isinstance(event, Connected):
            self.name = event.welcome.name
            self.arrived.set()
        self._listener(event)


def _seat(server: TabiyaServer, life: _Life) -> SeatRecord:
    peer = server.host.directory.named(life.name)
    if peer is None:
        raise MatchFailed(f"{life.name} has gone again at once")
    return SeatRecord(bot_id=BotId(peer.bot.id), bot=peer.name, version=peer.version)


class _Table:
    """Seats the games and waits for their results."""

    def __init__(
        self,
        plan: MatchPlan,
        server: TabiyaServer,
        seats: tuple[SeatRecord, SeatRecord],
        played: Played,
        progress: Progress,
    ) -> None:
        self._plan, self._server, self._seats, self._played, self._progress = plan, server, seats, played, progress
        self._key = uuid.uuid4().hex
        self._over: dict[str, asyncio.Future[ResultRecord]] = {}
        self._creating: set[asyncio.Future[MatchId]] = set()
        server.host.on_ended.append(self._ended)

    async def play(self, draws: Sequence[Opening]) -> None:
        """Play each opening twice. What runs when it is cancelled is aborted, so that no database keeps it running."""
        games = iter(range(2 * len(draws)))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._plan.at_once, 2 * len(draws))):
                    group.create_task(self._play_on(games, draws))
        finally:
            await self._abort()

    async def _play_on(self, games: Iterator[int], draws: Sequence[Opening]) -> None:
        for number in games:
            self._played.games[number] = await self._game(number, draws[number // 2])
            self._progress(self._played)

    async def _game(self, number: int, opening: Opening) -> Game:
        plan, seating = self._plan, self._server.host.seating
        seats = self._seats if number % 2 == 0 else self._seats[::-1]
        terms = MatchTerms(plan.game, plan.time_control, checked_options(load_game(plan.game), plan.options))
        key = f"match-{self._key}-{number}"
        over = self._over[key] = asyncio.get_running_loop().create_future()
        creating = asyncio.ensure_future(seating.create(seating.plan(terms, (seats[0], seats[1]), opening, key=key)))
        self._creating.add(creating)
        creating.add_done_callback(self._creating.discard)
        match_id = await asyncio.shield(creating)  # what is stored must run, or it could not be aborted
        while not over.done():
            await asyncio.wait([over], timeout=LOOK_S)
            self._check(match_id)
        result = over.result()
        return Game(number, match_id, number % 2, result.winner, str(result.ending), result.reason)

    async def _abort(self) -> None:
        runner = self._server.host.runner
        await asyncio.gather(*self._creating, return_exceptions=True)
        for live in runner.running():
            if live.record.key in self._over:
                runner.feed(live.record.id, Aborted("the match was stopped", runner.now_ns()))
        if self._over:
            await asyncio.wait(self._over.values(), timeout=ABORT_S)

    def _check(self, match_id: MatchId) -> None:
        live = self._server.host.runner.live(match_id)
        if live is not None and live.frozen:
            raise MatchFailed(f"game {match_id} was stopped by an error of the server; please report it")

    def _ended(self, record: MatchRecord, result: ResultRecord) -> None:
        over = self._over.pop(record.key, None)
        if over is not None and not over.done():
            over.set_result(result)

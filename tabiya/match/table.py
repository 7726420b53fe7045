"""The table at which a match is played: a private server with its two players, who play one game after another there.

async with open_table(plan, listener) as table:
    await table.join()
    await table.begin(0, "match-9f3c-1-0", opening)
    record, result = await table.game_over("match-9f3c-1-0")
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from tabiya.bots.client.events import Listener, Note
from tabiya.bots.evaluators.known_result import known_result
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.players.spec import PlayerSpec, parse_player
from tabiya.bots.pool.make_bot import make_bot
from tabiya.bots.pool.pool_bot import LONGEST_NAME, name_from_player
from tabiya.bots.pool.spare_workers import SpareWorkers
from tabiya.games.openings import Opening
from tabiya.games.registry import load_game
from tabiya.games.warm import warm
from tabiya.match.engine_participant import EngineParticipant, engine_of
from tabiya.match.local_runner import LocalRunner
from tabiya.match.own_book import OwnBook
from tabiya.match.participants import ClientParticipant, MatchFailed, Participant, name_of_player
from tabiya.match.plan import MatchPlan
from tabiya.openings import OpeningsError
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tabiya.server.core.events import Aborted
from tabiya.server.matches.factory import MatchTerms, checked_options
from tabiya.storage.records import BotId, MatchId, MatchRecord, ResultRecord, SeatRecord
from tabiya.storage.store import Store

ABORT_S = 5.0  # for the ends of aborted games to be saved
POLL_S = 1.0  # how often games that do not end are looked at
OUTAGE_S = 60.0  # that nothing can be saved: a database may restart, but a full disk stays full

T = TypeVar("T")
ParticipantFactory = Callable[[MatchPlan, int, TabiyaServer, Listener], Participant]
"""Makes the first (0) or second (1) player."""


@asynccontextmanager
async def open_table(
    plan: MatchPlan,
    listener: Listener,
    participant_factory: ParticipantFactory | None = None,
    store: Store | None = None,
    spares: SpareWorkers | None = None,
) -> AsyncIterator[Table]:
    """A table with its rules compiled; the players have still to join.

    listener: called with the bots' events.  participant_factory: makes the players, for others than the PLAYER grammar
    knows.  store: one that is open already and closed with the table; None opens the plan's.  spares: where the players
    find workers of tables before, and leave theirs.
    Raises GameError, PlayerError, the server's StartError.
    """
    game = load_game(plan.game)
    checked_options(game, plan.options)
    warm(game)
    evaluator = evaluator_for(game) if plan.endings else None
    if evaluator:
        known_result(evaluator, game.start())  # compiled before a clock runs
    # any free port, and open: the two bots have no accounts
    config = ServerConfig(port=0, database_url=plan.database, open_registration=True)
    listens = participant_factory is None and _needs_socket(plan)
    new_runner = partial(LocalRunner, evaluator=evaluator)
    server = TabiyaServer(config, store=store, listens=listens, pages=False, new_runner=new_runner)
    await server.start()
    table = Table(plan, server, listener, participant_factory or partial(participant_of, spares=spares))
    try:
        yield table
    finally:
        try:
            await table.leave()
        finally:
            await server.stop()


def _needs_socket(plan: MatchPlan) -> bool:
    return plan.sandbox is not None or any(engine_of(parse_player(player)) is None for player in plan.players)


def participant_of(
    plan: MatchPlan, number: int, server: TabiyaServer, listener: Listener, spares: SpareWorkers | None = None
) -> Participant:
    """One player; the thinking is done by other processes, so that no player takes another's time."""
    spec = parse_player(plan.players[number])
    name, program = _name_in(plan, number, spec), engine_of(spec)
    if program is not None and plan.sandbox is None:  # in a sandbox it is spoken to by a worker, which is there, too
        command, protocol = program
        return EngineParticipant(
            server.dispatcher,
            name,
            command,
            protocol,
            plan.game,
            plan.concurrency,
            lambda text: listener(Note(text)),
            restarts=plan.restarts[number],
            cores=plan.cores[number::2],
            book=_book_of(plan, number),
        )
    seed = plan.seed * 2 + number
    bot = make_bot(
        spec.text,
        name=name,
        games=(plan.game,),
        workers=plan.concurrency,
        seed=seed,
        emergency_moves=plan.emergency_moves,
        sandbox=plan.sandbox,
        spares=spares,
    )
    return ClientParticipant(bot, server, plan, listener)


def _book_of(plan: MatchPlan, number: int) -> OwnBook | None:
    terms = plan.books[number]
    try:
        return None if terms is None else OwnBook(terms, plan.game, plan.seed)
    except OpeningsError as error:
        raise MatchFailed(str(error)) from None


def _name_in(plan: MatchPlan, number: int, spec: PlayerSpec) -> str:
    """As it was given; else with its book, and its time control where those differ: it is another player by these."""
    if plan.names[number]:
        return plan.names[number]
    name, (first, second) = name_of_player(spec.text, loads=plan.sandbox is None), plan.time_controls
    book = plan.books[number]
    own = f"-{Path(book.path).name}" if book else ""
    if first != second:
        own += f"-{plan.time_controls[number]}"
    if not own:
        return name
    return (name or name_from_player(spec.text))[: LONGEST_NAME - len(own)] + own


class Table:
    """Seats the games of one match and waits for their results."""

    def __init__(
        self, plan: MatchPlan, server: TabiyaServer, listener: Listener, participant_factory: ParticipantFactory
    ) -> None:
        self._plan, self._server, self._listener = plan, server, listener
        self._make_participant = participant_factory
        # with odds in time the result says nothing about ratings
        own, other = plan.time_controls
        options, rated = checked_options(load_game(plan.game), plan.options), own == other
        self._terms = tuple(
            MatchTerms(plan.game, control, options, rated)
            for control in (plan.time_control, plan.time_control if rated else f"{other},{own}")
        )
        self._over: dict[str, asyncio.Future[tuple[MatchRecord, ResultRecord]]] = {}
        self._creating: set[asyncio.Future[MatchId]] = set()
        self._participants: list[Participant] = []
        self._seats: tuple[SeatRecord, SeatRecord]
        server.dispatcher.on_ended.append(self._ended)

    @property
    def store(self) -> Store:
        """Where its games are kept."""
        return self._server.store

    async def join(self) -> None:
        """Let both players come. Raises MatchFailed, ClientError, PlayerError and what a player's start raises."""
        self._participants = [
            self._make_participant(self._plan, number, self._server, self._listener) for number in (0, 1)
        ]
        for one in self._participants:  # one after the other: of two of one name the second gets the suffix
            await one.join()
        first, second = (self._seat(one) for one in self._participants)
        self._seats = first, second

    @property
    def names(self) -> tuple[str, str]:
        """Of the players, once they have joined."""
        return self._seats[0].bot, self._seats[1].bot

    @property
    def deaths(self) -> list[int]:
        """How often each player's program has failed in mid-thought."""
        return [getattr(one, "deaths", 0) for one in self._participants]

    async def leave(self) -> None:
        """Let both players go."""
        await asyncio.gather(*(one.leave() for one in self._participants))

    def _seat(self, participant: Participant) -> SeatRecord:
        session = self._server.dispatcher.sessions.by_name(participant.name)
        if session is None:
            raise MatchFailed(f"{participant.name} has disconnected again at once")
        return SeatRecord(bot_id=BotId(session.bot.id), bot=session.name, version=session.version)

    # --- games ---

    def expect(self, key: str) -> None:
        """The game of this key will be waited for; before it exists, since it could end before we wait."""
        self._over[key] = asyncio.get_running_loop().create_future()

    async def begin(self, number: int, key: str, opening: Opening) -> None:
        """Start a game. The players get ready before its clock runs."""
        match_factory = self._server.dispatcher.match_factory
        await asyncio.gather(*(one.prepare() for one in self._participants))
        terms, seats = self._terms[number % 2], self._seats if number % 2 == 0 else self._seats[::-1]
        self.expect(key)
        new = match_factory.plan(terms, (seats[0], seats[1]), opening, key=key, adjudication=self._plan.adjudication)
        creating = asyncio.ensure_future(match_factory.create(new))
        self._creating.add(creating)
        creating.add_done_callback(self._creating.discard)
        await asyncio.shield(creating)  # what is stored must run, or it could not be aborted

    async def game_over(self, key: str) -> tuple[MatchRecord, ResultRecord]:
        """Wait until a game that was begun or is expected is over."""
        record, result = await self._over[key]
        del self._over[key]
        return record, result

    async def unless_failed(self, work: asyncio.Future[T]) -> T:
        """The result of `work`. Raises as soon as a player cannot play any more or a server error stops a game.

        What then runs is not aborted: `abort` does that, when nothing can begin another game.
        """
        looking = asyncio.create_task(self._watch_for_stuck_games())
        try:
            trouble: list[asyncio.Future[None]] = [looking, *(one.failed for one in self._participants)]
            either: set[asyncio.Future[Any]] = {work, *trouble}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            for failed in trouble:  # first: a player that is gone matters more than a result that came with it
                if failed.done():
                    failed.result()
            return await work
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)

    def _ended(self, record: MatchRecord, result: ResultRecord) -> None:
        over = self._over.get(record.key)
        if over is not None and not over.done():  # cancelled if the match was stopped
            over.set_result((record, result))

    async def _watch_for_stuck_games(self) -> None:
        # frozen games, and those that cannot be saved, never end: `_ended` is not called for them
        runner = self._server.dispatcher.runner
        while True:
            await asyncio.sleep(POLL_S)
            if runner.outage.seconds > OUTAGE_S:
                raise MatchFailed(f"the games cannot be saved: {runner.outage.why}")
            for active in runner.running():
                if active.frozen and active.record.key in self._over:
                    raise MatchFailed(
                        f"game {active.record.id} was stopped by an error of the server; please report it"
                    )

    async def abort(self) -> None:
        """End what runs without a result, so that no database keeps it running."""
        runner = self._server.dispatcher.runner
        # a game that is stored but does not run yet cannot be aborted
        await asyncio.gather(*self._creating, return_exceptions=True)
        ending = []
        for active in runner.running():
            if active.record.key in self._over:
                ending.append(self._over[active.record.key])
                runner.post_to(active.record.id, Aborted("the match was stopped", runner.now_ns()))
        if ending:
            await asyncio.wait(ending, timeout=ABORT_S)

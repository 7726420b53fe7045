"""Playing a match: a private server, two bots on it, and games seated one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import cycle, islice
from typing import Any

from msgspec.structs import replace

from tabiya.bots.client.events import Listener, Note
from tabiya.bots.players.spec import parse_player
from tabiya.bots.pool.make_bot import make_bot
from tabiya.games.endings import Ending
from tabiya.games.openings import Opening, distinct_openings
from tabiya.games.registry import load_game
from tabiya.games.warm import warm
from tabiya.match.engine_participant import EngineParticipant, engine_of
from tabiya.match.participants import ClientParticipant, MatchFailed, Participant, name_of_player
from tabiya.match.plan import MatchPlan
from tabiya.match.resume import ResumableRun
from tabiya.match.score import FinishedGame, MatchScore, digest_of
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tabiya.server.core.events import Aborted
from tabiya.server.matches.factory import MatchTerms, checked_options
from tabiya.server.tournaments.openings import given_openings
from tabiya.storage.records import BotId, MatchId, MatchRecord, MoveRecord, ResultRecord, SeatRecord

ABORT_S = 5.0  # for the ends of aborted games to be saved
LOOK_S = 1.0  # how often games that do not end are looked at

Progress = Callable[[MatchScore], None]
OnGameOver = Callable[[int, MatchRecord, tuple[MoveRecord, ...]], None]
"""Called with every game that is over: its number, its record, its moves."""
ParticipantFactory = Callable[[MatchPlan, int, TabiyaServer, Listener], Participant]
"""Makes the first (0) or second (1) player."""


async def play(
    plan: MatchPlan,
    score: MatchScore,
    listener: Listener,
    progress: Progress = lambda score: None,
    on_game_over: OnGameOver = lambda number, record, moves: None,
    participant_factory: ParticipantFactory | None = None,
) -> None:
    """Play the match; `score` fills while it goes on, and holds what there is when it is cancelled.

    listener: called with the bots' events.  participant_factory: makes the players, for others than the PLAYER grammar
    knows.  Raises MatchFailed, ClientError, GameError, PlayerError, tabiya.server.app.StartError, StoreError and what a
    player's own start raises.
    """
    game = load_game(plan.game)
    checked_options(game, plan.options)
    warm(game)
    # any free ports, and open: the two bots have no accounts
    config = ServerConfig(
        port=0, pages_port=0, database_url=plan.database, time_control=plan.time_control, open_registration=True
    )
    server = TabiyaServer(config, listens=participant_factory is None and _needs_socket(plan))
    await server.start()
    try:
        run = await ResumableRun.open(server.store, plan)
        runner = MatchRunner(plan, server, run, score, progress, on_game_over)
        # before anybody joins: what an earlier run left running goes on when both are there, and may end at once
        await runner.load_earlier_games()
        participants = [(participant_factory or participant_of)(plan, number, server, listener) for number in (0, 1)]
        try:
            for one in participants:  # one after the other: of two of one name the second gets the suffix
                await one.join()
            await runner.play((participants[0], participants[1]))
        finally:
            await asyncio.gather(*(one.leave() for one in participants))
    finally:
        await server.stop()


def _needs_socket(plan: MatchPlan) -> bool:
    return plan.sandbox is not None or any(engine_of(parse_player(player)) is None for player in plan.players)


def participant_of(plan: MatchPlan, number: int, server: TabiyaServer, listener: Listener) -> Participant:
    """One player; the thinking is done by other processes, so that no player takes another's time."""
    spec = parse_player(plan.players[number])
    name, program = name_of_player(spec.text, loads=plan.sandbox is None), engine_of(spec)
    if program is not None and plan.sandbox is None:  # behind walls it is spoken to by a worker, which is there, too
        command, protocol = program
        return EngineParticipant(
            server.dispatcher,
            name,
            command,
            protocol,
            (plan.game,),
            plan.concurrency,
            lambda text: listener(Note(text)),
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
    )
    return ClientParticipant(bot, server, plan, listener)


class MatchRunner:
    """Seats the games of one match and waits for their results."""

    def __init__(
        self,
        plan: MatchPlan,
        server: TabiyaServer,
        run: ResumableRun,
        score: MatchScore,
        progress: Progress,
        on_game_over: OnGameOver,
    ) -> None:
        self._plan, self._server, self._run = plan, server, run
        self._score, self._progress, self._on_game_over = score, progress, on_game_over
        self._terms = MatchTerms(plan.game, plan.time_control, checked_options(load_game(plan.game), plan.options))
        self._openings = _Openings(plan)
        self._over: dict[str, asyncio.Future[tuple[MatchRecord, ResultRecord]]] = {}
        self._running: dict[int, str] = {}  # games that go on after a restart: number -> key
        self._creating: set[asyncio.Future[MatchId]] = set()
        self._participants: tuple[Participant, Participant]
        self._records: tuple[SeatRecord, SeatRecord]
        server.dispatcher.on_ended.append(self._ended)

    async def load_earlier_games(self) -> None:
        """Count what an earlier run has finished, and take over what it left running. Raises StoreError."""
        if not self._plan.resume:
            return
        async for number, record in self._run.stored_games(self._plan.game):
            if record.result is not None and record.result.ending != Ending.ABORTED:
                await self._count(number, record, record.result)
                self._score.resumed += 1
            elif record.status == "running":
                self._expect(record.key)
                self._running[number] = record.key

    async def play(self, participants: tuple[Participant, Participant]) -> None:
        """Play each opening twice. What runs when it is cancelled is aborted, so that no database keeps it running."""
        self._participants = participants
        first, second = (self._record(one) for one in participants)
        self._records = first, second
        self._score.names = first.bot, second.bot
        games = 0 if self._decided() else self._plan.games
        # one iterator for all slots: none waits between taking a number and owning it, so no game is played twice
        numbers = (number for number in range(games) if number not in self._score.games)
        slots = [asyncio.create_task(self._play_on(numbers)) for _ in range(self._plan.concurrency)]
        looking = asyncio.create_task(self._look_for_frozen())
        work: asyncio.Future[list[None]] = asyncio.gather(*slots)
        try:
            trouble: list[asyncio.Future[None]] = [looking, *(one.failed for one in participants)]
            either: set[asyncio.Future[Any]] = {work, *trouble}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            for failed in trouble:  # first: a player that is gone matters more than a result that came with it
                if failed.done():
                    failed.result()
            with suppress(_TestDecided):
                await work
        finally:
            for task in (looking, *slots):
                task.cancel()
            await asyncio.gather(looking, *slots, work, return_exceptions=True)
            await self._abort()  # behind the slots, which could begin another game
            self._score.deaths[:] = [getattr(one, "deaths", 0) for one in participants]

    def _record(self, participant: Participant) -> SeatRecord:
        session = self._server.dispatcher.sessions.by_name(participant.name)
        if session is None:
            raise MatchFailed(f"{participant.name} has gone again at once")
        return SeatRecord(bot_id=BotId(session.bot.id), bot=session.name, version=session.version)

    # --- one game after the other ---

    async def _play_on(self, numbers: Iterator[int]) -> None:
        for number in numbers:
            # a game that goes on after a restart is not begun again
            key = self._running.pop(number, None) or await self._begin(number)
            record, result = await self._over[key]
            del self._over[key]
            await self._count(number, record, result)
            self._progress(self._score)
            if self._decided():
                raise _TestDecided

    async def _begin(self, number: int) -> str:
        """Start a game; its key. The players get ready before its clock runs."""
        match_factory = self._server.dispatcher.match_factory
        await asyncio.gather(*(one.prepare() for one in self._participants))
        seats = self._records if number % 2 == 0 else self._records[::-1]
        key = self._expect(self._run.key(number))  # before it exists: it could end before we wait for it
        new = match_factory.plan(
            self._terms,
            (seats[0], seats[1]),
            self._openings.of(number // 2),
            key=key,
            adjudication=self._plan.adjudication,
        )
        creating = asyncio.ensure_future(match_factory.create(new))
        self._creating.add(creating)
        creating.add_done_callback(self._creating.discard)
        await asyncio.shield(creating)  # what is stored must run, or it could not be aborted
        return key

    async def _count(self, number: int, record: MatchRecord, result: ResultRecord) -> None:
        moves = await self._server.store.moves(record.id)
        game = FinishedGame(
            number=number,
            match=record.id,
            first_seat=number % 2,
            winner=result.winner,
            ending=str(result.ending),
            reason=result.reason,
            plies=sum(not move.opening for move in moves),
            moves_digest=digest_of(record.start_text, moves),
        )
        self._score.add(game, moves)
        self._on_game_over(number, replace(record, status="ended", result=result, plies=len(moves)), moves)

    def _decided(self) -> bool:
        """Whether the sequential test has come to its verdict."""
        test = self._plan.sprt
        if test is not None and not self._score.verdict:
            verdict = test.verdict(self._score.pairs)
            self._score.verdict = "" if verdict == "go on" else verdict
        return bool(self._score.verdict)

    # --- ends ---

    def _expect(self, key: str) -> str:
        self._over[key] = asyncio.get_running_loop().create_future()
        return key

    def _ended(self, record: MatchRecord, result: ResultRecord) -> None:
        over = self._over.get(record.key)
        if over is not None and not over.done():  # cancelled if the match was stopped
            over.set_result((record, result))

    async def _look_for_frozen(self) -> None:
        # a frozen game has no end, so that `_ended` never hears of it
        while True:
            await asyncio.sleep(LOOK_S)
            for active in self._server.dispatcher.runner.running():
                if active.frozen and active.record.key in self._over:
                    raise MatchFailed(
                        f"game {active.record.id} was stopped by an error of the server; please report it"
                    )

    async def _abort(self) -> None:
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


class _TestDecided(Exception):
    """The sequential test has come to its verdict."""


class _Openings:
    """One for each pair, distinct until there are no more: those given, or drawn by the seed when they are needed."""

    def __init__(self, plan: MatchPlan) -> None:
        game = load_game(plan.game)
        given: Iterable[Opening] = given_openings(game, plan.options, plan.openings)
        draws = given or distinct_openings(game, plan.seed, plan.options)
        self._draws, self._drawn = cycle(draws), list[Opening]()

    def of(self, pair: int) -> Opening:
        """The opening of this pair's two games."""
        self._drawn += islice(self._draws, max(0, pair + 1 - len(self._drawn)))
        return self._drawn[pair]

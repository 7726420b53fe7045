"""What pages and API use of the server in the same process, beside the store: bots, matches, orders.

Nothing else in server/web uses dispatcher, runner or gateway.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from typing import Protocol
from uuid import uuid4

from msgspec.structs import replace

from tabiya.games.endings import Ending
from tabiya.games.registry import load_game, names
from tabiya.protocol.messages import Watching
from tabiya.server.accounts.accounts import Accounts
from tabiya.server.accounts.web_sessions import WebSessions
from tabiya.server.cluster.hosts import Hosts
from tabiya.server.cluster.remote_gateways import RemoteGateways
from tabiya.server.config import ServerConfig
from tabiya.server.core import events
from tabiya.server.dispatcher import Dispatcher
from tabiya.server.explorer import Explorer
from tabiya.server.hosting import Hosting
from tabiya.server.load import LoadSampler
from tabiya.server.matches.spectators import PageViewer, Spectators
from tabiya.server.program_rules import ProgramRules
from tabiya.server.seasons.seasons import Seasons
from tabiya.server.settings import RunningSettings
from tabiya.server.standings import StandingsCache
from tabiya.server.tournaments.manager import TournamentManager
from tabiya.server.transport.allowed_hosts import AllowedHosts
from tabiya.server.transport.gateway import Gateway
from tabiya.server.transport.public_address import PublicAddress
from tabiya.server.web.http.json_responses import HttpError
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.schemas.live_server import ServerFacts
from tabiya.server.web.schemas.lobby_responses import OpenChallenge, Opponent
from tabiya.server.web.schemas.responses import Counts, Replayed
from tabiya.server.web.views.presentation import result_sentence
from tabiya.storage.records import MatchRecord, NewMatch, OpeningPly, ResultRecord, SeatRecord
from tabiya.storage.store import Store

RESULT_TIMEOUT_S = 10.0  # how long an order waits for its result to be saved


class RunningServer(Protocol):
    """The server (`TabiyaServer` of server/app.py) as the web part uses it."""

    name: str
    config: ServerConfig
    store: Store
    dispatcher: Dispatcher
    gateway: Gateway
    remote_gateways: RemoteGateways | None
    hosts: Hosts | None
    accounts: Accounts
    tournaments: TournamentManager
    standings: StandingsCache
    seasons: Seasons
    allowed_hosts: AllowedHosts
    public: PublicAddress | None
    port: int
    started_at: float
    took_over: bool
    house_bots: dict[str, dict[str, str]]
    starting_house_bots: list[str]
    explorer: Explorer | None

    @property
    def gateways(self) -> int: ...

    hosting: Hosting | None
    settings: RunningSettings
    program_rules: ProgramRules
    load: LoadSampler


class ServerFacade(ServerView):
    """The server of this process, as the web part sees it and gives it orders."""

    def __init__(self, server: RunningServer) -> None:
        self._server, self._dispatcher, self._runner = server, server.dispatcher, server.dispatcher.runner
        self.config, self.allowed_hosts, self.public = server.config, server.allowed_hosts, server.public
        self.store, self.accounts, self.tournaments = server.store, server.accounts, server.tournaments
        self.web_sessions = WebSessions(server.store, server.accounts)
        self.settings, self.load = server.settings, server.load
        self.standings, self.seasons = server.standings, server.seasons
        self.program_rules = server.program_rules
        self._result_waiters: defaultdict[int, list[asyncio.Future[ResultRecord]]] = defaultdict(list)
        self._dispatcher.on_ended.append(self._match_ended)

    # --- what goes on

    @property
    def facts(self) -> ServerFacts:
        server = self._server
        return ServerFacts(
            name=server.name,
            listens_on=self.config.host,
            port=server.port,
            open_registration=self.accounts.open_to_all,
            time_control=server.config.time_control,
            started_at=server.started_at,
        )

    @property
    def closing(self) -> bool:
        return self._dispatcher.matchmaker.closing

    @property
    def serving_since(self) -> float:
        """When the server was ready, in seconds since 1970."""
        return self._server.started_at

    @property
    def took_over(self) -> bool:
        """Whether it waited for another server to be gone."""
        return self._server.took_over

    @property
    def explorer(self) -> Explorer | None:
        return self._server.explorer

    @property
    def hosting(self) -> Hosting | None:
        return self._server.hosting

    @property
    def house_names(self) -> tuple[str, ...]:
        """The server's own players."""
        return tuple(self._server.house_bots)

    @property
    def trouble(self) -> str:
        return self._runner.outage.sentence

    @property
    def readiness(self) -> tuple[int, str]:
        return (503, "cannot save") if self.trouble else (200, "ok")

    def orders_at(self, requested_host: str) -> str:
        return ""

    def counts(self) -> Counts:
        remote, hosts = self._server.remote_gateways, self._server.hosts
        return Counts(
            connections=remote.connections if remote else self._server.gateway.connections,
            gateways=self._server.gateways,
            hosts=len(hosts.numbers) if hosts else 0,
            bots=len(self._dispatcher.sessions),
            matches_running=self._runner.count,
            moves_saved=self._runner.moves_saved,
            matches_frozen=self._runner.frozen,
            matches_waiting=self._runner.outage.waiting,
            store_waiting=self.store.waiting,
        )

    def wire_counts(self) -> Counter[str]:
        """Counters of the gateway since the start."""
        return self._server.gateway.counts

    def hosted(self) -> dict[int, tuple[str, ...]]:
        return self.tournaments.hosted()

    def present(self) -> dict[int, tuple[str, ...]]:
        return {session.bot.id: tuple(sorted(session.games)) for session in self._dispatcher.sessions.all()}

    def snapshot(self, match_id: int) -> Watching | None:
        return self._runner.snapshot(match_id)

    def is_frozen(self, match_id: int) -> bool:
        active = self._runner.active(match_id)
        return active is not None and active.frozen

    def is_thinking(self, match_id: int) -> bool:
        """Whether the clock of the seat to move runs in a match."""
        active = self._runner.active(match_id)
        return active is not None and active.is_thinking

    def watch(self, match_id: int, viewer: PageViewer) -> bool:
        return self._runner.spectators.watch(match_id, viewer)

    def unwatch(self, match_id: int, viewer: PageViewer) -> None:
        self._runner.spectators.unwatch(match_id, viewer)

    def running(self) -> tuple[int, ...]:
        """The numbers of all matches that run."""
        return tuple(active.record.id for active in self._runner.running())

    @property
    def spectators(self) -> Spectators:
        """Who watches which match."""
        return self._runner.spectators

    # --- the lobby

    def opponents(self) -> tuple[Opponent, ...]:
        """Connected bots that can be challenged: the server's own players first, then by name."""
        house, lobby = self._server.house_bots, self._dispatcher.matchmaker
        order = {name: number for number, name in enumerate(house)}
        there = [session for session in self._dispatcher.sessions.all() if session.max_matches]
        there.sort(key=lambda one: (order.get(one.name, len(order)), one.name.casefold()))
        return tuple(
            Opponent(
                name=session.name,
                plays=tuple(sorted(session.games)),
                free=lobby.may_play(session),
                house=session.name in house,
                levels=house.get(session.name, {}),
            )
            for session in there
        )

    def preparing(self) -> tuple[str, ...]:
        """The server's own players that are being started and have not connected yet."""
        sessions = self._dispatcher.sessions
        return tuple(name for name in self._server.starting_house_bots if sessions.by_name(name) is None)

    def open_challenge(self, code: str) -> OpenChallenge | None:
        found = self._dispatcher.matchmaker.lobby.by_code(code)
        if found is None:
            return None
        terms, seat = found.terms, None if found.seat is None else 1 - found.seat
        return OpenChallenge(
            challenge=found.number,
            challenger=found.challenger.name,
            game=terms.game,
            options=terms.options,
            time=terms.time_control,
            seat=seat,
            rated=terms.rated,
            position=terms.position or None,
        )

    # --- orders about matches

    async def abort(self, record: MatchRecord, reason: str) -> None:
        """End a match without a result. Raises HttpError, StoreError."""
        reason = reason or "an operator ended the match without a result"
        await self._end(record, events.Aborted(reason, self._runner.now_ns()), None, Ending.ABORTED, reason)

    async def adjudicate(self, record: MatchRecord, winner: int | None, reason: str) -> None:
        """Decide a match. Raises HttpError, StoreError."""
        if winner is None and record.game in names() and not load_game(record.game).draws_possible:
            raise HttpError(400, f"{load_game(record.game).title} has no draws; name the winner, 0 or 1")
        await self._check_not_replaced(record)
        reason = reason or "decided by an operator"
        await self._end(
            record, events.Adjudicated(winner, reason, self._runner.now_ns()), winner, Ending.ADJUDICATED, reason
        )

    async def _check_not_replaced(self, record: MatchRecord) -> None:
        """Refuse to decide a game of a tournament that is played again: both results would count."""
        if record.tournament_id is None:
            return
        place = record.pairing, record.game_index
        for other in await self.store.tournament_matches(record.tournament_id):
            if other.id > record.id and (other.pairing, other.game_index) == place:
                raise HttpError(409, f"match {other.id} replaces it; match {record.id} can only be aborted")

    async def replay(self, record: MatchRecord, reason: str) -> Replayed:
        """Play a match again from its opening. Raises HttpError, StoreError."""
        running = record.status != "ended"
        if record.tournament_id is not None:
            await self._check_replayable(record)
        if running:
            await self.abort(record, reason or "an operator has the match played again")
        if record.tournament_id is not None:  # its director plays an aborted game again by itself
            return Replayed(match=None, aborted=True)
        new = await self._new_match_from(record)
        return Replayed(match=await self._dispatcher.match_factory.create(new), aborted=running)

    async def _check_replayable(self, record: MatchRecord) -> None:
        assert record.tournament_id is not None
        tournament = await self.store.tournament(record.tournament_id)
        if record.status == "ended":
            raise HttpError(409, f"match {record.id} has ended and counts in tournament {record.tournament_id}")
        if tournament is None or tournament.status not in ("running", "paused"):
            raise HttpError(409, f"tournament {record.tournament_id} of match {record.id} plays no more games")

    async def _new_match_from(self, record: MatchRecord) -> NewMatch:
        """A new match with the seats, terms and opening of this one."""
        moves = await self.store.moves(record.id)
        seats = record.seats
        return NewMatch(
            key=f"replay-{record.id}-{uuid4().hex}",
            game=record.game,
            rules_version=load_game(record.game).rules_version,
            options=record.options,
            start_text=record.start_text,
            opening=tuple(OpeningPly(seat=move.seat, text=move.text) for move in moves if move.opening),
            time_control=record.time_control,
            seats=(self._seat_now(seats[0]), self._seat_now(seats[1])),
            rated=record.rated,
            illegal_limit=record.illegal_limit,
            stall_limit_ms=record.stall_limit_ms,
            remaining_us=record.remaining_us,
            credit_left_us=record.credit_left_us,
            created_at=time.time(),
            adjudication=record.adjudication,
        )

    def _seat_now(self, seat: SeatRecord) -> SeatRecord:
        """The seat with the bot's present version, if it is connected."""
        session = self._dispatcher.sessions.by_bot(seat.bot_id)
        return replace(seat, version=session.version) if session else seat

    async def _end(
        self, record: MatchRecord, event: events.Event, winner: int | None, ending: Ending, reason: str
    ) -> None:
        """End a match and return when its result is saved."""
        if self.closing:
            raise HttpError(503, "the server is closing", Retry_After="5")
        if record.status == "ended":
            raise HttpError(409, f"match {record.id} has ended already")
        if self._runner.active(record.id) is None:
            await self._end_in_store(record, winner, ending, reason)
            return
        result = await self._end_running(record, event)
        if result.ending != ending:
            bots = record.seats[0].bot, record.seats[1].bot
            raise HttpError(409, f"match {record.id} had just ended by itself: {result_sentence(result, bots)}")

    async def _end_running(self, record: MatchRecord, event: events.Event) -> ResultRecord:
        ended: asyncio.Future[ResultRecord] = asyncio.get_running_loop().create_future()
        self._result_waiters[record.id].append(ended)
        try:
            self._runner.post_to(record.id, event)
            async with asyncio.timeout(RESULT_TIMEOUT_S):
                return await ended
        except TimeoutError:
            raise HttpError(503, "the order is given, but its result is not saved yet", Retry_After="5") from None
        finally:
            self._result_waiters[record.id].remove(ended)
            if not self._result_waiters[record.id]:
                del self._result_waiters[record.id]

    async def _end_in_store(self, record: MatchRecord, winner: int | None, ending: Ending, reason: str) -> None:
        """End a frozen match that is not loaded: only its rows are written."""
        if record.status != "frozen":  # the runner has not taken it up yet, or has just let go of it
            raise HttpError(409, f"match {record.id} is just beginning or ending; try again")
        moves = await self.store.moves(record.id)
        result = ResultRecord(
            match_id=record.id,
            winner=winner,
            ending=str(ending),
            reason=reason,
            remaining_us=moves[-1].remaining_us if moves else record.remaining_us,
            ended_at=time.time(),
        )
        await self.store.finish_match(result)
        for listener in self._dispatcher.on_ended:
            listener(record, result)

    def _match_ended(self, record: MatchRecord, result: ResultRecord) -> None:
        for future in self._result_waiters.get(record.id, ()):
            if not future.done():
                future.set_result(result)

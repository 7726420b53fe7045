"""One running tournament: a task that takes what happens in order, saves every step, then acts on it.

What has become of each game is read back from its stored matches at a start, so no result is lost or counted twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct, convert, to_builtins

from games.openings import Opening, distinct_openings
from games.registry import load_game
from protocol.messages import Notice
from server.core import tournament as core
from server.core.state import Frozen
from server.core.tournament import Mark, Plan, ScheduledGame, State
from server.host import Host
from server.lobby import MatchTerms
from server.peers import Peer
from server.seating import Place
from storage.errors import SaveFailed, StoreClosed, StoreError
from storage.records import (
    BotId,
    MatchId,
    MatchRecord,
    NewMatch,
    ResultRecord,
    SeatRecord,
    TournamentEntry,
    TournamentRecord,
    TournamentStatus,
    TournamentStep,
)
from storage.store import Store

log = logging.getLogger("tabiya.tournament")

RETRY_S, LONGEST_RETRY_S = 0.2, 10.0
REPLAY_S = 60.0  # an operator has so long to look at a frozen game
LOOK_S = 1.0  # how often absences are looked at
GOING = ("created", "running", "paused")


class Settings(Struct, frozen=True, kw_only=True):
    """What the organiser chooses. no_show_s: an entrant away for so long is withdrawn and forfeits the rest."""

    time_control: str
    rounds: int = 1
    options: dict[str, Any] = {}
    concurrency: int = 0
    no_show_s: float = 60.0
    rated: bool = True
    illegal_limit: int = 3

    @property
    def slots(self) -> int:
        """Games at the same time: as many as this machine has cores, unless told."""
        return self.concurrency or os.cpu_count() or 1


class Director:
    """Runs one tournament; only its own task changes `state`."""

    def __init__(self, store: Store, host: Host, record: TournamentRecord) -> None:
        self._store, self._host, self.record = store, host, record
        self._settings = convert(record.settings, Settings)
        self._plan = Plan(len(record.entries), self._settings.rounds)
        self._state = convert(record.state, State)
        self._status, self._step = record.status, record.step
        self._saved = (self._status, self._state)
        self._has_started = record.started_at is not None
        self._attempts: dict[int, int] = {}
        self._match_of: dict[int, MatchId] = {}  # the latest match of each game
        self._frozen_since: dict[int, float] = {}
        self._waiting_bots: frozenset[BotId] = frozenset()
        self._away_since: dict[int, float] = {}
        self._happened: asyncio.Queue[_Happening] = asyncio.Queue()
        self._openings = _Openings(distinct_openings(load_game(record.game), record.seed, self._settings.options))
        self._closing = asyncio.Event()
        self._failure: StoreError | None = None

    async def read_games(self) -> None:
        """What became of each game, from its stored matches: the truth that a crash cannot tear from the state."""
        numbers = {(game.meeting, game.leg): game.number for game in core.schedule(self._plan)}
        marks = [Mark.PENDING if mark == Mark.RUNNING else mark for mark in self._state.marks]
        state = State("".join(marks), self._state.withdrawn)
        for match in await self._store.tournament_matches(self.record.id):
            if match.pairing is None or match.game_index is None:
                continue
            number = numbers[match.pairing, match.game_index]
            self._attempts[number] = self._attempts.get(number, 0) + 1
            self._match_of[number] = match.id
            state = _with_match(state, number, match)
        self._settle(self._status, core.settle_withdrawn(self._plan, state))

    # --- in ---

    def match_ended(self, record: MatchRecord, result: ResultRecord) -> None:
        """A match of this tournament has its result."""
        self._happened.put_nowait(_Happening("ended", record=record, result=result))

    def look(self) -> None:
        """Something has changed that may let a game start."""
        self._happened.put_nowait(_Happening("look"))

    async def order(self, status: TournamentStatus) -> None:
        """The organiser's order; returns when it is saved. Raises StoreError."""
        happening = _Happening("order", status=status, done=asyncio.get_running_loop().create_future())
        self._happened.put_nowait(happening)
        assert happening.done is not None
        await happening.done

    def close(self, failure: StoreError | None = None) -> None:
        """End the task without changing anything more. failure: what orders that still wait are told."""
        self._failure = failure
        self._closing.set()
        self._happened.put_nowait(_Happening("close"))

    def answer_orders(self) -> None:
        """Answer the orders that nobody will carry out any more."""
        while not self._happened.empty():
            self._happened.get_nowait().carried_out(self._failure)

    def needs(self, peer: Peer) -> bool:
        """Whether this bot still has games to start here."""
        return peer.bot.id in self._waiting_bots

    def _settle(self, status: TournamentStatus, state: State) -> None:
        """The new status and state hold."""
        self._status, self._state = status, state
        waiting = {
            entrant
            for game in core.schedule(self._plan)
            if status == "running" and state.marks[game.number] == Mark.PENDING
            for entrant in (game.first, game.second)
        }
        self._waiting_bots = frozenset(entry.bot_id for entry in self.record.entries if entry.number in waiting)

    # --- the task ---

    async def run(self) -> None:
        """Until the tournament is over, cancelled or the server closes."""
        happening = _Happening("look")
        try:
            while self._status in GOING and not self._closing.is_set():
                await self._act(happening)
                happening.carried_out()
                happening = await self._next()
        except StoreError as error:
            log.critical("tournament %d stops, an operator must look at it: %s", self.record.id, error)
            self._failure = error
        except BaseException:
            self._failure = StoreError("an error of the server")
            raise
        finally:
            if self._closing.is_set() and self._failure is None:
                self._failure = StoreClosed("the server closes")
            happening.carried_out(self._failure)
            self.answer_orders()

    async def _next(self) -> _Happening:
        try:
            async with asyncio.timeout(LOOK_S):
                return await self._happened.get()
        except TimeoutError:
            return _Happening("look")

    async def _act(self, happening: _Happening) -> None:
        """One step: what happened, what follows, saved together, then acted upon."""
        status, state = self._status, self._state
        if happening.kind == "ended":
            assert happening.record is not None
            assert happening.result is not None
            state = self._with_result(state, happening.record, happening.result)
        elif happening.kind == "order":
            status = happening.status
        if status == "running":
            state = self._without_frozen(self._without_no_shows(state))
            if state.over:
                status = "ended"
        chosen = self._choose(state) if status == "running" else ()
        for game in chosen:
            state = core.started(state, game.number)
        if chosen or (status, state) != self._saved:  # a game that is played again leaves the state as it was
            await self._save(status, state, chosen)

    def _with_result(self, state: State, record: MatchRecord, result: ResultRecord) -> State:
        game = next(
            game
            for game in core.schedule(self._plan)
            if (game.meeting, game.leg) == (record.pairing, record.game_index)
        )
        if state.marks[game.number] != Mark.RUNNING or self._match_of.get(game.number) != record.id:
            return state
        if result.ending == "aborted":
            return core.settle_withdrawn(self._plan, core.replay(state, game.number))
        return core.finished(state, game.number, result.winner)

    def _without_no_shows(self, state: State) -> State:
        """Withdraw every entrant that has been away too long."""
        now = asyncio.get_running_loop().time()
        for entry in self.record.entries:
            if self._host.directory.of(entry.bot_id) is not None:
                self._away_since.pop(entry.number, None)
                continue
            since = self._away_since.setdefault(entry.number, now)
            if now - since >= self._settings.no_show_s and entry.number not in state.withdrawn:
                log.info("tournament %d: %s is away too long and withdrawn", self.record.id, entry.bot)
                state = core.withdraw(self._plan, state, entry.number)
        return state

    def _without_frozen(self, state: State) -> State:
        """A game whose match was frozen by our own fault is played again after a while, in a new match."""
        now = asyncio.get_running_loop().time()
        for number, mark in enumerate(state.marks):
            live = self._host.runner.live(self._match_of.get(number, 0)) if mark == Mark.RUNNING else None
            if live is None or not isinstance(live.match.stage, Frozen):
                self._frozen_since.pop(number, None)
            elif now - self._frozen_since.setdefault(number, now) >= REPLAY_S:
                log.warning("tournament %d: game %d was frozen and is played again", self.record.id, number)
                state = core.settle_withdrawn(self._plan, core.replay(state, number))
        return state

    def _choose(self, state: State) -> tuple[ScheduledGame, ...]:
        playing = [game for game in core.schedule(self._plan) if state.marks[game.number] == Mark.RUNNING]
        busy = {entrant for game in playing for entrant in (game.first, game.second)}
        available = {entry.number for entry in self.record.entries if entry.number not in busy and self._is_free(entry)}
        return core.startable(self._plan, state, available, self._settings.slots - len(playing))

    def _is_free(self, entry: TournamentEntry) -> bool:
        peer = self._host.directory.of(entry.bot_id)
        return peer is not None and self._host.matchmaker.seats_taken(peer) < max(1, peer.most_matches)

    async def _save(self, status: TournamentStatus, state: State, chosen: Sequence[ScheduledGame]) -> None:
        """Save until it is saved, then act; a database that is away only delays the tournament."""
        now, ending = time.time(), status in ("ended", "cancelled")
        planned = [self._plan_match(game) for game in chosen]
        step = TournamentStep(
            tournament_id=self.record.id,
            step=self._step + 1,
            status=status,
            state=to_builtins(state),
            entries=self._changed_entries(state),
            matches=tuple(planned),
            started_at=now if status == "running" and not self._has_started else None,
            ended_at=now if ending else None,
        )
        ids = await self._save_step(step)
        before, self._saved, self._step = self._saved[0], (status, state), step.step
        self._has_started = self._has_started or status == "running"
        self._settle(status, state)
        for game, match_id, new in zip(chosen, ids, planned, strict=True):
            self._attempts[game.number] = self._attempts.get(game.number, 0) + 1
            self._match_of[game.number] = match_id
            self._host.seating.start(match_id, new, self.record.name)
        if status != before:
            self._tell(status)

    async def _save_step(self, step: TournamentStep) -> Sequence[MatchId]:
        """The ids of the step's matches, once it is saved. Raises StoreError when it never will be."""
        delay = RETRY_S
        while True:
            try:
                return await self._store.save_tournament_step(step)
            except SaveFailed as error:
                log.error("tournament %d: a step is not saved yet: %s", self.record.id, error)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(delay):
                    await self._closing.wait()
                raise StoreClosed("the server closes, and this step could not be saved")
            delay = min(LONGEST_RETRY_S, 2 * delay)

    def _changed_entries(self, state: State) -> tuple[TournamentEntry, ...]:
        gone = set(state.withdrawn) - set(self._state.withdrawn)
        return tuple(
            TournamentEntry(
                number=entry.number, bot_id=entry.bot_id, bot=entry.bot, version=entry.version, withdrawn=True
            )
            for entry in self.record.entries
            if entry.number in gone
        )

    def _plan_match(self, game: ScheduledGame) -> NewMatch:
        settings = self._settings
        terms = MatchTerms(self.record.game, settings.time_control, settings.options, settings.rated)
        attempt = self._attempts.get(game.number, 0)
        return self._host.seating.plan(
            terms,
            (self._seat(game.first), self._seat(game.second)),
            self._openings.of(game.meeting),
            key=f"tournament-{self.record.id}-{game.number}-{attempt}",
            place=Place(self.record.id, game.meeting, game.leg),
            illegal_limit=settings.illegal_limit,
        )

    def _seat(self, entrant: int) -> SeatRecord:
        entry = self.record.entries[entrant]
        peer = self._host.directory.of(entry.bot_id)
        return SeatRecord(bot_id=entry.bot_id, bot=entry.bot, version=peer.version if peer else entry.version)

    def _tell(self, status: TournamentStatus) -> None:
        word = "started" if status == "running" else status
        log.info("tournament %d (%s) is %s", self.record.id, self.record.name, word)
        for entry in self.record.entries:
            peer = self._host.directory.of(entry.bot_id)
            if peer is not None:
                text = f"the tournament {self.record.name} is {word}"
                peer.connection.send(Notice(kind=f"tournament_{word}", text=text, tournament=self.record.name))


class _Openings:
    """One for each meeting, distinct until exhausted, the same for the same seed; drawn when they are needed.

    A draw takes about a millisecond: those of a large tournament, all at once, would hold up every clock.
    """

    def __init__(self, draws: Iterator[Opening]) -> None:
        self._draws, self._drawn = draws, list[Opening]()

    def of(self, meeting: int) -> Opening:
        """The opening of this meeting's two games."""
        self._drawn += islice(self._draws, max(0, meeting + 1 - len(self._drawn)))
        return self._drawn[meeting % len(self._drawn)]


class _Happening:
    """One thing for a director to act upon."""

    __slots__ = ("done", "kind", "record", "result", "status")

    def __init__(
        self,
        kind: str,
        *,
        record: MatchRecord | None = None,
        result: ResultRecord | None = None,
        status: TournamentStatus = "running",
        done: asyncio.Future[None] | None = None,
    ) -> None:
        self.kind, self.record, self.result, self.status, self.done = kind, record, result, status, done

    def carried_out(self, failure: StoreError | None = None) -> None:
        """Tell who waits for it; failure: why it was not."""
        if self.done is None or self.done.done():
            return
        if failure is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(failure)


def _with_match(state: State, number: int, match: MatchRecord) -> State:
    """The state after what is stored of one match; a frozen or aborted one leaves the game to be played again."""
    if match.status == "frozen":
        return state
    if match.result is None:
        return core.started(state, number)
    if match.result.ending == "aborted":
        return state
    return core.finished(state, number, match.result.winner)

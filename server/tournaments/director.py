"""One running tournament: a task that handles its events in order, saves each step, then acts on it.

At a start the marks of all games are derived from the stored matches, so no result is lost or counted twice. The
director knows no format: `server/pairing/` decides what is played next.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from tabiya.protocol.messages import Notice
from tabiya.server.dispatcher import Dispatcher
from tabiya.server.pairing import games
from tabiya.server.pairing.state import GAMES_PER_MEETING, Mark, PairingState, ScheduledGame
from tabiya.server.tournaments.attendance import AbsenceTracker, StrikeCounter
from tabiya.server.tournaments.hosted import HostedPrograms, everybody
from tabiya.server.tournaments.pairing_process import PairingExecutor
from tabiya.server.tournaments.persistence import StepSaver
from tabiya.server.tournaments.settings import (
    MAX_ENTRANTS,
    TournamentError,
    TournamentSettings,
    cores,
    read_tournament,
)
from tabiya.server.tournaments.transitions import Change, TournamentState, Transitions
from tabiya.storage.errors import StoreClosed, StoreError
from tabiya.storage.records import (
    BotId,
    MatchId,
    MatchRecord,
    ResultRecord,
    TournamentEntry,
    TournamentRecord,
)
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.tournament")

REPLAY_FROZEN_AFTER_S = 60.0  # how long an operator has to examine a frozen game before it is replayed
POLL_S = 1.0  # how often absences and the start time are checked
MAX_STARTS_PER_STEP = 16  # starting a game costs loop time, and running clocks must not wait for hundreds of them
OPENINGS_DRAWN_AHEAD = 32
ACTIVE_STATUSES = ("created", "running", "paused")


class DirectorContext(NamedTuple):
    """The manager as a director uses it.

    games_elsewhere: games that other tournaments have running.  is_next_in_line: whether no tournament that shares the
    cores with this one has waited longer for a free core.  on_game_over: called when a game of this tournament is over.
    seed_order: the entrants, the strongest first, when it begins.  executor: runs the pairings that take long.
    programs: of entrants that are started when they have a game.
    """

    games_elsewhere: Callable[[TournamentRecord], int]
    is_next_in_line: Callable[[TournamentRecord], bool]
    on_game_over: Callable[[TournamentRecord], None]
    seed_order: Callable[[TournamentRecord, Sequence[TournamentEntry]], Awaitable[tuple[int, ...]]]
    executor: PairingExecutor
    programs: Callable[[], HostedPrograms]


class Director:
    """Runs one tournament; only its task changes the state."""

    def __init__(
        self, store: Store, dispatcher: Dispatcher, record: TournamentRecord, context: DirectorContext
    ) -> None:
        self._store, self._dispatcher, self.record, self._context = store, dispatcher, record, context
        stored = read_tournament(record)
        self._form = stored.form
        self.transitions = Transitions(record, stored.form)
        self._current = self._saved = TournamentState(
            record.status, stored.state, record.entries, record.started_at, record.name, stored.settings
        )
        self._match_of: dict[int, MatchId] = {}  # the latest match of each game
        self._frozen_since: dict[int, float] = {}
        self._waiting_bots: frozenset[BotId] = frozenset()
        self._absences, self._strikes = AbsenceTracker(), StrikeCounter()
        self._events: asyncio.Queue[_DirectorEvent] = asyncio.Queue()
        self._closing = asyncio.Event()
        self._steps = StepSaver(store, dispatcher, record, self._closing)
        self._failure: StoreError | None = None
        self._starting = 0  # games chosen in a step that is being saved
        self.waiting_since: float | None = None  # for a core that is free; None if it could not use one
        self.awaited: tuple[tuple[BotId, BotId], ...] = ()  # the bots of games for which programs are to be started

    async def load_games(self) -> None:
        """Derive the mark of each game from its stored matches, which are saved in one transaction with the step."""
        state = games.nothing_running(self._current.state)
        matches = await self._store.tournament_matches(self.record.id)
        for match in matches:
            number = _number_of(match)
            if number is not None:
                self._steps.attempts[number] = self._steps.attempts.get(number, 0) + 1
                self._match_of[number] = match.id
                state = _with_match(state, number, match)
        bots = {entry.number: entry.bot_id for entry in self._current.entries}
        self._strikes.count_all(matches, {bots[number]: at for number, at in state.returned})
        last = max((match.pairing or 0 for match in matches), default=-1)
        await self._context.executor.run(self._steps.openings.draw, last + 1)
        self._set_current(
            self._current._replace(state=self._form.with_forfeits(self.transitions.plan(self._current), state))
        )

    # --- in ---

    def match_ended(self, record: MatchRecord, result: ResultRecord) -> None:
        """A match of this tournament has its result."""
        self._events.put_nowait(_DirectorEvent(ended=(record, result)))

    def wake(self) -> None:
        """Take a step soon: something has changed that may let a game start."""
        self._events.put_nowait(_DirectorEvent())

    async def apply(self, change: Change) -> None:
        """Carry out an order of the organiser; returns when it is saved. Raises TournamentError, StoreError."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._events.put_nowait(_DirectorEvent(change=change, done=done))
        await done

    def close(self, failure: StoreError | None = None) -> None:
        """End the task without changing anything more. failure: the error of the orders that still wait."""
        self._failure = failure
        self._closing.set()
        self._events.put_nowait(_DirectorEvent())

    def resolve_pending(self) -> None:
        """Fail the orders that will not be carried out any more."""
        while not self._events.empty():
            self._events.get_nowait().resolve(self._failure)

    def may_need(self, bot_id: BotId) -> bool:
        """Whether this bot may still have games to start here."""
        return bot_id in self._waiting_bots

    @property
    def name(self) -> str:
        """The tournament's name."""
        return self._current.name

    @property
    def _settings(self) -> TournamentSettings:
        return self._current.settings

    @property
    def shares_cores(self) -> bool:
        """Whether its games are limited by the machine's cores, not by a configured concurrency."""
        return not self._settings.concurrency

    @property
    def running(self) -> int:
        """How many games have a running match, or one that is being saved."""
        return self._current.state.marks.count(Mark.RUNNING) + self._starting

    def _set_current(self, current: TournamentState) -> None:
        """Replace the state."""
        self._current = current
        waiting = (
            self._form.entrants_to_play(self.transitions.plan(current), current.state)
            if current.status == "running"
            else frozenset()
        )
        self._waiting_bots = frozenset(entry.bot_id for entry in current.entries if entry.number in waiting)

    # --- the task ---

    async def run(self) -> None:
        """Run until the tournament is over or cancelled and no order waits, or the server closes."""
        event = _DirectorEvent()
        try:
            while not self._closing.is_set():
                try:
                    await self._take_step(event)
                    event.resolve()
                except TournamentError as error:
                    event.resolve(error)
                if self._current.status not in ACTIVE_STATUSES and self._events.empty():
                    break
                event = await self._next()
        except StoreClosed as error:
            log.info("tournament %d goes on after the next start: %s", self.record.id, error, extra=self._about)
            self._failure = error
        except StoreError as error:
            text = "tournament %d stops, an operator must look at it: %s"
            log.critical(text, self.record.id, error, extra=self._about)
            self._failure = error
        except BaseException:  # the organisers whose orders still wait must get an answer
            self._failure = StoreError("an error of the server")
            raise
        finally:
            if self._closing.is_set() and self._failure is None:
                self._failure = StoreClosed("the server closes")
            event.resolve(self._failure)
            self.resolve_pending()

    async def _next(self) -> _DirectorEvent:
        try:
            async with asyncio.timeout(POLL_S):
                return await self._events.get()
        except TimeoutError:
            return _DirectorEvent()

    async def _take_step(self, event: _DirectorEvent) -> None:
        """Apply an event and everything that follows from it, save that as one step, then start the games."""
        # everything below works on values; `_current` is replaced only when the step is saved, so an order that cannot
        # be carried out leaves no trace
        current = self._enter_everyone(self._current)
        if event.ended is not None:
            current = self._with_result(current, *event.ended)
        if event.change is not None:
            before, current = current, self.transitions.changed(current, event.change)
            self._wait_anew(before, current)
        current = self.transitions.started_if_due(current, self._dispatcher.match_factory.wall_s())
        if current.status == "running":
            current = await self._advance(current)
        chosen: tuple[ScheduledGame, ...] = ()
        if current.status == "running":
            current, chosen = self._choose_games(current)
        else:
            self.waiting_since = None
        self.awaited = self._awaited(current) if current.status == "running" else ()
        if chosen or current != self._saved:  # a game that is played again leaves the state as it was
            await self._save(current, chosen)
        if len(chosen) == MAX_STARTS_PER_STEP:  # the rest follows in the next step, after other tasks had their turn
            self.wake()

    async def _advance(self, current: TournamentState) -> TournamentState:
        """Apply all that follows from time and results: start, absences, withdrawals, new pairings, the end."""
        if current.started_at is None:
            current = self.transitions.begin(
                current,
                await self._context.seed_order(self.record, current.entries),
                self._dispatcher.match_factory.wall_s(),
            )
        current = self._replay_frozen(current)
        current = self._withdraw_absent(current)
        current = self.transitions.closed_if_over(current, self._dispatcher.match_factory.wall_s())
        plan = self.transitions.plan(current)
        while self._form.can_advance(plan, current.state):
            current = current._replace(state=await self._context.executor.advance(self._form, plan, current.state))
        return current._replace(status="ended") if self._form.is_over(plan, current.state) else current

    def _enter_everyone(self, current: TournamentState) -> TournamentState:
        """Enter every connected bot that plays the game, as long as the tournament is open to everyone."""
        if not self.transitions.is_open_to_everyone(current, self._dispatcher.match_factory.wall_s()):
            return current
        entered = {entry.bot_id for entry in current.entries}
        for bot_id, name, version in everybody(
            self._dispatcher.sessions.all(), self._context.programs(), self.record.game
        ):
            if bot_id not in entered and len(current.entries) < MAX_ENTRANTS:
                current = self.transitions.with_entrant(current, bot_id, name, version)
        return current

    def _with_result(self, current: TournamentState, record: MatchRecord, result: ResultRecord) -> TournamentState:
        number, state = _number_of(record), current.state
        # not a game of this tournament, already read from the store at the start, or a match that was replaced
        if number is None or state.marks[number] != Mark.RUNNING or self._match_of.get(number) != record.id:
            return current
        self._strikes.count(record, result)
        if result.ending == "aborted":
            return current._replace(
                state=self._form.with_forfeits(self.transitions.plan(current), games.replayed(state, number))
            )
        return current._replace(state=games.finished(state, number, result.winner))

    def _withdraw_absent(self, current: TournamentState) -> TournamentState:
        """Withdraw entrants that have been absent too long or have too many strikes."""
        present = [entry for entry in current.entries if entry.number not in current.state.withdrawn]
        for entry in self._strikes.over_limit(present, self._settings.strikes):
            current = self.transitions.withdraw(
                current, entry, f"{self._settings.strikes} losses in a row by its own fault"
            )
        now_s, most_s = asyncio.get_running_loop().time(), self._settings.no_show_s
        for entry in self._absences.absent_too_long(present, self._is_present, now_s, most_s):
            current = self.transitions.withdraw(current, entry, "away too long")
        return current

    def _wait_anew(self, before: TournamentState, current: TournamentState) -> None:
        """Forget absence and strikes of entrants that have just come back."""
        for entry in before.entries:
            if entry.number in before.state.withdrawn and entry.number not in current.state.withdrawn:
                self._absences.forget(entry)
                self._strikes.forget(entry.bot_id)

    def _is_present(self, bot_id: BotId) -> bool:
        return self._dispatcher.sessions.by_bot(bot_id) is not None or self._can_come(bot_id)

    def _can_come(self, bot_id: BotId) -> bool:
        """Whether its program is started when it has a game."""
        return bot_id in self._context.programs().able(self.record.game)

    def _replay_frozen(self, current: TournamentState) -> TournamentState:
        """Replay games whose match has been frozen (by an error of the server) for REPLAY_FROZEN_AFTER_S."""
        now_s, state = asyncio.get_running_loop().time(), current.state
        for number in games.running(state):
            active = self._dispatcher.runner.active(self._match_of.get(number, 0))
            if active is None or not active.frozen:
                self._frozen_since.pop(number, None)
            elif now_s - self._frozen_since.setdefault(number, now_s) >= REPLAY_FROZEN_AFTER_S:
                text = "tournament %d: game %d was frozen and is played again"
                log.warning(text, self.record.id, number, extra=active.log_fields)
                state = self._form.with_forfeits(self.transitions.plan(current), games.replayed(state, number))
        return current._replace(state=state)

    def _choose_games(self, current: TournamentState) -> tuple[TournamentState, tuple[ScheduledGame, ...]]:
        """The games to start now, marked as running."""
        plan, state = self.transitions.plan(current), current.state
        free, room = self._free(current), self._free_slots(state)
        slots = min(MAX_STARTS_PER_STEP, room) if self._context.is_next_in_line(self.record) else 0
        # asked for one game also when no core is free: only who could start one waits in line for a core
        filled = self._form.pair_free(plan, state, free, max(1, slots))
        chosen = self._form.startable(plan, filled, free, max(1, slots))
        if slots <= 0:
            self.waiting_since = (self.waiting_since or asyncio.get_running_loop().time()) if chosen else None
            return current, ()
        self.waiting_since, self._starting = None, len(chosen)
        for game in chosen:
            filled = games.started(filled, game.number)
        return current._replace(state=filled), chosen

    def _free_slots(self, state: PairingState) -> int:
        """How many more games can begin: of the configured number, else of one for each core, over all tournaments."""
        most = self._settings.concurrency or max(0, cores() - self._context.games_elsewhere(self.record))
        return most - len(games.running(state))

    def _free(self, current: TournamentState) -> dict[int, int]:
        """How many more games each entrant can begin now."""
        plan, state = self.transitions.plan(current), current.state
        playing = [entrant for number in games.running(state) for entrant in self._form.game(plan, state, number)[3:]]
        return {entry.number: self._games_free_for(entry, playing.count(entry.number)) for entry in current.entries}

    def _games_free_for(self, entry: TournamentEntry, playing: int) -> int:
        """How many more games the entrant can begin now. playing: its running games in this tournament."""
        session = self._dispatcher.sessions.by_bot(entry.bot_id)
        if session is None or not self._context.programs().may_begin(entry.bot_id):
            return 0
        return min(
            self._settings.per_bot - playing,
            # max_matches 0 keeps a bot out of the lobby; in a tournament it has entered it plays, one game at a time
            max(1, session.max_matches) - self._dispatcher.matchmaker.seats_taken(session),
        )

    def _awaited(self, current: TournamentState) -> tuple[tuple[BotId, BotId], ...]:
        """The bots of the games that could start if programs were started for them, next first."""
        able, sessions = self._context.programs().able(self.record.game), self._dispatcher.sessions
        away = {entry.number for entry in current.entries if entry.bot_id in able and not sessions.by_bot(entry.bot_id)}
        slots = self._free_slots(current.state) if away else 0
        if slots <= 0:
            return ()
        plan, free = self.transitions.plan(current), self._free(current) | dict.fromkeys(away, 1)
        hoped = self._form.pair_free(plan, current.state, free, slots)
        bots = [entry.bot_id for entry in current.entries]
        found = self._form.startable(plan, hoped, free, slots)
        return tuple((bots[game.first], bots[game.second]) for game in found if {game.first, game.second} & away)

    # --- saving ---

    async def _save(self, current: TournamentState, chosen: Sequence[ScheduledGame]) -> None:
        """Save a step, trying again until it is saved, then act on it."""
        current = current._replace(entries=tuple(_with_flag(entry, current.state) for entry in current.entries))
        before, last = self._saved, max((game.meeting for game in chosen), default=-1)
        if self._steps.openings.needs_draw(last + 1):
            await self._context.executor.run(self._steps.openings.draw, last + 1 + OPENINGS_DRAWN_AHEAD)
        ids = await self._steps.save(current, chosen, before, self._dispatcher.match_factory.wall_s(), self._tell)
        self._saved, self._starting = current, 0
        self._set_current(current)
        if current.state.marks.count(Mark.RUNNING) < before.state.marks.count(Mark.RUNNING):  # a core is free
            self._context.on_game_over(self.record)
        self._match_of.update(zip((game.number for game in chosen), ids, strict=True))

    @property
    def _about(self) -> dict[str, object]:
        return {"tournament": self.record.id, "game": self.record.game}

    def _tell(self, current: TournamentState) -> None:
        word = "started" if current.status == "running" else current.status
        log.info("tournament %d (%s) is %s", self.record.id, current.name, word, extra=self._about)
        for entry in current.entries:
            session = self._dispatcher.sessions.by_bot(entry.bot_id)
            if session is not None:
                text = f"the tournament {current.name} is {word}"
                session.connection.send(Notice(kind=f"tournament_{word}", text=text, tournament=current.name))


class _DirectorEvent:
    """An event of a director; an empty one only makes it take a step."""

    __slots__ = ("change", "done", "ended")

    def __init__(
        self,
        *,
        ended: tuple[MatchRecord, ResultRecord] | None = None,
        change: Change | None = None,
        done: asyncio.Future[None] | None = None,
    ) -> None:
        self.ended, self.change, self.done = ended, change, done

    def resolve(self, failure: Exception | None = None) -> None:
        """Settle the future of the order. failure: why it was not carried out."""
        if self.done is None or self.done.done():
            return
        if failure is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(failure)


def _number_of(match: MatchRecord) -> int | None:
    """The number of the game that a match plays."""
    if match.pairing is None or match.game_index is None:
        return None
    return GAMES_PER_MEETING * match.pairing + match.game_index


def _with_flag(entry: TournamentEntry, state: PairingState) -> TournamentEntry:
    gone = entry.number in state.withdrawn
    return entry if entry.withdrawn == gone else replace(entry, withdrawn=gone)


def _with_match(state: PairingState, number: int, match: MatchRecord) -> PairingState:
    """The state after what is stored of one match; a frozen or aborted one leaves the game to be played again."""
    if match.status == "frozen":
        return state
    if match.result is None:
        return games.started(state, number)
    if match.result.ending == "aborted":
        return state
    return games.finished(state, number, match.result.winner)

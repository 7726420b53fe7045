"""One running tournament: a task that takes what happens in order, saves every step, then acts on it.

What has become of each game is read back from its stored matches at a start, so no result is lost or counted twice.
The director knows no format: what is to be played next is for `server/pairing/` to say.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from tabiya.protocol.messages import Notice
from tabiya.server.core.state import Frozen
from tabiya.server.pairing import games
from tabiya.server.pairing.state import GAMES_PER_MEETING, Mark, ScheduledGame, State
from tabiya.server.sessions.dispatcher import Dispatcher
from tabiya.server.sessions.session import BotSession
from tabiya.server.tournaments.attendance import Absences, Strikes
from tabiya.server.tournaments.pairing_process import Apart
from tabiya.server.tournaments.persistence import Steps
from tabiya.server.tournaments.settings import MOST_ENTRANTS, TournamentError, cores, read
from tabiya.server.tournaments.transitions import Change, Changes, Now
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

REPLAY_S = 60.0  # an operator has so long to look at a frozen game
LOOK_S = 1.0  # how often absences are looked at
MOST_AT_ONCE = 16  # games started in one step, so that a hall full of bots does not hold up the clocks
DRAWN_AHEAD = 32  # openings
GOING = ("created", "running", "paused")


class Around(NamedTuple):
    """What a director asks of who made it.

    elsewhere: games that other tournaments have running.  is_first: whether none that shares the cores with this one
    has waited longer for a free one.  freed: a game of this one is over.  seeds: entrants, the strongest first, when it
    begins.  apart: runs what takes long.
    """

    elsewhere: Callable[[TournamentRecord], int]
    is_first: Callable[[TournamentRecord], bool]
    freed: Callable[[TournamentRecord], None]
    seeds: Callable[[TournamentRecord, Sequence[TournamentEntry]], Awaitable[tuple[int, ...]]]
    apart: Apart


class Director:
    """Runs one tournament; only its own task changes what holds."""

    def __init__(self, store: Store, dispatcher: Dispatcher, record: TournamentRecord, around: Around) -> None:
        self._store, self._dispatcher, self.record, self._around = store, dispatcher, record, around
        stored = read(record)
        self._form, self._settings = stored.form, stored.settings
        self.changes = Changes(record, stored.form, stored.settings)
        self._now = self._saved = Now(record.status, stored.state, record.entries, record.started_at)
        self._match_of: dict[int, MatchId] = {}  # the latest match of each game
        self._frozen_since: dict[int, float] = {}
        self._waiting_bots: frozenset[BotId] = frozenset()
        self._absences, self._strikes = Absences(), Strikes()
        self._happened: asyncio.Queue[_Happening] = asyncio.Queue()
        self._closing = asyncio.Event()
        self._steps = Steps(store, dispatcher, record, stored.settings, self._closing)
        self._failure: StoreError | None = None
        self._starting = 0  # games chosen in a step that is being saved
        self.waits_since: float | None = None  # for a core that is free; None if it could not use one

    async def read_games(self) -> None:
        """What became of each game, from its stored matches: the truth that a crash cannot tear from the state."""
        state = games.nothing_running(self._now.state)
        matches = await self._store.tournament_matches(self.record.id)
        for match in matches:
            number = _number_of(match)
            if number is not None:
                self._steps.attempts[number] = self._steps.attempts.get(number, 0) + 1
                self._match_of[number] = match.id
                state = _with_match(state, number, match)
        self._strikes.count_all(matches)
        last = max((match.pairing or 0 for match in matches), default=-1)
        await self._around.apart.run(self._steps.openings.draw, last + 1)
        self._settle(self._now._replace(state=self._form.settled(self.changes.plan(self._now), state)))

    # --- in ---

    def match_ended(self, record: MatchRecord, result: ResultRecord) -> None:
        """A match of this tournament has its result."""
        self._happened.put_nowait(_Happening(ended=(record, result)))

    def look(self) -> None:
        """Something has changed that may let a game start."""
        self._happened.put_nowait(_Happening())

    async def order(self, change: Change) -> None:
        """The organiser's order; returns when it is saved. Raises TournamentError, StoreError."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._happened.put_nowait(_Happening(change=change, done=done))
        await done

    def close(self, failure: StoreError | None = None) -> None:
        """End the task without changing anything more. failure: what orders that still wait are told."""
        self._failure = failure
        self._closing.set()
        self._happened.put_nowait(_Happening())

    def answer_orders(self) -> None:
        """Answer the orders that nobody will carry out any more."""
        while not self._happened.empty():
            self._happened.get_nowait().carried_out(self._failure)

    def needs(self, peer: BotSession) -> bool:
        """Whether this bot may still have games to start here."""
        return peer.bot.id in self._waiting_bots

    @property
    def shares_cores(self) -> bool:
        """Whether the machine's cores are its limit, rather than a number it was told."""
        return not self._settings.concurrency

    @property
    def running(self) -> int:
        """How many games have a match under way, or are about to have one."""
        return self._now.state.marks.count(Mark.RUNNING) + self._starting

    def _settle(self, now: Now) -> None:
        """This holds from now on."""
        self._now = now
        waiting = self._form.has_to_come(self.changes.plan(now), now.state) if now.status == "running" else frozenset()
        self._waiting_bots = frozenset(entry.bot_id for entry in now.entries if entry.number in waiting)

    # --- the task ---

    async def run(self) -> None:
        """Until the tournament is over, cancelled or the server closes."""
        happening = _Happening()
        try:
            while self._now.status in GOING and not self._closing.is_set():
                try:
                    await self._act(happening)
                    happening.carried_out()
                except TournamentError as error:
                    happening.carried_out(error)
                happening = await self._next()
        except StoreClosed as error:
            log.info("tournament %d goes on after the next start: %s", self.record.id, error)
            self._failure = error
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
            return _Happening()

    async def _act(self, happening: _Happening) -> None:
        """One step: what happened, what follows, saved together, then acted upon."""
        now = self._open_to_everyone(self._now)
        if happening.ended is not None:
            now = self._with_result(now, *happening.ended)
        if happening.change is not None:
            now = happening.change(now)
        now = self.changes.on_time(now, self._dispatcher.match_factory.wall_s())
        if now.status == "running":
            now = await self._going_on(now)
        chosen: tuple[ScheduledGame, ...] = ()
        if now.status == "running":
            now, chosen = self._choose(now)
        else:
            self.waits_since = None
        if chosen or now != self._saved:  # a game that is played again leaves the state as it was
            await self._save(now, chosen)
        if len(chosen) == MOST_AT_ONCE:
            self.look()

    async def _going_on(self, now: Now) -> Now:
        """Everything that follows without anybody's doing."""
        if now.started_at is None:
            now = self.changes.begun(
                now, await self._around.seeds(self.record, now.entries), self._dispatcher.match_factory.wall_s()
            )
        now = self._without_frozen(now)
        now = self._without_the_absent(now)
        now = self.changes.closed_after(now, self._dispatcher.match_factory.wall_s())
        plan = self.changes.plan(now)
        while self._form.is_due(plan, now.state):
            now = now._replace(state=await self._around.apart.advance(self._form, plan, now.state))
        return now._replace(status="ended") if self._form.is_over(plan, now.state) else now

    def _open_to_everyone(self, now: Now) -> Now:
        """Enter every bot that is here and plays the game, as long as the doors are open."""
        if not self.changes.is_open_to_everyone(now, self._dispatcher.match_factory.wall_s()):
            return now
        entered = {entry.bot_id for entry in now.entries}
        for peer in sorted(self._dispatcher.sessions.all(), key=lambda peer: peer.bot.id):
            if peer.bot.id not in entered and peer.plays(self.record.game) and len(now.entries) < MOST_ENTRANTS:
                now = self.changes.with_entrant(now, peer.bot.id, peer.name, peer.version)
        return now

    def _with_result(self, now: Now, record: MatchRecord, result: ResultRecord) -> Now:
        number, state = _number_of(record), now.state
        if number is None or state.marks[number] != Mark.RUNNING or self._match_of.get(number) != record.id:
            return now
        self._strikes.count(record, result)
        if result.ending == "aborted":
            return now._replace(state=self._form.settled(self.changes.plan(now), games.replayed(state, number)))
        return now._replace(state=games.finished(state, number, result.winner))

    def _without_the_absent(self, now: Now) -> Now:
        """Withdraw every entrant that has been away too long or has too many strikes."""
        present = [entry for entry in now.entries if entry.number not in now.state.withdrawn]
        for entry in self._strikes.out(present, self._settings.strikes):
            now = self.changes.without(now, entry, f"{self._settings.strikes} losses in a row by its own fault")
        now_s, most_s = asyncio.get_running_loop().time(), self._settings.no_show_s
        for entry in self._absences.too_long(present, self._is_here, now_s, most_s):
            now = self.changes.without(now, entry, "away too long")
        return now

    def _is_here(self, bot_id: BotId) -> bool:
        return self._dispatcher.sessions.by_bot(bot_id) is not None

    def _without_frozen(self, now: Now) -> Now:
        """A game whose match was frozen by our own fault is played again after a while, in a new match."""
        now_s, state = asyncio.get_running_loop().time(), now.state
        for number in games.running(state):
            live = self._dispatcher.runner.live(self._match_of.get(number, 0))
            if live is None or not isinstance(live.match.stage, Frozen):
                self._frozen_since.pop(number, None)
            elif now_s - self._frozen_since.setdefault(number, now_s) >= REPLAY_S:
                log.warning("tournament %d: game %d was frozen and is played again", self.record.id, number)
                state = self._form.settled(self.changes.plan(now), games.replayed(state, number))
        return now._replace(state=state)

    def _choose(self, now: Now) -> tuple[Now, tuple[ScheduledGame, ...]]:
        """The games to start now, marked as running."""
        plan, state = self.changes.plan(now), now.state
        running = games.running(state)
        playing = [entrant for number in running for entrant in self._form.game(plan, state, number)[3:]]
        free = {entry.number: self._free(entry, playing.count(entry.number)) for entry in now.entries}
        slots = min(MOST_AT_ONCE, self._slots() - len(running)) if self._around.is_first(self.record) else 0
        filled = self._form.fill(plan, state, free, max(1, slots))
        chosen = self._form.startable(plan, filled, free, max(1, slots))
        if slots <= 0:
            self.waits_since = (self.waits_since or asyncio.get_running_loop().time()) if chosen else None
            return now, ()
        self.waits_since, self._starting = None, len(chosen)
        for game in chosen:
            filled = games.started(filled, game.number)
        return now._replace(state=filled), chosen

    def _slots(self) -> int:
        """Games at the same time: as many as this machine has cores, all tournaments together, unless told."""
        return self._settings.concurrency or max(0, cores() - self._around.elsewhere(self.record))

    def _free(self, entry: TournamentEntry, playing: int) -> int:
        """How many more games the entrant can begin now. playing: those it has in this tournament."""
        peer = self._dispatcher.sessions.by_bot(entry.bot_id)
        if peer is None:
            return 0
        return min(
            self._settings.per_bot - playing, max(1, peer.max_matches) - self._dispatcher.matchmaker.seats_taken(peer)
        )

    # --- saving ---

    async def _save(self, now: Now, chosen: Sequence[ScheduledGame]) -> None:
        """Save until it is saved, then act; a database that is away only delays the tournament."""
        now = now._replace(entries=tuple(_with_flag(entry, now.state) for entry in now.entries))
        before, last = self._saved, max((game.meeting for game in chosen), default=-1)
        if self._steps.openings.lacks(last + 1):
            await self._around.apart.run(self._steps.openings.draw, last + 1 + DRAWN_AHEAD)
        ids = await self._steps.save(now, chosen, before, self._dispatcher.match_factory.wall_s(), self._tell)
        self._saved, self._starting = now, 0
        self._settle(now)
        if now.state.marks.count(Mark.RUNNING) < before.state.marks.count(Mark.RUNNING):
            self._around.freed(self.record)
        self._match_of.update(zip((game.number for game in chosen), ids, strict=True))

    def _tell(self, now: Now) -> None:
        word = "started" if now.status == "running" else now.status
        log.info("tournament %d (%s) is %s", self.record.id, self.record.name, word)
        for entry in now.entries:
            peer = self._dispatcher.sessions.by_bot(entry.bot_id)
            if peer is not None:
                text = f"the tournament {self.record.name} is {word}"
                peer.connection.send(Notice(kind=f"tournament_{word}", text=text, tournament=self.record.name))


class _Happening:
    """One thing for a director to act upon; with nothing in it, a reason to look."""

    __slots__ = ("change", "done", "ended")

    def __init__(
        self,
        *,
        ended: tuple[MatchRecord, ResultRecord] | None = None,
        change: Change | None = None,
        done: asyncio.Future[None] | None = None,
    ) -> None:
        self.ended, self.change, self.done = ended, change, done

    def carried_out(self, failure: Exception | None = None) -> None:
        """Tell who waits for it; failure: why it was not."""
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


def _with_flag(entry: TournamentEntry, state: State) -> TournamentEntry:
    gone = entry.number in state.withdrawn
    return entry if entry.withdrawn == gone else replace(entry, withdrawn=gone)


def _with_match(state: State, number: int, match: MatchRecord) -> State:
    """The state after what is stored of one match; a frozen or aborted one leaves the game to be played again."""
    if match.status == "frozen":
        return state
    if match.result is None:
        return games.started(state, number)
    if match.result.ending == "aborted":
        return state
    return games.finished(state, number, match.result.winner)

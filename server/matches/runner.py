"""The runner: posts events to matches, and carries out their effects strictly in order.

A match is a value; the runner holds the present one of each, its alarms, and nothing else of its state. Everything
here is a plain call on the event loop. Nothing awaits: saves answer by callback, alarms by the loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any

from tabiya.games.openings import Opening
from tabiya.protocol.messages import Notice, ServerMessage, Watching
from tabiya.server.core import effects, events
from tabiya.server.core.match import advance
from tabiya.server.core.messages import (
    draw_offered_message,
    ended_message,
    refused_message,
    started_message,
    take_back_asked_message,
    turn_message,
    watching_message,
)
from tabiya.server.core.state import Match
from tabiya.server.matches.spectators import Spectators
from tabiya.server.matches.store_outage import Outage
from tabiya.server.sessions.active_match import ActiveMatch, ProcessPause
from tabiya.server.sessions.session import BotSession, SessionTable
from tabiya.server.transport.base import READ_CYCLE_S, Clock, Connection
from tabiya.storage.errors import SaveFailed, StoreClosed, StoreError
from tabiya.storage.records import BotId, MatchId, MatchRecord, NewMatch, Pair, ResultRecord
from tabiya.storage.store import Store
from tabiya.storage.writes import AppendMove, FinishMatch, FreezeMatch, MatchWrite

log = logging.getLogger("tabiya.match")

NS = 1_000_000_000
TOLD_NS = 1_000_000  # of a standstill; when several notice the same one, what is left for the later ones is shorter
SAVED = (events.MoveSaved, events.ResultSaved)

Ended = Callable[[MatchRecord, ResultRecord], None]
PlanOn = Callable[[MatchRecord, Opening, Pair], NewMatch]
"""Plans the match in which two go on: from a match that ends for a move taken back, what is kept of it, its clocks."""


class Runner:
    """All running matches of this server."""

    _advance = staticmethod(advance)  # server/tracing.py looks at what goes in

    def __init__(self, store: Store, sessions: SessionTable, ended: Ended, most_viewers: int, now_ns: Clock) -> None:
        """ended: called once for every match, after its result is saved and told."""
        self._store, self._sessions, self._ended, self.now_ns = store, sessions, ended, now_ns
        self._loop = asyncio.get_running_loop()
        self._active: dict[int, ActiveMatch] = {}
        self._of_bot: defaultdict[BotId, set[MatchId]] = defaultdict(set)
        self.spectators = Spectators(self.snapshot, most_viewers)
        self.on_freed: Callable[[], None] = lambda: None  # bots have free seats, though no match has ended
        self.plan_on: PlanOn
        self.on_going_on: Callable[[NewMatch], None] = lambda new: None  # with a match that is stored
        self.patience_s: Callable[[BotId], float] = lambda bot_id: 0.0
        """How much longer to wait for a bot because a server failure may keep it away."""
        self.outage = Outage(now_ns)
        self.moves_saved = 0
        self._turns: list[tuple[ActiveMatch, int, Connection]] = []  # that are sent, and not yet written
        self.frozen = 0
        self._closed = False
        self._last_pause = ProcessPause()  # the latest
        self.newest = 0  # number of the youngest match there has been
        self._effect_handlers: dict[type[effects.Effect], Callable[[ActiveMatch, Any], None]] = {
            effects.SaveMove: self._save,
            effects.SaveResult: self._save,
            effects.RetrySave: self._retry,
            effects.SendTurn: self._send_turn,
            effects.SendRefusal: self._send_refusal,
            effects.SetAlarm: self._set_alarm,
            effects.RecheckAfterReads: self._recheck,
            effects.SetPresenceAlarm: self._set_presence_alarm,
            effects.SendMatchStarted: self._send_match_started,
            effects.SendDrawOffered: self._send_draw_offered,
            effects.SendTakeBackAsked: self._send_take_back_asked,
            effects.SendMatchEnded: self._send_match_ended,
            effects.ContinueMatch: self._go_on,
            effects.Show: self._show,
            effects.Freeze: self._freeze,
        }

    # --- matches come and go ---

    def begin(self, record: MatchRecord, match: Match, tournament: str = "") -> None:
        """Run a match, new or restored."""
        sessions = self._enter(ActiveMatch(record, match, tournament, self._last_pause))
        connected, trips = [], []
        for session in sessions:
            connected.append(session is not None)
            trips.append(session.connection.round_trip_ns if session else 0)
        self.post_to(record.id, events.MatchOpened(self.now_ns(), (connected[0], connected[1]), (trips[0], trips[1])))
        self.spectators.changed(record.id)

    def _enter(self, active: ActiveMatch) -> list[BotSession | None]:
        """Count a match among those that run. The sessions of its players, None for one who is not connected."""
        record, sessions = active.record, list[BotSession | None]()
        self._active[record.id] = active
        self.newest = max(self.newest, record.id)
        for number, seat in enumerate(record.seats):
            self._of_bot[seat.bot_id].add(record.id)
            session = self._sessions.by_bot(seat.bot_id)
            sessions.append(session)
            if session is not None:
                session.matches[record.id] = active, number
        return sessions

    def post_to(self, match_id: int, event: events.Event) -> None:
        """Post an event to a running match by its number; nothing if it runs no more."""
        active = self._active.get(match_id)
        if active is not None:
            self.post(active, event)

    def post(self, active: ActiveMatch, event: events.Event) -> None:
        """Put an event into a match's inbox, and drain that unless it is being drained."""
        if self._closed and not isinstance(event, SAVED):  # saves that were under way are still announced
            return
        if active.pause.later is not None:
            active.apply_pauses()
        active.inbox.append(event)
        if not active.busy:
            self._drain(active)

    def _drain(self, active: ActiveMatch) -> None:
        """Advance the match by every event of its inbox, and carry out each one's effects before the next event."""
        active.busy, inbox, handlers = True, active.inbox, self._effect_handlers
        while inbox:
            event = inbox.popleft()
            try:
                active.match, wanted = self._advance(active.match, event)
                for effect in wanted:
                    handlers[type(effect)](active, effect)
            except Exception:
                what = type(event).__name__
                log.exception("match %d: an internal error on %s", active.record.id, what, extra=active.log_fields)
                # Before all that waits: effects of this event may be missing, so nothing more may happen in this match.
                # An error while it freezes must not freeze it again and again.
                if not active.frozen:
                    inbox.appendleft(events.RulesFailed(f"an internal error on {what}", self.now_ns()))
        active.busy = False

    def connected(self, session: BotSession) -> None:
        """A bot is there (again): its matches learn of it and its turns go out."""
        for active in self.matches_of(session.bot.id):
            seat = active.seat_of(session.bot.id)
            if seat is not None:
                if not active.frozen:
                    session.matches[active.record.id] = active, seat
                self.post(active, events.SeatConnected(seat, self.now_ns(), session.connection.round_trip_ns))

    def disconnected(self, session: BotSession) -> None:
        """A bot is gone."""
        for _, (active, seat) in sorted(session.matches.items()):
            self.post(active, events.SeatDisconnected(seat, self.now_ns()))

    def process_paused(self, since_ns: int, until_ns: int) -> None:
        """The process did not run in this time: no clock of any match has run. Several may notice the same one."""
        since_ns = max(since_ns, self._last_pause.until_ns)
        if until_ns <= since_ns or self._closed:
            return
        self._last_pause.later = ProcessPause(since_ns, until_ns)
        self._last_pause = self._last_pause.later
        text = "the server stood still for %.3f s (it was paused, or its machine slept or was too busy); no clock ran"
        if until_ns - since_ns >= TOLD_NS:
            log.log(logging.WARNING if self._active else logging.INFO, text, (until_ns - since_ns) / NS)
        self.spectators.all_changed()

    def close(self) -> None:
        """Stop all clocks and accept no more messages. Saves under way are still announced when they complete."""
        self._closed = True
        for active in self._active.values():
            active.cancel_timers()

    # --- what others ask ---

    def active(self, match_id: int) -> ActiveMatch | None:
        """A running match."""
        return self._active.get(match_id)

    def has_been(self, match_id: int) -> bool:
        """Whether a match of this number has ever begun; numbers rise."""
        return match_id <= self.newest

    def host_of(self, match_id: int) -> int:
        """The number of another host that plays a match; 0 for none."""
        return 0

    @property
    def count(self) -> int:
        """How many run."""
        return len(self._active)

    def running(self) -> tuple[ActiveMatch, ...]:
        return tuple(self._active.values())

    def matches_of(self, bot_id: BotId) -> tuple[ActiveMatch, ...]:
        """The running matches of a bot, the oldest first."""
        return tuple(self._active[match_id] for match_id in sorted(self._of_bot.get(bot_id, ())))

    def snapshot(self, match_id: int) -> Watching | None:
        """The present committed state of a running match for watchers."""
        active = self._active.get(match_id)
        if active is None:
            return None
        active.apply_pauses()  # no event has followed them yet, and the time shown must not contain them
        if not active.busy:
            self._drain(active)
        return watching_message(active.match, active.names, self.now_ns(), active.tournament)

    # --- saving ---

    def _save(self, active: ActiveMatch, effect: effects.SaveMove | effects.SaveResult) -> None:
        match_id = active.record.id
        write: MatchWrite
        if isinstance(effect, effects.SaveMove):
            write, ply = AppendMove(effect.move), effect.move.ply
        else:
            if effect.plies_kept is not None and active.goes_on is None:  # planned once: a save may be tried again
                active.goes_on = self._planned_on(active, effect.plies_kept, effect.result.remaining_us)
            write = FinishMatch(effect.result, effect.move, effect.failure, active.goes_on)
            ply = -1  # by which `_saved` knows a result
        try:
            self._store.submit(write, partial(self._saved, match_id, ply))
        except StoreClosed:
            text = "match %d: the store is closed; the match goes on after the next start"
            log.info(text, match_id, extra=active.log_fields)

    def _saved(self, match_id: MatchId, ply: int, error: StoreError | None) -> None:
        now_ns = self.now_ns()
        if error is None:
            self.moves_saved += 1
            if self.outage:
                self.outage.over(match_id)
            self.post_to(match_id, events.MoveSaved(ply, now_ns) if ply >= 0 else events.ResultSaved(now_ns))
        elif isinstance(error, SaveFailed):
            if self.outage.failed(match_id, str(error)):
                self._report_waiting(match_id)
            self.post_to(match_id, events.SaveFailed(str(error), now_ns, permanent=False))
        elif not isinstance(error, StoreClosed):  # the next start handles it
            log.error("match %d: not saved: %s", match_id, error, extra={"match": match_id})
            self.post_to(match_id, events.SaveFailed(str(error), now_ns, permanent=True))

    def _report_waiting(self, match_id: MatchId) -> None:
        active = self._active.get(match_id)
        if active is not None:
            text = f"match {match_id} waits until the server can save again; no clock runs, and play goes on by itself"
            for seat in (0, 1):
                self._tell(active, seat, Notice(kind="match_waits", text=text, tournament=active.tournament))

    def _retry(self, active: ActiveMatch, effect: effects.RetrySave) -> None:
        self._loop.call_later(effect.delay_ms / 1_000, self._save_again, active.record.id, effect.save)

    def _save_again(self, match_id: MatchId, save: effects.SaveMove | effects.SaveResult) -> None:
        active = self._active.get(match_id)
        if active is not None and not self._closed:
            self._save(active, save)

    # --- telling ---

    def _tell(self, active: ActiveMatch, seat: int, message: ServerMessage) -> bool:
        session = self._sessions.by_bot(active.record.seats[seat].bot_id)
        if session is None:
            return False
        session.connection.send(message)
        return True

    def _send_turn(self, active: ActiveMatch, effect: effects.SendTurn) -> None:
        session = self._sessions.by_bot(active.record.seats[effect.seat].bot_id)
        if session is not None:
            session.connection.send(turn_message(active.match, effect, legal_moves=session.wants_legal_moves))
            if not self._turns:
                self._loop.call_soon(self._turns_sent)  # behind the flush that `send` has just planned
            self._turns.append((active, effect.ply, session.connection))

    def _turns_sent(self) -> None:
        """Report the turns sent in this turn of the loop, after connections have written: clocks start then."""
        turns, self._turns = self._turns, []
        for active, ply, connection in turns:
            connection.written(active.record.id, ply, partial(self._turn_written, active, ply))

    def _turn_written(self, active: ActiveMatch, ply: int, now_ns: int) -> None:
        self.post(active, events.TurnSent(ply, now_ns))

    def _send_refusal(self, active: ActiveMatch, effect: effects.SendRefusal) -> None:
        self._tell(active, effect.seat, refused_message(active.match, effect))

    def _send_match_started(self, active: ActiveMatch, effect: effects.SendMatchStarted) -> None:
        record, bots = active.record, " against ".join(active.names)
        log.info("match %d: %s begins, %s", record.id, record.game, bots, extra=active.log_fields)
        for seat in (0, 1):
            message = started_message(
                active.match, seat, active.names, record.options, rated=record.rated, tournament=active.tournament
            )
            self._tell(active, seat, message)

    def _send_draw_offered(self, active: ActiveMatch, effect: effects.SendDrawOffered) -> None:
        self._tell(active, effect.seat, draw_offered_message(active.match, effect))

    def _send_take_back_asked(self, active: ActiveMatch, effect: effects.SendTakeBackAsked) -> None:
        self._tell(active, effect.seat, take_back_asked_message(active.match, effect))

    def _planned_on(self, active: ActiveMatch, plies: int, remaining_us: Pair) -> NewMatch:
        position = active.match.position
        return self.plan_on(active.record, Opening(position.start_text, tuple(position.moves[:plies])), remaining_us)

    def _go_on(self, active: ActiveMatch, effect: effects.ContinueMatch) -> None:
        assert active.goes_on is not None
        self.on_going_on(active.goes_on)

    def _send_match_ended(self, active: ActiveMatch, effect: effects.SendMatchEnded) -> None:
        record, result = active.record, effect.result
        why = result.reason or result.ending
        log.info("match %d: %s ends: %s", record.id, record.game, why, extra=active.log_fields)
        self._forget(active)
        try:
            for seat in (0, 1):
                self._tell(active, seat, ended_message(active.match, seat, result))
            self.spectators.ended(
                record.id, watching_message(active.match, active.names, self.now_ns(), active.tournament)
            )
        finally:  # tournament and lobby are notified even if a message could not be sent
            self._ended(record, result)

    def _forget(self, active: ActiveMatch) -> None:
        active.cancel_timers()
        del self._active[active.record.id]
        for seat in active.record.seats:
            matches = self._of_bot[seat.bot_id]
            matches.discard(active.record.id)
            if not matches:
                del self._of_bot[seat.bot_id]
        self._free_seats(active)

    def _free_seats(self, active: ActiveMatch) -> None:
        for seat in active.record.seats:
            session = self._sessions.by_bot(seat.bot_id)
            if session is not None:
                session.matches.pop(active.record.id, None)

    def _show(self, active: ActiveMatch, effect: effects.Show) -> None:
        self.spectators.changed(active.record.id)

    # --- alarms ---

    def _set_alarm(self, active: ActiveMatch, effect: effects.SetAlarm) -> None:
        """A timer that rings too early is left, and the match then asks again: one for each move would cost more."""
        active.awaited_ply = effect.ply
        if active.alarm is not None:
            if active.alarm_ns <= effect.at_ns:
                return
            active.alarm.cancel()
        active.alarm_ns = effect.at_ns
        active.alarm = self._loop.call_at(effect.at_ns / NS, self._on_alarm, active.record.id)

    def _on_alarm(self, match_id: MatchId) -> None:
        active = self._active.get(match_id)
        if active is not None:
            active.alarm = None  # before the event, whose answer may be the next alarm
            self.post_to(match_id, events.AlarmRang(active.awaited_ply, self.now_ns()))

    def _recheck(self, active: ActiveMatch, effect: effects.RecheckAfterReads) -> None:
        """With a timer of its own: a move that comes until then uses the match's alarm for the next turn."""
        recheck = partial(self._on_recheck, active.record.id, effect.ply)
        bot_id = active.record.seats[active.match.position.to_move].bot_id
        session = self._sessions.by_bot(bot_id)
        if (wait_s := self.patience_s(bot_id)) > 0:
            self._loop.call_later(wait_s, self._recheck, active, effect)
        elif session is not None:
            session.connection.after_reads(recheck)
        else:
            self._loop.call_later(READ_CYCLE_S, recheck)

    def _on_recheck(self, match_id: MatchId, ply: int) -> None:
        self.post_to(match_id, events.AlarmRang(ply, self.now_ns(), rearmed=True))

    def _set_presence_alarm(self, active: ActiveMatch, effect: effects.SetPresenceAlarm) -> None:
        if active.presence_alarm is not None:
            active.presence_alarm.cancel()
        active.presence_alarm = self._loop.call_at(effect.at_ns / NS, self._on_presence_alarm, active.record.id)

    def _on_presence_alarm(self, match_id: MatchId) -> None:
        self.post_to(match_id, events.PresenceAlarmRang(self.now_ns()))

    # --- our own failure ---

    def _freeze(self, active: ActiveMatch, effect: effects.Freeze) -> None:
        self.frozen += 1
        self.outage.over(active.record.id)
        active.cancel_timers()
        active.pause = ProcessPause()  # it gets no more pauses, and keeps none
        self._free_seats(active)
        with contextlib.suppress(StoreClosed):
            self._store.submit(FreezeMatch(active.record.id, effect.reason), _log_failure(active.record.id))
        self._send_frozen_notice(active, effect.reason)
        self.on_freed()

    def _send_frozen_notice(self, active: ActiveMatch, reason: str) -> None:
        text = "match %d: frozen, an operator must look at it: %s"
        log.critical(text, active.record.id, reason, extra=active.log_fields)
        text = f"match {active.record.id} is stopped by an error of the server: no clock runs and nobody loses by it"
        for seat in (0, 1):
            self._tell(active, seat, Notice(kind="match_frozen", text=text, tournament=active.tournament))


def _log_failure(match_id: MatchId) -> Callable[[StoreError | None], None]:
    def done(error: StoreError | None) -> None:
        if error is not None:
            log.error("match %d: its frozen status could not be saved: %s", match_id, error, extra={"match": match_id})

    return done

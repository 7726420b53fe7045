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

from tabiya.protocol.messages import Notice, ServerMessage, Watching
from tabiya.server.core import effects, events
from tabiya.server.core.match import advance
from tabiya.server.core.messages import (
    draw_offered_message,
    ended_message,
    refused_message,
    started_message,
    turn_message,
    watching_message,
)
from tabiya.server.core.state import Match
from tabiya.server.matches.active_match import ActiveMatch, ProcessPause
from tabiya.server.matches.spectators import Spectators
from tabiya.server.matches.store_outage import Outage
from tabiya.server.sessions.session import BotSession, SessionTable
from tabiya.server.transport.base import READ_CYCLE_S, Clock, Connection
from tabiya.storage.errors import SaveFailed, StoreClosed, StoreError
from tabiya.storage.records import BotId, MatchId, MatchRecord, ResultRecord
from tabiya.storage.store import Store
from tabiya.storage.writes import AppendMove, FinishMatch, FreezeMatch, MatchWrite

log = logging.getLogger("tabiya.match")

NS = 1_000_000_000
SAVED = (events.MoveSaved, events.ResultSaved)

Ended = Callable[[MatchRecord, ResultRecord], None]


class Runner:
    """All running matches of this server."""

    def __init__(self, store: Store, sessions: SessionTable, ended: Ended, most_viewers: int, now_ns: Clock) -> None:
        """ended: called once for every match, after its result is saved and told."""
        self._store, self._sessions, self._ended, self.now_ns = store, sessions, ended, now_ns
        self._loop = asyncio.get_running_loop()
        self._live: dict[int, ActiveMatch] = {}
        self._of_bot: defaultdict[BotId, set[MatchId]] = defaultdict(set)
        self.spectators = Spectators(self.snapshot, most_viewers)
        self.on_freed: Callable[[], None] = lambda: None  # bots have free seats, though no match has ended
        self.outage = Outage(now_ns)
        self.moves_saved = 0
        self._turns: list[tuple[ActiveMatch, int, Connection]] = []  # that are sent, and not yet written
        self.frozen = 0
        self._closed = False
        self._last_pause = ProcessPause()  # the latest
        self.newest = 0  # number of the youngest match there has been
        self._effect_handlers: dict[type, Callable[[ActiveMatch, effects.Effect], None]] = {
            effects.SaveMove: self._save,
            effects.SaveResult: self._save,
            effects.RetrySave: self._retry,
            effects.SendTurn: self._send_turn,
            effects.SendRefusal: self._send_refusal,
            effects.SetAlarm: self._set_alarm,
            effects.RecheckAfterReads: self._recheck,
            effects.SetPresenceAlarm: self._set_presence_alarm,
            effects.TellStarted: self._tell_started,
            effects.TellDrawOffered: self._tell_draw_offered,
            effects.TellEnded: self._tell_ended,
            effects.Show: self._show,
            effects.Freeze: self._freeze,
        }

    # --- matches come and go ---

    def begin(self, record: MatchRecord, match: Match, tournament: str = "") -> None:
        """Run a match, new or restored."""
        live = ActiveMatch(record, match, tournament, self._last_pause)
        self._live[record.id] = live
        self.newest = max(self.newest, record.id)
        connected, trips = [], []
        for number, seat in enumerate(record.seats):
            self._of_bot[seat.bot_id].add(record.id)
            peer = self._sessions.by_bot(seat.bot_id)
            connected.append(peer is not None)
            trips.append(peer.connection.round_trip_ns if peer else 0)
            if peer is not None:
                peer.matches[record.id] = live, number
        self.post_to(record.id, events.MatchOpened(self.now_ns(), (connected[0], connected[1]), (trips[0], trips[1])))

    def post_to(self, match_id: int, event: events.Event) -> None:
        """Post an event to a running match by its number; nothing if it runs no more."""
        live = self._live.get(match_id)
        if live is not None:
            self.post(live, event)

    def post(self, live: ActiveMatch, event: events.Event) -> None:
        """Put an event into a match's inbox, and drain that unless it is being drained."""
        if self._closed and not isinstance(event, SAVED):
            return
        if live.pause.later is not None:
            live.apply_pauses()
        live.inbox.append(event)
        if not live.busy:
            self._drain(live)

    def _drain(self, live: ActiveMatch) -> None:
        """Advance the match by every event of its inbox, and carry out each one's effects before the next event."""
        live.busy, inbox, handlers = True, live.inbox, self._effect_handlers
        while inbox:
            event = inbox.popleft()
            try:
                live.match, wanted = advance(live.match, event)
                for effect in wanted:
                    handlers[type(effect)](live, effect)
            except Exception:
                log.exception("match %d: an error of ours on %s", live.record.id, type(event).__name__)
                if not live.frozen:
                    inbox.appendleft(events.RulesFailed(f"an error of ours on {type(event).__name__}", self.now_ns()))
        live.busy = False

    def connected(self, peer: BotSession) -> None:
        """A bot is there (again): its matches learn of it and its turns go out."""
        for live in self.matches_of(peer.bot.id):
            seat = live.seat_of(peer.bot.id)
            if seat is not None:
                if not live.frozen:
                    peer.matches[live.record.id] = live, seat
                self.post(live, events.SeatConnected(seat, self.now_ns(), peer.connection.round_trip_ns))

    def disconnected(self, peer: BotSession) -> None:
        """A bot is gone."""
        for _, (live, seat) in sorted(peer.matches.items()):
            self.post(live, events.SeatDisconnected(seat, self.now_ns()))

    def process_paused(self, since_ns: int, until_ns: int) -> None:
        """The process did not run in this time: no clock of any match has run. Several may notice the same one."""
        since_ns = max(since_ns, self._last_pause.until_ns)
        if until_ns <= since_ns or self._closed:
            return
        self._last_pause.later = ProcessPause(since_ns, until_ns)
        self._last_pause = self._last_pause.later
        text = "the server stood still for %.3f s (it was paused, or its machine slept or was too busy); no clock ran"
        log.log(logging.WARNING if self._live else logging.INFO, text, (until_ns - since_ns) / NS)
        self.spectators.all_changed()

    def close(self) -> None:
        """Stop all clocks and take nothing more from anybody; what is being saved is still told when it is."""
        self._closed = True
        for live in self._live.values():
            live.cancel_timers()

    # --- what others ask ---

    def live(self, match_id: int) -> ActiveMatch | None:
        """A running match."""
        return self._live.get(match_id)

    def has_been(self, match_id: int) -> bool:
        """Whether a match of this number has ever begun; numbers rise."""
        return match_id <= self.newest

    @property
    def count(self) -> int:
        """How many run."""
        return len(self._live)

    def running(self) -> tuple[ActiveMatch, ...]:
        """All matches that run."""
        return tuple(self._live.values())

    def matches_of(self, bot_id: BotId) -> tuple[ActiveMatch, ...]:
        """The running matches of a bot, the oldest first."""
        return tuple(self._live[match_id] for match_id in sorted(self._of_bot.get(bot_id, ())))

    def snapshot(self, match_id: int) -> Watching | None:
        """The present committed state of a running match for watchers."""
        live = self._live.get(match_id)
        if live is None:
            return None
        live.apply_pauses()
        if not live.busy:
            self._drain(live)
        return watching_message(live.match, live.names, self.now_ns(), live.tournament)

    # --- saving ---

    def _save(self, live: ActiveMatch, effect: effects.Effect) -> None:
        match_id = live.record.id
        write: MatchWrite
        if isinstance(effect, effects.SaveMove):
            write, ply = AppendMove(effect.move), effect.move.ply
        else:
            assert isinstance(effect, effects.SaveResult)
            write, ply = FinishMatch(effect.result, effect.move), -1
        try:
            self._store.submit(write, lambda error: self._saved(match_id, ply, error))
        except StoreClosed:
            log.info("match %d: the store is closed; the match goes on after the next start", match_id)

    def _saved(self, match_id: MatchId, ply: int, error: StoreError | None) -> None:
        now_ns = self.now_ns()
        if error is None:
            self.moves_saved += 1
            if self.outage:
                self.outage.over(match_id)
            self.post_to(match_id, events.MoveSaved(ply, now_ns) if ply >= 0 else events.ResultSaved(now_ns))
        elif isinstance(error, SaveFailed):
            if self.outage.failed(match_id, str(error)):
                self._tell_that_it_waits(match_id)
            self.post_to(match_id, events.SaveFailed(str(error), now_ns, permanent=False))
        elif not isinstance(error, StoreClosed):
            log.error("match %d: not saved: %s", match_id, error)
            self.post_to(match_id, events.SaveFailed(str(error), now_ns, permanent=True))

    def _tell_that_it_waits(self, match_id: MatchId) -> None:
        live = self._live.get(match_id)
        if live is not None:
            text = f"match {match_id} waits until the server can save again; no clock runs, and play goes on by itself"
            for seat in (0, 1):
                self._tell(live, seat, Notice(kind="match_waits", text=text, tournament=live.tournament))

    def _retry(self, live: ActiveMatch, effect: effects.Effect) -> None:
        assert isinstance(effect, effects.RetrySave)
        self._loop.call_later(effect.delay_ms / 1_000, self._save_again, live.record.id, effect.save)

    def _save_again(self, match_id: MatchId, save: effects.SaveMove | effects.SaveResult) -> None:
        live = self._live.get(match_id)
        if live is not None and not self._closed:
            self._save(live, save)

    # --- telling ---

    def _tell(self, live: ActiveMatch, seat: int, message: ServerMessage) -> bool:
        peer = self._sessions.by_bot(live.record.seats[seat].bot_id)
        if peer is None:
            return False
        peer.connection.send(message)
        return True

    def _send_turn(self, live: ActiveMatch, effect: effects.Effect) -> None:
        assert isinstance(effect, effects.SendTurn)
        peer = self._sessions.by_bot(live.record.seats[effect.seat].bot_id)
        if peer is not None:
            peer.connection.send(turn_message(live.match, effect, legal_moves=peer.wants_legal_moves))
            if not self._turns:
                self._loop.call_soon(self._turns_sent)
            self._turns.append((live, effect.ply, peer.connection))

    def _turns_sent(self) -> None:
        """At the end of a turn of the loop, when connections write: a clock starts behind that, not before."""
        turns, self._turns = self._turns, []
        for live, ply, connection in turns:
            # the gateway's own flush came before, except for a turn that was sent since: it must not wait for the next
            connection.flush()
            self.post(live, events.TurnSent(ply, self.now_ns()))

    def _send_refusal(self, live: ActiveMatch, effect: effects.Effect) -> None:
        assert isinstance(effect, effects.SendRefusal)
        self._tell(live, effect.seat, refused_message(live.match, effect))

    def _tell_started(self, live: ActiveMatch, effect: effects.Effect) -> None:
        log.info("match %d: %s begins, %s", live.record.id, live.record.game, " against ".join(live.names))
        record = live.record
        for seat in (0, 1):
            message = started_message(
                live.match, seat, live.names, record.options, rated=record.rated, tournament=live.tournament
            )
            self._tell(live, seat, message)

    def _tell_draw_offered(self, live: ActiveMatch, effect: effects.Effect) -> None:
        assert isinstance(effect, effects.TellDrawOffered)
        self._tell(live, effect.seat, draw_offered_message(live.match, effect))

    def _tell_ended(self, live: ActiveMatch, effect: effects.Effect) -> None:
        assert isinstance(effect, effects.TellEnded)
        record, result = live.record, effect.result
        log.info("match %d: %s ends: %s", record.id, record.game, result.reason or result.ending)
        self._forget(live)
        try:
            for seat in (0, 1):
                self._tell(live, seat, ended_message(live.match, seat, result))
            self.spectators.ended(record.id, watching_message(live.match, live.names, self.now_ns(), live.tournament))
        finally:
            self._ended(record, result)

    def _forget(self, live: ActiveMatch) -> None:
        live.cancel_timers()
        del self._live[live.record.id]
        for seat in live.record.seats:
            matches = self._of_bot[seat.bot_id]
            matches.discard(live.record.id)
            if not matches:
                del self._of_bot[seat.bot_id]
        self._free_seats(live)

    def _free_seats(self, live: ActiveMatch) -> None:
        for seat in live.record.seats:
            peer = self._sessions.by_bot(seat.bot_id)
            if peer is not None:
                peer.matches.pop(live.record.id, None)

    def _show(self, live: ActiveMatch, effect: effects.Effect) -> None:
        self.spectators.changed(live.record.id)

    # --- alarms ---

    def _set_alarm(self, live: ActiveMatch, effect: effects.Effect) -> None:
        """A timer that rings too early is left, and the match then asks again: one for each move would cost more."""
        assert isinstance(effect, effects.SetAlarm)
        live.awaited_ply = effect.ply
        if live.alarm is not None:
            if live.alarm_ns <= effect.at_ns:
                return
            live.alarm.cancel()
        live.alarm_ns = effect.at_ns
        live.alarm = self._loop.call_at(effect.at_ns / NS, self._on_alarm, live.record.id)

    def _on_alarm(self, match_id: MatchId) -> None:
        live = self._live.get(match_id)
        if live is not None:
            live.alarm = None
            self.post_to(match_id, events.AlarmRang(live.awaited_ply, self.now_ns()))

    def _recheck(self, live: ActiveMatch, effect: effects.Effect) -> None:
        """Beside the alarm: a move that comes until then sets that for the next turn."""
        assert isinstance(effect, effects.RecheckAfterReads)
        event = lambda: events.AlarmRang(effect.ply, self.now_ns(), rearmed=True)  # noqa: E731  (made when it rings)
        self._loop.call_later(READ_CYCLE_S, self._post_made, live.record.id, event)

    def _set_presence_alarm(self, live: ActiveMatch, effect: effects.Effect) -> None:
        assert isinstance(effect, effects.SetPresenceAlarm)
        if live.presence_alarm is not None:
            live.presence_alarm.cancel()
        event = lambda: events.PresenceAlarmRang(self.now_ns())  # noqa: E731
        live.presence_alarm = self._loop.call_at(effect.at_ns / NS, self._post_made, live.record.id, event)

    def _post_made(self, match_id: MatchId, event: Callable[[], events.Event]) -> None:
        self.post_to(match_id, event())

    # --- our own failure ---

    def _freeze(self, live: ActiveMatch, effect: effects.Effect) -> None:
        assert isinstance(effect, effects.Freeze)
        self.frozen += 1
        self.outage.over(live.record.id)
        live.cancel_timers()
        live.pause = ProcessPause()  # it hears of none any more, and holds none
        self._free_seats(live)
        log.critical("match %d: frozen, an operator must look at it: %s", live.record.id, effect.reason)
        with contextlib.suppress(StoreClosed):
            self._store.submit(FreezeMatch(live.record.id, effect.reason), _log_failure(live.record.id))
        text = f"match {live.record.id} is stopped by an error of the server: no clock runs and nobody loses by it"
        for seat in (0, 1):
            self._tell(live, seat, Notice(kind="match_frozen", text=text, tournament=live.tournament))
        self.on_freed()


def _log_failure(match_id: MatchId) -> Callable[[StoreError | None], None]:
    def done(error: StoreError | None) -> None:
        if error is not None:
            log.error("match %d: that it is frozen could not be saved: %s", match_id, error)

    return done

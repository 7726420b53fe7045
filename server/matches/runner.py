"""The runner: carries out the effects of every match, strictly in order, and feeds back what came of them.

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
from tabiya.server.core import effects as do
from tabiya.server.core import events as on
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
from tabiya.server.matches.running import Live, Standstill
from tabiya.server.matches.spectators import Spectators
from tabiya.server.matches.store_outage import Outage
from tabiya.server.sessions.session import Directory, Peer
from tabiya.server.transport.base import READ_CYCLE_S, Clock, Connection
from tabiya.storage.errors import SaveFailed, StoreClosed, StoreError
from tabiya.storage.records import BotId, MatchId, MatchRecord, ResultRecord
from tabiya.storage.store import Store
from tabiya.storage.writes import AppendMove, FinishMatch, FreezeMatch, MatchWrite

log = logging.getLogger("tabiya.match")

NS = 1_000_000_000
SAVED = (on.MoveSaved, on.ResultSaved)

Ended = Callable[[MatchRecord, ResultRecord], None]


class Runner:
    """All running matches of this server."""

    def __init__(self, store: Store, directory: Directory, ended: Ended, most_viewers: int, now_ns: Clock) -> None:
        """ended: called once for every match, after its result is saved and told."""
        self._store, self._directory, self._ended, self.now_ns = store, directory, ended, now_ns
        self._loop = asyncio.get_running_loop()
        self._live: dict[int, Live] = {}
        self._of_bot: defaultdict[BotId, set[MatchId]] = defaultdict(set)
        self.spectators = Spectators(self.snapshot, most_viewers)
        self.on_freed: Callable[[], None] = lambda: None  # bots have free seats, though no match has ended
        self.outage = Outage(now_ns)
        self.moves_saved = 0
        self._turns: list[tuple[Live, int, Connection]] = []  # that are sent, and not yet written
        self.frozen = 0
        self._closed = False
        self._standstill = Standstill()  # the latest
        self.newest = 0  # number of the youngest match there has been
        self._carry_out: dict[type, Callable[[Live, do.Effect], None]] = {
            do.SaveMove: self._save,
            do.SaveResult: self._save,
            do.RetrySave: self._retry,
            do.SendTurn: self._send_turn,
            do.SendRefusal: self._send_refusal,
            do.SetAlarm: self._set_alarm,
            do.RecheckAfterReads: self._recheck,
            do.SetPresenceAlarm: self._set_presence_alarm,
            do.TellStarted: self._tell_started,
            do.TellDrawOffered: self._tell_draw_offered,
            do.TellEnded: self._tell_ended,
            do.Show: self._show,
            do.Freeze: self._freeze,
        }

    # --- matches come and go ---

    def begin(self, record: MatchRecord, match: Match, tournament: str = "") -> None:
        """Run a match, new or restored."""
        live = Live(record, match, tournament, self._standstill)
        self._live[record.id] = live
        self.newest = max(self.newest, record.id)
        connected, trips = [], []
        for seat in record.seats:
            self._of_bot[seat.bot_id].add(record.id)
            peer = self._directory.of(seat.bot_id)
            connected.append(peer is not None)
            trips.append(peer.connection.round_trip_ns if peer else 0)
            if peer is not None:
                peer.matches.add(record.id)
        self.feed(record.id, on.MatchOpened(self.now_ns(), (connected[0], connected[1]), (trips[0], trips[1])))

    def feed(self, match_id: int, event: on.Event) -> None:
        """Hand an event to a running match; nothing if it runs no more."""
        live = self._live.get(match_id)
        if live is not None:
            self.happens(live, event)

    def happens(self, live: Live, event: on.Event) -> None:
        """Hand an event to a match that runs."""
        if self._closed and not isinstance(event, SAVED):
            return
        if live.standstill.later is not None:
            live.catch_up()
        live.inbox.append(event)
        if not live.busy:
            self._work(live)

    def _work(self, live: Live) -> None:
        """All that the match expects."""
        live.busy, inbox, carry_out = True, live.inbox, self._carry_out
        while inbox:
            event = inbox.popleft()
            try:
                live.match, effects = advance(live.match, event)
                for effect in effects:
                    carry_out[type(effect)](live, effect)
            except Exception:
                log.exception("match %d: an error of ours on %s", live.record.id, type(event).__name__)
                if not live.frozen:
                    inbox.appendleft(on.RulesFailed(f"an error of ours on {type(event).__name__}", self.now_ns()))
        live.busy = False

    def connected(self, peer: Peer) -> None:
        """A bot is there (again): its matches learn of it and its turns go out."""
        for match_id in sorted(self._of_bot.get(peer.bot.id, ())):
            live = self._live.get(match_id)
            seat = live.seat_of(peer.bot.id) if live else None
            if live is not None and seat is not None:
                if not live.frozen:
                    peer.matches.add(match_id)
                self.feed(match_id, on.SeatConnected(seat, self.now_ns(), peer.connection.round_trip_ns))

    def disconnected(self, peer: Peer) -> None:
        """A bot is gone."""
        for match_id in sorted(peer.matches):
            live = self._live.get(match_id)
            seat = live.seat_of(peer.bot.id) if live else None
            if seat is not None:
                self.feed(match_id, on.SeatDisconnected(seat, self.now_ns()))

    def stood_still(self, since_ns: int, until_ns: int) -> None:
        """The process did not run in this time: no clock of any match has run. Several may notice the same one."""
        since_ns = max(since_ns, self._standstill.until_ns)
        if until_ns <= since_ns or self._closed:
            return
        self._standstill.later = Standstill(since_ns, until_ns)
        self._standstill = self._standstill.later
        text = "the server stood still for %.3f s (it was paused, or its machine slept or was too busy); no clock ran"
        log.log(logging.WARNING if self._live else logging.INFO, text, (until_ns - since_ns) / NS)
        self.spectators.all_changed()

    def close(self) -> None:
        """Stop all clocks and take nothing more from anybody; what is being saved is still told when it is."""
        self._closed = True
        for live in self._live.values():
            live.still()

    # --- what others ask ---

    def live(self, match_id: int) -> Live | None:
        """A running match."""
        return self._live.get(match_id)

    def has_been(self, match_id: int) -> bool:
        """Whether a match of this number has ever begun; numbers rise."""
        return match_id <= self.newest

    @property
    def count(self) -> int:
        """How many run."""
        return len(self._live)

    def running(self) -> tuple[Live, ...]:
        """All of them."""
        return tuple(self._live.values())

    def matches_of(self, bot_id: BotId) -> tuple[Live, ...]:
        """The running matches of a bot, the oldest first."""
        return tuple(self._live[match_id] for match_id in sorted(self._of_bot.get(bot_id, ())))

    def snapshot(self, match_id: int) -> Watching | None:
        """The present committed state of a running match for watchers."""
        live = self._live.get(match_id)
        if live is None:
            return None
        live.catch_up()
        if not live.busy:
            self._work(live)
        return watching_message(live.match, live.names, self.now_ns(), live.tournament)

    # --- saving ---

    def _save(self, live: Live, effect: do.Effect) -> None:
        match_id = live.record.id
        write: MatchWrite
        if isinstance(effect, do.SaveMove):
            write, ply = AppendMove(effect.move), effect.move.ply
        else:
            assert isinstance(effect, do.SaveResult)
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
            self.feed(match_id, on.MoveSaved(ply, now_ns) if ply >= 0 else on.ResultSaved(now_ns))
        elif isinstance(error, SaveFailed):
            if self.outage.failed(match_id, str(error)):
                self._tell_that_it_waits(match_id)
            self.feed(match_id, on.SaveFailed(str(error), now_ns, permanent=False))
        elif not isinstance(error, StoreClosed):
            log.error("match %d: not saved: %s", match_id, error)
            self.feed(match_id, on.SaveFailed(str(error), now_ns, permanent=True))

    def _tell_that_it_waits(self, match_id: MatchId) -> None:
        live = self._live.get(match_id)
        if live is not None:
            text = f"match {match_id} waits until the server can save again; no clock runs, and play goes on by itself"
            for seat in (0, 1):
                self._tell(live, seat, Notice(kind="match_waits", text=text, tournament=live.tournament))

    def _retry(self, live: Live, effect: do.Effect) -> None:
        assert isinstance(effect, do.RetrySave)
        self._loop.call_later(effect.delay_ms / 1_000, self._save_again, live.record.id, effect.save)

    def _save_again(self, match_id: MatchId, save: do.SaveMove | do.SaveResult) -> None:
        live = self._live.get(match_id)
        if live is not None and not self._closed:
            self._save(live, save)

    # --- telling ---

    def _tell(self, live: Live, seat: int, message: ServerMessage) -> bool:
        peer = self._directory.of(live.record.seats[seat].bot_id)
        if peer is None:
            return False
        peer.connection.send(message)
        return True

    def _send_turn(self, live: Live, effect: do.Effect) -> None:
        assert isinstance(effect, do.SendTurn)
        peer = self._directory.of(live.record.seats[effect.seat].bot_id)
        if peer is not None:
            peer.connection.send(turn_message(live.match, effect, legal_moves=peer.wants_legal_moves))
            if not self._turns:
                self._loop.call_soon(self._turns_sent)
            self._turns.append((live, effect.ply, peer.connection))

    def _turns_sent(self) -> None:
        """At the end of a turn of the loop, when lines write: a clock starts behind that, not before."""
        turns, self._turns = self._turns, []
        for live, ply, connection in turns:
            connection.flush()
            self.happens(live, on.TurnSent(ply, self.now_ns()))

    def _send_refusal(self, live: Live, effect: do.Effect) -> None:
        assert isinstance(effect, do.SendRefusal)
        self._tell(live, effect.seat, refused_message(live.match, effect))

    def _tell_started(self, live: Live, effect: do.Effect) -> None:
        log.info("match %d: %s begins, %s", live.record.id, live.record.game, " against ".join(live.names))
        record = live.record
        for seat in (0, 1):
            message = started_message(
                live.match, seat, live.names, record.options, rated=record.rated, tournament=live.tournament
            )
            self._tell(live, seat, message)

    def _tell_draw_offered(self, live: Live, effect: do.Effect) -> None:
        assert isinstance(effect, do.TellDrawOffered)
        self._tell(live, effect.seat, draw_offered_message(live.match, effect))

    def _tell_ended(self, live: Live, effect: do.Effect) -> None:
        assert isinstance(effect, do.TellEnded)
        record, result = live.record, effect.result
        log.info("match %d: %s ends: %s", record.id, record.game, result.reason or result.ending)
        self._forget(live)
        try:
            for seat in (0, 1):
                self._tell(live, seat, ended_message(live.match, seat, result))
            self.spectators.ended(record.id, watching_message(live.match, live.names, self.now_ns(), live.tournament))
        finally:
            self._ended(record, result)

    def _forget(self, live: Live) -> None:
        live.still()
        del self._live[live.record.id]
        for seat in live.record.seats:
            matches = self._of_bot[seat.bot_id]
            matches.discard(live.record.id)
            if not matches:
                del self._of_bot[seat.bot_id]
        self._free_seats(live)

    def _free_seats(self, live: Live) -> None:
        for seat in live.record.seats:
            peer = self._directory.of(seat.bot_id)
            if peer is not None:
                peer.matches.discard(live.record.id)

    def _show(self, live: Live, effect: do.Effect) -> None:
        self.spectators.changed(live.record.id)

    # --- alarms ---

    def _set_alarm(self, live: Live, effect: do.Effect) -> None:
        """A timer that rings too early is left, and the match then asks again: one for each move would cost more."""
        assert isinstance(effect, do.SetAlarm)
        live.awaited_ply = effect.ply
        if live.alarm is not None:
            if live.alarm_ns <= effect.at_ns:
                return
            live.alarm.cancel()
        live.alarm_ns = effect.at_ns
        live.alarm = self._loop.call_at(effect.at_ns / NS, self._alarm_rings, live.record.id)

    def _alarm_rings(self, match_id: MatchId) -> None:
        live = self._live.get(match_id)
        if live is not None:
            live.alarm = None
            self.feed(match_id, on.AlarmRang(live.awaited_ply, self.now_ns()))

    def _recheck(self, live: Live, effect: do.Effect) -> None:
        """Beside the alarm: a move that comes until then sets that for the next turn."""
        assert isinstance(effect, do.RecheckAfterReads)
        event = lambda: on.AlarmRang(effect.ply, self.now_ns(), rearmed=True)  # noqa: E731  (made when it rings)
        self._loop.call_later(READ_CYCLE_S, self._ring, live.record.id, event)

    def _set_presence_alarm(self, live: Live, effect: do.Effect) -> None:
        assert isinstance(effect, do.SetPresenceAlarm)
        if live.presence_alarm is not None:
            live.presence_alarm.cancel()
        event = lambda: on.PresenceAlarmRang(self.now_ns())  # noqa: E731
        live.presence_alarm = self._loop.call_at(effect.at_ns / NS, self._ring, live.record.id, event)

    def _ring(self, match_id: MatchId, event: Callable[[], on.Event]) -> None:
        self.feed(match_id, event())

    # --- our own failure ---

    def _freeze(self, live: Live, effect: do.Effect) -> None:
        assert isinstance(effect, do.Freeze)
        self.frozen += 1
        self.outage.over(live.record.id)
        live.still()
        live.standstill = Standstill()  # it hears of none any more, and holds none
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

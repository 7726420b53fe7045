"""Random events at one match, with what must hold after each of them.

`Storm(seed, ...).run(events)` raises AssertionError with the seed in its text. A save is answered now or later, well or
badly; everything else may come at any time, in any order, for any ply and by either seat.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tabiya.games.endings import Ending
from tabiya.protocol.time_control import parse_by_seat
from tabiya.server.core.clock import after_move_us
from tabiya.server.core.effects import (
    Effect,
    Freeze,
    RecheckAfterReads,
    RetrySave,
    SaveMove,
    SaveResult,
    SendDrawOffered,
    SendMatchEnded,
    SendRefusal,
    SendTurn,
    SetAlarm,
)
from tabiya.server.core.events import (
    Aborted,
    Adjudicated,
    AlarmRang,
    DrawOffered,
    Event,
    MatchOpened,
    MoveArrived,
    MoveSaved,
    PresenceAlarmRang,
    ProcessPaused,
    Resigned,
    ResultSaved,
    RulesFailed,
    SaveFailed,
    SeatConnected,
    SeatDisconnected,
    TakeBackAsked,
    TurnSent,
)
from tabiya.server.core.match import advance
from tabiya.server.core.restore import restore_match
from tabiya.server.core.state import AwaitingMove, Frozen, Match, Rules, Saving
from tabiya.storage.records import MoveRecord, NewMatch, ResultRecord
from tests.server.core.fakes import EPOCH_NS, MS, S, stored

Chooser = Callable[[random.Random, Match], str]

STEPS_NS = (0, 1, 1_500, MS, 20 * MS, 300 * MS, 9 * S)
CALM, WILD = (20, 20, 20, 20, 20, 5, 0.1), (20, 20, 20, 20, 20, 20, 5)


def lasting(match: Match) -> object:
    """What of a match must survive a restart."""
    position = match.position
    return (
        position.text(),
        tuple(position.moves),
        match.seats,
        match.offer,
        match.offer_announced,
        match.info,
        match.streaks,
        match.terms.controls,
        match.terms.opening_plies,
    )


def micros(at: float) -> int:
    """Seconds since 1970 as whole microseconds."""
    return round(at * 1e6)


def check_instants(row: MoveRecord, before: MoveRecord | None) -> None:
    """Every microsecond since the move before is somebody's. before: None for the first move of a match."""
    assert row.sent_at is not None
    standstill_us = micros(row.at) - micros(row.sent_at) - row.think_us
    assert 0 <= standstill_us <= row.server_us, "the turn took less than the thinking on it"
    if before is not None:
        passed_us = micros(row.at) - micros(before.at)
        assert passed_us == row.server_us + row.forgiven_us + row.think_us, "time is neither the bot's nor the server's"


class Storm:
    """One match under random events. rough: chance of each event that ends or freezes the match by itself."""

    def __init__(
        self, seed: int, new: NewMatch, match: Match, rules: Rules, choose: Chooser, rough: float = 0.0005
    ) -> None:
        self.seed, self.new, self.match, self.rules = seed, new, match, rules
        self.random = random.Random(seed)
        self.choose, self.rough = choose, rough
        self.pace = self.random.choice((CALM, CALM, WILD))
        self.now_ns = self.random.randrange(10 * S)
        self.under_way: SaveMove | SaveResult | None = None
        self.rows: list[MoveRecord] = []
        self.result: ResultRecord | None = None
        self.alarm: tuple[int, int] | None = None
        self.end_announced = False
        self.sent_moves: set[tuple[int, int, str]] = set()
        self.counts: dict[str, int] = {}

    def run(self, events: int) -> None:
        """So many random events, with every check after each."""
        try:
            self.happen(MatchOpened(self.now_ns, (self.random.random() < 0.8, self.random.random() < 0.8)))
            for _ in range(events):
                self.now_ns += self.random.choices(STEPS_NS, self.pace)[0]
                self.happen(self.some_event())
        except AssertionError as error:
            raise AssertionError(f"seed {self.seed}, {self.new.time_control}: {error}") from error

    def some_event(self) -> Event:
        """Mostly sensible, sometimes not."""
        dice, seat = self.random.random(), self.random.randrange(2)
        if self.under_way is not None and dice < 0.5:
            return self.answer_of_the_store()
        if dice < 0.6:
            return self.some_move()
        ends: list[Event] = [Adjudicated(None, "", self.now_ns), Aborted("", self.now_ns), RulesFailed("", self.now_ns)]
        if dice < 0.6 + self.rough:
            return self.random.choice(ends)
        if dice < 0.6 + 3 * self.rough:
            return Resigned(seat, self.now_ns)
        others: list[Event] = [
            DrawOffered(seat, self.some_ply(), self.now_ns),
            # agreed to seldom: it ends the match
            TakeBackAsked(seat, self.some_ply(), self.now_ns, agree=self.random.random() < self.rough),
            SeatConnected(seat, self.now_ns, self.random.randrange(90 * MS)),
            SeatDisconnected(seat, self.now_ns),
            TurnSent(self.some_ply(), self.now_ns),
            self.some_alarm(),
            PresenceAlarmRang(self.now_ns),
            MoveSaved(self.some_ply() + 50, self.now_ns),
        ]
        return self.random.choice(others) if self.random.random() < 0.95 else self.some_standstill()

    def some_standstill(self) -> Event:
        """The process does not run for a while, from some instant since the last event or before."""
        since_ns = self.now_ns - self.random.choice((0, 7, MS))
        self.now_ns += self.random.choice((0, 999, 300 * MS))
        return ProcessPaused(since_ns, self.now_ns)

    def some_ply(self) -> int:
        return max(0, self.match.position.ply + self.random.choice((-2, -1, 0, 0, 0, 0, 1)))

    def some_alarm(self) -> Event:
        """As set, or for another ply, or before its time; rearmed only when a recheck was asked for."""
        if self.alarm is not None and self.random.random() < 0.5:
            ply, at_ns = self.alarm
            if at_ns - self.now_ns < 20 * S and self.random.random() < 0.05:
                self.now_ns = max(self.now_ns, at_ns)
            return AlarmRang(ply, self.now_ns, rearmed=False)
        return AlarmRang(self.some_ply(), self.now_ns)

    def some_move(self) -> Event:
        position = self.match.position
        seat = position.to_move if self.random.random() < 0.9 else self.random.randrange(2)
        text = self.choose(self.random, self.match)
        arrived_ns = self.now_ns - self.random.choice((0, 0, 3 * MS))
        network_ns = self.random.choice((0, 25 * MS, 400 * MS))
        return MoveArrived(seat, text, self.some_ply(), arrived_ns, self.now_ns, network_ns, {"depth": len(text)})

    def answer_of_the_store(self) -> Event:
        save = self.under_way
        assert save is not None
        dice = self.random.random()
        if dice < 0.1:
            return SaveFailed("disk full", self.now_ns)
        if dice < 0.1 + self.rough:
            return SaveFailed("conflict", self.now_ns, permanent=True)
        return MoveSaved(save.move.ply, self.now_ns) if isinstance(save, SaveMove) else ResultSaved(self.now_ns)

    def happen(self, event: Event) -> None:
        """One event and all checks."""
        before, under_way = self.match, self.under_way
        if isinstance(event, MoveArrived):
            self.sent_moves.add((event.seat, event.seen_ply, event.text))
        self.match, effects = advance(before, event)
        if under_way is not None and isinstance(event, MoveSaved | ResultSaved) and self.match.stage != before.stage:
            self.committed(under_way)
        stale = isinstance(event, AlarmRang) and event.ply != before.position.ply
        assert not (stale and effects), "an alarm of another ply was heeded"
        for effect in effects:
            self.counts[type(effect).__name__] = self.counts.get(type(effect).__name__, 0) + 1
            self.check_effect(before, event, effect)
        self.check_match(before, event)

    def committed(self, save: SaveMove | SaveResult) -> None:
        """The store has it: rows are dense and their clocks follow from their accounts."""
        self.under_way = None
        if isinstance(save, SaveResult):
            assert self.result is None, "a second result"
            self.result = save.result
            if save.result.ending in (Ending.TIME, Ending.STALL, Ending.TIME_CANNOT_WIN):
                self.check_lost_turn(save.result)
        if save.move is not None:
            self.check_row(save.move)
            self.rows.append(save.move)

    def check_row(self, row: MoveRecord) -> None:
        opening = len(self.new.opening)
        assert row.ply == opening + len(self.rows), f"row of ply {row.ply} after {len(self.rows)} rows"
        earlier = [other for other in self.rows if other.seat == row.seat]
        before_us = earlier[-1].remaining_us[row.seat] if earlier else self.new.remaining_us[row.seat]
        spent_us = row.think_us - row.credit_us
        control = parse_by_seat(self.new.time_control)[row.seat]
        assert spent_us >= 0
        assert row.remaining_us[row.seat] == after_move_us(control, before_us, spent_us, len(earlier) + 1)
        assert row.remaining_us[row.seat] >= 0
        assert 0 <= row.credit_us <= row.network_us
        others = [other for other in self.rows if other.seat != row.seat]
        idle_us = others[-1].remaining_us if others else self.new.remaining_us
        assert row.remaining_us[1 - row.seat] == idle_us[1 - row.seat], "the idle clock moved"
        quota_us = earlier[-1].credit_left_us[row.seat] if earlier else self.new.credit_left_us[row.seat]
        lag = self.match.terms.policy.lag
        left_us = min(lag.quota_ms * 1_000, quota_us - row.credit_us + lag.refill_ms * 1_000)
        assert row.credit_left_us[row.seat] == left_us >= 0, "the quota does not follow from the credit"
        check_instants(row, self.rows[-1] if self.rows else None)

    def check_lost_turn(self, result: ResultRecord) -> None:
        """What a result by time says adds up to the deadline and to what is left."""
        turn = result.lost_turn
        assert turn is not None
        own = [row for row in self.rows if row.seat == turn.seat]
        clock_us = own[-1].remaining_us[turn.seat] if own else self.new.remaining_us[turn.seat]
        timed = parse_by_seat(self.new.time_control)[turn.seat].timed
        assert turn.limit_us == (clock_us if timed else self.new.stall_limit_ms * 1_000)
        given_us = turn.limit_us + turn.credit_us + turn.standstill_us
        assert micros(turn.deadline_at) - micros(turn.sent_at) == given_us, "the deadline does not follow"
        over_us = micros(result.ended_at) - micros(turn.deadline_at)
        assert result.overrun_ms == -(-over_us // 1_000) >= 0
        assert turn.arrived_at in (None, result.ended_at)
        assert turn.credit_us <= turn.network_us
        if self.rows:
            passed_us = micros(turn.sent_at) - micros(self.rows[-1].at)
            assert passed_us == turn.server_us - turn.standstill_us + turn.forgiven_us

    def check_save(self, before: Match, event: Event, save: SaveMove | SaveResult) -> None:
        """One save at a time, of a move that was sent for this ply; lost on time only at the deadline."""
        assert self.under_way is None, "two saves at once"
        self.under_way = save
        if save.move is not None:
            move = save.move
            assert (move.seat, move.ply, move.text) in self.sent_moves, "a move for another ply was played"
            stage = self.match.stage
            over = isinstance(stage, Saving) and stage.after.position.outcome() is not None
            assert not over or isinstance(save, SaveResult), "the last move is saved without its result"
        if isinstance(save, SaveResult) and save.result.ending in (Ending.TIME, Ending.STALL) and save.move is None:
            self.check_out_of_time(before, event)

    def check_out_of_time(self, before: Match, event: Event) -> None:
        stage = before.stage
        if isinstance(event, AlarmRang):
            assert event.rearmed, "an alarm was taken for a verdict"
            assert event.ply == before.position.ply, "an alarm of another ply ended the match"
            assert isinstance(stage, AwaitingMove)
            assert event.now_ns >= stage.deadline_ns, "time ran out too early"
        elif isinstance(event, MoveArrived):
            assert isinstance(stage, AwaitingMove)
            assert event.arrived_ns > stage.deadline_ns, "a move in time was late"

    def check_effect(self, before: Match, event: Event, effect: Effect) -> None:
        assert not self.end_announced or isinstance(effect, SendRefusal) or type(effect).__name__ == "Show", (
            f"{effect} after the end"
        )
        if isinstance(effect, SaveMove | SaveResult):
            self.check_save(before, event, effect)
        elif isinstance(effect, RetrySave):
            assert effect.save == self.under_way, "another save is retried"
        elif isinstance(effect, SendTurn):
            assert effect.ply == len(self.new.opening) + len(self.rows), "a turn before its move was saved"
            assert self.result is None
        elif isinstance(effect, SendDrawOffered):
            assert self.rows[-1].draw_offer == 1 - effect.seat, "an offer was told that is not saved"
        elif isinstance(effect, SendMatchEnded):
            assert effect.result == self.result, "an end was told that is not saved"
            self.end_announced = True
        elif isinstance(effect, SetAlarm):
            self.alarm = (effect.ply, effect.at_ns)
        elif isinstance(effect, Freeze):
            self.under_way = None
        elif isinstance(effect, RecheckAfterReads):
            self.happen_after_reads(effect)

    def happen_after_reads(self, effect: RecheckAfterReads) -> None:
        """A full read cycle: perhaps a move that was on its way, then the alarm again."""
        if self.random.random() < 0.5:
            self.happen(self.some_move())
        self.now_ns += self.random.choice((0, 1, MS))
        self.happen(AlarmRang(effect.ply, self.now_ns, rearmed=True))

    def check_match(self, before: Match, event: Event) -> None:
        match, stage = self.match, self.match.stage
        assert isinstance(stage, Saving) == (self.under_way is not None), "a save nobody waits for"
        if isinstance(stage, Saving):
            assert stage.save == self.under_way
            assert len(stage.waiting) <= 2 * match.terms.policy.waiting_per_seat + 400
        assert len(match.position.moves) == len(self.new.opening) + len(self.rows), "the committed position is not"
        if isinstance(stage, AwaitingMove):
            assert stage.deadline_ns >= stage.started_ns
        if isinstance(before.stage, Frozen) and not isinstance(event, Adjudicated | Aborted):
            assert isinstance(stage, Frozen), "a frozen match went on"
        if isinstance(event, MoveSaved) and before.stage != stage:
            self.check_restored()

    def check_restored(self) -> None:
        """What is stored gives the same match; only what waited during the save may already have gone further."""
        known = stored(self.new, tuple(self.rows))
        restored = restore_match(known, self.rules, self.match.terms.policy, EPOCH_NS, EPOCH_NS / S)
        live, row = self.match, self.rows[-1]
        assert restored.position.text() == live.position.text()
        clocks = [(seat.remaining_us, seat.quota_us, seat.moves_made, seat.account) for seat in restored.seats]
        assert clocks == [(seat.remaining_us, seat.quota_us, seat.moves_made, seat.account) for seat in live.seats]
        assert tuple(seat.illegal for seat in restored.seats) == row.illegal_counts

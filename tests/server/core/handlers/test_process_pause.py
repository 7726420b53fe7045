"""The process stood still: no clock ran, and the time is the server's in the account."""

from __future__ import annotations

from tabiya.games.endings import Ending
from tabiya.server.core.effects import (
    RecheckAfterReads,
    SaveMove,
    SaveResult,
    SetAlarm,
    SetPresenceAlarm,
    Show,
)
from tabiya.server.core.events import (
    AlarmRang,
    MatchOpened,
    MoveSaved,
    PresenceAlarmRang,
    ProcessPaused,
    SeatDisconnected,
)
from tests.server.core.fakes import EPOCH_NS, MS, S, Table, table, waiting_match


def test_a_move_behind_a_standstill_is_charged_without_it() -> None:
    made = table("2/move")
    assert made.do(ProcessPaused(1_500 * MS, 3_000 * MS)) == (Show(),)
    (save,) = made.arrive("a", 3_001 * MS)
    assert isinstance(save, SaveMove)
    assert (save.move.think_us, save.move.server_us) == (1_501_000, 1_500_000)
    assert (save.move.sent_at, save.move.at) == (EPOCH_NS / S, 1_700_000_003.001)


def test_an_alarm_that_rang_before_the_standstill_was_noticed_takes_no_match() -> None:
    made = table("2/move")
    assert made.do(AlarmRang(0, 3 * S)) == (RecheckAfterReads(0),)
    made.do(ProcessPaused(1_500 * MS, 3_000 * MS))
    assert made.do(AlarmRang(0, 3_002 * MS, rearmed=True)) == (SetAlarm(0, 3_500 * MS),)
    (save,) = made.do(AlarmRang(0, 3_501 * MS, rearmed=True))
    assert isinstance(save, SaveResult)
    assert save.result.ending == Ending.TIME


def test_a_turn_that_began_within_or_after_it_is_moved_only_by_what_it_lost() -> None:
    made = table("2/move")
    made.arrive("a", S)
    made.do(MoveSaved(0, 3 * S))
    assert made.do(ProcessPaused(2 * S, 3 * S)) == ()
    made.arrive("b", 4 * S)
    (save,) = made.effects
    assert isinstance(save, SaveMove)
    assert (save.move.think_us, save.move.server_us) == (1_000_000, 2_000_000)


def test_a_process_pause_does_not_count_as_absence() -> None:
    made = table("none")
    made.play("a", S)
    made.do(SeatDisconnected(0, 2 * S))
    made.do(ProcessPaused(3 * S, 200 * S))
    assert made.do(PresenceAlarmRang(200 * S)) == (SetPresenceAlarm((2 + 197 + 120) * S),)


def test_a_match_that_waits_for_its_players_waits_that_much_longer() -> None:
    made = Table(waiting_match())
    made.do(MatchOpened(0, (True, False)))
    made.do(ProcessPaused(S, 101 * S))
    assert made.do(PresenceAlarmRang(102 * S)) == (SetPresenceAlarm(160 * S),)


def test_ended_matches_are_left_alone() -> None:
    made = table()
    made.play("win", S)
    before = made.match
    assert made.do(ProcessPaused(2 * S, 9 * S)) == ()
    assert made.match == before


def test_a_standstill_in_a_lost_turn_is_part_of_the_sum_that_is_told() -> None:
    made = table("10+0")
    made.do(ProcessPaused(2 * S, 5 * S))
    made.arrive("a", 13 * S + 500 * MS)
    (save,) = made.of_kind(SaveResult)
    assert (
        "with 10 s on its clock and 3 s in which the server stood still, deadline 22:13:33, "
        "move at 22:13:33.5, 0.5 s later" in save.result.reason
    )

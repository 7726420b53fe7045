"""Alarms are wake-ups: a deadline against an arrived move, in both orders."""

import pytest

from tabiya.games.endings import Ending
from tabiya.server.core.effects import RecheckAfterReads, SaveMove, SaveResult, SetAlarm
from tabiya.server.core.events import AlarmRang, MoveArrived, TurnSent
from tests.server.core.fakes import MS, S, table


def test_at_the_deadline_the_connections_are_read_once_more() -> None:
    made = table("10+0")
    assert made.do(AlarmRang(0, 10 * S)) == (RecheckAfterReads(0),)
    (save,) = made.do(AlarmRang(0, 10 * S + 3 * MS, rearmed=True))
    assert isinstance(save, SaveResult)
    assert (save.result.winner, save.result.ending, save.result.overrun_ms) == (1, Ending.TIME, 3)
    assert save.result.reason.startswith(
        "ann (White) ran out of time at ply 0: it had 10 s, and no move came. "
        "If this is a program, let it think for only a part of its turn's `move_limit_ms`. "
        "If it was not thinking, see whether it hangs or has ended. "
        "The figures: turn sent at 22:13:20 UTC with 10 s on its clock, deadline 22:13:30, "
        "no move by 22:13:30.003, 0.003 s later. "
    )
    assert save.result.remaining_us == (0, 10_000_000)


def test_a_move_read_in_time_beats_an_alarm_that_was_handled_first() -> None:
    made = table("10+0")
    made.do(AlarmRang(0, 10 * S + 100 * MS))
    (save,) = made.do(MoveArrived(0, "a", 0, arrived_ns=9 * S, now_ns=10 * S + 101 * MS))
    assert isinstance(save, SaveMove)
    assert made.do(AlarmRang(0, 10 * S + 102 * MS, rearmed=True)) == ()
    made.save(11 * S)
    assert made.clocks_us == (1_000_000, 10_000_000)


def test_a_late_move_read_between_alarm_and_recheck_loses_by_its_own_overrun() -> None:
    made = table("10+0")
    made.do(AlarmRang(0, 10 * S + MS))
    (save,) = made.arrive("a", 10 * S + 2 * MS)
    assert isinstance(save, SaveResult)
    assert save.result.overrun_ms == 2
    assert "its move came 0.002 s too late" in save.result.reason


@pytest.mark.parametrize("rearmed", [False, True])
def test_an_alarm_that_rings_too_early_is_set_again_and_one_for_a_turn_already_played_is_ignored(rearmed: bool) -> None:
    made = table("10+0")
    assert made.do(AlarmRang(0, 9 * S, rearmed=rearmed)) == (SetAlarm(0, 10 * S),)
    made.do(MoveArrived(0, "a", 0, arrived_ns=10 * S, now_ns=10 * S + MS))
    assert made.do(AlarmRang(0, 10 * S + 2 * MS, rearmed=rearmed)) == ()
    made.save(11 * S)
    before = made.match
    assert made.do(AlarmRang(0, 100 * S, rearmed=rearmed)) == ()
    assert made.match == before


def test_an_alarm_set_before_the_turn_was_handed_out_is_set_again() -> None:
    made = table("10+0")
    made.do(TurnSent(0, 500 * MS))
    assert made.do(AlarmRang(0, 10 * S)) == (SetAlarm(0, 10 * S + 500 * MS),)


def test_an_untimed_match_has_a_stall_limit() -> None:
    made = table("none")
    assert SetAlarm(0, 600 * S) in made.effects
    made.play("a", 599 * S)
    made.do(AlarmRang(1, 1_200 * S))
    (save,) = made.do(AlarmRang(1, 1_200 * S, rearmed=True))
    assert isinstance(save, SaveResult)
    assert (save.result.winner, save.result.ending) == (0, Ending.STALL)
    assert save.result.reason.startswith(
        "bob (Black) did not move within the stall limit at ply 1: it had 600 s, and no move came. "
    )
    assert "turn sent at 22:23:19 UTC with 600 s to move, " in save.result.reason


def test_without_a_clock_there_is_no_credit() -> None:
    made = table("none", network_ns=(40 * MS, 40 * MS))
    made.play("a", S)
    account = made.match.seats[0].account
    assert account is not None
    assert (account.credit_us, account.think_us) == (0, 1_000_000)

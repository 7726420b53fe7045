"""Players come and go: what waits for them, what runs on, and when patience ends."""

import pytest

from tabiya.games.endings import Ending
from tabiya.protocol.codes import RefusalCode
from tabiya.server.core.effects import (
    SaveResult,
    SendMatchStarted,
    SendRefusal,
    SendTurn,
    SetAlarm,
    SetPresenceAlarm,
)
from tabiya.server.core.events import (
    AlarmRang,
    MatchOpened,
    PresenceAlarmRang,
    Resigned,
    SeatConnected,
    SeatDisconnected,
    TurnSent,
)
from tabiya.server.core.policy import MatchPolicy
from tabiya.server.core.state import AwaitingMove, AwaitingPlayers
from tests.server.core.fakes import MS, S, Table, table, waiting_match

PATIENT = MatchPolicy(absence_ms=None)


def opened(first: bool, second: bool) -> Table:
    """A new match opened at time 0 with these seats connected."""
    made = Table(waiting_match("60+0"))
    made.do(MatchOpened(0, (first, second)))
    return made


def result_of(made: Table) -> tuple[int | None, str, str]:
    """Winner, ending and reason of the one effect."""
    (save,) = made.effects
    assert isinstance(save, SaveResult)
    return save.result.winner, save.result.ending, save.result.reason


def test_a_match_whose_players_are_there_begins_at_once() -> None:
    made = opened(True, True)
    assert made.effects == (
        SendMatchStarted(),
        SendTurn(0, 0, (60_000_000, 60_000_000), 60_000_000),
        SetAlarm(0, 60 * S),
    )


def test_a_match_waits_for_its_players_and_no_clock_runs() -> None:
    made = opened(True, False)
    assert made.effects == (SetPresenceAlarm(60 * S),)
    assert made.do(AlarmRang(0, 30 * S)) == ()
    _, turn, alarm = made.do(SeatConnected(1, 40 * S))
    assert isinstance(turn, SendTurn)
    assert turn.remaining_us == (60_000_000, 60_000_000)
    assert alarm == SetAlarm(0, 100 * S)


@pytest.mark.parametrize(
    ("first", "second", "missing"), [(True, False, "bob"), (False, True, "ann"), (False, False, "ann and bob")]
)
def test_a_match_to_which_nobody_comes_is_aborted(first: bool, second: bool, missing: str) -> None:
    made = opened(first, second)
    assert made.do(PresenceAlarmRang(59 * S)) == (SetPresenceAlarm(60 * S),)
    made.do(PresenceAlarmRang(60 * S))
    assert result_of(made) == (None, Ending.ABORTED, f"{missing} did not come and no move was made")


def test_before_a_match_has_begun_both_must_be_there_moves_are_refused_and_resigning_counts() -> None:
    made = opened(False, False)
    assert made.do(MatchOpened(S)) == ()
    made.do(SeatConnected(0, S))
    made.do(SeatDisconnected(0, 2 * S))
    assert made.do(SeatConnected(1, 3 * S)) == ()
    assert isinstance(made.match.stage, AwaitingPlayers)
    (refusal,) = made.arrive("a", S)
    assert isinstance(refusal, SendRefusal)
    assert refusal.code is RefusalCode.NOT_YOUR_TURN
    made.do(Resigned(0, S))
    assert result_of(made)[:2] == (1, Ending.RESIGNATION)


def test_the_clock_runs_on_while_a_player_is_away() -> None:
    made = table("60+0", policy=PATIENT)
    assert made.do(SeatDisconnected(0, 5 * S)) == ()
    made.do(SeatConnected(0, 25 * S))
    assert made.effects == (SendTurn(0, 0, (35_000_000, 60_000_000), 35_000_000),)
    made.play("a", 30 * S)
    assert made.clocks_us == (30_000_000, 60_000_000)


def test_only_the_seat_to_move_gets_its_turn_again() -> None:
    made = table()
    made.do(SeatDisconnected(1, S))
    assert SendTurn not in map(type, made.do(SeatConnected(1, 2 * S)))


def test_a_resent_turn_shows_what_is_left_without_the_credit() -> None:
    made = table("2/move", network_ns=(40 * MS, 0))
    made.do(SeatConnected(0, 500 * MS))
    assert made.effects == (SendTurn(0, 0, (1_500_000, 2_000_000), 1_500_000),)
    made.do(SeatConnected(0, 2 * S + 20 * MS))
    assert made.effects == (SendTurn(0, 0, (0, 2_000_000), 0),)


def test_reconnecting_never_moves_the_start_of_the_clock() -> None:
    made = table("60+0", policy=PATIENT)
    for seat in (0, 1):
        made.do(SeatDisconnected(seat, S))
    made.do(TurnSent(0, 10 * S))
    made.do(SeatConnected(0, 20 * S))
    made.do(TurnSent(0, 20 * S))
    made.play("a", 21 * S)
    made.do(TurnSent(1, 25 * S))
    made.do(SeatConnected(1, 31 * S))
    made.do(TurnSent(1, 31 * S))
    made.play("b", 32 * S)
    assert made.clocks_us == (39_000_000, 49_000_000)


def test_time_runs_out_while_a_player_is_away() -> None:
    made = table("10+0", policy=PATIENT)
    made.do(SeatDisconnected(0, S))
    made.do(AlarmRang(0, 10 * S + MS))
    made.do(AlarmRang(0, 10 * S + 2 * MS, rearmed=True))
    assert result_of(made)[:2] == (1, Ending.TIME)


def test_a_bot_that_stays_away_too_long_has_abandoned_the_match() -> None:
    made = table("3600+0")
    made.play("a", S)
    assert made.do(SeatDisconnected(0, 10 * S)) == (SetPresenceAlarm(130 * S),)
    assert made.do(PresenceAlarmRang(129 * S)) == (SetPresenceAlarm(130 * S),)
    made.do(PresenceAlarmRang(130 * S))
    assert result_of(made) == (1, Ending.ABANDONED, "ann (White) left and did not come back within 120 s")


def test_a_bot_that_comes_back_in_time_has_not_abandoned_it() -> None:
    made = table("3600+0")
    made.play("a", S)
    made.do(SeatDisconnected(0, 10 * S))
    made.do(SeatConnected(0, 20 * S))
    assert made.do(PresenceAlarmRang(130 * S)) == ()
    made.do(SeatDisconnected(0, 200 * S))
    assert made.do(PresenceAlarmRang(300 * S)) == (SetPresenceAlarm(320 * S),)


@pytest.mark.parametrize("opening", [(), ("a", "b")])
def test_leaving_before_the_first_move_that_is_not_of_the_opening_aborts_the_match(opening: tuple[str, ...]) -> None:
    made = table("3600+0", opening=opening)
    made.do(SeatDisconnected(1, S))
    made.do(SeatDisconnected(1, 50 * S))  # leaving twice does not start the absence again
    made.do(PresenceAlarmRang(121 * S))
    assert result_of(made) == (None, Ending.ABORTED, "bob left")


def test_a_match_that_both_have_left_has_no_result() -> None:
    made = table("3600+0")
    made.play("a", S)
    made.do(SeatDisconnected(0, 10 * S))
    made.do(SeatDisconnected(1, 120 * S))
    made.do(PresenceAlarmRang(130 * S))
    assert result_of(made) == (None, Ending.ABORTED, "ann and bob left")


def test_absence_that_runs_out_during_a_save_is_looked_at_after_it() -> None:
    made = table("3600+0")
    made.play("a", S)
    made.do(SeatDisconnected(0, 10 * S))
    made.arrive("b", 20 * S)
    assert made.do(PresenceAlarmRang(130 * S)) == ()
    made.save(131 * S)
    assert made.of_kind(SaveResult)[0].result.ending == Ending.ABANDONED


def test_a_connection_before_the_opening_is_not_enough_to_begin() -> None:
    made = Table(waiting_match())
    made.do(SeatConnected(0, 0))
    assert made.do(SeatConnected(1, 0)) == ()
    made.do(MatchOpened(S))
    assert isinstance(made.match.stage, AwaitingMove)

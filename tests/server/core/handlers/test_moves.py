"""An arriving move: for this ply, the clock, the rules, the end of the game; in that order."""

import pytest

from tabiya.games.endings import Ending
from tabiya.protocol.codes import RefusalCode
from tabiya.server.core.effects import (
    SaveMove,
    SaveResult,
    SendMatchEnded,
    SendRefusal,
    SendTurn,
    SetAlarm,
    Show,
)
from tabiya.server.core.events import MoveArrived, TurnSent
from tabiya.server.core.messages import turn_message, watching_message
from tabiya.server.core.policy import LagPolicy, MatchPolicy
from tabiya.server.core.state import Saving, TimeAccount
from tests.server.core.fakes import EPOCH_NS, MS, FakeRules, S, Table, table


def only_refusal(made: Table) -> SendRefusal:
    """The one effect, which is a refusal."""
    (refusal,) = made.effects
    assert isinstance(refusal, SendRefusal)
    return refusal


def saved_result(made: Table) -> SaveResult:
    """The one effect, which saves a result."""
    (save,) = made.effects
    assert isinstance(save, SaveResult)
    return save


def test_a_move_stops_the_clock_and_only_asks_for_the_save() -> None:
    made = table("120+0")
    (save,) = made.arrive("a", 61 * S + 200 * MS)
    assert isinstance(save, SaveMove)
    row = save.move
    assert (row.match_id, row.ply, row.seat, row.text, row.opening) == (7, 0, 0, "a", False)
    assert row.remaining_us == (58_800_000, 120_000_000)
    assert (row.think_us, row.credit_us, row.network_us, row.server_us) == (61_200_000, 0, 0, 0)
    assert row.sent_at == EPOCH_NS / S
    assert row.at == EPOCH_NS / S + 61.2


def test_the_move_counts_and_the_opponents_turn_and_deadline_follow_with_the_save_which_nobody_pays_for() -> None:
    made = table("120+0")
    made.arrive("a", 20 * S)
    assert made.match.position.ply == 0
    turn = SendTurn(1, 1, (100_000_000, 120_000_000), 120_000_000)
    assert made.save(23 * S) == (turn, SetAlarm(1, 143 * S), Show())
    assert made.match.position.ply == 1


def test_each_seat_has_its_own_clock_and_is_told_of_its_own_time_control() -> None:
    made = table("120+1,2/10")
    assert made.match.seats[1].remaining_us == 10 * S // 1_000
    first = turn_message(made.match, SendTurn(0, 0, (120_000_000, 10_000_000), 120_000_000))
    assert (first.time_control, first.increment_ms, first.moves_to_go) == ("120+1", 1_000, None)
    made.arrive("a", 20 * S)
    turn, alarm, _ = made.save(20 * S)
    assert isinstance(turn, SendTurn)
    assert (turn.remaining_us, alarm) == ((101_000_000, 10_000_000), SetAlarm(1, 30 * S))
    second = turn_message(made.match, turn)
    assert (second.time_control, second.increment_ms, second.moves_to_go) == ("2/10", 0, 2)
    assert watching_message(made.match, ("ann", "bob"), 20 * S).time_control == "120+1,2/10"


def test_a_move_counts_from_its_arrival_not_from_its_handling() -> None:
    made = table("60+0")
    made.do(MoveArrived(0, "a", 0, arrived_ns=2 * S, now_ns=9 * S))
    made.save(9 * S)
    assert made.clocks_us == (58_000_000, 60_000_000)


def test_the_handing_out_counts_once_and_only_for_its_ply() -> None:
    made = table("60+0")
    for event in (TurnSent(1, 5 * S), TurnSent(0, S), TurnSent(0, 7 * S)):
        made.do(event)
    made.play("a", 8 * S)
    assert made.clocks_us[0] == 53_000_000


def test_our_share_reaches_from_the_last_arrival_to_the_handing_out() -> None:
    made = table("60+0")
    made.do(MoveArrived(0, "a", 0, arrived_ns=1 * S, now_ns=1 * S + 4 * MS))
    made.save(1 * S + 10 * MS)
    made.do(TurnSent(1, 1 * S + 12 * MS))
    (save,) = made.arrive("b", 2 * S)
    assert isinstance(save, SaveMove)
    assert (save.move.server_us, save.move.think_us, save.move.credit_us) == (12_000, 988_000, 0)
    made.save(2 * S)
    assert made.clocks_us == (59_000_000, 59_012_000)


@pytest.mark.parametrize(
    ("seat", "ply", "text", "code", "line"),
    [
        (1, 2, "a", RefusalCode.NOT_YOUR_TURN, "ann (White) is to move at ply 2"),
        (0, 0, "c", RefusalCode.WRONG_PLY, "the move answers ply 0, but ply 2 is to be played"),
        (0, 4, "c", RefusalCode.WRONG_PLY, "the move answers ply 4, but ply 2 is to be played"),
        (0, 0, "a", RefusalCode.ALREADY_PLAYED, "the move a for ply 0 was received before"),
    ],
)
@pytest.mark.parametrize("at_ns", [3 * S, 999 * S])  # also behind the deadline: the ply is looked at before the clock
def test_a_move_that_is_not_for_this_ply_and_seat_is_refused_and_changes_nothing(
    at_ns: int, seat: int, ply: int, text: str, code: RefusalCode, line: str
) -> None:
    made = table("60+0")
    made.play("a", S)
    made.play("b", 2 * S)
    before = made.match
    made.arrive(text, at_ns, seat=seat, ply=ply)
    assert (only_refusal(made).code, only_refusal(made).text) == (code, line)
    assert made.match == before


def test_a_move_repeated_during_its_save_is_answered_after_the_save() -> None:
    made = table()
    made.arrive("a", S)
    assert made.arrive("a", S + MS, seat=0, ply=0) == ()
    made.save(S + 2 * MS)
    assert [type(effect) for effect in made.effects] == [SendTurn, SetAlarm, Show, SendRefusal]
    assert made.of_kind(SendRefusal)[0].code is RefusalCode.ALREADY_PLAYED
    assert made.match.position.moves == ("a",)


def test_a_late_move_loses_and_is_not_recorded() -> None:
    made = table("10+0")
    made.arrive("win", 10 * S + 12 * MS)
    save = saved_result(made)
    assert save.move is None
    assert (save.result.winner, save.result.ending, save.result.overrun_ms) == (1, Ending.TIME, 12)
    assert save.result.remaining_us == (0, 10_000_000)
    assert save.result.reason == (
        "ann (White) ran out of time at ply 0: it had 10 s, and its move came 0.012 s too late. "
        "If this is a program, let it think for only a part of its turn's `move_limit_ms`. "
        "The figures: turn sent at 22:13:20 UTC with 10 s on its clock, deadline 22:13:30, "
        "move at 22:13:30.012, 0.012 s later. "
        "The round trip is 0 s; the server's own 0 s before the turn are not counted."
    )


@pytest.mark.parametrize(("late_ns", "overrun_ms"), [(0, None), (1, 1), (MS, 1), (MS + 1, 2)])
def test_a_move_is_in_time_up_to_the_deadline_and_late_by_no_less_than_a_millisecond(
    late_ns: int, overrun_ms: int | None
) -> None:
    made = table("10+0", network_ns=(40 * MS, 0), illegal_limit=1)
    assert SetAlarm(0, 10 * S + 40 * MS) in made.effects
    made.arrive("a" if overrun_ms is None else "x", 10 * S + 40 * MS + late_ns)  # the clock comes before the rules
    (save,) = made.effects
    assert isinstance(save, SaveMove | SaveResult)
    if isinstance(save, SaveResult):
        assert (save.result.ending, save.result.overrun_ms) == (Ending.TIME, overrun_ms)
    else:
        assert (save.move.remaining_us[0], overrun_ms) == (0, None)


def test_a_late_move_is_answered_when_the_result_is_saved() -> None:
    made = table("10+0")
    made.arrive("a", 11 * S)
    made.save(12 * S)
    assert [type(effect) for effect in made.effects] == [SendMatchEnded, Show, SendRefusal]
    assert made.of_kind(SendRefusal)[0].code is RefusalCode.OUT_OF_TIME


@pytest.mark.parametrize(("control", "late_s"), [("10+0", 11), ("none", 601)])  # the clock, or the stall limit
def test_time_that_runs_out_against_a_player_who_cannot_win_is_a_draw(control: str, late_s: int) -> None:
    made = table(control, start="first 0 helpless 1")
    made.arrive("a", late_s * S)
    result = saved_result(made).result
    assert (result.winner, result.ending, result.overrun_ms) == (None, Ending.TIME_CANNOT_WIN, 1_000)
    assert "s too late. bob (Black) cannot win any more, so it is a draw. If this is a program" in result.reason


@pytest.mark.parametrize(("text", "code"), [("x", RefusalCode.ILLEGAL_MOVE), ("??", RefusalCode.UNREADABLE_MOVE)])
def test_a_bad_move_is_refused_with_the_reason_while_the_clock_runs(text: str, code: RefusalCode) -> None:
    made = table("60+0")
    made.arrive(text, 2 * S)
    refusal = only_refusal(made)
    assert (refusal.code, refusal.illegal_left, refusal.ply) == (code, 1, 0)
    assert text in refusal.text
    made.play("a", 5 * S)
    assert made.clocks_us == (55_000_000, 60_000_000)
    assert made.match.seats[0].illegal == 1


def test_the_third_illegal_move_of_a_match_loses() -> None:
    made = table()
    made.arrive("x", S)
    made.play("a", 2 * S)
    made.play("b", 3 * S)
    made.arrive("??", 4 * S)
    assert only_refusal(made).illegal_left == 0
    made.arrive("x", 5 * S)
    save = saved_result(made)
    assert [seat.illegal for seat in made.match.seats] == [3, 0]
    assert (save.result.winner, save.result.ending, save.move) == (1, Ending.ILLEGAL_MOVES, None)
    assert save.result.reason == "ann (White) sent 3 illegal moves, the last at ply 2: 'x' is not legal"


def test_a_match_may_forgive_no_illegal_move() -> None:
    made = table(illegal_limit=1)
    made.arrive("x", S)
    assert saved_result(made).result.reason == "ann (White) sent 1 illegal move, the last at ply 0: 'x' is not legal"


@pytest.mark.parametrize(
    ("text", "winner", "ending"), [("win", 0, Ending.LINE), ("lose", 1, Ending.LINE), ("draw", None, Ending.FULL_BOARD)]
)
def test_the_last_move_and_the_result_are_one_save(text: str, winner: int | None, ending: Ending) -> None:
    made = table("60+0")
    made.arrive(text, 2 * S)
    save = saved_result(made)
    assert save.move is not None
    assert (save.move.text, save.move.ply) == (text, 0)
    assert (save.result.winner, save.result.ending) == (winner, ending)
    assert save.result.remaining_us == save.move.remaining_us == (58_000_000, 60_000_000)
    assert made.save(3 * S) == (SendMatchEnded(save.result), Show())
    assert made.match.position.moves == (text,)


def test_too_many_plies_are_a_draw() -> None:
    made = table(rules=FakeRules(max_plies=2))
    made.play("a", S)
    made.arrive("b", 2 * S)
    result = saved_result(made).result
    assert (result.winner, result.ending, result.reason) == (None, Ending.MOVE_LIMIT, "2 plies have been played")


def test_lag_credit_is_the_measured_round_trip_and_is_accounted_for() -> None:
    made = table("60+0", network_ns=(40 * MS, 0))
    (save,) = made.arrive("a", 2 * S, network_ns=70 * MS)
    assert isinstance(save, SaveMove)
    assert (save.move.think_us, save.move.credit_us, save.move.network_us) == (2_000_000, 40_000, 40_000)
    assert save.move.remaining_us == (58_040_000, 60_000_000)
    made.save(2 * S)
    made.play("b", 3 * S)
    made.play("a", 5 * S)
    assert made.match.seats[0].account == TimeAccount(0, 70_000, 2_000_000, 70_000)


def test_a_move_beyond_the_credit_is_late_by_what_is_beyond() -> None:
    made = table("10+0", network_ns=(40 * MS, 0))
    made.arrive("a", 10 * S + 41 * MS)
    result = saved_result(made).result
    assert result.overrun_ms == 1
    assert (
        "with 10 s on its clock and 0.04 s of lag credit, deadline 22:13:30.04, "
        "move at 22:13:30.041, 0.001 s later. The round trip is 0.04 s" in result.reason
    )


def test_credit_never_exceeds_the_thinking() -> None:
    made = table("60+0", network_ns=(40 * MS, 0))
    made.play("a", 10 * MS)
    assert made.clocks_us[0] == 60_000_000
    assert made.match.seats[0].quota_us == 2_000_000


def test_the_quota_of_credit_is_used_up_and_refilled() -> None:
    policy = MatchPolicy(lag=LagPolicy(per_move_ms=100, quota_ms=150, refill_ms=10))
    made = table("60+0", policy=policy, network_ns=(100 * MS, 0))
    quota, credit = [], []
    for move in range(4):
        made.play("a", (2 * move + 1) * S, network_ns=100 * MS)
        account = made.match.seats[0].account
        assert account is not None
        credit.append(account.credit_us)
        quota.append(made.match.seats[0].quota_us)
        made.play("b", (2 * move + 2) * S)
    assert credit == [100_000, 60_000, 10_000, 10_000]
    assert quota == [60_000, 10_000, 10_000, 10_000]


def test_a_move_per_move_control_gets_its_credit_too() -> None:
    made = table("2/move", network_ns=(40 * MS, 0))
    made.play("a", 2 * S + 40 * MS)
    assert made.clocks_us == (2_000_000, 2_000_000)
    made.arrive("b", 10 * S)
    assert saved_result(made).result.ending == Ending.TIME


def test_a_move_sent_while_the_last_one_is_saved_waits_and_costs_nothing() -> None:
    made = table("60+0")
    made.arrive("a", S)
    assert made.arrive("b", 2 * S, seat=1, ply=1) == ()
    made.save(5 * S)
    assert [type(effect) for effect in made.effects] == [SendTurn, SetAlarm, Show, SaveMove]
    assert isinstance(made.match.stage, Saving)
    made.save(6 * S)
    assert made.clocks_us == (59_000_000, 60_000_000)


def test_the_bots_info_is_saved_with_the_move() -> None:
    made = table()
    made.do(MoveArrived(0, "a", 0, S, S, info={"depth": 6}))
    (save,) = made.of_kind(SaveMove)
    assert save.move.info == {"depth": 6}
    assert made.match.info is None
    made.save(S)
    assert made.match.info == {"depth": 6}


def test_an_error_in_the_rules_is_not_swallowed() -> None:
    made = table()
    before = made.match
    with pytest.raises(RuntimeError):
        made.arrive("boom", S)
    assert made.match == before

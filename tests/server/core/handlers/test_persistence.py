"""Save first, then tell; and what happens while a save is under way or fails."""

import pytest

from tabiya.games.endings import Ending
from tabiya.protocol.codes import RefusalCode
from tabiya.server.core.effects import (
    Freeze,
    RetrySave,
    SaveMove,
    SaveResult,
    SendMatchEnded,
    SendRefusal,
    SendTurn,
    Show,
)
from tabiya.server.core.events import (
    Aborted,
    Adjudicated,
    AlarmRang,
    DrawOffered,
    Event,
    MoveArrived,
    MoveSaved,
    Resigned,
    ResultSaved,
    RulesFailed,
    SaveFailed,
    SeatConnected,
    SeatDisconnected,
)
from tabiya.server.core.state import Frozen, Saving
from tests.server.core.fakes import MS, S, table


@pytest.mark.parametrize("ends", [MoveArrived(0, "win", 0, S, S), Resigned(0, S)])
def test_a_result_is_told_only_after_its_save_which_is_repeated_as_a_whole(ends: Event) -> None:
    made = table()
    (save,) = made.do(ends)
    assert isinstance(save, SaveResult)
    assert made.do(SaveFailed("locked", 2 * S)) == (RetrySave(save, 50),)
    assert made.save(3 * S) == (SendMatchEnded(save.result), Show())
    assert made.match.ended


def test_a_failed_save_pauses_the_match_and_is_tried_again() -> None:
    made = table("60+0")
    (save,) = made.arrive("a", S)
    assert isinstance(save, SaveMove)
    assert made.do(SaveFailed("disk full", 2 * S)) == (RetrySave(save, 50),)
    assert made.do(AlarmRang(0, 100 * S)) == ()
    made.save(500 * S)
    made.play("b", 501 * S)
    assert made.clocks_us == (59_000_000, 59_000_000)


def test_the_pauses_between_attempts_double_up_to_a_bound() -> None:
    made = table()
    made.arrive("a", S)
    delays = []
    for _ in range(10):
        (retry,) = made.do(SaveFailed("disk full", 2 * S))
        assert isinstance(retry, RetrySave)
        delays.append(retry.delay_ms)
    assert delays == [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]


def test_a_save_that_can_never_succeed_freezes_the_match() -> None:
    made = table()
    made.arrive("a", S)
    made.do(SaveFailed("another row is stored for ply 0", 2 * S, permanent=True))
    assert made.effects == (Freeze("the save was refused for good: another row is stored for ply 0"), Show())
    assert isinstance(made.match.stage, Frozen)
    assert made.do(MoveSaved(0, 3 * S)) == ()
    assert made.match.position.ply == 0


def test_the_report_of_another_save_is_ignored() -> None:
    made = table()
    made.arrive("a", S)
    others: list[Event] = [MoveSaved(1, S), ResultSaved(S)]
    for event in others:
        assert made.do(event) == ()
    assert isinstance(made.match.stage, Saving)
    made.save(S)
    for event in [*others, MoveSaved(0, S), SaveFailed("late", S)]:
        assert made.do(event) == ()


def test_events_during_a_save_follow_it_in_their_order() -> None:
    made = table("60+0")
    made.arrive("a", S)
    waiting: list[Event] = [DrawOffered(1, 1, 2 * S), DrawOffered(1, 1, 3 * S), Resigned(1, 4 * S)]
    for event in waiting:
        assert made.do(event) == ()
    made.save(5 * S)
    kinds = [type(effect) for effect in made.effects]
    assert kinds[0] is SendTurn
    assert kinds[-2:] == [SendRefusal, SaveResult]
    assert made.of_kind(SendRefusal)[0].code is RefusalCode.DRAW_ALREADY_OFFERED
    assert made.of_kind(SaveResult)[0].result.winner == 0


def test_a_resignation_during_the_last_save_comes_too_late() -> None:
    made = table()
    made.arrive("win", S)
    made.do(Resigned(0, S))
    made.save(2 * S)
    assert [type(effect) for effect in made.effects] == [SendMatchEnded, Show, SendRefusal]
    assert made.of_kind(SendRefusal)[0].code is RefusalCode.MATCH_OVER
    assert made.of_kind(SendMatchEnded)[0].result.winner == 0


def test_events_behind_a_second_save_wait_again() -> None:
    made = table("60+0")
    made.arrive("a", S)
    made.arrive("b", 2 * S, seat=1, ply=1)
    made.do(Resigned(0, 3 * S))
    made.save(4 * S)
    assert made.of_kind(SaveResult) == []
    made.save(5 * S)
    assert made.match.position.moves == ("a", "b")
    assert made.of_kind(SaveResult)[0].result.ending == Ending.RESIGNATION


def test_players_who_come_and_go_during_a_save_are_noticed_at_once() -> None:
    made = table("60+0")
    made.arrive("a", S)
    made.do(SeatDisconnected(1, S))
    assert not made.match.presence[1].connected
    assert made.do(SeatConnected(1, 2 * S, 30 * MS)) == ()
    made.save(3 * S)
    assert made.of_kind(SendTurn)[-1].seat == 1
    assert made.match.presence[1].network_us == 30_000


def test_one_player_cannot_flood_a_slow_save() -> None:
    made = table()
    made.arrive("a", S)
    for _ in range(8):
        assert made.arrive("b", S, seat=1, ply=1) == ()
    (refusal,) = made.arrive("b", S, seat=1, ply=1)
    assert isinstance(refusal, SendRefusal)
    assert refusal.code is RefusalCode.LIMIT_REACHED
    assert made.do(Resigned(0, S)) == ()
    assert isinstance(made.match.stage, Saving)
    assert len(made.match.stage.waiting) == 9


@pytest.mark.parametrize(
    ("event", "winner", "ending"),
    [(Adjudicated(1, "by hand", 3 * S), 1, Ending.ADJUDICATED), (Aborted("by hand", 3 * S), None, Ending.ABORTED)],
)
def test_an_operators_word_waits_for_the_save_too(event: Event, winner: int | None, ending: Ending) -> None:
    made = table()
    made.arrive("a", S)
    assert made.do(event) == ()
    made.save(4 * S)
    result = made.of_kind(SaveResult)[0].result
    assert (result.winner, result.ending, result.reason) == (winner, ending, "by hand")


def test_our_bug_freezes_the_match_at_once_and_nobody_loses_by_it() -> None:
    made = table("10+0")
    made.arrive("a", S)
    made.arrive("b", S, seat=1, ply=1)
    freeze, show, answer = made.do(RulesFailed("RuntimeError: a bug in the rules", S))
    assert (freeze, show) == (Freeze("RuntimeError: a bug in the rules"), Show())
    assert isinstance(answer, SendRefusal)  # to what waited for the save
    assert made.do(AlarmRang(0, 60 * S, rearmed=True)) == ()
    assert made.do(RulesFailed("again", 61 * S)) == ()
    (refusal,) = made.arrive("a", 61 * S)
    assert isinstance(refusal, SendRefusal)
    assert (refusal.code, refusal.about, refusal.ply) == (RefusalCode.MATCH_FROZEN, "move", 0)
    (refusal,) = made.do(Resigned(0, 61 * S))
    assert isinstance(refusal, SendRefusal)
    assert refusal.code is RefusalCode.MATCH_FROZEN


@pytest.mark.parametrize("event", [Adjudicated(None, "a draw", 9 * S), Aborted("replayed", 9 * S)])
def test_an_operator_ends_a_frozen_match(event: Event) -> None:
    made = table()
    made.do(RulesFailed("bug", S))
    (save,) = made.do(event)
    assert isinstance(save, SaveResult)
    made.save(10 * S)
    assert made.match.ended


def test_after_the_end_nothing_changes_any_more() -> None:
    made = table()
    made.play("win", S)
    ended = made.match
    for event in (Adjudicated(1, "no", S), Aborted("no", S), RulesFailed("no", S), AlarmRang(1, S, rearmed=True)):
        assert made.do(event) == ()
    (refusal,) = made.arrive("a", 2 * S)
    assert isinstance(refusal, SendRefusal)
    assert (refusal.code, refusal.about, refusal.ply) == (RefusalCode.MATCH_OVER, "move", 1)
    assert made.match == ended

"""Taking moves back: who may ask, who agrees, what is left of the match and how the next one begins."""

import pytest
from msgspec.structs import replace

from tabiya.games.endings import Ending
from tabiya.protocol.codes import RefusalCode
from tabiya.server.core.effects import ContinueMatch, SaveResult, SendMatchEnded, SendRefusal, SendTakeBackAsked
from tabiya.server.core.events import SaveFailed, TakeBackAsked
from tabiya.server.core.messages import ended_message
from tests.server.core.fakes import S, Table, table


def unrated(moves: str = "", control: str = "60+0") -> Table:
    """A match in which moves can be taken back, after these moves, a second each."""
    made = table(control)
    made.match = replace(made.match, terms=replace(made.match.terms, take_backs=True))
    for number, move in enumerate(moves, 1):
        made.play(move, number * S)
    return made


@pytest.mark.parametrize(("moves", "seat", "kept"), [("a", 0, 0), ("ab", 0, 0), ("abc", 0, 2), ("ab", 1, 1)])
def test_an_agreed_request_ends_the_match_without_a_result_and_says_how_many_moves_stay(
    moves: str, seat: int, kept: int
) -> None:
    made = unrated(moves)
    ply, now = len(moves), (len(moves) + 1) * S
    assert made.do(TakeBackAsked(seat, ply, now)) == (SendTakeBackAsked(1 - seat, ply),)
    (save,) = made.do(TakeBackAsked(1 - seat, ply, now, agree=True))
    assert isinstance(save, SaveResult)
    assert (save.result.winner, save.result.ending, save.move) == (None, Ending.ABORTED, None)
    assert made.of_kind(SendMatchEnded) == made.of_kind(ContinueMatch) == []  # saved first, then told
    made.save(now)
    assert (save.plies_kept, made.effects[:2]) == (kept, (SendMatchEnded(save.result), ContinueMatch()))
    message = ended_message(made.match, seat, save.result)
    assert (message.result, message.goes_on, message.score) == ("*", True, None)


def test_the_clocks_go_on_as_they_stand_with_the_time_of_the_turn_that_is_left() -> None:
    made = unrated("a")  # at 1 s
    made.do(TakeBackAsked(0, 1, 2 * S))
    (save,) = made.do(TakeBackAsked(1, 1, 5 * S, agree=True))
    assert isinstance(save, SaveResult)
    assert (save.plies_kept, save.result.remaining_us) == (0, (59_000_000, 56_000_000))


def test_a_move_declines_a_request() -> None:
    made = unrated("a")
    made.do(TakeBackAsked(0, 1, S))
    made.play("b", 2 * S)
    (refusal,) = made.do(TakeBackAsked(1, 2, 3 * S, agree=True))
    assert isinstance(refusal, SendRefusal)
    assert refusal.code == RefusalCode.NO_TAKE_BACK


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (TakeBackAsked(0, 0, S), RefusalCode.WRONG_PLY),
        (TakeBackAsked(1, 1, S), RefusalCode.NO_TAKE_BACK),  # it has not moved
        (TakeBackAsked(1, 1, S, agree=True), RefusalCode.NO_TAKE_BACK),  # nobody has asked
    ],
)
def test_an_impossible_take_back_is_refused_and_changes_nothing(event: TakeBackAsked, code: RefusalCode) -> None:
    made = unrated("a")
    before = made.match
    (refusal,) = made.do(event)
    assert isinstance(refusal, SendRefusal)
    assert (refusal.code, refusal.about, refusal.ply) == (code, "take_back", event.ply)
    assert made.match == before


def test_nothing_is_taken_back_in_a_rated_match() -> None:
    made = table()
    made.play("a", S)
    (refusal,) = made.do(TakeBackAsked(0, 1, S))
    assert isinstance(refusal, SendRefusal)
    assert refusal.code == RefusalCode.NO_TAKE_BACK


def test_a_player_cannot_agree_to_its_own_request() -> None:
    made = unrated("ab")
    made.do(TakeBackAsked(0, 2, 3 * S))
    (refusal,) = made.do(TakeBackAsked(0, 2, 3 * S, agree=True))
    assert isinstance(refusal, SendRefusal)


def test_a_request_that_comes_during_a_save_is_for_the_ply_after_it() -> None:
    made = unrated("a")
    made.arrive("b", 2 * S)
    assert made.do(TakeBackAsked(0, 2, 2 * S)) == ()
    assert SendTakeBackAsked(1, 2) in made.save(3 * S)


def test_a_save_of_the_end_that_fails_is_tried_again_and_goes_on_once() -> None:
    made = unrated("ab")
    made.do(TakeBackAsked(0, 2, 3 * S))
    made.do(TakeBackAsked(1, 2, 3 * S, agree=True))
    made.do(SaveFailed("disk full", 4 * S))
    assert made.of_kind(ContinueMatch) == []
    made.save(5 * S)
    made.save(5 * S)
    assert len(made.of_kind(ContinueMatch)) == 1

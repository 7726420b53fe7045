"""A player that may move again: whose clock runs, who is asked, what offers and requests mean meanwhile."""

import pytest
from msgspec.structs import replace

from tabiya.games.endings import Ending
from tabiya.protocol.codes import RefusalCode
from tabiya.server.core.effects import SaveResult, SendDrawOffered, SendRefusal, SendTakeBackAsked, SendTurn
from tabiya.server.core.events import AlarmRang, DrawOffered, TakeBackAsked
from tests.server.core.fakes import S, Table, table


def after(*moves: str, control: str = "60+1") -> Table:
    """A match after these moves, a second each."""
    made = table(control)
    made.match = replace(made.match, terms=replace(made.match.terms, take_backs=True))
    for number, move in enumerate(moves, 1):
        made.play(move, number * S)
    return made


def test_the_same_seat_is_asked_and_its_own_clock_goes_on_with_its_increment() -> None:
    made = after("again", "again", "a")
    assert [(turn.seat, turn.ply) for turn in made.of_kind(SendTurn)] == [(0, 0), (0, 1), (0, 2), (1, 3)]
    assert made.clocks_us == (60_000_000, 60_000_000)  # three seconds used, three gained
    made.play("b", 6 * S)
    assert made.clocks_us == (60_000_000, 58_000_000)
    assert [seat.moves_made for seat in made.match.seats] == [3, 1]


def test_a_player_that_moves_again_can_lose_on_time() -> None:
    made = after("again", control="10+0")
    made.do(AlarmRang(1, 11 * S, rearmed=True))
    assert (made.match.stage.save.result.winner, made.match.stage.save.result.ending) == (1, Ending.TIME)  # type: ignore[union-attr]


def test_a_move_out_of_turn_is_refused_though_the_plies_are_even() -> None:
    made = after("again", "again")
    (refusal,) = made.arrive("a", 3 * S, seat=1)
    assert isinstance(refusal, SendRefusal)
    assert made.match.position.ply == 2


@pytest.mark.parametrize(("moves", "seat", "kept"), [(("a", "again", "b"), 0, 0), (("again", "again"), 0, 1)])
def test_the_last_move_of_a_seat_is_taken_back_wherever_it_is(moves: tuple[str, ...], seat: int, kept: int) -> None:
    made = after(*moves)
    ply = len(moves)
    assert made.do(TakeBackAsked(seat, ply, 9 * S)) == (SendTakeBackAsked(1 - seat, ply),)
    (save,) = made.do(TakeBackAsked(1 - seat, ply, 9 * S, agree=True))
    assert isinstance(save, SaveResult)
    assert save.plies_kept == kept


def test_a_player_without_a_move_cannot_take_one_back() -> None:
    (refusal,) = after("again", "again").do(TakeBackAsked(1, 2, 9 * S))
    assert isinstance(refusal, SendRefusal)
    assert refusal.code == RefusalCode.NO_TAKE_BACK


def test_an_offer_stands_while_its_player_moves_again_and_an_acceptance_may_cross_all_those_moves() -> None:
    made = after()
    made.do(DrawOffered(0, 0, S))
    made.play("again", S)
    assert made.of_kind(SendDrawOffered) == [SendDrawOffered(1, 1)]  # who is not to move is told by a message
    made.play("again", 2 * S)
    made.play("again", 3 * S)
    (save,) = made.do(DrawOffered(1, 1, 4 * S))
    assert isinstance(save, SaveResult)
    assert save.result.ending == Ending.DRAW_AGREED


def test_an_acceptance_from_before_an_own_move_is_none() -> None:
    made = after("a")
    made.do(DrawOffered(0, 1, S))
    made.play("again", 2 * S)
    (refusal,) = made.do(DrawOffered(1, 0, 3 * S))
    assert isinstance(refusal, SendRefusal)
    assert refusal.code == RefusalCode.WRONG_PLY

"""Draw offers: who may, when they are told, when they lapse."""

from tabiya.games.endings import Ending
from tabiya.protocol.codes import RefusalCode
from tabiya.server.core.effects import SaveMove, SaveResult, SendRefusal, SendTurn, TellDrawOffered
from tabiya.server.core.events import DrawOffered, SeatConnected
from tabiya.server.core.messages import turn_message
from tests.server.core.fakes import FakeRules, S, Table, table


def refusal_of(made: Table) -> RefusalCode:
    """The code of the one refusal."""
    (refusal,) = made.effects
    assert isinstance(refusal, SendRefusal)
    return refusal.code


def test_an_offer_is_saved_with_the_move_and_then_told() -> None:
    made = table()
    assert made.do(DrawOffered(0, 0, S)) == ()
    (save,) = made.arrive("a", S)
    assert isinstance(save, SaveMove)
    assert save.move.draw_offer == 0
    made.save(2 * S)
    assert turn_message(made.match, made.of_kind(SendTurn)[-1]).draw_offered


def test_who_gets_a_turn_is_told_by_the_turn_alone_and_who_has_just_moved_by_a_message() -> None:
    made = table()
    made.do(DrawOffered(0, 0, S))
    made.play("a", S)
    assert made.of_kind(TellDrawOffered) == []
    made.play("b", 2 * S)
    made.do(DrawOffered(1, 2, 3 * S))
    made.play("a", 4 * S)
    assert made.of_kind(TellDrawOffered) == [TellDrawOffered(0, 3)]


def test_the_turn_that_comes_again_says_what_was_told_and_nothing_else() -> None:
    made = table()
    made.do(DrawOffered(1, 0, S))
    made.do(SeatConnected(0, 2 * S))
    assert not turn_message(made.match, made.of_kind(SendTurn)[-1]).draw_offered
    made.play("a", 3 * S)
    made.play("b", 4 * S)
    made.do(SeatConnected(0, 5 * S))
    assert turn_message(made.match, made.of_kind(SendTurn)[-1]).draw_offered


def test_an_acceptance_that_crosses_the_opponents_move_counts() -> None:
    made = table()
    made.do(DrawOffered(1, 0, S))
    made.play("a", 2 * S)
    made.play("b", 3 * S)
    (save,) = made.do(DrawOffered(0, 1, 3 * S))
    assert isinstance(save, SaveResult)
    assert save.result.ending == Ending.DRAW_AGREED


def test_the_other_players_offer_accepts() -> None:
    made = table()
    made.do(DrawOffered(0, 0, S))
    made.play("a", S)
    (save,) = made.do(DrawOffered(1, 1, 2 * S))
    assert isinstance(save, SaveResult)
    assert (save.result.winner, save.result.ending) == (None, Ending.DRAW_AGREED)


def test_an_offer_lapses_with_the_opponents_move() -> None:
    made = table()
    made.do(DrawOffered(0, 0, S))
    made.play("a", S)
    (save,) = made.arrive("b", 2 * S)
    assert isinstance(save, SaveMove)
    assert save.move.draw_offer is None
    made.save(2 * S)
    assert made.match.offer is None
    assert made.do(DrawOffered(1, 2, 3 * S)) == ()


def test_an_offer_made_while_the_opponent_thinks_is_told_after_that_move_and_then_stands() -> None:
    made = table()
    made.do(DrawOffered(1, 0, S))
    made.play("a", 2 * S)
    assert made.of_kind(TellDrawOffered) == [TellDrawOffered(0, 1)]
    made.play("b", 3 * S)
    assert made.match.offer == 1
    (save,) = made.do(DrawOffered(0, 2, 4 * S))
    assert isinstance(save, SaveResult)
    assert save.result.ending == Ending.DRAW_AGREED


def test_two_offers_at_the_same_ply_are_an_agreement() -> None:
    made = table()
    made.do(DrawOffered(1, 0, S))
    (save,) = made.do(DrawOffered(0, 0, S))
    assert isinstance(save, SaveResult)
    assert save.result.ending == Ending.DRAW_AGREED


def test_a_second_offer_while_the_first_stands_is_refused() -> None:
    made = table()
    made.do(DrawOffered(0, 0, S))
    made.do(DrawOffered(0, 0, S))
    assert refusal_of(made) is RefusalCode.DRAW_ALREADY_OFFERED


def test_an_offer_for_a_past_ply_is_refused() -> None:
    made = table()
    made.play("a", S)
    made.do(DrawOffered(0, 0, 2 * S))
    assert refusal_of(made) is RefusalCode.WRONG_PLY


def test_an_offer_where_no_draw_is_possible_is_refused() -> None:
    made = table(rules=FakeRules(draws_possible=False))
    made.do(DrawOffered(0, 0, S))
    assert refusal_of(made) is RefusalCode.NO_DRAW_POSSIBLE


def test_an_offer_after_the_end_is_refused() -> None:
    made = table()
    made.play("win", S)
    made.do(DrawOffered(1, 1, 2 * S))
    assert refusal_of(made) is RefusalCode.MATCH_OVER


def test_an_offer_stops_no_clock() -> None:
    made = table("60+0")
    made.do(DrawOffered(0, 0, S))
    made.play("a", 2 * S)
    assert made.clocks_us == (58_000_000, 60_000_000)
    assert [turn.seat for turn in made.of_kind(SendTurn)] == [0, 1]

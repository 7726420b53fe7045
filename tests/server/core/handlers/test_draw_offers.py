"""Draw offers: who may, when they are told, when they lapse."""

from collections.abc import Sequence

import pytest

from tabiya.games.endings import Ending
from tabiya.protocol.codes import RefusalCode
from tabiya.server.core.effects import SaveMove, SaveResult, SendDrawOffered, SendRefusal, SendTurn
from tabiya.server.core.events import DrawOffered, SeatConnected
from tabiya.server.core.messages import turn_message
from tests.server.core.fakes import FakeRules, S, table


def test_an_offer_stops_no_clock_is_saved_with_the_move_and_told_by_the_opponents_turn_alone() -> None:
    made = table("60+0")
    assert made.do(DrawOffered(0, 0, S)) == ()
    (save,) = made.arrive("a", 2 * S)
    assert isinstance(save, SaveMove)
    assert save.move.draw_offer == 0
    made.save(2 * S)
    assert made.clocks_us == (58_000_000, 60_000_000)
    assert turn_message(made.match, made.of_kind(SendTurn)[-1]).draw_offered
    assert made.of_kind(SendDrawOffered) == []


def test_an_offer_off_turn_is_told_after_the_opponents_move_and_then_stands_until_that_players_next() -> None:
    made = table()
    made.do(DrawOffered(1, 0, S))
    made.play("a", 2 * S)
    assert made.of_kind(SendDrawOffered) == [SendDrawOffered(0, 1)]
    made.play("b", 3 * S)
    assert made.match.offer == 1


def test_the_turn_that_comes_again_says_what_was_told_and_nothing_else() -> None:
    made = table()
    made.do(DrawOffered(1, 0, S))
    made.do(SeatConnected(0, 2 * S))
    assert not turn_message(made.match, made.of_kind(SendTurn)[-1]).draw_offered
    made.play("a", 3 * S)
    made.play("b", 4 * S)
    made.do(SeatConnected(0, 5 * S))
    assert turn_message(made.match, made.of_kind(SendTurn)[-1]).draw_offered


@pytest.mark.parametrize(
    ("offer", "moves", "acceptance"),
    [
        ((0, 0), "a", (1, 1)),
        ((1, 0), "", (0, 0)),
        ((1, 0), "ab", (0, 2)),
        ((1, 0), "ab", (0, 1)),  # it crossed the opponent's move
        ((0, 0), "a", (1, 0)),
    ],
)
def test_the_other_players_offer_accepts(offer: tuple[int, int], moves: str, acceptance: tuple[int, int]) -> None:
    made = table()
    made.do(DrawOffered(*offer, S))
    for text in moves:
        made.play(text, 2 * S)
    (save,) = made.do(DrawOffered(*acceptance, 3 * S))
    assert isinstance(save, SaveResult)
    assert (save.result.winner, save.result.ending) == (None, Ending.DRAW_AGREED)


@pytest.mark.parametrize(
    ("offers", "moves", "rules", "code"),
    [
        ([(0, 0), (0, 0)], "", FakeRules(), RefusalCode.DRAW_ALREADY_OFFERED),
        ([(0, 0)], "a", FakeRules(), RefusalCode.WRONG_PLY),
        ([(1, 0), (0, 0)], "ab", FakeRules(), RefusalCode.WRONG_PLY),
        ([(0, 1)], "ab", FakeRules(), RefusalCode.WRONG_PLY),  # it would accept, but there is no offer
        ([(0, 0)], "", FakeRules(draws_possible=False), RefusalCode.NO_DRAW_POSSIBLE),
        ([(1, 1)], ["win"], FakeRules(), RefusalCode.MATCH_OVER),
    ],
)
def test_an_offer_that_cannot_be_is_refused(
    offers: list[tuple[int, int]], moves: Sequence[str], rules: FakeRules, code: RefusalCode
) -> None:
    made = table(rules=rules)
    for offer in offers[:-1]:
        assert made.do(DrawOffered(*offer, S)) == ()
    for text in moves:
        made.play(text, 2 * S)
    (refusal,) = made.do(DrawOffered(*offers[-1], 3 * S))
    assert isinstance(refusal, SendRefusal)
    assert (refusal.code, refusal.about, refusal.ply) == (code, "draw_offer", offers[-1][1])


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

from collections import Counter

import pytest

from tabiya.games.chess.openings import LINE_PLIES, PAWN, book, exchange_gain, is_level, lead, lines
from tabiya.games.openings import openings
from tests.games.chess.walks import CHESS


def test_every_line_is_legal_different_and_level() -> None:
    ends = set()
    for line in lines():
        position = CHESS.start()
        for san in line:
            position = position.play(CHESS.read_move(position, san))
        assert position.ply == LINE_PLIES
        assert is_level(position), line
        ends.add(position.text())
    assert len(ends) == len(lines()) == 81


def test_each_line_is_drawn_equally_often() -> None:
    first = Counter(book(CHESS)[()])
    assert sum(first.values()) == len(lines())
    assert first["e2e4"] == sum(line[0] == "e4" for line in lines())


def test_an_opening_is_a_line_and_two_free_plies() -> None:
    known = {position for position in book(CHESS) if len(position) == LINE_PLIES - 1}
    for drawn in openings(CHESS, 2, 40):
        assert drawn.moves[: LINE_PLIES - 1] in known
        assert len(drawn.moves) == LINE_PLIES + 2
        assert is_level(drawn.position(CHESS))


def test_openings_do_not_run_out_soon() -> None:
    assert len({drawn.moves for drawn in openings(CHESS, 1, 500)}) == 500


@pytest.mark.parametrize(
    ("fen", "gain"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", PAWN),  # a pawn stands free
        ("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", 0),  # a pawn for a pawn
        ("4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1", 0),  # nobody takes a guarded pawn with a queen
        ("4k3/8/4p3/3q4/8/8/8/3RK3 w - - 0 1", 950 - 500),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
    ],
)
def test_what_exchanges_gain(fen: str, gain: int) -> None:
    assert exchange_gain(CHESS.parse(fen), 6) == gain


def test_the_lead_is_that_of_the_side_to_move() -> None:
    assert lead(CHESS.parse("4k3/8/8/8/8/8/8/3QK3 w - - 0 1")) == 950
    assert lead(CHESS.parse("4k3/8/8/8/8/8/8/3QK3 b - - 0 1")) == -950

"""Who can still win, by material: each rule once, for both colours."""

from __future__ import annotations

import pytest

from tabiya.games.endings import Ending
from tests.games.chess.walks import CHESS

CASES = [
    # White's men besides the king, Black's, White can win, Black can win
    ("", "", False, False),
    ("P", "", True, False),
    ("R", "", True, False),
    ("Q", "", True, False),
    ("N", "", False, False),
    ("B", "", False, False),
    ("NN", "", True, False),  # a helpmate exists
    ("NB", "", True, False),
    ("N", "q", False, True),  # a queen blocks nothing that a knight's mate needs
    ("N", "r", True, True),
    ("N", "b", True, True),
    ("N", "n", True, True),
    ("N", "p", True, True),
    ("B", "n", True, True),
    ("B", "p", True, True),
    ("B", "r", False, True),
    ("B", "q", False, True),
]


def fen(white: str, black: str, side: str) -> str:
    """Kings on e1 and e8; White's other men from a3 on, Black's from a6; no checks, no captures at once."""
    rows = {6: black, 3: white}
    ranks = ["4k3", "8", *(filled(rows.get(rank, "")) for rank in range(6, 2, -1)), "8", "4K3"]
    return f"{'/'.join(ranks)} {side} - - 0 1"


def filled(men: str) -> str:
    return f"{men}{8 - len(men)}" if len(men) < 8 else men


def mirrored(fen: str) -> str:
    men, side, *rest = fen.split()
    return " ".join(["/".join(reversed(men.split("/"))).swapcase(), "b" if side == "w" else "w", *rest])


@pytest.mark.parametrize(("white", "black", "white_wins", "black_wins"), CASES)
def test_who_can_win(white: str, black: str, white_wins: bool, black_wins: bool) -> None:
    position = CHESS.parse(fen(white, black, "w"))
    other = CHESS.parse(mirrored(position.text()))
    expected = (white_wins, black_wins)
    assert (position.can_win(0), position.can_win(1)) == expected
    assert (other.can_win(1), other.can_win(0)) == expected
    assert (position.outcome() is not None) == (expected == (False, False))


@pytest.mark.parametrize(
    ("men", "is_drawn"),
    [
        ("4k3/8/8/b7/8/B7/8/4K3", True),  # all on dark squares
        ("4k3/8/8/b7/8/B1B1B3/8/4K3", True),
        ("4k3/8/b7/8/8/1B6/8/4K3", True),  # all on light ones
        ("4k3/8/b7/8/8/B7/8/4K3", False),
        ("4k3/8/8/8/8/BB6/8/4K3", False),
    ],
)
def test_bishops_all_on_one_colour_cannot_mate(men: str, is_drawn: bool) -> None:
    outcome = CHESS.parse(f"{men} w - - 0 1").outcome()
    assert (outcome == (None, Ending.INSUFFICIENT_MATERIAL)) == is_drawn


def test_the_men_that_a_side_has_more_of_are_named() -> None:
    assert CHESS.tally(CHESS.start()) == ("", "")
    position = CHESS.parse("4k3/ppp5/8/8/8/8/P7/R3K2R w - - 0 1")
    assert CHESS.tally(position) == ("+ 2 rooks", "+ 2 pawns")
    assert CHESS.tally(CHESS.parse("qn2k3/8/8/8/8/8/8/B3K3 w - - 0 1")) == ("+ bishop", "+ queen, knight")

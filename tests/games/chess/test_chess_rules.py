"""How games end, and what makes two positions the same.

The moves are compared with published counts (test_perft.py) and with python-chess (test_against_python_chess.py).
"""

from __future__ import annotations

import pytest

from tabiya.games.endings import Ending
from tabiya.games.errors import IllegalMove, MoveFormatError
from tabiya.games.position import Position
from tabiya.games.rules import Outcome
from tests.games.chess.walks import CHESS, ODD


def played(start: str, moves: str) -> Position:
    """The position after `moves` (UCI, separated by spaces) from a FEN."""
    position = CHESS.parse(start)
    for move in moves.split():
        position = position.play(move)
    return position


def test_there_are_218_moves_where_there_can_be_most() -> None:
    fen = next(fen for fen in ODD if fen.startswith("R6R"))
    assert len(CHESS.parse(fen).legal_moves()) == 218 <= CHESS.max_moves


@pytest.mark.parametrize(
    ("fen", "outcome"),
    [
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", None),
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", Outcome(0, Ending.CHECKMATE)),
        ("4k3/8/8/8/8/8/5PPP/r5K1 w - - 0 1", Outcome(1, Ending.CHECKMATE)),
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 100 90", Outcome(0, Ending.CHECKMATE)),  # a mate comes before fifty moves
        ("7k/5Q2/8/8/8/8/8/4K3 b - - 0 1", Outcome(None, Ending.STALEMATE)),
        ("7k/5Q2/8/8/8/8/8/4K3 b - - 100 90", Outcome(None, Ending.STALEMATE)),
        ("k7/8/1K6/8/8/8/7B/8 b - - 0 1", Outcome(None, Ending.STALEMATE)),  # before too little material
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", Outcome(None, Ending.INSUFFICIENT_MATERIAL)),
        ("4k3/8/8/8/8/8/8/4K2R w - - 99 90", None),
        ("4k3/8/8/8/8/8/8/4K2R w - - 100 90", Outcome(None, Ending.FIFTY_MOVES)),
        ("4k3/8/8/8/8/8/8/4K3 w - - 100 90", Outcome(None, Ending.INSUFFICIENT_MATERIAL)),
    ],
)
def test_the_endings(fen: str, outcome: Outcome | None) -> None:
    assert CHESS.parse(fen).outcome() == outcome


def test_the_hundredth_half_move_ends_the_game_even_if_moves_are_left() -> None:
    position = CHESS.parse("4k3/8/8/8/8/8/8/R3K3 w - - 99 90").play("a1a2")
    assert position.outcome() == Outcome(None, Ending.FIFTY_MOVES)
    assert position.legal_moves()


def test_the_third_time_a_position_stands_the_game_is_drawn() -> None:
    knights = "g1f3 g8f6 f3g1 f6g8 "
    assert played(CHESS.start().text(), knights).outcome() is None
    third = played(CHESS.start().text(), knights * 2)
    assert third.repetitions() == 3
    assert third.outcome() == Outcome(None, Ending.THREEFOLD_REPETITION)
    assert "e2e4" in third.legal_moves()  # the rules of movement know nothing of it
    moves = (knights * 2).split()
    assert CHESS.start().play_all(moves, [0, 1] * 4) is None  # all at once, who judges is `play`
    second = CHESS.start().play_all(moves[:7], [0, 1, 0, 1, 0, 1, 0])
    assert second is not None
    assert second.play_all(moves[7:], [1]) is None


def test_lost_castling_rights_make_another_position() -> None:
    rooks = "h1g1 h8g8 g1h1 g8h8 "
    position = played("4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1", rooks * 2)
    assert position.repetitions() == 2
    assert position.outcome() is None


def test_a_lapsed_en_passant_makes_another_position() -> None:
    start = "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1"
    assert played(start, "d2d4 " + "e8d8 e1d1 d8e8 d1e1 " * 2).repetitions() == 2
    assert played(start.replace("4p3", "p7"), "d2d4 " + "e8d8 e1d1 d8e8 d1e1 " * 2).repetitions() == 3


def test_a_move_that_is_no_uci_and_an_illegal_one_are_different_errors() -> None:
    with pytest.raises(MoveFormatError, match="e7e8q"):
        CHESS.start().play("e2-e4")
    with pytest.raises(IllegalMove, match="'e2e5' is not legal"):
        CHESS.start().play("e2e5")
    with pytest.raises(IllegalMove):
        CHESS.start().play("e2e4q")


def test_the_board_is_drawn_with_white_below() -> None:
    assert str(CHESS.start().play("e2e4")).splitlines() == [
        "8 r n b q k b n r",
        "7 p p p p p p p p",
        "6 . . . . . . . .",
        "5 . . . . . . . .",
        "4 . . . . P . . .",
        "3 . . . . . . . .",
        "2 P P P P . P P P",
        "1 R N B Q K B N R",
        "  a b c d e f g h",
    ]

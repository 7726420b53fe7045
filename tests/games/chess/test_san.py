"""Algebraic notation: read generously; what is written is compared with python-chess (test_against_python_chess.py)."""

from __future__ import annotations

import pytest

from tabiya.games.chess.san import read_san, write_san
from tabiya.games.errors import IllegalMove, MoveFormatError
from tests.games.chess.walks import CHESS

CASTLE = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
THREE_QUEENS = "8/8/1k6/8/4Q2Q/8/8/K6Q w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "move", "san"),
    [
        ("4k3/8/8/R7/8/8/8/R5K1 w - - 0 1", "a1a3", "R1a3"),  # by rank
        (THREE_QUEENS, "h4e1", "Qh4e1"),  # by both
        ("4r1k1/8/8/8/8/4N3/8/N3K3 w - - 0 1", "a1c2", "Nc2"),  # the other knight is pinned
        ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O+"),
    ],
)
def test_what_is_rare_in_games_is_written_in_the_canonical_way(fen: str, move: str, san: str) -> None:
    assert write_san(CHESS.parse(fen), move) == san


@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        (CASTLE, "0-0", "e1g1"),
        (CASTLE, "0-0-0!?", "e1c1"),
        (CASTLE, "o-o", "e1g1"),
        (CASTLE, "Ra8", "a1a8"),  # capture and check left out
        (CASTLE, "Ra1xa8+!!", "a1a8"),
        (CASTLE, "Ra1-a8", "a1a8"),
        (CASTLE, "Kd2#?", "e1d2"),  # no mate at all
        (CHESS.start().text(), "Ng1f3", "g1f3"),
        (CHESS.start().text(), "e2-e4", "e2e4"),
        (CHESS.start().text(), "e2e4", "e2e4"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6e.p.", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "ed6", "e5d6"),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8q", "a7a8q"),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "ab8N+", "a7b8n"),
    ],
)
def test_other_ways_to_write_a_move_are_understood(fen: str, text: str, move: str) -> None:
    assert read_san(CHESS.parse(fen), text) == move


@pytest.mark.parametrize(
    "text", ["", "Nf9", "nf3", "e", "e4e", "0-0-0-0", "N", "--", "Z0", "e4 e5", "Nf3\n", "\u0665", "x" * 10_000]
)
def test_what_is_no_move_is_a_format_error(text: str) -> None:
    with pytest.raises(MoveFormatError, match="is not a move in algebraic notation") as caught:
        read_san(CHESS.start(), text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["e5", "Nf4", "Ke2", "O-O", "O-O-O", "exd3", "e8=Q", "Nb1-a4", "e4=Q"])
def test_a_move_that_is_not_legal_is_refused(text: str) -> None:
    with pytest.raises(IllegalMove, match="is not legal in rnbqkbnr"):
        read_san(CHESS.start(), text)


def test_castling_written_as_a_kings_move_is_not_algebraic_notation() -> None:
    with pytest.raises(IllegalMove):
        read_san(CHESS.parse(CASTLE), "Kg1")


def test_an_ambiguous_move_names_what_it_can_mean() -> None:
    with pytest.raises(IllegalMove, match="'Qe1' can mean Q1e1 or Qee1 or Qh4e1 in"):
        read_san(CHESS.parse(THREE_QUEENS), "Qe1")


def test_a_promotion_without_its_piece_is_refused() -> None:
    with pytest.raises(IllegalMove, match="'a8!' must name the new piece, such as a8=Q"):
        read_san(CHESS.parse("4k3/P7/8/8/8/8/8/4K3 w - - 0 1"), "a8!")


@pytest.mark.parametrize("text", ["Nf3", "g1f3", "Ng1-f3"])
def test_a_person_may_enter_either_notation(text: str) -> None:
    assert CHESS.read_move(CHESS.start(), text) == "g1f3"
    assert CHESS.readable_move(CHESS.start(), "g1f3") == "Nf3"


def test_only_legal_moves_are_written() -> None:
    with pytest.raises(IllegalMove):
        write_san(CHESS.start(), "e2e5")
    with pytest.raises(MoveFormatError):
        write_san(CHESS.start(), "e4")

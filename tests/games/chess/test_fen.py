"""Reading FEN: what is accepted, and one test for each way in which a FEN can be wrong."""

from __future__ import annotations

import re

import pytest

from tabiya.games.chess.fen import START
from tabiya.games.errors import PositionError
from tests.games.chess.walks import CHESS

MEN = START.split()[0]


def refusal(fen: str) -> str:
    """The sentence with which `fen` is refused."""
    with pytest.raises(PositionError) as caught:
        CHESS.parse(fen)
    sentence = str(caught.value)
    assert sentence.isprintable()
    assert len(sentence) < 250
    return sentence


def test_the_start_position_reads_and_writes_as_itself() -> None:
    assert CHESS.parse(START).text() == START == CHESS.start().text()


def test_missing_counters_are_zero_and_one() -> None:
    assert CHESS.parse(f"{MEN} w KQkq -").text() == START
    assert CHESS.parse(f"{MEN} w KQkq - 7").text() == f"{MEN} w KQkq - 7 1"


def test_castling_rights_are_read_in_any_order() -> None:
    assert CHESS.parse(f"{MEN} w qkQK - 0 1").text() == START


@pytest.mark.parametrize("fen", [f"  {START}\n", START.replace(" ", "   "), START.replace(" ", "\t")])
def test_white_space_around_and_between_fields_is_ignored(fen: str) -> None:
    assert CHESS.parse(fen).text() == START


def test_an_en_passant_square_is_kept_if_a_capture_is_legal() -> None:
    fen = "8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1"
    assert CHESS.parse(fen).text() == fen
    assert "e4d3" in CHESS.parse(fen).legal_moves()


def test_an_en_passant_square_that_nobody_can_use_is_dropped() -> None:
    assert CHESS.parse("4k3/8/8/8/3P4/8/8/4K3 b - d3 0 1").text() == "4k3/8/8/8/3P4/8/8/4K3 b - - 0 1"


def test_an_en_passant_square_whose_capture_bares_the_king_is_dropped() -> None:
    assert CHESS.parse("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1").text() == "8/8/8/8/k2Pp2Q/8/8/3K4 b - - 0 1"


def test_a_move_sets_the_en_passant_square_only_if_a_capture_is_legal() -> None:
    assert CHESS.start().play("e2e4").text().split()[3] == "-"
    assert CHESS.parse("4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1").play("d2d4").text().split()[3] == "d3"
    assert CHESS.parse("8/8/8/8/k3p2Q/8/3P4/3K4 w - - 0 1").play("d2d4").text().split()[3] == "-"


def test_a_fen_that_is_too_long_is_refused() -> None:
    assert "at most 100 characters" in refusal(START + " " * 100)
    assert "at most 100 characters" in refusal(START * 10)


@pytest.mark.parametrize("fen", ["", MEN, f"{MEN} w KQkq", f"{START} 1"])
def test_a_wrong_number_of_fields_is_refused(fen: str) -> None:
    assert "4 to 6 fields" in refusal(fen)


@pytest.mark.parametrize("ranks", [7, 9])
def test_a_wrong_number_of_ranks_is_refused(ranks: int) -> None:
    men = "/".join(["k7", "K7", *["8"] * 7][:ranks])
    assert f"8 ranks between slashes, not {ranks}" in refusal(f"{men} w - - 0 1")


@pytest.mark.parametrize("rank", ["7", "9", "4p4", "ppppppppp", ""])
def test_a_rank_of_a_wrong_length_is_refused(rank: str) -> None:
    assert re.search("rank 7 of a FEN", refusal(f"k7/{rank}/8/8/8/8/8/K7 w - - 0 1"))


def test_two_digits_side_by_side_are_refused() -> None:
    assert "by one digit, not two: '44'" in refusal("k7/44/8/8/8/8/8/K7 w - - 0 1")


@pytest.mark.parametrize("letter", ["x", "0", "9", "é", "\u0663", "\x00", "-"])
def test_a_letter_that_is_no_man_is_refused(letter: str) -> None:
    assert "rank 7 of a FEN holds the letters" in refusal(f"k7/{letter}7/8/8/8/8/8/K7 w - - 0 1")


@pytest.mark.parametrize(
    ("men", "seat", "count"), [("8/8", "White", 0), ("KK6/k7", "White", 2), ("K7/kk6", "Black", 2)]
)
def test_each_side_has_exactly_one_king(men: str, seat: str, count: int) -> None:
    assert f"exactly one king; {seat} has {count}" in refusal(f"{men}/8/8/8/8/8/8 w - - 0 1")


def test_nine_pawns_are_refused() -> None:
    assert "at most 8 pawns; Black has 9" in refusal("4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1")


def test_seventeen_men_are_refused() -> None:
    assert "at most 16 men; White has 17" in refusal("4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1")


@pytest.mark.parametrize(
    "men", ["N7/PPPPPPPP/RNB1KBNR", "B7/PPPPPPPP/RNB1KBNR", "R7/PPPPPPPP/RNB1KBNR", "Q7/PPPPPPPP/RNBQK3"]
)
def test_more_promoted_men_than_missing_pawns_are_refused(men: str) -> None:
    fewer = f"4k3/8/8/8/8/{men.replace('PPPPPPPP', 'PPPPPPP1')} w - - 0 1"
    assert CHESS.parse(fewer).text() == fewer
    assert "White has 1 promoted men, more than the 0 pawns missing" in refusal(f"4k3/8/8/8/8/{men} w - - 0 1")


@pytest.mark.parametrize(("men", "rank"), [("P3k3/8/8/8/8/8/8/4K3", 8), ("4k3/8/8/8/8/8/8/p3K3", 1)])
def test_a_pawn_on_the_first_or_last_rank_is_refused(men: str, rank: int) -> None:
    assert f"no pawn can stand on rank {rank}" in refusal(f"{men} w - - 0 1")


@pytest.mark.parametrize("side", ["W", "white", "x", "-"])
def test_an_unknown_side_to_move_is_refused(side: str) -> None:
    assert "the side to move in a FEN is w or b" in refusal(f"{MEN} {side} KQkq - 0 1")


@pytest.mark.parametrize("rights", ["KK", "HAha", "KQkq-", "x", "--"])
def test_castling_rights_in_other_letters_are_refused(rights: str) -> None:
    assert "castling rights in a FEN are - or some of KQkq" in refusal(f"{MEN} w {rights} - 0 1")


@pytest.mark.parametrize("right", "KQkq")
def test_a_castling_right_without_king_and_rook_at_home_is_refused(right: str) -> None:
    away = {"K": "R3K2N", "Q": "N3K2R", "k": "r3k2n", "q": "n3k2r"}[right]
    men = f"{away}/8/8/8/8/8/8/R3K2R" if right.islower() else f"r3k2r/8/8/8/8/8/8/{away}"
    moved = "r2k3r/8/8/8/8/8/8/R2K3R"
    for fen in (f"{men} w {right} - 0 1", f"{moved} w {right} - 0 1"):
        assert f"the castling right {right} needs king and rook on their first squares" in refusal(fen)


@pytest.mark.parametrize("square", ["e3", "e5", "i6", "e", "e66", "6e"])
def test_an_en_passant_square_off_its_rank_is_refused(square: str) -> None:
    assert "the en-passant square in a FEN is - or on rank 6" in refusal(f"{MEN} w KQkq {square} 0 1")


@pytest.mark.parametrize(
    "men",
    [
        "4k3/8/8/4P3/8/8/8/4K3",  # no pawn has passed
        "4k3/8/8/3PP3/8/8/8/4K3",  # one of the wrong colour stands there
        "4k3/3p4/8/3pP3/8/8/8/4K3",  # its first square is not empty
        "4k3/8/3n4/3pP3/8/8/8/4K3",  # the square itself is not empty
    ],
)
def test_an_en_passant_square_that_no_pawn_has_passed_is_refused(men: str) -> None:
    assert "no pawn can just have passed the en-passant square d6" in refusal(f"{men} w - d6 0 1")


@pytest.mark.parametrize("counters", ["-1 1", "151 1", "x 1", "1.5 1", "0 0", "0 10000", "0 x", "\u0663 1", "999999 1"])
def test_counters_outside_their_bounds_are_refused(counters: str) -> None:
    assert re.search("the (half|full)move counter of a FEN is a number from", refusal(f"{MEN} w KQkq - {counters}"))


def test_a_king_that_could_be_taken_is_refused() -> None:
    assert "not to move stands in check" in refusal("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1")
    assert "not to move stands in check" in refusal("8/8/8/3kK3/8/8/8/8 w - - 0 1")


def test_three_checks_at_once_are_refused() -> None:
    assert "more than two men give check" in refusal("4k3/8/3N1N2/8/8/8/4R3/4K3 b - - 0 1")


def test_checks_from_both_sides_of_the_king_are_refused() -> None:
    assert "from both sides of the king" in refusal("8/8/8/R2k3R/8/8/8/4K3 b - - 0 1")


def test_a_check_that_stood_before_the_pawn_passed_is_refused() -> None:
    assert "already before the pawn passed" in refusal("4k3/8/8/3pP3/8/8/4r3/4K3 w - d6 0 1")


def test_a_check_by_the_pawn_that_passed_is_accepted() -> None:
    assert CHESS.parse("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1").legal_moves().count("e4d3") == 1


@pytest.mark.parametrize(
    "fen", ["8/8/8/8/8/8/8/8 w - - 0 1", "\x00" * 40, "w w w w w w", "////// w - - 0 1", "🙂 w - - 0 1"]
)
def test_nonsense_is_refused_in_one_sentence(fen: str) -> None:
    assert refusal(fen)


def test_the_counters_stop_where_they_can_still_be_read() -> None:
    position = CHESS.parse("4k3/8/8/8/8/8/8/R3K3 b - - 150 9999")
    assert position.play("e8d8").text().endswith(" w - - 150 9999")

"""What differs from chess: texts of castling rights, keys, openings, PGN, boards set up by hand."""

from __future__ import annotations

import pytest

from tabiya.games.errors import PositionError
from tabiya.games.openings import openings
from tabiya.games.picture import EMPTY
from tabiya.games.registry import load_game
from tabiya.games.transcript import GameRecord
from tabiya.games.transcript_reader import game_named, read_transcripts, tags_of

GAME = load_game("chess960")
TWO_ROOKS = "4k3/8/8/8/8/8/8/RR2K2R w {} - 0 1"


@pytest.mark.parametrize(
    ("given", "written"),
    [("HA", "KQ"), ("QK", "KQ"), ("A", "Q"), ("B", "B"), ("BH", "KB"), ("-", "-")],
)
def test_rights_are_read_by_file_and_written_by_side_for_the_outermost_rook(given: str, written: str) -> None:
    assert GAME.parse(TWO_ROOKS.format(given)).text() == TWO_ROOKS.format(written)


@pytest.mark.parametrize(
    ("rights", "why"),
    [
        ("AB", "one rook may castle"),
        ("QA", "one rook may castle"),
        ("KK", "one rook may castle"),
        ("C", "needs king and rook on their first rank"),
        ("k", "needs king and rook on their first rank"),
        ("I", "castling rights are"),
        ("K-", "castling rights are"),
    ],
)
def test_rights_that_cannot_be_are_refused(rights: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        GAME.parse(TWO_ROOKS.format(rights))


def test_positions_with_other_rooks_that_may_castle_are_not_the_same() -> None:
    outer, inner = (GAME.parse(TWO_ROOKS.format(rights)) for rights in "QB")
    assert not outer.is_same(inner)
    assert outer.move_codes() != inner.move_codes()


def test_a_right_goes_with_its_rook_and_all_with_their_king() -> None:
    position = GAME.parse("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1")
    assert position.play("g1g8").text().split()[2] == "Qq"
    assert position.play("b1b2").text().split()[2] == "Kkq"
    position = GAME.parse("1r2k1r1/6p1/8/8/8/8/6P1/1R2K1R1 w KQkq - 0 1")
    assert position.play("e1g1").text() == "1r2k1r1/6p1/8/8/8/8/6P1/1R3RK1 b kq - 1 1"
    assert position.play("e1b1").text() == "1r2k1r1/6p1/8/8/8/8/6P1/2KR2R1 b kq - 1 1"


def test_castling_may_be_the_only_legal_move() -> None:
    assert GAME.parse("1k2r3/8/8/8/8/6p1/6P1/5KRB w K - 0 20").legal_moves() == ("f1g1",)


def test_openings_are_of_many_starts() -> None:
    assert len({drawn.start_text for drawn in openings(GAME, 1, 20)}) > 15


def test_a_game_goes_out_as_pgn_and_comes_back() -> None:
    start = GAME.start({"number": 0}).text()
    record = GameRecord(start, ("g2g3", "g7g6"), result="*")
    text = GAME.transcript(record)
    assert '[Variant "Chess960"]\n[SetUp "1"]\n[FEN "bbqnnrkr/' in text
    assert game_named(tags_of(text)) == GAME.name
    (read,) = read_transcripts(GAME, text)
    assert (read.start_text, read.moves) == (start, record.moves)


def test_rights_of_a_board_set_up_by_hand_stay_with_their_rooks() -> None:
    board = TWO_ROOKS.format("B")
    assert [switch[::2] for switch in GAME.switches(GAME.setup(board))] == [("K", False), ("Q", True)]
    assert GAME.placed(board, "a1", EMPTY).split()[2] == "Q"
    assert GAME.placed(board, "b1", EMPTY).split()[2] == "-"
    assert GAME.switched(board, "K").split()[2] == "KB"
    assert GAME.switched(board, "Q").split()[2] == "-"
    assert GAME.switched(TWO_ROOKS.format("-"), "Q").split()[2] == "Q"

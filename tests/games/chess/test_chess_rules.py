"""The laws, each in a position small enough to see."""

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


def castlings(fen: str) -> set[str]:
    return set(CHESS.parse(fen).legal_moves()) & {"e1g1", "e1c1", "e8g8", "e8c8"}


def test_both_castlings_move_king_and_rook_and_end_the_rights() -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    assert played(fen, "e1g1 e8c8").text() == "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2"
    assert played(fen, "e1c1 e8g8").text() == "r4rk1/8/8/8/8/8/8/2KR3R w - - 2 2"


@pytest.mark.parametrize(
    ("fen", "allowed"),
    [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"e1g1", "e1c1"}),
        ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", set()),  # no rights
        ("4k3/4r3/8/8/8/8/8/R3K2R w KQ - 0 1", set()),  # out of check
        ("4k3/5r2/8/8/8/8/8/R3K2R w KQ - 0 1", {"e1c1"}),  # across an attacked square
        ("4k3/6r1/8/8/8/8/8/R3K2R w KQ - 0 1", {"e1c1"}),  # into check
        ("4k3/1r5r/8/8/8/8/8/R3K2R w KQ - 0 1", {"e1g1", "e1c1"}),  # only the rook's path or square is attacked
        ("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1", set()),  # men between
        ("4k3/8/8/8/8/8/7n/R3K2R w KQ - 0 1", {"e1c1"}),  # a knight guards f1
        ("4k3/8/8/8/8/8/4p3/R3K2R w KQ - 0 1", set()),  # a pawn guards d1 and f1
        ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", {"e8g8", "e8c8"}),
    ],
)
def test_castling_is_allowed_exactly_when_the_laws_say_so(fen: str, allowed: set[str]) -> None:
    assert castlings(fen) == allowed


@pytest.mark.parametrize(
    ("moves", "rights"),
    [
        ("e1e2", "kq"),
        ("a1a2", "Kkq"),
        ("h1h2", "Qkq"),
        ("a1a8", "Kk"),
        ("h1h8", "Qq"),
        ("a1b1 a8a1", "Kk"),
        ("e1g1", "kq"),
    ],
)
def test_rights_end_when_king_or_rook_moves_or_the_rook_is_taken(moves: str, rights: str) -> None:
    assert played("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", moves).text().split()[2] == rights


def test_en_passant_takes_the_pawn_that_passed() -> None:
    assert played("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5 e5d6").text() == "4k3/8/3P4/8/8/8/8/4K3 b - - 0 2"


def test_en_passant_lapses_after_one_move() -> None:
    position = played("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5 e1e2 e8e7")
    assert "e5d6" not in position.legal_moves()


def test_en_passant_may_take_the_pawn_that_gives_check() -> None:
    assert "e4d3" in played("8/8/8/2k5/4p3/8/3P4/4K3 w - - 0 1", "d2d4").legal_moves()


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",  # both pawns leave the rank
        "k7/8/8/8/3Pp3/8/8/3K3B b - d3 0 1",  # the capturing pawn is pinned
        "4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
    ],
)
def test_en_passant_is_illegal_if_it_opens_a_line_to_the_king(fen: str) -> None:
    moves = CHESS.parse(fen).legal_moves()
    assert not {"e4d3", "e5d6"} & set(moves)


def test_en_passant_is_legal_along_the_line_of_the_pin() -> None:
    assert "e4d3" in CHESS.parse("8/8/8/5k2/3Pp3/8/8/1B1K4 b - d3 0 1").legal_moves()


def test_a_pawn_promotes_to_four_pieces_by_step_and_by_capture() -> None:
    moves = CHESS.parse("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1").legal_moves()
    assert {move for move in moves if move.startswith("a7")} == {f"a7{to}8{new}" for to in "ab" for new in "qrbn"}


def test_a_promoted_piece_moves_as_what_it_is() -> None:
    assert played("7k/P7/8/8/8/8/8/4K3 w - - 7 1", "a7a8n").text() == "N6k/8/8/8/8/8/8/4K3 b - - 0 1"


def test_a_pinned_man_moves_only_along_the_pin() -> None:
    assert {m for m in CHESS.parse("4r1k1/8/8/8/8/4R3/8/4K3 w - - 0 1").legal_moves() if m[:2] == "e3"} == {
        "e3e2", "e3e4", "e3e5", "e3e6", "e3e7", "e3e8",
    }  # fmt: skip
    assert not any(m[:2] == "e3" for m in CHESS.parse("4r1k1/8/8/8/8/4N3/8/4K3 w - - 0 1").legal_moves())


def test_from_a_double_check_only_the_king_moves() -> None:
    moves = CHESS.parse("4k3/6p1/5N2/8/8/8/8/4RK2 b - - 0 1").legal_moves()
    assert {move[:2] for move in moves} == {"e8"}


def test_the_counters_count() -> None:
    position = played(CHESS.start().text(), "g1f3 b8c6 f3g1")
    assert position.text().split()[4:] == ["3", "2"]
    assert position.play("e7e5").text().split()[4:] == ["0", "3"]


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


def test_lost_castling_rights_make_another_position() -> None:
    rooks = "h1g1 h8g8 g1h1 g8h8 "
    position = played("4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1", rooks * 2)
    assert position.repetitions() == 2
    assert position.outcome() is None


def test_a_lapsed_en_passant_makes_another_position() -> None:
    start = "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1"
    assert played(start, "d2d4 " + "e8d8 e1d1 d8e8 d1e1 " * 2).repetitions() == 2
    assert played(start.replace("4p3", "p7"), "d2d4 " + "e8d8 e1d1 d8e8 d1e1 " * 2).repetitions() == 3


def test_a_move_that_is_no_uci_and_one_that_is_illegal_are_told_apart() -> None:
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

"""Reading FEN: what is accepted, and each way in which a FEN can be wrong."""

from __future__ import annotations

import pytest

from tabiya.games.chess.fen import START
from tabiya.games.errors import PositionError
from tests.games.chess.walks import CHESS

MEN = START.split()[0]

# what is wrong -> what the sentence says, and FENs that are wrong so
REFUSED: dict[str, tuple[str, list[str]]] = {
    "it is too long": ("at most 100 characters", [START + " " * 100, START * 10]),
    "too few or too many fields": ("4 to 6 fields", ["", MEN, f"{MEN} w KQkq", f"{START} 1"]),
    "seven ranks": ("8 ranks between slashes, not 7", ["k7/K7/8/8/8/8/8 w - - 0 1"]),
    "nine ranks": ("8 ranks between slashes, not 9", ["k7/K7/8/8/8/8/8/8/8 w - - 0 1"]),
    "a rank is too short or too long": (
        "rank 7 of a FEN",
        [f"k7/{rank}/8/8/8/8/8/K7 w - - 0 1" for rank in ("7", "9", "4p4", "ppppppppp", "")],
    ),
    "two digits side by side": ("by one digit, not two: '44'", ["k7/44/8/8/8/8/8/K7 w - - 0 1"]),
    "a letter is no man": (
        "rank 7 of a FEN holds the letters",
        [f"k7/{letter}7/8/8/8/8/8/K7 w - - 0 1" for letter in ("x", "0", "9", "é", "\u0663", "\x00", "-")],
    ),
    "no king": ("exactly one king; White has 0", ["8/8/8/8/8/8/8/8 w - - 0 1"]),
    "two white kings": ("exactly one king; White has 2", ["KK6/k7/8/8/8/8/8/8 w - - 0 1"]),
    "two black kings": ("exactly one king; Black has 2", ["K7/kk6/8/8/8/8/8/8 w - - 0 1"]),
    "nine pawns": ("at most 8 pawns; Black has 9", ["4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1"]),
    "seventeen men": ("at most 16 men; White has 17", ["4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1"]),
    "a pawn on the last rank": ("no pawn can stand on rank 8", ["P3k3/8/8/8/8/8/8/4K3 w - - 0 1"]),
    "a pawn on the first rank": ("no pawn can stand on rank 1", ["4k3/8/8/8/8/8/8/p3K3 w - - 0 1"]),
    "an unknown side to move": (
        "the side to move in a FEN is w or b",
        [f"{MEN} {side} KQkq - 0 1" for side in ("W", "white", "x", "-")],
    ),
    "castling rights in other letters": (
        "castling rights in a FEN are - or some of KQkq",
        [f"{MEN} w {rights} - 0 1" for rights in ("KK", "HAha", "KQkq-", "x", "--")],
    ),
    "an en-passant square off its rank": (
        "the en-passant square in a FEN is - or on rank 6",
        [f"{MEN} w KQkq {square} 0 1" for square in ("e3", "e5", "i6", "e", "e66", "6e")],
    ),
    "no pawn has passed the en-passant square": (
        "no pawn can just have passed the en-passant square d6",
        [
            "4k3/8/8/4P3/8/8/8/4K3 w - d6 0 1",  # no pawn stands there
            "4k3/8/8/3PP3/8/8/8/4K3 w - d6 0 1",  # one of the wrong colour does
            "4k3/3p4/8/3pP3/8/8/8/4K3 w - d6 0 1",  # its first square is not empty
            "4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1",  # the square itself is not empty
        ],
    ),
    "a halfmove counter out of its bounds": (
        "the halfmove counter of a FEN is a number from",
        [f"{MEN} w KQkq - {counters}" for counters in ("-1 1", "151 1", "x 1", "1.5 1", "\u0663 1", "999999 1")],
    ),
    "a fullmove counter out of its bounds": (
        "the fullmove counter of a FEN is a number from",
        [f"{MEN} w KQkq - {counters}" for counters in ("0 0", "0 10000", "0 x")],
    ),
    "a king could be taken": (
        "not to move stands in check",
        ["4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "8/8/8/3kK3/8/8/8/8 w - - 0 1"],
    ),
    "three checks": ("more than two men give check", ["4k3/8/3N1N2/8/8/8/4R3/4K3 b - - 0 1"]),
    "checks from both sides of the king": ("from both sides of the king", ["8/8/8/R2k3R/8/8/8/4K3 b - - 0 1"]),
    "a check from before the pawn passed": ("already before the pawn passed", ["4k3/8/8/3pP3/8/8/4r3/4K3 w - d6 0 1"]),
    "nonsense": ("", ["\x00" * 40, "w w w w w w", "////// w - - 0 1", "🙂 w - - 0 1"]),
}


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


def test_an_unusable_en_passant_square_is_dropped() -> None:
    assert CHESS.parse("4k3/8/8/8/3P4/8/8/4K3 b - d3 0 1").text() == "4k3/8/8/8/3P4/8/8/4K3 b - - 0 1"


def test_an_en_passant_square_whose_capture_bares_the_king_is_dropped() -> None:
    assert CHESS.parse("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1").text() == "8/8/8/8/k2Pp2Q/8/8/3K4 b - - 0 1"


def test_a_move_sets_the_en_passant_square_only_if_a_capture_is_legal() -> None:
    assert CHESS.start().play("e2e4").text().split()[3] == "-"
    assert CHESS.parse("4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1").play("d2d4").text().split()[3] == "d3"
    assert CHESS.parse("8/8/8/8/k3p2Q/8/3P4/3K4 w - - 0 1").play("d2d4").text().split()[3] == "-"


@pytest.mark.parametrize("wrong", REFUSED)
def test_a_fen_in_which_something_is_wrong_is_refused_with_that(wrong: str) -> None:
    says, fens = REFUSED[wrong]
    for fen in fens:
        assert says in refusal(fen), fen


@pytest.mark.parametrize(
    "men", ["N7/PPPPPPPP/RNB1KBNR", "B7/PPPPPPPP/RNB1KBNR", "R7/PPPPPPPP/RNB1KBNR", "Q7/PPPPPPPP/RNBQK3"]
)
def test_more_promoted_men_than_missing_pawns_are_refused(men: str) -> None:
    fewer = f"4k3/8/8/8/8/{men.replace('PPPPPPPP', 'PPPPPPP1')} w - - 0 1"
    assert CHESS.parse(fewer).text() == fewer
    assert "White has 1 promoted men, more than the 0 pawns missing" in refusal(f"4k3/8/8/8/8/{men} w - - 0 1")


@pytest.mark.parametrize("right", "KQkq")
def test_a_castling_right_without_king_and_rook_at_home_is_refused(right: str) -> None:
    away = {"K": "R3K2N", "Q": "N3K2R", "k": "r3k2n", "q": "n3k2r"}[right]
    men = f"{away}/8/8/8/8/8/8/R3K2R" if right.islower() else f"r3k2r/8/8/8/8/8/8/{away}"
    moved = "r2k3r/8/8/8/8/8/8/R2K3R"
    for fen in (f"{men} w {right} - 0 1", f"{moved} w {right} - 0 1"):
        assert f"the castling right {right} needs king and rook on their first squares" in refusal(fen)


def test_a_check_by_the_pawn_that_passed_is_accepted() -> None:
    assert CHESS.parse("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1").legal_moves().count("e4d3") == 1


def test_the_counters_stop_where_they_can_still_be_read() -> None:
    position = CHESS.parse("4k3/8/8/8/8/8/8/R3K3 b - - 150 9999")
    assert position.play("e8d8").text().endswith(" w - - 150 9999")

import numpy as np
import pytest

from tabiya.games.errors import IllegalMove, MoveFormatError, PositionError
from tabiya.games.registry import load_game

GAME = load_game("reversi")


def board(rows: str, mover: str) -> str:
    return "".join(rows.split()) + " " + mover


MUST_PASS = board(
    """OXXXXXX-
       --------
       --------
       --------
       --------
       --------
       --------
       --------""",
    "X",
)


def test_a1_is_the_lowest_bit_and_h8_the_highest() -> None:
    state = GAME.parse("X" + "-" * 62 + "O X").state
    assert (state.mine, state.theirs) == (np.uint64(1), np.uint64(1 << 63))


def test_who_cannot_play_passes_and_only_then() -> None:
    position = GAME.parse(MUST_PASS)
    assert position.legal_moves() == ("pass",)
    after = position.play("pass")
    assert after.text() == MUST_PASS[:-1] + "O"
    assert after.legal_moves() == ("h1",)
    with pytest.raises(IllegalMove, match="'pass' is not legal"):
        GAME.start().play("pass")


def test_the_game_ends_when_neither_side_can_play() -> None:
    position = GAME.parse(MUST_PASS).play("pass").play("h1")
    assert position.outcome() == (1, "more_discs")
    assert position.legal_moves() == ()
    assert not position.can_win(0)
    assert position.can_win(1)


def test_empty_squares_count_for_nobody_and_equal_discs_are_a_draw() -> None:
    over = GAME.parse("X" + "-" * 62 + "O X")
    assert over.outcome() == (None, "equal_discs")
    assert not over.can_win(0)
    assert not over.can_win(1)


def test_the_drawing_has_row_one_on_top() -> None:
    assert str(GAME.start().play("d3")).split("\n")[3:5] == ["3 . . . X . . . .", "4 . . . X X . . ."]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "64 characters X, O or -, a blank and X or O, not ''"),
        ("-" * 63 + "X", "a blank"),
        ("-" * 62 + "X X", "64 of the characters X, O and -, not 63"),
        ("-" * 64 + "X X", "64 of the characters X, O and -, not 65"),
        ("x" + "-" * 63 + " X", "64 of the characters"),
        ("\u0425" + "-" * 63 + " X", "64 of the characters"),
        ("X" + "-" * 63 + " x", "the side to move in Reversi is X or O, not 'x'"),
        ("X" + "-" * 63 + " ", "the side to move in Reversi is X or O, not ''"),
        ("-" * 64 + " X", "at least one disc"),
    ],
)
def test_a_bad_position_is_refused_in_one_sentence(text: str, complaint: str) -> None:
    with pytest.raises(PositionError) as caught:
        GAME.parse(text)
    assert complaint in str(caught.value)


def test_unreadable_and_illegal_moves_are_different_errors() -> None:
    for text in ("D3", "i1", "a9", "d33", "Pass", "pass ", "d\u0663"):
        with pytest.raises(MoveFormatError, match="such as d3, or pass"):
            GAME.start().play(text)
    for text in ("a1", "e3", "pass"):
        with pytest.raises(IllegalMove, match="legal: d3, c4, f5, e6"):
            GAME.start().play(text)


def test_the_discs_of_both_are_counted() -> None:
    game = load_game("reversi")
    assert game.seat_names == ("Black", "White")
    assert game.tally(game.start().play("d3")) == ("4 discs", "1 disc")

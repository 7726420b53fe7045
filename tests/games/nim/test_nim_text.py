import pytest

from tabiya.games.errors import IllegalMove, MoveFormatError, OptionError, PositionError
from tabiya.games.registry import load_game

NIM = load_game("nim")


def test_the_usual_start_is_three_heaps_of_three_five_and_seven() -> None:
    assert NIM.start().text() == "3,5,7 normal 1"
    assert NIM.start({"heaps": "3,4,5", "misere": True}).text() == "3,4,5 misere 1"


def test_a_move_takes_from_one_heap() -> None:
    position = NIM.start().play("b3")
    assert position.text() == "3,2,7 normal 2"
    assert position.play("b2").text() == "3,0,7 normal 1"


def test_a_finished_game_can_be_read() -> None:
    assert str(NIM.parse("0,0 normal 1").outcome()) == "Outcome(winner=1, ending=<Ending.LAST_OBJECT: 'last_object'>)"
    assert NIM.parse("0 misere 1").outcome() == (0, "last_object")


def test_twenty_six_heaps_of_sixty_three_fill_the_bounds() -> None:
    position = NIM.start({"heaps": ",".join(["63"] * 26)})
    assert len(position.legal_moves()) == NIM.max_moves
    assert position.play("z63").legal_moves()[-1] == "y63"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1000000 normal 1", "a heap of Nim is a number from 0 to 63, such as 7, not '1000000'"),
        ("64 normal 1", "a number from 0 to 63"),
        (",".join("1" * 27) + " normal 1", "Nim is played with 1 to 26 heaps, not 27"),
        ("", "three words, such as '3,5,7 normal 1', not ''"),
        (" normal 1", "not ''"),
        ("3,,5 normal 1", "not ''"),
        ("03,5 normal 1", "not '03'"),
        ("-1 normal 1", "not '-1'"),
        ("+1 normal 1", "not '+1'"),
        ("1_0 normal 1", "not '1_0'"),
        ("\u0663 normal 1", "not '\u0663'"),
        ("\u00b2 normal 1", "not '\u00b2'"),
        ("3 5 normal 1", "three words"),
        ("3, 5 normal 1", "three words"),
        ("3,5  normal 1", "three words"),
        ("3,5 normal 1 ", "three words"),
        ("3,5\tnormal 1", "three words"),
        ("3,5 Normal 1", "normal or misere, not 'Normal'"),
        ("3,5 mis\u00e8re 1", "normal or misere, not 'mis\u00e8re'"),
        ("3,5 normal 3", "1 or 2, not '3'"),
        ("3,5 normal 1\n", "1 or 2, not"),
        ("9" * 80 + " normal 1", "a number from 0 to 63"),
        ("9" * 1000 + " normal 1", "a position text is at most 1000 characters, not 1009"),
    ],
)
def test_a_bad_position_is_refused_in_one_sentence(text: str, complaint: str) -> None:
    with pytest.raises(PositionError) as caught:
        NIM.parse(text)
    assert complaint in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "heaps", ["1000000", ",".join("1" * 27), "", "03", "\u0663", "3, 5", "3;5", "0,0", 7, None, "1" * 500]
)
def test_bad_heaps_are_refused_as_an_option(heaps: object) -> None:
    with pytest.raises(OptionError, match=r"option heaps"):
        NIM.start({"heaps": heaps})


def test_unreadable_and_illegal_moves_are_different_errors() -> None:
    for text in ("b0", "b64", "b03", "B3", "b", "3", "aa1", "b\u0663"):
        with pytest.raises(MoveFormatError, match="heap letter and number of objects to take"):
            NIM.start().play(text)
    for text in ("b6", "d1", "z63"):
        with pytest.raises(IllegalMove, match="not legal in 3,5,7 normal 1"):
            NIM.start().play(text)

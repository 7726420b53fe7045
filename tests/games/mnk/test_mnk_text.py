from itertools import pairwise

import pytest

from tabiya.bots.search.kernel_calls import key_of
from tabiya.games import steps
from tabiya.games.errors import IllegalMove, MoveFormatError, OptionError, PositionError
from tabiya.games.registry import load_game

TICTACTOE, CONNECT5 = load_game("tictactoe"), load_game("connect5")


def test_cells_are_written_row_by_row_from_a1() -> None:
    position = TICTACTOE.start().play("b1").play("a2").play("c3")
    assert position.text() == "3x3x3 -X-O----X O"
    assert str(position) == " 3 . . X\n 2 O . .\n 1 . X .\n   a b c"


def test_connect_5_is_played_on_up_to_twenty_columns_and_rows() -> None:
    position = CONNECT5.start({"columns": 20, "rows": "20"})
    assert len(position.legal_moves()) == CONNECT5.max_moves == 400
    assert position.legal_moves()[-1] == "t20"
    for options in ({"columns": 21}, {"rows": 4}, {"rows": "\u0661\u0665"}, {"rows": True}, {"k": 4}):
        with pytest.raises(OptionError):
            CONNECT5.start(options)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "three words"),
        ("3x3x3 --------- X ", "three words"),
        ("3x3x3 --------- Y", "the side to move is X or O, not 'Y'"),
        ("3x3 --------- X", "begins with its size, such as 3x3x3, not '3x3'"),
        ("03x3x3 --------- X", "begins with its size"),
        ("\u0663x3x3 --------- X", "begins with its size"),
        ("4x4x3 ---------------- X", "is not played on 4x4x3 (allowed: only 3x3x3)"),
        ("3x3x3 -------- X", "9 of the characters X, O and -, not 8"),
        ("3x3x3 ---x----- X", "9 of the characters X, O and -"),
        ("3x3x3 XX------- O", "with O to move, X has as many stones as O or one more, not 2 against 0"),
        ("3x3x3 XXXOO-O-- X", "X is to move, so only O can have a line"),
        ("3x3x3 XXXOOO--- O", "O is to move, so only X can have a line"),
    ],
)
def test_a_bad_position_is_refused_in_one_sentence(text: str, complaint: str) -> None:
    with pytest.raises(PositionError) as caught:
        TICTACTOE.parse(text)
    assert complaint in str(caught.value)


def test_a_won_position_keeps_its_winner_when_read() -> None:
    assert TICTACTOE.parse("3x3x3 XXXOO---- O").outcome() == (0, "line")


def test_unreadable_and_illegal_moves_are_different_errors() -> None:
    for text in ("b0", "b21", "u1", "B2", "2b", "b02", "b\u0662"):
        with pytest.raises(MoveFormatError, match="column letter and row number"):
            TICTACTOE.start().play(text)
    for text in ("d1", "a4", "t20"):
        with pytest.raises(IllegalMove):
            TICTACTOE.start().play(text)


def test_empty_boards_of_every_size_have_keys_of_their_own() -> None:
    boards = [
        CONNECT5.start({"columns": columns, "rows": rows}).state for columns in range(5, 21) for rows in range(5, 21)
    ]
    assert len({int(key_of(CONNECT5, board)) for board in boards}) == len(boards) == 256
    assert not any(steps.same(CONNECT5, board, other) for board, other in pairwise(boards))

"""What is not understood is explained, and changes nothing."""

from __future__ import annotations

import pytest

from tests.bots.uci.board import Board

pytestmark = pytest.mark.usefixtures("compiled")


def test_what_is_not_understood_is_explained_and_changes_nothing() -> None:
    board = Board()
    board.tell("setoption name Hsah value 3", "setoption name Threads value many", "position", "debug on", "what ever")
    assert [line.split(":")[0] for line in board.printed] == [
        "info string there is no option 'Hsah' (there are",
        "info string Threads takes a number from 1 to 256, not 'many'",
        "info string this position is not understood, and until the next one no move is found",
        "info string not understood",
    ]


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("go depth 1 dpeth 5 searchmoves e2e4 zz", ["dpeth 5", "zz"]),
        ("go depth 1 searchmoves e2e5", ["e2e5"]),
        ("go foo depth 1", ["foo"]),
        ("go depth one nodes 1", ["depth one"]),
        ("please go depth 1", ["please"]),
        ("go depth 1 searchmoves e2e4", []),
    ],
)
def test_in_debug_mode_it_says_which_words_it_passes_over(command: str, lines: list[str]) -> None:
    for debug, expected in (("off", []), ("on", lines)):
        board = Board()
        board.tell("isready", f"debug {debug}", command)
        reported = [line for line in board.printed if line.startswith("info string")]
        assert reported == [f"info string not understood: {words}" for words in expected]
        assert board.wait("bestmove")


def test_a_position_with_an_unknown_word_changes_nothing() -> None:
    board = Board()
    board.tell("position startpos moves e2e4", "d")
    before = board.printed[-1]
    for words in ("startpos move d2d4", "fen 8/8/8/8/8/8/8/8 w - - 0 1 move d2d4"):
        board.tell(f"position {words}", "d")
        assert board.printed[-2].startswith("info string this position is not understood")
        assert board.printed[-1] == before


@pytest.mark.parametrize("depth", ["abc", ""])
def test_counting_to_no_depth_is_no_search(depth: str) -> None:
    board = Board()
    board.tell(f"go perft {depth}")
    assert board.printed == ["info string go perft takes a position that is understood, and how many plies to count"]
    board.tell("go depth 1")
    board.wait("bestmove")


@pytest.mark.parametrize(
    ("go", "end"), [("go infinite", "stop"), ("go ponder wtime 1000 btime 1000", "ponderhit"), ("go ponder", "stop")]
)
def test_on_a_wrong_board_too_an_endless_search_can_be_stopped(go: str, end: str) -> None:
    board = Board()
    board.tell("isready", "position startpos moves e2e5", go, "isready")
    assert not [line for line in board.printed if line.startswith("bestmove")]
    board.tell(end)
    assert board.wait("bestmove") == "bestmove (none)"


def test_on_a_wrong_board_nothing_is_counted_and_no_move_is_answered() -> None:
    board = Board()
    board.tell("position startpos moves e2e5", "go perft 2")
    assert board.printed[-1].startswith("info string go perft takes a position")
    board.tell("position startpos", "go perft 1")
    assert board.wait("Nodes searched: 20")
    assert not [line for line in board.printed if line.startswith("bestmove")]


def test_words_before_the_first_known_one_are_passed_over() -> None:
    board = Board()
    board.tell("joho isready", "", "   ", "\x00\ufffd go-away")
    assert board.printed == ["readyok"]
    assert not board.program.handle("please quit")

"""Where a game has a solver of its own, it answers what it can."""

from __future__ import annotations

import threading
import time

import pytest

from benchmarks.endgames import endgames
from tests.bots.solvers.reversi.twin import best_margin, late_positions
from tests.bots.uci.board import Board

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def reversi() -> Board:
    board = Board("reversi")
    board.tell("isready")
    return board


@pytest.mark.parametrize("go", ["go movetime 20000", "go wtime 600000 btime 600000"])
def test_with_a_clock_the_solver_says_how_the_game_ends(go: str, reversi: Board) -> None:
    position = late_positions(7, 1, seed=73)[0]
    reversi.tell(f"position fen {position.text()}", go)
    reported, exact = reversi.wait("info depth "), best_margin(position)
    assert reported.startswith("info depth 7 ")  # the solver has no iterations
    assert f" score cp {100 * exact} " in reported
    assert f" pv {reversi.wait('bestmove').split()[1]}" in reported


@pytest.mark.parametrize(
    ("before", "go"),
    [
        ("setoption name MultiPV value 2", "go movetime 500"),
        ("", "go movetime 500 searchmoves {0} {1}"),
        ("", "go movetime 500 depth 1"),
        ("", "go ponder movetime 500"),
        ("", "go infinite"),
    ],
)
def test_what_the_solver_cannot_answer_is_the_engines(before: str, go: str, reversi: Board) -> None:
    position = late_positions(12, 1, seed=73)[0]
    reversi.tell(f"position fen {position.text()}", before, go.format(*position.legal_moves()))
    reversi.wait("info depth 1 ")
    reversi.tell("stop", "setoption name MultiPV value 1")
    assert reversi.wait("bestmove").split()[1] in position.legal_moves()


def test_a_solver_obeys_the_stop_and_a_move_was_looked_at(reversi: Board) -> None:
    position = endgames()[50].position
    reversi.tell(f"position fen {position.text()}", "go movetime 900000")
    threading.Event().wait(0.05)
    begun = time.perf_counter()
    reversi.tell("stop")
    reversi.wait("info depth ")
    assert reversi.wait("bestmove").split()[1] in position.legal_moves()
    assert time.perf_counter() - begun < 5  # not endless; how quick it is, is measured by hand


def test_a_win_by_fours_is_reported_with_its_line() -> None:
    board, cells = Board("connect5"), ["-"] * 225
    for place, stone in {16: "X", 17: "X", 18: "X", 19: "X", 0: "O", 14: "O", 210: "O", 224: "O"}.items():
        cells[place] = stone
    board.tell(f"position fen 15x15x5 {''.join(cells)} X", "go movetime 2000")
    reported = board.wait("info depth ")
    assert reported.startswith("info depth 1 ")
    assert " score mate 1 " in reported
    assert board.wait("bestmove").split()[1] == reported.split(" pv ")[1].split()[0]

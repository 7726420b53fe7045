"""An author's evaluation as a UCI program: the class plays, its parameters are options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tabiya.bots.custom_evaluation.evaluation import Evaluation
from tabiya.bots.players.spec import PlayerError
from tabiya.bots.uci.custom_evaluation import CustomEvaluation
from tabiya.games.registry import load_game
from tests.bots.uci.board import Board

pytestmark = pytest.mark.slow
TEXT = """
from tabiya.evaluators import evaluator, popcount

TABLE = {"one": 1}

class Corners(evaluator("reversi")):
    corner = 300
    share = 0.5
    rings = [1, 2]
    hash = 7

    def evaluate(self, state):
        lead = popcount(state.mine & 1) - popcount(state.theirs & 1)
        return self.corner * lead + int(10 * self.share) + self.rings[0]

class Asked(evaluator("reversi")):
    def evaluate(self, state):
        if popcount(state.mine | state.theirs) > 5:
            raise ValueError("too many discs")
        return TABLE["one"]

class Picky(evaluator("reversi")):
    most = 100

    def evaluate(self, state):
        if popcount(state.mine) > self.most:
            raise ValueError("too many discs")
        return 0
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "corners.py"
    path.write_text(TEXT, encoding="utf-8")
    return path


def board_of(player: str) -> Board:
    custom = CustomEvaluation(player)
    return Board(custom.game, custom)


@pytest.mark.timeout(300)
def test_it_plays_what_the_class_finds_and_its_parameters_are_options(file: Path) -> None:
    """And what a parameter does not take is said and changes nothing."""
    board = board_of(f"{file}:Corners?corner=250")
    board.tell("uci")
    assert board.wait("option name corner") == (
        "option name corner type spin default 250 min -2147483647 max 2147483647"
    )
    assert board.wait("option name share") == "option name share type string default 0.5"
    assert board.wait("option name rings") == "option name rings type string default 1,2"
    assert board.wait("uciok")  # with no option for `hash`, which is the table's size here, and no levels
    reference = Evaluation(f"{file}:Corners?corner=250")
    for orders, values in (
        ((), dict[str, Any]()),
        (("setoption name corner value -400", "setoption name rings value 5,6"), {"corner": -400, "rings": [5, 6]}),
    ):
        reference.give(**values)
        board.tell(*orders, "ucinewgame", "isready", "position startpos", "go depth 6")
        board.wait("readyok")
        found = reference.search(load_game("reversi").start(), depth=6)
        assert f"score cp {found.value} " in board.wait("info depth 6")
        assert board.wait("bestmove").split()[1] == found.move
    for command, wanted in (
        ("rings value 1,2,3", "rings of Corners takes 2 whole numbers, not [1, 2, 3]"),
        ("share value much", "share of Corners takes a number, not 'much'"),
        ("corner value many", "corner takes a number"),
    ):
        board.tell(f"setoption name {command}")
        assert wanted in board.wait("info string")
    board.tell("ucinewgame", "position startpos", "go depth 6")
    as_before = reference.search(load_game("reversi").start(), depth=6)
    assert f"score cp {as_before.value} " in board.wait("info depth 6")


@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore:Cannot cache compiled function")
def test_the_author_sees_which_methods_run_in_python_and_what_they_raise(file: Path) -> None:
    board = board_of(f"{file}:Asked")
    board.tell("isready")
    assert "Asked.evaluate cannot be compiled and is called in Python" in board.wait("info string")
    board.tell("go depth 3")
    assert board.wait("info string") == "info string Asked fails: corners.py, line 19: ValueError: too many discs"
    assert board.wait("bestmove")


@pytest.mark.timeout(300)
def test_what_the_class_raises_before_any_search_is_a_sentence(file: Path) -> None:
    with pytest.raises(PlayerError, match=r"Picky fails: corners\.py, line 27: ValueError: too many discs"):
        board_of(f"{file}:Picky?most=0").tell("isready")
    board = board_of(f"{file}:Picky")
    board.tell("isready", "setoption name most value 0", "setoption name Hash value 2", "isready")
    assert board.printed == [
        "readyok",
        "info string Picky fails: corners.py, line 27: ValueError: too many discs",
        "readyok",
    ]
    board.tell("go depth 2 searchmoves f5")
    assert board.wait("bestmove") == "bestmove f5"


def test_what_is_no_evaluation_is_refused(file: Path) -> None:
    with pytest.raises(PlayerError, match="pvs is not a class that derives from a game's evaluator"):
        CustomEvaluation("pvs")
    with pytest.raises(PlayerError, match="Corners plays reversi; name one of them, not 'chess'"):
        CustomEvaluation(f"{file}:Corners", "chess")

"""A duel plays what it says, of whom it says; it measures nothing here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.duel import main, play
from scripts.evaluators import load_evaluator
from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.games.registry import load_game

MINE = """
from __future__ import annotations

from typing import Any

from tabiya.bots.evaluators.mnk.evaluator import MnkEvaluator
from tabiya.games.rules import State

class Mine(MnkEvaluator):
    worth = 1

    def evaluate(self, state: State) -> Any:
        return {} * self.worth
"""


@pytest.mark.slow
def test_points_are_of_the_engine_that_moves_first_whatever_its_seat() -> None:
    engine = Engine(evaluator_for(load_game("tictactoe")), table_mb=1)
    won, lost = load_game("tictactoe").parse("3x3x3 XX-OO---- X"), load_game("tictactoe").parse("3x3x3 X-XOX-O-- O")
    assert play(engine, engine, won, 500) == 1
    assert play(engine, engine, lost, 500) == 0


@pytest.mark.slow
def test_the_same_seed_gives_the_same_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        main(["--game", "tictactoe", "--pairs", "3", "--nodes", "200", "--format", "json"])
    first, second = capsys.readouterr().out.replace("}{", "}\n{").split("\n")
    assert first == second
    assert sum(json.loads(first)["pairs"]) == 3


@pytest.mark.slow
def test_two_files_of_one_name_are_two_evaluations(tmp_path: Path) -> None:
    game, found = load_game("tictactoe"), []
    for number in (7, 8):
        (tmp_path / "mine.py").write_text(MINE.format(number))
        evaluator = load_evaluator(game, f"{tmp_path / 'mine.py'}:Mine")
        found.append(int(evaluation_of(evaluator, game.start().state)))
    evaluator = load_evaluator(game, f"{tmp_path / 'mine.py'}:Mine?worth=-3")
    assert [*found, int(evaluation_of(evaluator, game.start().state))] == [7, 8, -24]
    (tmp_path / "mine.py").write_text(MINE.format("int(str(9))"))
    with pytest.raises(ValueError, match=r"Mine.evaluate cannot be compiled .* mine.py, line 13: "):
        load_evaluator(game, f"{tmp_path / 'mine.py'}:Mine")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nowhere.py:Mine", "the file 'nowhere.py' cannot be read: No such file"),
        ("tabiya.bots.evaluators.mnk.evaluator:Nobody", "has no class 'Nobody'"),
        ("tabiya.bots.evaluators.reversi:ReversiEvaluator", "has no class 'ReversiEvaluator' that derives from"),
        ("tabiya.bots.players.nobody:Mine", "tabiya.bots.players.nobody is no module"),
        ("Mine", "an empty name is no module"),
    ],
)
def test_what_is_no_evaluator_of_the_game_is_one_sentence(text: str, says: str) -> None:
    with pytest.raises(SystemExit, match=says):
        main(["--game", "tictactoe", "--first", text])


def test_no_evaluator_is_the_games_own() -> None:
    game = load_game("tictactoe")
    assert load_evaluator(game, "") is evaluator_for(game)


@pytest.mark.parametrize("text", ["", "five", "0,1,2", "10,0", "0,nan", "0,1e9"])
def test_differences_that_are_no_test_are_one_sentence(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--game", "tictactoe", "--sprt", text])
    output = capsys.readouterr().err
    assert "argument --sprt: " in output
    assert "Traceback" not in output

"""An evaluation asked from a program: what it takes and gives, and what it refuses in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tabiya.bots.custom_evaluation.evaluation import Evaluation
from tabiya.games.registry import load_game

pytestmark = pytest.mark.slow

TEXT = """
import numpy as np
from tabiya.evaluators import evaluator, popcount, squares

class Mine(evaluator("reversi")):
    corner = 300
    weights = np.array([0.5, 0.25])
    mask = squares("a1 h8 d4")
    sets = (squares("a1"), squares("h8"))

    def evaluate(self, state):
        return self.corner * popcount(state.mine & self.mask) + 100 * self.weights[1] + popcount(self.sets[0])
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(TEXT)
    return tmp_path / "mine.py"


def test_its_parameters_go_through_a_file_of_json(file: Path) -> None:
    mine, start = Evaluation(f"{file}:Mine?corner=77"), load_game("reversi").start()
    mine.give(weights=[0.1, 0.2], mask=2**63 + 1, sets=[3, 2**63])
    kept = file.with_name("best.json")
    kept.write_text(json.dumps(mine.parameters))
    again = Evaluation(f"{file}:Mine?{kept}")
    assert again.parameters == mine.parameters == json.loads(kept.read_text())
    assert again.value(start) == mine.value(start)
    again.give(corner=1, mask=0)
    again.give(**mine.parameters)
    assert again.parameters == mine.parameters


def test_a_search_without_a_limit_and_a_position_of_another_game_are_refused(file: Path) -> None:
    mine, start, other = Evaluation(f"{file}:Mine"), load_game("reversi").start(), load_game("chess").start()
    with pytest.raises(ValueError, match=r"^a search needs a limit: depth=PLIES or nodes=NUMBER$"):
        mine.search(start)
    with pytest.raises(ValueError, match="at least 1 node, not 0"):
        mine.search(start, nodes=0)
    for ask in (mine.value, lambda position: mine.search(position, depth=1)):
        with pytest.raises(ValueError, match=r"^Mine plays reversi here, not chess$"):
            ask(other)

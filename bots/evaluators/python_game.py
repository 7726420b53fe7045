"""The evaluator of games in plain Python: the author's value of each position."""

from __future__ import annotations

from typing import Any

from tabiya.bots.evaluators.base import EVALUATION_LIMIT, Evaluator
from tabiya.games.python_game import MOST_MOVES, PythonGame
from tabiya.games.rules import State


class PythonGameEvaluator(Evaluator, PythonGame):
    """One for all of them, compiled once."""

    width = MOST_MOVES

    def evaluate(self, state: State) -> Any:
        return max(-EVALUATION_LIMIT, min(EVALUATION_LIMIT, state.value))  # more would be a win for the search

"""The playing engine's chess with the evaluation made by hand (chess_evaluation.py) in place of the network.

It plays weaker, and its judgement can be read term by term; the network's first games were played with it.
"""

from __future__ import annotations

from typing import Any

from tabiya.bots.evaluators.chess.classical import evaluate_chess
from tabiya.bots.evaluators.chess.evaluator import ChessEvaluator
from tabiya.bots.evaluators.chess.weights import WEIGHTS
from tabiya.games.rules import State


class HandmadeEvaluator(ChessEvaluator):
    """Weighted terms."""

    def evaluate(self, state: State) -> Any:
        return evaluate_chess(state, WEIGHTS[0])

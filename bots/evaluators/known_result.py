"""How a position ends by right play, where a game's evaluator knows it: chess, by its tables of endings."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.base import Evaluator
from tabiya.games.compiled.jit import njit
from tabiya.games.position import Position
from tabiya.games.rules import ONGOING


@njit(cache=True)
def _known_result(evaluator: Any, state: Any) -> Any:
    # moves that can be taken back count: a win may need all that the rules allow
    return evaluator.known_result(state) if evaluator.repeats(state) == 0 else np.int64(ONGOING)


def knows_results(evaluator: Evaluator) -> bool:
    """Whether it knows how some positions end."""
    return type(evaluator).known_result is not Evaluator.known_result


def known_result(evaluator: Evaluator, position: Position) -> int | None:
    """The seat that wins, or DRAW, of a position after a move that cannot be taken back; None where it is not known."""
    found = int(_known_result(evaluator, position.state))
    return None if found == ONGOING else found

"""What the search is told of Connect Four: whose discs lie nearer to the middle."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.game import Evaluator, State
from tabiya_connect4.rules import COLUMNS, ConnectFour

WORTH = np.array([3, 4, 5, 7, 5, 4, 3], np.int64)  # fours through the lowest cell of each column


class ConnectFourEvaluator(Evaluator, ConnectFour):
    """Counts discs by their columns; what threatens is seen by the search."""

    width = COLUMNS

    def evaluate(self, state: State) -> Any:
        total = np.int64(0)
        for cell in range(len(state.cells)):
            if state.cells[cell] != 0:
                worth = WORTH[cell % COLUMNS]
                total += worth if state.cells[cell] == 1 + state.side else -worth
        return 5 * total

    def priority(self, state: State, move: int) -> Any:
        return 100 * WORTH[move]

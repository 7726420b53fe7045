"""What the search is told of Kalah: who has more seeds in its store, and on its side."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.game import Evaluator, State
from tabiya_kalah.rules import MOST, Kalah

IN_STORE, IN_PIT = 100, 15  # hundredths of a seed; the second chosen, not tuned


class KalahEvaluator(Evaluator, Kalah):
    """Counts seeds; who wins by more at the end is better off."""

    width = MOST

    def evaluate(self, state: State) -> Any:
        mine, other = state.rows[state.side], state.rows[1 - state.side]
        return (IN_STORE - IN_PIT) * (mine[state.store] - other[state.store]) + IN_PIT * (mine.sum() - other.sum())

    def margin(self, state: State) -> Any:
        return np.int64(abs(state.rows[0, state.store] - state.rows[1, state.store]))

    def priority(self, state: State, move: int) -> Any:
        """A move that ends in the store first, for its player moves again."""
        return np.int64(500 if state.rows[state.side, move] == state.store - move else move)

"""What the search is told of Hex: how many stones each side lacks on its shortest way between its edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.game import Evaluator, State, njit
from tabiya_hex.rules import BLUE, NEIGHBOURS, RED, SIZE, Hex


@njit
def stones_lacking(cells: Any, size: Any, stone: Any) -> Any:
    """How many empty cells the shortest way between the edges of this stone goes over; len(cells) if there is none."""
    far = len(cells)
    lacking = np.full(far, far, np.int64)
    best, changed = far, True
    while changed:  # until no cell is reached on a shorter way
        changed, best = False, far
        for cell in range(size * size):
            if cells[cell] != 0 and cells[cell] != stone:
                continue
            column, row = cell % size, cell // size
            along = row if stone == RED else column
            least = 0 if along == 0 else far
            for dx, dy in NEIGHBOURS:
                if 0 <= column + dx < size and 0 <= row + dy < size:
                    least = min(least, lacking[cell + dy * size + dx])
            if cells[cell] == 0:
                least += 1
            if least < lacking[cell]:
                lacking[cell], changed = least, True
            if along == size - 1:
                best = min(best, lacking[cell])
    return best


class HexEvaluator(Evaluator, Hex):
    """The difference of both lacks; cells in the middle are tried first."""

    width = SIZE * SIZE

    def evaluate(self, state: State) -> Any:
        mine = stones_lacking(state.cells, state.columns, 1 + state.side)
        return np.int64(100 * (stones_lacking(state.cells, state.columns, BLUE - state.side) - mine))

    def priority(self, state: State, move: int) -> Any:
        size = state.columns
        return np.int64(-abs(2 * (move % size) - size + 1) - abs(2 * (move // size) - size + 1))

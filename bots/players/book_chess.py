"""The evaluation that 000 names for chess: the sum of the values of the pieces, nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from bots.players.chess import ChessBrain
from games.chess.board import KING
from games.compiled.bits import popcount
from games.compiled.jit import njit
from games.contract import State

VALUES = np.array([100, 300, 300, 500, 900], np.int64)  # pawn, knight, bishop, rook, queen


@njit(nogil=True)
def material(state: Any, seat: Any) -> Any:
    """The men of `seat` in hundredths of a pawn, the king left out."""
    total = np.int64(0)
    for kind in range(KING):
        total += VALUES[kind] * popcount(state.pieces[kind] & state.colours[seat])
    return total


class MaterialBrain(ChessBrain):
    """Knows what pieces are worth and nothing of where they stand."""

    def evaluate(self, state: State) -> Any:
        side = np.int64(state.side)
        return np.int64(material(state, side) - material(state, 1 - side))

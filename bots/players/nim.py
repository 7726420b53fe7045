"""What plays Nim: the XOR rule, as a closed form for the search and as a player's own choice.

Bouton, "Nim, a game with a complete mathematical theory" (1901): in normal play the side to move loses exactly when
the XOR of the heaps is zero. In misère play the same holds while some heap has two objects or more; with heaps of one
object only, the side to move loses exactly when their number is odd.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from bots.players.base import Brain
from games.contract import State
from games.nim import Nim

WON_POSITION = 1_000


@njit(nogil=True)
def is_won(state: Any) -> Any:
    """Whether the side to move wins with perfect play."""
    total, big = np.int64(0), 0
    for heap in range(state.count):
        total ^= np.int64(state.heaps[heap])
        if state.heaps[heap] > 1:
            big += 1
    if state.misere != 0 and big == 0:
        return total == 0  # heaps of one: an even number of them is won
    return total != 0


class NimBrain(Brain, Nim):
    """Knows who wins."""

    width = Nim.max_moves

    def evaluate(self, state: State) -> Any:
        return np.int64(WON_POSITION if is_won(state) else -WON_POSITION)

"""The path from the root to a node: when to stop, repetitions, the principal variation."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.search.clock import now_ns
from tabiya.bots.search.record import EVERY_NODES
from tabiya.bots.search.scores import PLIES
from tabiya.games.compiled.jit import njit


@njit
def interrupted(work: Any) -> Any:
    """Count a node; whether the search must end now. Then every value on the way up is void.

    A node is one position visited, in quiescence too. The stop flag is read at every node, clock and node limit at
    every 256th.
    """
    work.nodes += 1
    if work.nodes & EVERY_NODES == 0 and (
        work.nodes >= work.node_limit or (work.deadline_ns != 0 and now_ns() >= work.deadline_ns)
    ):
        work.stop = 1
    return work.stop != 0


@njit
def repeated(game: Any, state: Any, key: Any, work: Any, ply: Any) -> Any:
    """Note the key of stack[ply]; whether it is a draw because the position has stood on the board before.

    Once is enough below the root, since what was best there is best again; of the positions before the root it takes
    two, as the referee's rule does. Compared by key: for a search that is exact enough.
    """
    here = work.earlier + ply
    work.keys[here] = key
    reach = np.int64(game.repeats(state))
    seen = 0
    for back in range(2, min(reach, here) + 1, 2 if game.takes_turns() else 1):
        if work.keys[here - back] == key:
            seen += 2 if back <= ply else 1
            if seen >= 2:
                return True
    return False


@njit
def keep_line(work: Any, ply: Any, move: Any) -> None:
    """The best line from `ply` now begins with `move` and goes on as the line one ply deeper (triangular array)."""
    work.line[ply, 0] = move
    length = work.line_length[ply + 1]
    for i in range(min(length, PLIES - 1)):
        work.line[ply, i + 1] = work.line[ply + 1, i]
    work.line_length[ply] = min(length, PLIES - 1) + 1

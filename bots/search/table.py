"""The transposition table: what is already known of a position."""

from __future__ import annotations

from typing import Any

import numpy as np

from bots.search.order import NO_MOVE
from bots.search.values import from_table, to_table
from bots.search.work import EXACT, GUESSED, LOWER, UPPER
from games.compiled.bits import U
from games.compiled.jit import njit

MISS = np.int64(1 << 30)  # no value


@njit(nogil=True)
def slot(table: Any, key: Any) -> Any:
    """The index of the only entry that may hold `key`."""
    return np.int64(key & U(table.size - 1))


@njit(nogil=True)
def hint(table: Any, key: Any) -> Any:
    """The best move known for the position, or NO_MOVE. It may belong to another position: it only orders moves."""
    entry = table[slot(table, key)]
    return np.int64(entry.move) if entry.key == key else NO_MOVE


@njit(nogil=True)
def probe(work: Any, table: Any, key: Any, depth: Any, alpha: Any, beta: Any, ply: Any) -> Any:
    """A value that decides the node as a search to `depth` would, or MISS.

    Only null windows are answered: a node with an open window is on the principal variation, whose line is wanted.
    """
    entry = table[slot(table, key)]
    if work.table == 0 or beta - alpha > 1 or entry.key != key:
        return MISS
    if entry.depth < depth or (work.exact_depth != 0 and entry.depth != depth):
        return MISS
    value = from_table(np.int64(entry.value), ply)
    bound = np.int64(entry.bound) & 3
    if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
        work.guesses += np.int64(entry.bound) // GUESSED
        return value
    return MISS


@njit(nogil=True)
def store(
    work: Any, table: Any, key: Any, depth: Any, move: Any, value: Any, bound: Any, guessed: Any, ply: Any
) -> None:
    """Write what the search of a node found over whatever was there. guessed: whether an evaluation took part."""
    if work.table == 0:
        return
    entry = table[slot(table, key)]
    entry.key = key
    entry.move = move
    entry.value = to_table(value, ply)
    entry.depth = depth
    entry.bound = bound + GUESSED if guessed else bound

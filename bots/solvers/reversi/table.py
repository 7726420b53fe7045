"""What the exact solver remembers: a record of the running search, and a table of bounds of positions.

An entry holds both sets of discs, so that it never speaks of another position: what it says is true for good. Two
entries are a bucket.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.games.compiled.bits import U
from tabiya.games.compiled.jit import njit

PLIES = 128  # deepest: no pass follows a pass
WIDTH = 64  # moves in one position, at most: in those that no game reaches there are more than 34
FACTORS = U(0x9E3779B97F4A7C15), U(0xBF58476D1CE4E5B9), U(0x94D049BB133111EB)  # odd, their bits as if by chance
HALF = U(32)
TABLE_FROM = 8  # empty squares from which on positions are noted
BUCKET = 2
NO_SQUARE = np.int64(-1)

ENTRY = np.dtype(
    [
        ("mine", np.uint64),
        ("theirs", np.uint64),
        *((name, np.int8) for name in ("low", "high")),  # bounds of the result
        ("square", np.int8),  # the best found
        ("empty", np.int8),  # squares
        ("age", np.int32),  # of the search that wrote it
    ],
    align=True,
)
NUMBERS = ("nodes", "node_limit", "deadline_ns", "stop", "next_look", "best", "value", "age")
WORK = np.dtype(
    [
        *((name, np.int64) for name in NUMBERS),
        ("squares", np.int8, (PLIES, WIDTH)),
        ("scores", np.int32, (PLIES, WIDTH)),
        ("turned", np.uint64, (PLIES, WIDTH)),
    ],
    align=True,
)


def new_table(megabytes: float) -> Any:
    """A table: the largest power of two of entries within `megabytes`, at least one bucket."""
    entries = max(BUCKET, int(megabytes * 2**20) // ENTRY.itemsize)
    return np.zeros(1 << (entries.bit_length() - 1), ENTRY).view(np.recarray)


@njit
def bucket_of(table: Any, mine: Any, theirs: Any) -> Any:
    """The index of the first entry of a position's bucket."""
    mixed = mine * FACTORS[0] ^ theirs * FACTORS[1]
    return np.int64(((mixed ^ (mixed >> HALF)) * FACTORS[2] >> HALF) & U(table.size - BUCKET))


@njit
def find(table: Any, mine: Any, theirs: Any) -> Any:
    """The index of the position's entry, or -1."""
    first = bucket_of(table, mine, theirs)
    for i in range(first, first + BUCKET):
        if table[i].mine == mine and table[i].theirs == theirs:
            return np.int64(i)
    return np.int64(-1)


@njit
def keep(work: Any, table: Any, mine: Any, theirs: Any, empty: Any, low: Any, high: Any, square: Any) -> None:
    """Note bounds of a position: in its own entry, else in the bucket's first.

    In the second where the first is of this search and of more empty squares.
    """
    place = find(table, mine, theirs)
    if place >= 0:
        low, high = max(low, np.int64(table[place].low)), min(high, np.int64(table[place].high))
        if square == NO_SQUARE:
            square = np.int64(table[place].square)
    else:
        place = bucket_of(table, mine, theirs)
        if table[place].age == work.age and table[place].empty > empty:
            place += 1
    entry = table[place]
    entry.mine, entry.theirs, entry.low, entry.high = mine, theirs, low, high
    entry.square, entry.empty, entry.age = square, empty, work.age

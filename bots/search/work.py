"""The memory of one search: a record that kernels read and write, and the transposition table.

It is allocated once (`Searcher`) and passed as two pointers. The record's type depends on the brain's `width` only, so
there is one specialisation per game.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from bots.search.values import PLIES

HISTORY_KEYS = 256  # positions before the root that a repetition can reach back to
HISTORY_SLOTS = 4096  # moves are told apart by their lowest 12 bits in the history heuristic
ENTRY = np.dtype(
    [("key", np.uint64), ("move", np.int32), ("value", np.int16), ("depth", np.int8), ("bound", np.int8)], align=True
)
NO_BOUND, EXACT, LOWER, UPPER = 0, 1, 2, 3  # of `bound`; GUESSED is added when an evaluation is part of the value
GUESSED = 4
EVERY_NODES = 255  # clock and node limit are read when nodes & EVERY_NODES == 0


@dataclass(frozen=True, slots=True)
class Options:
    """The switches of the search. `PLAIN` is the textbook, `ENGINE` the playing engine."""

    table: bool = False  # transposition table
    exact_depth: bool = False  # use entries of exactly the asked depth only: then values equal plain minimax
    quiescence: bool = False  # leaves are resolved by noisy moves
    ordering: bool = False  # priorities, killers and history order the moves
    reductions: bool = False  # late moves are searched less deeply first
    forced: bool = False  # where the game says so only forced replies are searched; the only move costs no depth

    def __post_init__(self) -> None:
        if self.reductions and not self.ordering:
            raise ValueError("reductions need ordering: which move is late is a matter of order")


PLAIN = Options()
ENGINE = Options(table=True, quiescence=True, ordering=True, reductions=True, forced=True)


@functools.cache
def work_type(width: int) -> np.dtype[Any]:
    """The record's type for positions of at most `width` moves."""
    numbers = ("nodes", "node_limit", "deadline_ns", "stop", "guesses", "root_depth", "root_count", "ends", "best")
    switches = ("table", "exact_depth", "quiescence", "ordering", "reductions", "forced", "ties")
    return np.dtype(
        [
            *((name, np.int64) for name in (*numbers, *switches)),
            ("random", np.uint64),  # state of the generator that breaks ties
            ("salt", np.uint64),  # makes the entries of earlier searches unreadable
            ("earlier", np.int64),  # how many of `keys` come before the root
            ("keys", np.uint64, (HISTORY_KEYS + PLIES,)),
            ("moves", np.int32, (PLIES, width)),
            ("scores", np.int32, (PLIES, width)),
            ("line", np.int32, (PLIES, PLIES)),  # triangular: line[ply][:line_length[ply]] is the best line from there
            ("line_length", np.int32, (PLIES,)),
            ("killers", np.int32, (PLIES, 2)),
            ("history", np.int32, (2, HISTORY_SLOTS)),
        ],
        align=True,
    )


def new_record(dtype: np.dtype[Any]) -> Any:
    """A zeroed record of its own memory, with fields as attributes compiled and interpreted alike."""
    return np.zeros(1, dtype).view(np.recarray)[0]


def new_table(megabytes: float) -> Any:
    """A transposition table: the largest power of two of entries within `megabytes`, at least one entry."""
    entries = max(1, int(megabytes * 2**20) // ENTRY.itemsize)
    return np.zeros(1 << (entries.bit_length() - 1), ENTRY).view(np.recarray)

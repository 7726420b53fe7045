"""The memory of one plain search: a record that kernels read and write.

It is allocated once (`Searcher`) and passed as a pointer. The record's type depends on the evaluator's `width` only, so
there is one specialisation per game.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabiya.bots.search.scores import PLIES

HISTORY_KEYS = 256  # positions before the root that a repetition can reach back to
EVERY_NODES = 255  # clock and node limit are read when nodes & EVERY_NODES == 0


@dataclass(frozen=True, slots=True)
class Options:
    """The switches of the plain searches. `PLAIN` is the textbook."""

    quiescence: bool = False  # leaves are resolved by noisy moves
    ordering: bool = False  # the evaluator orders the moves


PLAIN = Options()


@functools.cache
def work_type(width: int) -> np.dtype[Any]:
    """The record's type for positions of at most `width` moves."""
    numbers = ("nodes", "node_limit", "deadline_ns", "stop", "guesses", "root_depth", "root_count", "best")
    switches = ("quiescence", "ordering", "ties")
    return np.dtype(
        [
            *((name, np.int64) for name in (*numbers, *switches)),
            ("random", np.uint64),  # state of the generator that breaks ties
            ("earlier", np.int64),  # how many of `keys` come before the root
            ("keys", np.uint64, (HISTORY_KEYS + PLIES,)),
            ("moves", np.int32, (PLIES, width)),
            ("scores", np.int32, (PLIES, width)),
            ("line", np.int32, (PLIES, PLIES)),  # triangular: line[ply][:line_length[ply]] is the best line from there
            ("line_length", np.int32, (PLIES,)),
        ],
        align=True,
    )


def new_record(dtype: np.dtype[Any]) -> Any:
    """A zeroed record of its own memory, with fields as attributes compiled and interpreted alike."""
    return np.zeros(1, dtype).view(np.recarray)[0]

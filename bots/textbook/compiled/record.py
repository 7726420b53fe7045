"""The memory of one compiled search: a record that the kernels read and write.

Its fields `nodes`, `node_limit`, `deadline_ns`, `stop`, `line` and `line_length` are what
bots/search/node_path.py expects.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tabiya.bots.search.record import HISTORY_KEYS
from tabiya.bots.search.scores import PLIES
from tabiya.games.rules import MOVE_NUMBERS

PLAIN, WINDOW, NULL_WINDOW, AT_MOVES = range(4)  # of `form`
UNKNOWN = np.int64(1 << 40)
SOFT, HARD, BOUND = 0, 1, 2  # of `fail`: what is returned from outside the window
SOONER, INFINITE, ONE = 0, 1, 2  # of `wins`
NO_GUESS, EVALUATION, CAPTURES, ITERATION, KILLER, HISTORY = range(6)  # of `guess`

SWITCHES = (
    "form",
    "fail",
    "strict",
    "resets",
    "tests_ends",
    "enough",  # a value that ends a node at once: 1 for preclusion, otherwise out of reach
    "wins",
    "grain",
    "quiescence",
    "near",
    "exact_gains",  # while |evaluation| is less, a move's priority is what it changes of it; 0: nothing is known
    "guess",
    "sorted_moves",  # so many moves are brought to the front, all if 0
)
COUNTS = ("nodes", "leaves", "cuts", "unseen", "researches", "quiet", "inexact_nodes")
LIMITS = ("node_limit", "deadline_ns", "soft_ns", "stop", "first_depth", "last_depth", "alpha", "beta", "each")
RESULTS = ("value", "depth", "best_line_length", "root_moves")


@functools.cache
def record_type(width: int) -> np.dtype[Any]:
    """The record's type for positions of at most `width` moves."""
    return np.dtype(
        [
            *((name, np.int64) for name in (*SWITCHES, *COUNTS, *LIMITS, *RESULTS)),
            ("random", np.uint64),  # state of the generator that chooses among equal moves
            ("earlier", np.int64),  # how many of `keys` there are
            ("keys", np.uint64, (HISTORY_KEYS,)),  # of the positions before the root, oldest first
            ("moves", np.int32, (PLIES, width)),
            ("scores", np.int64, (PLIES, width)),
            (
                "values",
                np.int64,
                (width,),
            ),  # of the root's moves, when `each` is asked for: see `value_each`
            ("line", np.int32, (PLIES, PLIES)),  # triangular: line[ply][:line_length[ply]] is the best line from there
            ("line_length", np.int32, (PLIES,)),
            ("best_line", np.int32, (PLIES,)),  # of the last finished iteration
            ("played", np.int32, (PLIES,)),  # the move under way at each ply
            ("before", np.int64, (PLIES,)),  # the evaluation there, UNKNOWN until it is asked for
            ("on_line", np.int8, (PLIES,)),  # whether the path so far is that line
            ("killers", np.int32, (PLIES, 2)),
            ("history", np.int64, (2, MOVE_NUMBERS)),
        ],
        align=True,
    )

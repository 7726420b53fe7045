"""The memory of a search: records that kernels read and write, one of each thread and one that threads have together.

The type of a thread's record depends on the evaluator's `width` only, so there is one specialisation per game. Its
fields `nodes`, `node_limit`, `deadline_ns`, `stop`, `keys`, `earlier`, `line` and `line_length` are what
bots/search/node_path.py expects.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tabiya.bots.engine.options import NAMES
from tabiya.bots.engine.transposition_table import NO_MOVE
from tabiya.bots.evaluators.base import SLOTS
from tabiya.bots.search.record import HISTORY_KEYS, new_record
from tabiya.bots.search.scores import PLIES

CORRECTION_KINDS, CORRECTION_KEYS = 4, 1 << 14
NO_SLOT = SLOTS  # of a pass, and before the root
NUMBERS = (
    *("nodes", "node_limit", "deadline_ns", "stop", "inexact_nodes"),
    *("root_depth", "ends", "best", "value", "has_partial", "effort"),
    *("null_from", "age", "earlier"),
    *("deepest", "root_count", "threads"),
)


# Killers and history statistics of quiet moves, of all threads. Nothing is locked: where two write the same number at
# the same time one update is lost, or a killer stands in both places.
SHARED_HISTORIES = np.dtype(
    [
        ("killer_moves", np.int32, (PLIES, 2)),
        ("quiet_history", np.int32, (2, SLOTS)),  # by seat and slot
        ("countermove_history", np.int16, (2, SLOTS + 1, SLOTS)),  # by seat, slot of the opponent's last move, slot
        ("followup_history", np.int16, (2, SLOTS + 1, SLOTS)),  # by seat, slot of one's own last move, slot
    ],
    align=True,
)


def new_histories() -> Any:
    """An empty record of killers and histories."""
    histories = new_record(SHARED_HISTORIES)
    clear_histories(histories)
    return histories


def clear_histories(histories: Any) -> None:
    """Empty them, for a search that remembers nothing."""
    for name in SHARED_HISTORIES.fields or ():
        histories[name][:] = 0
    clear_killers(histories)


def clear_killers(histories: Any) -> None:
    """Empty the killers, which belong to the plies below one root."""
    histories["killer_moves"][:] = NO_MOVE


@functools.cache
def thread_state_type(width: int) -> np.dtype[Any]:
    """The record's type for positions of at most `width` moves."""
    return np.dtype(
        [
            *((name, np.int64) for name in (*NUMBERS, *NAMES)),
            ("keys", np.uint64, (HISTORY_KEYS + PLIES,)),
            ("root_moves", np.int32, (width,)),  # the only ones searched at the root, root_count of them; 0: all
            ("moves", np.int32, (PLIES, width)),
            ("scores", np.int32, (PLIES, width)),
            ("line", np.int32, (PLIES, PLIES)),  # triangular: line[ply][:line_length[ply]] is the best line from there
            ("line_length", np.int32, (PLIES,)),
            ("checked", np.int64, (PLIES,)),  # whether the side to move there is in check
            ("evaluations", np.int64, (PLIES,)),  # of the path
            ("slots", np.int64, (PLIES,)),  # of the move made at each ply of the path; NO_SLOT for a pass
            ("passed", np.int64, (PLIES,)),  # whether it was a pass
            # of the evaluation, by what is the same, seat and hash of that; in sixteenths
            ("errors", np.int16, (CORRECTION_KINDS, 2, CORRECTION_KEYS)),
            ("excluded", np.int32, (PLIES,)),  # the move that a node is searched without; NO_MOVE for none
        ],
        align=True,
    )

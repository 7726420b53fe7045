"""ABDADA: a thread defers a move that another thread is searching at the moment.

Before a thread searches a move of a node, it marks the two in memory that all threads share; a thread that comes to a
marked move tries the node's other moves first. When it comes back to it, the value mostly is in the table already.
Nothing is locked: a mark that is overwritten, or seen too late, costs time and nothing else.

This is ABDADA (Weill 1996) as Kerrigan has simplified it. Four deviations: a mark is a single word that the
later thread overwrites; what is put off stays in the list of moves, at its end; how late a move is, on which reductions
and pruning depend, is judged by the place it had before; and where the window is closed only moves of deep nodes are
marked: with all of them two threads were not seen to be sooner, and visited fewer nodes a second.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.engine.move_order import next_move
from tabiya.bots.engine.transposition_table import EXTRA_ENTRIES, MARK_ENTRIES
from tabiya.games.compiled.bits import U, mix
from tabiya.games.compiled.jit import njit

SHARED_DEPTH = 3  # with less left, a mark costs more than it saves
CLOSED_DEPTH = 6  # the least where the window is closed; with 4, 5, 7 or 8 no difference was seen
DEFERRED = np.int32(1 << 29)  # more than any score: what is deferred comes after everything else
LAST_MARK = U(MARK_ENTRIES - 1)
NO_MARK = U(0)


@njit
def marks_moves(work: Any, depth: Any, open_window: Any) -> Any:
    """Whether the moves of a node, but for the first, are marked while a thread searches them."""
    return work.threads > 1 and depth >= (SHARED_DEPTH if open_window else CLOSED_DEPTH)


@njit
def mark_of(key: Any, move: Any) -> Any:
    """The mark (uint64) of a move of the node with this key."""
    return key ^ mix(U(move + 1))


@njit
def mark_index(table: Any, mark: Any) -> Any:
    """The index of the entry behind the table's buckets in which this mark is."""
    return np.int64(table.size - EXTRA_ENTRIES) + np.int64(mark & LAST_MARK)


@njit
def set_mark(table: Any, key: Any, move: Any) -> None:
    """Mark a move as searched by a thread at the moment."""
    mark = mark_of(key, move)
    table[mark_index(table, mark)].check = mark


@njit
def clear_mark(table: Any, key: Any, move: Any) -> None:
    """Remove the mark of a move, if it is still there."""
    mark = mark_of(key, move)
    place = mark_index(table, mark)
    if table[place].check == mark:
        table[place].check = NO_MARK


@njit
def next_unmarked(work: Any, table: Any, key: Any, shared: Any, ply: Any, i: Any, count: Any) -> Any:
    """Move number `i` of the node as `next_move` has it, but moves that another thread is searching come last."""
    move = next_move(work, ply, i, count)
    if i == 0 or not shared:
        return move
    scores = work.scores[ply]
    while scores[i] > -DEFERRED // 2:
        mark = mark_of(key, move)
        if table[mark_index(table, mark)].check != mark:
            return move
        scores[i] -= DEFERRED
        move = next_move(work, ply, i, count)
    scores[i] += DEFERRED  # all that are left have been put off
    return move


@njit
def rank_of(work: Any, shared: Any, ply: Any, i: Any) -> Any:
    """How many of the moves tried before move number `i` of the node score no less: `i`, where nothing was put off."""
    if not shared:
        return i
    scores, rank = work.scores[ply], np.int64(0)
    for j in range(i):
        if scores[j] >= scores[i]:
            rank += 1
    return rank

"""Values and lines of nodes on the principal variation, shared between threads.

Where the window is open, every value depends on the values before it, and two threads that come to the same node by
themselves find values that differ a little. From then on their windows differ, and what one of them finds off the
variation answers no question of the other. So a thread that finds a better move there, or has done with all of them,
writes down the value and the line in memory that all threads share, and a thread at the same node in the same iteration
takes them over.

Nothing is locked: a record's check ties its words together as in the transposition table, so one that two threads have
written at the same time is of no node. It is an entry, then the line, four moves in the word of every next entry; where
an entry of the table has the evaluation, it has the length of the line.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.engine.abdada import SHARED_DEPTH
from tabiya.bots.engine.transposition_table import (
    EXACT,
    INEXACT_BIT,
    MISS,
    NO_MOVE,
    PV_ENTRIES,
    bound_of,
    depth_of,
    evaluation_in,
    flags_of,
    is_deep_enough,
    pack,
    value_in,
)
from tabiya.bots.search.scores import INFINITE, PLIES, to_table
from tabiya.games.compiled.bits import ZERO, U, mix
from tabiya.games.compiled.jit import njit

RECORD = 32  # entries
LAST_RECORD = U(PV_ENTRIES // RECORD - 1)
MOVES_OF_WORD, MOVE_BITS, MOVE = 4, 16, U(0xFFFF)


@njit
def is_published(work: Any, depth: Any, ply: Any, alpha: Any, beta: Any) -> Any:
    """Whether a node's value is shared with other threads; not where only some of the root's moves are searched."""
    return work.threads > 1 and depth >= SHARED_DEPTH and beta - alpha > 1 and (ply > 0 or work.root_count == 0)


@njit
def record_key(work: Any, key: Any) -> Any:
    """The key of a record: of this node in this iteration (uint64)."""
    return mix(key ^ U(work.root_depth))


@njit
def record_index(table: Any, name: Any) -> Any:
    """The index of the record's first entry, behind everything else in the table."""
    return np.int64(table.size - PV_ENTRIES) + np.int64(name & LAST_RECORD) * RECORD


@njit
def word_count(length: Any) -> Any:
    """How many words a line of that many moves takes."""
    return (length + MOVES_OF_WORD - 1) // MOVES_OF_WORD


@njit
def pack_moves(work: Any, ply: Any, number: Any) -> Any:
    """Word `number` of work.line[ply]."""
    word, first = ZERO, number * MOVES_OF_WORD
    for i in range(min(MOVES_OF_WORD, work.line_length[ply] - first)):
        word |= (U(work.line[ply, first + i]) & MOVE) << U(i * MOVE_BITS)
    return word


@njit
def unpack_moves(work: Any, ply: Any, number: Any, word: Any) -> None:
    """Write word `number` of a line into work.line[ply]."""
    for i in range(MOVES_OF_WORD):
        if number * MOVES_OF_WORD + i < PLIES:
            work.line[ply, number * MOVES_OF_WORD + i] = np.int32(word >> U(i * MOVE_BITS) & MOVE)


@njit
def read_record(work: Any, table: Any, place: Any, name: Any, data: Any, ply: Any) -> Any:
    """Whether the record there, whose data word was `data`, is of this node and iteration, and whole.

    If so, its line is in work.line[ply]; if not, nothing of use.
    """
    length, check = np.int64(evaluation_in(data)), table[place].check ^ data
    if data == ZERO or not 0 < length < PLIES:
        return False
    for i in range(word_count(length)):
        word = table[place + 1 + i].word
        check ^= mix(word ^ U(i))
        unpack_moves(work, ply, i, word)
    return check == name


@njit
def is_better(data: Any, value: Any, bound: Any, ply: Any) -> Any:
    """Whether the record with this data word says at least as much as a new value with its bound."""
    known = value_in(data, ply)
    return bound_of(data) == EXACT or known > value or (known == value and bound != EXACT)


@njit
def publish(work: Any, table: Any, key: Any, depth: Any, value: Any, bound: Any, inexact_nodes: Any, ply: Any) -> None:
    """Write down that the node is worth `value`, or at least that (bound: EXACT, LOWER), by work.line[ply].

    inexact_nodes: work.inexact_nodes before the node.  work.line[ply + 1] is written to.
    """
    name, length = record_key(work, key), np.int64(work.line_length[ply])
    place = record_index(table, name)
    known = table[place].word
    says_more = depth_of(known) >= depth and is_better(known, value, bound, ply)
    if says_more and read_record(work, table, place, name, known, ply + 1):
        return
    flags = bound | (INEXACT_BIT if work.inexact_nodes != inexact_nodes else np.int64(0))
    data = pack(NO_MOVE, np.int64(to_table(value, ply)), length, np.int64(depth), np.int64(flags))
    check = name ^ data
    for i in range(word_count(length)):
        word = pack_moves(work, ply, i)
        table[place + 1 + i].word = word
        check ^= mix(word ^ U(i))
    table[place].word = data
    table[place].check = check


@njit
def read_published(work: Any, table: Any, key: Any, depth: Any, least: Any, ply: Any) -> Any:
    """The data word of the node's record, its line in work.line[ply]; ZERO if there is none that says more.

    More is a value above `least`, or that nothing above `least` will be found. work.line[ply + 1] is written to.
    """
    name = record_key(work, key)
    place = record_index(table, name)
    data = table[place].word
    value, length = value_in(data, ply), np.int64(evaluation_in(data))
    publishes = value > least or (value == least and bound_of(data) == EXACT)
    if (
        not publishes
        or not is_deep_enough(work, data, depth)
        or not read_record(work, table, place, name, data, ply + 1)
    ):
        return ZERO
    for i in range(length):
        work.line[ply, i] = work.line[ply + 1, i]
    work.line_length[ply] = length
    work.inexact_nodes += flags_of(data) & INEXACT_BIT
    return data


@njit
def published_value(work: Any, table: Any, key: Any, depth: Any, ply: Any) -> Any:
    """The value of a node that a thread has finished, its line in work.line[ply]; else MISS."""
    data = read_published(work, table, key, depth, -INFINITE, ply)
    if data == ZERO or bound_of(data) != EXACT:
        work.line_length[ply] = 0
        return MISS
    return value_in(data, ply)

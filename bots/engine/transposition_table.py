"""The transposition table: what is already known of a position, shared by all threads of an engine.

An entry is two words, `check` and `word`, with check = key XOR word (Hyatt and Mann 2002): an entry whose words come
from two threads fits no key and counts as empty, so nothing is ever locked. Four entries are a bucket, one line of the
processor's cache. (A field named `data` would be the record's own buffer where this runs interpreted.)

| bits of the word | what |
| --- | --- |
| 0-15 | the best move, 65535 for none |
| 16-31 | the value, mates counted from the node |
| 32-47 | the evaluation of the position by itself, UNKNOWN for none |
| 48-55 | the depth |
| 56-57 | EXACT, LOWER or UPPER |
| 58 | whether an evaluation is part of the value |
| 59-63 | the age of the search that wrote it |
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.search.scores import from_table, to_table
from tabiya.games.compiled.bits import ZERO, U
from tabiya.games.compiled.jit import njit
from tabiya.games.compiled.prefetch import prefetch

ENTRY = np.dtype([("check", np.uint64), ("word", np.uint64)], align=True)
BUCKET = 4
# entries behind the buckets for what threads tell one another: abdada.py, pv_sharing.py
MARK_ENTRIES, PV_ENTRIES = 1 << 10, 1 << 13
EXTRA_ENTRIES = MARK_ENTRIES + PV_ENTRIES
AGES = 32
SAMPLE = 1_000
AGE_WORTH = 8  # plies: an entry counts so much less for each search since it was written
NO_MOVE = np.int64(-1)
EXACT, LOWER, UPPER = np.int64(1), np.int64(2), np.int64(3)
MISS = np.int64(1 << 30)  # no value
UNKNOWN = np.int64(-32_768)  # no evaluation
LONG_SINCE = np.int64(90)  # plies without change
INEXACT_BIT, AGE_SHIFT = np.int64(4), np.int64(3)
WORD, BYTE = np.int64(0xFFFF), np.int64(0xFF)
VALUE_AT, EVALUATION_AT, DEPTH_AT, FLAGS_AT = U(16), U(32), U(48), U(56)
WORD_BITS = U(0xFFFF)


def new_table(megabytes: float) -> Any:
    """A table: the largest power of two of buckets within `megabytes`, at least one; and the entries behind them."""
    line = BUCKET * ENTRY.itemsize
    buckets = max(1, int(megabytes * 2**20) // line)
    size = (BUCKET << (buckets.bit_length() - 1)) + EXTRA_ENTRIES
    room = np.zeros(size + BUCKET, ENTRY)
    first = -room.ctypes.data % line // ENTRY.itemsize
    return room[first : first + size].view(np.recarray)


def written_by(table: Any, age: int) -> float:
    """Which part of the table was written at this age, 0 to 1, judged by its first thousand entries."""
    words = table["word"][: min(SAMPLE, table.size - EXTRA_ENTRIES)]
    return float(np.mean((words != 0) & (words >> np.uint64(59) == age)))


@njit
def pack(move: Any, value: Any, evaluation: Any, depth: Any, flags: Any) -> Any:
    """The data word; all five are int64 within their bits."""
    low = U(move & WORD) | U(value & WORD) << VALUE_AT | U(evaluation & WORD) << EVALUATION_AT
    return low | U(depth & BYTE) << DEPTH_AT | U(flags & BYTE) << FLAGS_AT


@njit
def signed(word: Any) -> Any:
    """Sixteen bits as a number with a sign."""
    return (np.int64(word & WORD_BITS) ^ 0x8000) - 0x8000


@njit
def move_of(data: Any) -> Any:
    """The best move of an entry, or NO_MOVE; of the empty word NO_MOVE too. It may be of another position."""
    move = np.int64(data & WORD_BITS)
    return NO_MOVE if move == WORD or data == ZERO else move


@njit
def evaluation_in(data: Any) -> Any:
    """The evaluation in an entry, or UNKNOWN."""
    return UNKNOWN if data == ZERO else signed(data >> EVALUATION_AT)


@njit
def value_in(data: Any, ply: Any) -> Any:
    """The value in an entry, mates counted from the root."""
    return from_table(signed(data >> VALUE_AT), ply)


@njit
def bound_of(data: Any) -> Any:
    """EXACT, LOWER or UPPER; 0 of the empty word."""
    return flags_of(data) & 3


@njit
def depth_of(data: Any) -> Any:
    """The depth of an entry."""
    return np.int64(data >> DEPTH_AT) & BYTE


@njit
def flags_of(data: Any) -> Any:
    """Bound, guess and age of an entry."""
    return np.int64(data >> FLAGS_AT)


@njit
def first_of(table: Any, key: Any) -> Any:
    """The index of the first entry of the bucket of `key`."""
    return np.int64(key & U((table.size - EXTRA_ENTRIES) // BUCKET - 1)) * BUCKET


@njit
def prefetch_bucket(table: Any, key: Any) -> None:
    """Begin to load the bucket of `key` from memory."""
    prefetch(table, first_of(table, key))


@njit
def is_timeless(game: Any, state: Any) -> Any:
    """Whether the table may be used: no draw by fifty moves is near, which entries do not count."""
    return game.repeats(state) < LONG_SINCE


@njit
def probe(work: Any, table: Any, key: Any) -> Any:
    """The data word of the position, or ZERO."""
    if work.table != 0:
        first = first_of(table, key)
        for i in range(first, first + BUCKET):
            data = table[i].word
            if table[i].check ^ data == key and data != ZERO:
                return data
    return ZERO


@njit
def is_deep_enough(work: Any, data: Any, depth: Any) -> Any:
    """Whether an entry answers a search to `depth`."""
    known = depth_of(data)
    return known == depth or (known > depth and work.exact_depth == 0)


@njit
def cutoff_value(work: Any, data: Any, depth: Any, alpha: Any, beta: Any, ply: Any) -> Any:
    """A value that decides a node as a search to `depth` would, or MISS.

    Only null windows are answered: a node with an open window is on the principal variation, whose line is wanted.
    """
    if data == ZERO or beta - alpha > 1 or not is_deep_enough(work, data, depth):
        return MISS
    flags = flags_of(data)
    bound = flags & 3
    value = value_in(data, ply)
    if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
        work.inexact_nodes += flags & INEXACT_BIT
        return value
    return MISS


@njit
def replacement_value(data: Any, age: Any) -> Any:
    """How much an entry deserves to stay."""
    return depth_of(data) - AGE_WORTH * ((age - (flags_of(data) >> AGE_SHIFT)) & (AGES - 1))


@njit
def store(
    work: Any,
    table: Any,
    key: Any,
    depth: Any,
    move: Any,
    value: Any,
    bound: Any,
    inexact_nodes: Any,
    evaluation: Any,
    ply: Any,
) -> None:
    """Keep what the search of a node found, in place of the position's own entry or of the least worth keeping.

    inexact_nodes: work.inexact_nodes before the node: if it has grown, an evaluation took part in the value.  A deeper
    entry of this search stays, unless the new one is exact.
    """
    if work.table == 0:
        return
    first = first_of(table, key)
    place, least = first, np.int64(1 << 20)
    for i in range(first, first + BUCKET):
        data = table[i].word
        if table[i].check ^ data == key and data != ZERO:
            if bound != EXACT and depth + 3 < depth_of(data) and flags_of(data) >> AGE_SHIFT == work.age:
                return
            if move == NO_MOVE:
                move = move_of(data)
            place = i
            break
        kept = np.int64(-(1 << 19)) if data == ZERO else replacement_value(data, work.age)
        if kept < least:
            place, least = i, kept
    flags = bound | (INEXACT_BIT if work.inexact_nodes != inexact_nodes else np.int64(0)) | work.age << AGE_SHIFT
    data = pack(np.int64(move), np.int64(to_table(value, ply)), np.int64(evaluation), np.int64(depth), np.int64(flags))
    table[place].check = key ^ data
    table[place].word = data

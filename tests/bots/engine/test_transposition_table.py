"""The transposition table's memory, and which entries decide a node."""

from __future__ import annotations

import pytest

from tabiya.bots.engine import transposition_table
from tabiya.bots.engine.state import thread_state_type
from tabiya.bots.engine.transposition_table import (
    BUCKET,
    ENTRY,
    EXACT,
    EXTRA_ENTRIES,
    LOWER,
    MISS,
    NO_MOVE,
    UPPER,
    new_table,
)
from tabiya.bots.search.record import new_record
from tests.kernels import called

pack, cutoff_value = called(transposition_table.pack), called(transposition_table.cutoff_value)
ALPHA = 20  # of a null window, beta is 21
LINE = 64  # bytes of a line of the processor's cache


@pytest.mark.parametrize("megabytes", [0, 0.001, 0.5, 1, 3, 16])
def test_every_bucket_is_one_line_of_the_cache_and_the_table_is_within_its_size(megabytes: float) -> None:
    table = new_table(megabytes)
    assert BUCKET * ENTRY.itemsize == LINE
    assert table.ctypes.data % LINE == 0
    buckets, rest = divmod(table.size - EXTRA_ENTRIES, BUCKET)
    assert rest == 0
    assert buckets & (buckets - 1) == 0
    assert buckets == 1 or megabytes / 2 < buckets * LINE / 2**20 <= megabytes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bound", "deciding"), [(EXACT, {19, 20, 21, 22}), (LOWER, {21, 22}), (UPPER, {19, 20})], ids=["=", ">=", "<="]
)
def test_a_bound_decides_a_node_on_its_own_side_of_the_null_window_alone(bound: int, deciding: set[int]) -> None:
    work, depth, ply = new_record(thread_state_type(9)), 5, 3
    for value in (ALPHA - 1, ALPHA, ALPHA + 1, ALPHA + 2):
        entry = pack(int(NO_MOVE), value, 0, depth, int(bound))
        found = cutoff_value(work, entry, depth, ALPHA, ALPHA + 1, ply)
        assert found == (value if value in deciding else MISS), value
        assert cutoff_value(work, entry, depth + 1, ALPHA, ALPHA + 1, ply) == MISS
        assert cutoff_value(work, entry, depth, ALPHA, ALPHA + 2, ply) == MISS

"""The transposition table's memory."""

from __future__ import annotations

import pytest

from tabiya.bots.engine.transposition_table import BEHIND, BUCKET, ENTRY, new_table

LINE = 64  # bytes of a line of the processor's cache


@pytest.mark.parametrize("megabytes", [0, 0.001, 0.5, 1, 3, 16])
def test_every_bucket_is_one_line_of_the_cache_and_the_table_is_within_its_size(megabytes: float) -> None:
    table = new_table(megabytes)
    assert BUCKET * ENTRY.itemsize == LINE
    assert table.ctypes.data % LINE == 0
    buckets, rest = divmod(table.size - BEHIND, BUCKET)
    assert rest == 0
    assert buckets & (buckets - 1) == 0
    assert buckets == 1 or megabytes / 2 < buckets * LINE / 2**20 <= megabytes

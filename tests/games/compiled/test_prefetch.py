"""Memory that is asked for early is as it was, and is really asked for."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from tabiya.games.compiled.prefetch import prefetch

ENTRY = np.dtype([("check", np.uint64), ("word", np.uint64)], align=True)


@numba.njit  # type: ignore[untyped-decorator]
def fetch_compiled(records: Any, index: Any) -> None:
    prefetch(records, index)


def test_a_prefetch_changes_no_value() -> None:
    records = np.arange(64, dtype=np.uint64).view(ENTRY)
    before = records.copy()
    for index in (0, 5, records.size - 1, -1, 10**12):  # beyond the ends, too: nothing is read
        fetch_compiled(records, index)
        prefetch(records, index)
    assert (records == before).all()


def test_the_machine_code_has_a_prefetch() -> None:
    fetch_compiled(np.zeros(4, ENTRY), 1)
    assert all("@llvm.prefetch" in text for text in fetch_compiled.inspect_llvm().values())

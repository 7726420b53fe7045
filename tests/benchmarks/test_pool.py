"""The benchmark of pools does what it says; it measures nothing here."""

from __future__ import annotations

import pytest

from benchmarks.pool import measured

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


async def test_both_places_are_asked_equally_often() -> None:
    local, dask = await measured("random", "nim", moves=20, rounds=2)
    assert (local.where, local.moves, local.ratio) == ("local", 40, 1.0)
    assert (dask.where, dask.moves) == ("dask", 40)
    assert dask.ratio == dask.median_ms / local.median_ms
    assert local.p99_ms >= local.median_ms > 0

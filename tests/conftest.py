"""For all tests: the workers that pytest-xdist starts, and their order."""

from __future__ import annotations

import os

import pytest

from tests.dealing import dealt, workers_for

LONG_S = 120  # what asks for more time than the usual is long


def pytest_xdist_auto_num_workers() -> int | None:
    """What `-n auto` means; the variable of pytest-xdist goes first."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else workers_for(os.cpu_count())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each worker begins with its share of the long tests."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1 and len(items) > 100 * workers:  # of a few tests a worker may have fewer than its long ones
        long = [item for item in items if is_long(item)]
        items[:] = dealt(long, [item for item in items if not is_long(item)], workers)


def is_long(item: pytest.Item) -> bool:
    """Whether a test asks for more time than others."""
    return any(marker.args[0] > LONG_S for marker in item.iter_markers("timeout"))

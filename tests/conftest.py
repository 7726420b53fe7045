"""For all tests: the workers that pytest-xdist starts, and their order."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Generator
from itertools import groupby
from pathlib import Path

import pytest

from tests.worker_shares import shares_of_workers, workers_for

# As in the Makefile: else each process that a test starts compiles the same sources again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_xdist_auto_num_workers() -> int | None:
    """What `-n auto` means; the variable of pytest-xdist goes first."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else workers_for(os.cpu_count())


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """What is collected stays: later no garbage is looked for in it, which took a tenth of the quick tests' time."""
    gc.disable()
    try:
        import_a_share(session.config)
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each worker begins with its share of the slow tests, and among them with those that ask for most time."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1:
        slow = [list(file) for _, file in groupby(filter(is_slow, items), key=lambda item: item.path)]
        slow.sort(key=lambda file: -max(map(time_limit_s, file)))
        items[:] = shares_of_workers(slow, [item for item in items if not is_slow(item)], workers)


def import_a_share(config: pytest.Config) -> None:
    """Import, before other workers do, a part of the files of tests, which is then compiled for all of them.

    Otherwise all compile each file at the same moment. What fails here fails again where pytest imports it.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    root = config.rootpath
    folders = [path for path in map(Path, config.args) if path.is_dir()]
    files = sorted(file.resolve() for folder in folders for file in folder.rglob("test_*.py"))
    for file in files[number % workers :: workers] if workers > 1 else ():
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(root).with_suffix("").parts))


def is_slow(item: pytest.Item) -> bool:
    """Whether a test is marked so, or asks for more time than others."""
    return item.get_closest_marker("slow") is not None or time_limit_s(item) > 0


def time_limit_s(item: pytest.Item) -> float:
    """The time for which a test asks; 0 for the usual one."""
    marker = item.get_closest_marker("timeout")
    return float(marker.args[0]) if marker else 0.0

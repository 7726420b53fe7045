"""The rules, the wire and the match core are pure: no clock, socket, event loop, randomness or database."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.source_rules.sources import ROOT, python_files, uses

PURE = ("games", "protocol", "server/core")

IMPURE = {
    "a clock": ("time", "datetime", "calendar", "sched", "zoneinfo", "os.times", "timeit"),
    "a socket or a peer": ("socket", "socketserver", "ssl", "select", "selectors", "http", "urllib", "aiohttp"),
    "a websocket": ("websockets",),
    "an event loop": ("asyncio", "uvloop", "signal"),
    "a thread or a process": ("threading", "multiprocessing", "concurrent", "subprocess", "queue", "pebble"),
    "randomness": ("random", "secrets", "uuid", "numpy.random", "os.urandom", "os.getrandom"),
    "a database": ("sqlite3", "dbm", "shelve", "sqlalchemy", "alembic", "aiosqlite", "asyncpg"),
}

# File -> what it may use, and why that keeps the promise.  A test holds that every exception is still needed.
EXCEPTIONS: dict[str, dict[str, str]] = {}


def impurities(source: str, path: Path) -> list[tuple[str, str]]:
    """What a file uses that a pure one must not: (the module of IMPURE, one sentence)."""
    return [
        (module, f"{path}:{use.line} uses {use.name}, which is {kind}")
        for use in uses(source, path)
        for kind, modules in IMPURE.items()
        for module in modules
        if use.is_in(module)
    ]


def used(path: Path) -> list[tuple[str, str]]:
    return impurities((ROOT / path).read_text("utf-8"), path)


@pytest.mark.parametrize("folder", PURE)
def test_a_pure_folder_uses_nothing_impure(folder: str) -> None:
    files = python_files(folder)
    assert files, f"{folder}/ holds no Python file: has it moved?"
    excepted = {(file, module) for file, reasons in EXCEPTIONS.items() for module in reasons}
    assert [text for file in files for module, text in used(file) if (file.as_posix(), module) not in excepted] == []


def test_every_exception_has_a_reason_and_is_still_needed() -> None:
    for file, reasons in EXCEPTIONS.items():
        assert set(reasons) <= {module for module, _ in used(Path(file))}, f"{file} no longer needs its exception"
        assert all(len(reason) > 20 for reason in reasons.values()), f"{file}: say why"


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "from datetime import datetime",
        "def f():\n    import socket",
        "from asyncio import get_running_loop",
        "import concurrent.futures",
        "import numpy as np\nx = np.random.default_rng(1)",
        "from numpy import random",
        "import os\nkey = os.urandom(8)",
        "from os import urandom",
        "import sqlalchemy as sa",
        "import websockets.asyncio.server",
        "__import__('random')",
    ],
)
def test_impurity_is_found(source: str) -> None:
    assert impurities(source, Path("games/somewhere.py"))


@pytest.mark.parametrize(
    "source",
    [
        "import os\nfolder = os.fspath(here)",
        "import numpy as np\nx = np.zeros(3)",
        "from tabiya.protocol import time_control\ntime_control.parse('60')",
        "class Clock:\n    time: int\n\ndef f(clock):\n    return clock.time",
    ],
)
def test_what_only_looks_impure_is_left_alone(source: str) -> None:
    assert impurities(source, Path("protocol/somewhere.py")) == []

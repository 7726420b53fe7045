"""How long each query takes in a database with very many games, and whether it scans a whole table."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from tabiya.games.registry import names
from tabiya.storage.address import parse_address
from tabiya.storage.sql.upgrade import current, upgrade
from tests.storage.sql.statements.filled import fill, on_database
from tests.storage.sql.statements.questions import QUESTIONS, Question, gone_through, plan

AGAIN = 5
COLUMNS = {
    "what": ("", "<28"),
    "rows": ("rows", ">7d"),
    "first_ms": ("first ms", ">10.1f"),
    "again_ms": ("again ms", ">10.1f"),
    "whole": ("gone through", "<30"),
}


@dataclass(frozen=True)
class Asked:
    """One query. rows: of the answer.  again_ms: median of repetitions.  whole: tables that it scans."""

    what: str
    rows: int
    first_ms: float
    again_ms: float
    whole: str


def measure(url: str, games: int, plies: int) -> Iterator[Asked]:
    """Fill the database if it is not there or empty, and ask everything."""
    address = parse_address(url)
    if address.kind == "sqlite" and not address.path.exists():
        address.path.touch(mode=0o600)
    if asyncio.run(current(url)) is None:
        asyncio.run(upgrade(url))
        on_database(url, partial(fill, games=games, plies=plies, names=names()), writing=True)
    for what, question in QUESTIONS.items():
        yield on_database(url, partial(_asked, what=what, question=question))


def _asked(connection: Any, what: str, question: Question) -> Asked:
    took, answer = list[float](), None
    for _ in range(1 + AGAIN):
        began = time.perf_counter()
        answer = question(connection)
        took.append(1_000 * (time.perf_counter() - began))
    count = len(answer) if hasattr(answer, "__len__") else int(answer is not None)
    whole = ", ".join(gone_through(plan(connection, question))) or "-"
    return Asked(what, count, took[0], statistics.median(took[1:]), whole)

"""Progress of long work: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any, Protocol

from tabiya.cli.output import note

LINE_S = 10.0  # how often a plain line is written


class Progress(Protocol):
    """Shows how far several pieces of work are."""

    def set(self, key: object, label: str, done: int, total: int) -> None:
        """The work `key` has `done` of `total` steps behind it."""


class _Bars:
    def __init__(self, rich_progress: Any) -> None:
        self._rich, self._tasks = rich_progress, dict[object, Any]()

    def set(self, key: object, label: str, done: int, total: int) -> None:
        if key not in self._tasks:
            self._tasks[key] = self._rich.add_task(label, total=total)
        self._rich.update(self._tasks[key], description=label, completed=done, total=total)


class _Lines:
    def __init__(self) -> None:
        self._said: dict[object, tuple[int, float]] = {}

    def set(self, key: object, label: str, done: int, total: int) -> None:
        before, at = self._said.get(key, (-1, 0.0))  # long ago: the first line comes at once
        now = time.monotonic()
        if done != before and (done == total or now - at >= LINE_S):
            note(f"{label}: {done} of {total} games")
            self._said[key] = (done, now)


@contextlib.contextmanager
def bars() -> Iterator[Progress]:
    """The progress display that fits standard error."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}", markup=False),  # a name may hold what rich takes for markup: [red]
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # standard output is for results
    with RichProgress(*columns, console=Console(stderr=True)) as shown:
        yield _Bars(shown)

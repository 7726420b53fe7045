"""Progress of long work: bars or a table on a terminal, plain lines elsewhere."""

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
    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._shown: dict[object, tuple[int, float]] = {}

    def set(self, key: object, label: str, done: int, total: int) -> None:
        before, at = self._shown.get(key, (-1, 0.0))  # long ago: the first line comes at once
        now = time.monotonic()
        if done != before and (done == total or now - at >= LINE_S):
            note(f"{label}: {done} of {total} {self._unit}")
            self._shown[key] = (done, now)


@contextlib.contextmanager
def bars() -> Iterator[Progress]:
    """The progress display that fits standard error."""
    if not sys.stderr.isatty():
        yield _Lines("games")
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


Facts = dict[str, str]
"""What is known of the work now, by its name."""


class FactsProgress(Protocol):
    """Shows the progress of one piece of work."""

    def set(self, facts: Facts, done: int, total: int) -> None:
        """The work has `done` of `total` steps behind it."""


class _FactsTable:
    def __init__(self, live: Any, unit: str) -> None:
        self._live, self._unit = live, unit

    def set(self, facts: Facts, done: int, total: int) -> None:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        drawn = Table.grid(padding=(0, 2))
        for name, fact in facts.items():
            drawn.add_row(name, Text(fact))  # a name may hold what rich takes for markup: [red]
        drawn.add_row(f"{done} of {total} {self._unit}", ProgressBar(total=total, completed=done, width=40))
        self._live.update(drawn)


class _FactsLines:
    def __init__(self, unit: str) -> None:
        self._lines = _Lines(unit)

    def set(self, facts: Facts, done: int, total: int) -> None:
        self._lines.set(0, ", ".join(f"{name} {fact}" for name, fact in facts.items() if fact), done, total)


@contextlib.contextmanager
def facts_table(unit: str = "games") -> Iterator[FactsProgress]:
    """One table on standard error that is kept up to date; lines where that is no terminal. unit: as for `bars`."""
    if not sys.stderr.isatty():
        yield _FactsLines(unit)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True)) as live:
        yield _FactsTable(live, unit)

"""Samples what a program and its child processes use of this machine.

meter = Meter(usage)                             # usage: anything with cpu_s and peak_mb
megabytes = meter.measure(pid, all_children())
async with watched(meter, lambda: pid): ...      # looks twice a second
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Protocol

import psutil

POLL_S = 0.5

Children = Mapping[int, Sequence[psutil.Process]]
"""The processes that each process has started, by its id."""


class Counted(Protocol):
    """Usage, kept up to date. cpu_s: seconds of processor.  peak_mb: megabytes of memory at the same time."""

    cpu_s: float
    peak_mb: float


class Meter:
    """Counts what one program uses, all its starts together."""

    def __init__(self, usage: Counted) -> None:
        self._usage, self._pid = usage, 0
        self._before_s = 0.0  # of earlier starts: the system's counter begins again at 0 with each

    def measure(self, pid: int, children: Children) -> float:
        """Look at a process and all that it has started; the megabytes of memory that they have now."""
        if pid != self._pid:
            self._pid, self._before_s = pid, self._usage.cpu_s
        memory, cpu_s = 0, 0.0
        for process in family(pid, children):
            with contextlib.suppress(psutil.Error):  # it has ended since it was listed
                memory += process.memory_info().rss
                times = process.cpu_times()
                # with that of its children that have ended, which are not in the family any more
                cpu_s += times.user + times.system + times.children_user + times.children_system
        megabytes = memory / (1 << 20)
        self._usage.peak_mb = max(self._usage.peak_mb, round(megabytes, 1))
        # never less than before: the time of a child without a wait is lost
        self._usage.cpu_s = max(self._usage.cpu_s, round(self._before_s + cpu_s, 2))
        return megabytes


def all_children() -> Children:
    """Of every process of this machine: looking once for a whole class is much cheaper than once for each."""
    found = defaultdict[int, list[psutil.Process]](list)
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):  # it has ended since it was listed
            found[process.ppid()].append(process)
    return found


def family(pid: int, children: Children) -> list[psutil.Process]:
    """The process and all its descendants, as far as they are there."""
    try:
        found = [psutil.Process(pid)]
    except psutil.Error:
        return []
    for process in found:  # grows meanwhile
        found += [child for child in children.get(process.pid, ()) if child not in found]
    return found


@contextlib.asynccontextmanager
async def watched(meter: Meter, pid: Callable[[], int | None]) -> AsyncIterator[None]:
    """Look at a program as long as the context lasts, and once more at its end. pid: its process; None: none now."""
    over = asyncio.Event()

    def sample() -> None:
        if (known := pid()) is not None:
            meter.measure(known, all_children())

    async def poll() -> None:
        is_last = False
        while not is_last:
            is_last = over.is_set()
            await asyncio.to_thread(sample)  # with many processes it would block the event loop for too long
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await over.wait()

    looking = asyncio.create_task(poll(), name="what a program uses")
    try:
        yield
    finally:
        over.set()
        await looking

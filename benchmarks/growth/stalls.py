"""How long the event loop stands still while threads read, write and fit the counted results.

In processor time of the whole process, so that other work on the machine does not count: it is at least as much as what
a thread took without letting the loop go on.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabiya.processes.server_process import SWITCH_S
from tabiya.server.standings.cache import COUNTERS_KEY
from tabiya.server.standings.compute import fit_standings
from tabiya.server.standings.counters import ALL_VERSIONS, CountedResults, View
from tabiya.storage.open import open_store

TICK_S, TIMES = 0.001, 5
COLUMNS = {"what": ("", "<30"), "cpu_ms": ("CPU ms", ">7.0f"), "stall_ms": ("stall ms", ">9.1f")}


@dataclass(frozen=True)
class Stall:
    """Work in a thread. cpu_ms: the median of its runs.  stall_ms: the longest of all runs."""

    what: str
    cpu_ms: float
    stall_ms: float


async def stalls(database: Path) -> list[Stall]:
    """Read, fit and write the kept counts of this database, which a server must have counted before."""
    gc.collect()
    gc.freeze()  # as a server does when it has started
    sys.setswitchinterval(SWITCH_S)
    store = await open_store(str(database), create=False)
    text = await store.setting(COUNTERS_KEY)
    await store.close()
    if text is None:
        raise SystemExit(f"no server has counted the results of {database}")
    counted = CountedResults.from_text(text)
    found = [
        await _measured("reading the counts", CountedResults.from_text, text),
        await _measured("writing the counts", counted.text),
    ]
    for game, counters in counted.games.items():
        most_played = counters.by_time.most_common(1)[0][0]
        views = {"": View(), ", whole bots": ALL_VERSIONS, f", {most_played} only": View(time=most_played)}
        for name, view in views.items():
            found.append(await _measured(f"fit of {game}{name}", fit_standings, counters, view))
    return found


async def _measured(what: str, work: Callable[..., Any], *given: Any) -> Stall:
    taken, longest = [], 0.0
    for _ in range(TIMES):
        async with _watched() as held:
            began = time.process_time()
            await asyncio.to_thread(work, *given)
            taken.append(time.process_time() - began)
            await asyncio.sleep(2 * TICK_S)
        longest = max(longest, *held)
    return Stall(what, 1_000 * sorted(taken)[TIMES // 2], 1_000 * longest)


@contextlib.asynccontextmanager
async def _watched() -> AsyncIterator[list[float]]:
    """Processor seconds between two turns of the loop."""
    held = [0.0, 0.0]

    async def watch() -> None:
        while True:
            before = time.process_time()
            await asyncio.sleep(TICK_S)
            held.append(time.process_time() - before)

    watching = asyncio.create_task(watch())
    await asyncio.sleep(TICK_S)
    try:
        yield held
    finally:
        watching.cancel()

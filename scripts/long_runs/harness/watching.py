"""The other side of `watched_server`: starts it, collects its samples, and says what has grown.

async with watched(folder, every_s=5.0) as server:
    ...                                   # server.websocket_url, server.samples
report = server.report                    # after the block: what is left, what was logged as an error
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import statistics
import sys
from collections import Counter
from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import Any

from msgspec import Struct

from scripts.long_runs.harness.bot_processes import ROOT

START_S = 300.0  # rules that have changed are compiled first
STOP_S = 60.0
MB_PER_HOUR = 3_600.0
LINES_SHOWN = 40  # of the log, from the first error on
WARM_UP = 1 / 6  # of the run: caches fill, the allocator finds its size
Sample = dict[str, Any]


PASSING = ("connections", "matches", "bots", "frozen", "tasks", "sockets")  # must go with the peers


class Growth(Struct, frozen=True):
    """How the server's memory went after the warm-up; slope by least squares."""

    first_mb: float
    last_mb: float
    slope_mb_per_hour: float
    seconds: float

    @property
    def mb(self) -> float:
        """The growth over the observed time."""
        return self.slope_mb_per_hour * self.seconds / 3_600


def growth(samples: list[Sample]) -> Growth:
    """From the samples after the warm-up; of fewer than three, none is claimed."""
    last_s = samples[-1]["at_s"]
    steady = [sample for sample in samples if sample["at_s"] >= WARM_UP * last_s]
    if len(steady) < 3:
        return Growth(samples[0]["rss_mb"], samples[-1]["rss_mb"], 0.0, 0.0)
    at_s, rss_mb = [sample["at_s"] for sample in steady], [sample["rss_mb"] for sample in steady]
    slope = statistics.linear_regression(at_s, rss_mb).slope
    return Growth(rss_mb[0], rss_mb[-1], MB_PER_HOUR * slope, at_s[-1] - at_s[0])


def left_over(before: Sample, after: Sample, *, but: Collection[str] = ()) -> list[str]:
    """The counts that are higher after than before, one sentence each."""
    return [
        f"{what} are left when the peers are gone: {after[what]}, {before[what]} before they came"
        for what in PASSING
        if what not in but and after[what] > before[what]
    ]


class WatchedServer:
    """A running `watched_server`. samples: all until it was told to end.  last: its last line, once it has ended."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process, self.log = process, log
        self.websocket_url, self.pages_url = "", ""
        self.samples: list[Sample] = []
        self.last: dict[str, Any] = {}
        self._news = asyncio.Event()
        self._is_ending = False
        self._reader: asyncio.Task[None] | None = None

    async def listening(self) -> None:
        """Wait until it has said where it listens. Raises RuntimeError with its log if it ends before."""
        assert self._process.stdout is not None
        async with asyncio.timeout(START_S):
            line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server did not start:\n{self.log.read_text('utf-8', 'replace')}")
        addresses = json.loads(line)
        self.websocket_url, self.pages_url = addresses["websocket"], addresses["pages"]
        self.samples.append(addresses["sample"])
        self._reader = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            sample = json.loads(line)
            if "left" in sample:
                self.last = sample
            elif not self._is_ending:  # while it ends, what is left behind goes with everything else
                self.samples.append(sample)
            self._news.set()

    async def next_sample(self) -> Sample:
        """The next one it tells. Raises TimeoutError when the server has stopped answering."""
        seen = len(self.samples)
        async with asyncio.timeout(STOP_S):
            while len(self.samples) == seen:
                self._news.clear()
                await self._news.wait()
        return self.samples[-1]

    async def quiet(self, before: Sample, seconds: float) -> None:
        """Wait for a sample that has nothing more than `before`, but no longer than so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while left_over(before, await self.next_sample()):
                    pass

    async def end(self) -> None:
        """End it in order, or kill it when that takes too long."""
        self._is_ending = True
        if self._process.returncode is None:
            self._process.terminate()
            try:
                async with asyncio.timeout(STOP_S):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        if self._reader is not None:
            await self._reader

    def faults(self) -> list[str]:
        """Its faults after the end, one sentence each."""
        wrong = []
        if self._process.returncode != 0:
            wrong.append(f"the server ended with code {self._process.returncode}")
        if self.last.get("errors_logged", 1):
            wrong.append(f"{self.last.get('errors_logged', 'no count of')} errors were logged")
        if self.last.get("left"):
            wrong.append(f"tasks are left behind: {self.last['left']}")
        lines = self.log.read_text("utf-8", "replace").splitlines()
        kinds = Counter(line.split(" ", 1)[-1] for line in lines if " ERROR " in line or " CRITICAL " in line)
        wrong += [f"{count} times in the log: {kind}" for kind, count in kinds.most_common(5)]
        for number, line in enumerate(lines):
            if line.lstrip().startswith("Traceback") or " ERROR " in line or " CRITICAL " in line:
                wrong.append("\n".join(["the server's log:", *lines[max(0, number - 2) : number + LINES_SHOWN]]))
                break
        return wrong


@contextlib.asynccontextmanager
async def watched(folder: Path, every_s: float, **limits: Any) -> AsyncIterator[WatchedServer]:
    """A server with its database and log in `folder`, ended afterwards. limits: settings, such as LIMIT_FRAME_BYTES."""
    log = folder / "server.log"
    command = ("-m", "scripts.long_runs.harness.watched_server", str(folder / "games.db"), "--every", str(every_s))
    environment = os.environ | {f"TABIYA_{name.upper()}": str(value) for name, value in limits.items()}
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command, cwd=ROOT, env=environment, stdout=asyncio.subprocess.PIPE, stderr=errors
        )
    server = WatchedServer(process, log)
    try:
        await server.listening()
        yield server
    finally:
        await server.end()

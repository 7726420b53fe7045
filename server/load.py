"""Samples every two seconds how busy the server is, for the operator's page and /metrics."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Annotated

import psutil
from msgspec import Struct

from tabiya.protocol.messages.fields import doc
from tabiya.server.dispatcher import Dispatcher
from tabiya.server.transport.gateway import Gateway
from tabiya.storage.histogram import Histogram
from tabiya.storage.store import Store

EVERY_S = 2.0
SAMPLES_KEPT = 300  # samples: ten minutes


class LoadSample(Struct, frozen=True, kw_only=True):
    """How busy the server was in the two seconds before `at`."""

    at: Annotated[float, doc("When it was looked at.")]
    lag_ms: Annotated[float, doc("How late the event loop was at most; it is looked at every 10 ms.")]
    bots: Annotated[int, doc("Bots that are connected.")]
    matches: Annotated[int, doc("Matches under way.")]
    moves_per_s: Annotated[float, doc("Moves and results saved, each second.")]
    save_ms: Annotated[float, doc("How long the longest transaction took; 0 without one.")]
    waiting: Annotated[int, doc("Rows not yet saved.")]
    memory_bytes: Annotated[int, doc("Memory of the server's process.")]


class LoadSampler:
    """Samples a running server; a sample takes 50 microseconds (alone, on a shared two-core machine).

    samples: the last ones, the oldest first.  lags: how late the event loop was at most, of every sample.
    """

    def __init__(self, store: Store, dispatcher: Dispatcher, gateway: Gateway) -> None:
        self._store, self._dispatcher, self._gateway = store, dispatcher, gateway
        self._process = psutil.Process()
        self._timer: asyncio.TimerHandle | None = None
        self._moves, self._looked_s = 0, 0.0
        self.samples: deque[LoadSample] = deque(maxlen=SAMPLES_KEPT)
        self.lags = Histogram()

    def start(self) -> None:
        self.sample()
        self._timer = asyncio.get_running_loop().call_later(EVERY_S, self.start)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def sample(self) -> None:
        """One sample."""
        runner, now_s = self._dispatcher.runner, asyncio.get_running_loop().time()
        moves, since_s = runner.moves_saved - self._moves, now_s - self._looked_s
        lag_s = self._gateway.lag_monitor.take_longest_ns() / 1e9
        self.lags.add(lag_s)
        self.samples.append(
            LoadSample(
                at=round(time.time(), 3),
                lag_ms=round(lag_s * 1e3, 3),
                bots=len(self._dispatcher.sessions),
                matches=len(runner.running()),
                moves_per_s=round(moves / since_s, 2) if self.samples and since_s > 0 else 0.0,
                save_ms=round(self._store.writer.take_longest_s() * 1e3, 3),
                waiting=self._store.waiting,
                memory_bytes=self._process.memory_info().rss,
            )
        )
        self._moves, self._looked_s = runner.moves_saved, now_s

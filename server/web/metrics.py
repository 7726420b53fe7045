"""Prometheus metrics, read when they are asked for; each server has its own registry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from aiohttp import web
from msgspec.structs import asdict
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from tabiya.server.web.http.connection_limits import HttpConnectionLimiter
from tabiya.server.web.http.json_responses import ApiCall
from tabiya.server.web.http.server_facade import ServerFacade

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
GAUGES = {
    "connections": "Open websockets.",
    "bots": "Bots that are connected.",
    "matches_running": "Matches under way.",
    "store_waiting": "Rows not yet saved.",
}
COUNTERS = {
    "moves_saved": "Moves and results saved.",
    "matches_frozen": "Matches stopped by an error of the server.",
}
WIRE = {
    "messages": "Messages read from bots.",
    "unreadable": "Frames from bots that are no message.",
    "flood": "Connections closed for too many messages.",
    "slow_reader": "Connections cut because the peer does not read.",
    "errors": "Connections closed by an error of the server.",
    "turned_away": "Connections cut at once because too many had not finished their handshake.",
}
PAGES = {
    "turned_away": "Connections for pages and API that got 503 because there were too many.",
    "idle": "Connections for pages and API cut because nothing came, or nothing was taken, for too long.",
}


class Metrics(Collector):
    """The metrics of one server."""

    def __init__(self, facade: ServerFacade, followers: Callable[[], int], limiter: HttpConnectionLimiter) -> None:
        """followers: how many pages follow a match.  limiter: of the HTTP port."""
        self._facade, self._followers, self._limiter = facade, followers, limiter
        self.answers: Counter[int] = Counter()  # answered requests by status
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """All metrics with their present values."""
        counts = asdict(self._facade.counts())
        wire = self._facade.wire_counts()
        for name, what in GAUGES.items():
            yield GaugeMetricFamily(f"tabiya_{name}", what, value=counts[name])
        yield GaugeMetricFamily("tabiya_followers", "Pages that follow a match.", value=self._followers())
        for name, what in COUNTERS.items():
            yield CounterMetricFamily(f"tabiya_{name}", what, value=counts[name])
        yield from self._load()
        for name, what in WIRE.items():
            yield CounterMetricFamily(f"tabiya_wire_{name}", what, value=wire[name])
        yield GaugeMetricFamily("tabiya_pages_connections", "Connections for pages and API.", value=len(self._limiter))
        for name, what in PAGES.items():
            yield CounterMetricFamily(f"tabiya_pages_{name}", what, value=self._limiter.counts[name])
        requests = CounterMetricFamily("tabiya_requests", "Answered requests for pages and API.", labels=["status"])
        for status, number in sorted(self.answers.items()):
            requests.add_metric([str(status)], number)
        yield requests

    def _load(self) -> Iterator[Metric]:
        writer, samples = self._facade.store.writer, self._facade.load.samples
        yield CounterMetricFamily("tabiya_saves", "Transactions.", value=writer.batches)
        yield CounterMetricFamily("tabiya_save_seconds", "Time in transactions.", value=writer.saved_s)
        if samples:
            last = samples[-1]
            about = "How late the event loop was at most, in the last two seconds."
            yield GaugeMetricFamily("tabiya_loop_lag_seconds", about, value=last.lag_ms / 1e3)
            about = "The longest transaction of the last two seconds."
            yield GaugeMetricFamily("tabiya_longest_save_seconds", about, value=last.save_ms / 1e3)
            about = "Memory of the server's process."
            yield GaugeMetricFamily("tabiya_memory_bytes", about, value=last.memory_bytes)

    async def page(self, call: ApiCall) -> web.Response:
        """Numbers for Prometheus."""
        return web.Response(body=generate_latest(self._registry), headers={"Content-Type": CONTENT_TYPE})

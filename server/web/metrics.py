"""Prometheus metrics, read when they are asked for; each server has its own registry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from aiohttp import web
from msgspec.structs import asdict
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from tabiya.server.version import version
from tabiya.server.web.http.connection_limits import HttpConnectionLimiter
from tabiya.server.web.http.json_responses import ApiCall
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.http.server_view import ServerView
from tabiya.storage.histogram import Histogram

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
GAUGES = {
    "connections": "Open websockets, those of gateways included.",
    "gateways": "Gateways that hold bots' connections for this server.",
    "hosts": "Hosts beside this server that play matches.",
    "bots": "Bots that are connected.",
    "matches_running": "Matches under way.",
    "matches_waiting": "Matches that stand still because nothing can be saved.",
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
    "busy": "Connections told to come again later, because too many came at once.",
    "slow_reader": "Connections cut because the peer does not read.",
    "errors": "Connections closed by an error of the server.",
    "turned_away": "Connections cut at once because too many had not finished their handshake.",
}
PAGES = {
    "turned_away": "Connections for pages and API that got 503 because there were too many.",
    "idle": "Connections for pages and API cut because nothing came, or nothing was taken, for too long.",
}


class Metrics(Collector):
    """The metrics of one process: of a server with its pages, or of pages alone."""

    def __init__(self, view: ServerView, followers: Callable[[], int], limiter: HttpConnectionLimiter) -> None:
        """followers: how many pages follow a match.  limiter: of the HTTP port."""
        self._view, self._followers, self._limiter = view, followers, limiter
        self.answers: Counter[int] = Counter()  # answered requests by status
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)  # processor time, memory, open files: on Linux

    def collect(self) -> Iterator[Metric]:
        """All metrics with their present values."""
        if isinstance(self._view, ServerFacade):
            yield from self._of_server(self._view)
        else:
            about = "Whether the server that these pages show answers."
            yield GaugeMetricFamily("tabiya_server_heard", about, value=not self._view.trouble)
        yield GaugeMetricFamily("tabiya_followers", "Pages that follow a match.", value=self._followers())
        yield GaugeMetricFamily("tabiya_pages_connections", "Connections for pages and API.", value=len(self._limiter))
        for name, what in PAGES.items():
            yield CounterMetricFamily(f"tabiya_pages_{name}", what, value=self._limiter.counts[name])
        requests = CounterMetricFamily("tabiya_requests", "Answered requests for pages and API.", labels=["status"])
        for status, number in sorted(({500: 0} | self.answers).items()):  # one from nothing would be no increase
            requests.add_metric([str(status)], number)
        yield requests

    def _of_server(self, facade: ServerFacade) -> Iterator[Metric]:
        counts, wire = asdict(facade.counts()), facade.wire_counts()
        for name, what in GAUGES.items():
            yield GaugeMetricFamily(f"tabiya_{name}", what, value=counts[name])
        for name, what in COUNTERS.items():
            yield CounterMetricFamily(f"tabiya_{name}", what, value=counts[name])
        yield from self._server_metrics(facade)
        yield from self._load(facade)
        yield from self._hosted(facade)
        for name, what in WIRE.items():
            yield CounterMetricFamily(f"tabiya_wire_{name}", what, value=wire[name])

    def _load(self, facade: ServerFacade) -> Iterator[Metric]:
        store, load = facade.store, facade.load
        yield _histogram("tabiya_save_seconds", "How long each transaction took.", store.writer.took)
        about = "How late the event loop was at most, in each two seconds."
        yield _histogram("tabiya_loop_lag_seconds", about, load.lags)
        errors = CounterMetricFamily("tabiya_database_errors", "What the database did not do.", labels=["kind"])
        errors.add_metric(["save"], store.writer.errors)
        errors.add_metric(["read"], store.read_errors)
        yield errors
        about = "Memory of the server's process."
        yield GaugeMetricFamily(
            "tabiya_memory_bytes", about, value=load.samples[-1].memory_bytes if load.samples else 0
        )

    def _server_metrics(self, facade: ServerFacade) -> Iterator[Metric]:
        yield InfoMetricFamily("tabiya_server", "The server.", value={"version": version()})
        about = "Since when it serves, in seconds since 1970."
        yield GaugeMetricFamily("tabiya_serving_since_seconds", about, value=facade.serving_since)
        about = "Whether it waited for another server on its database to be gone: 1 or 0."
        yield GaugeMetricFamily("tabiya_took_over", about, value=float(facade.took_over))
        about = "Times at which the process stood still for a quarter of a second or longer."
        yield CounterMetricFamily("tabiya_standstills", about, value=facade.wire_counts()["standstills"])

    def _hosted(self, facade: ServerFacade) -> Iterator[Metric]:
        """Nothing on a server that runs no programs of others."""
        if facade.hosting is not None:
            workers = facade.hosting.workers()
            yield GaugeMetricFamily("tabiya_workers", "Workers that have asked lately.", value=len(workers))
            leased = sum(len(worker.holds) for worker in workers)
            yield GaugeMetricFamily("tabiya_worker_leases", "Programs that workers run.", value=leased)
            room = sum(worker.state.room for worker in workers)
            yield GaugeMetricFamily("tabiya_worker_room", "Programs more that they could run.", value=room)

    async def page(self, call: ApiCall) -> web.Response:
        """Numbers for Prometheus."""
        return web.Response(body=generate_latest(self._registry), headers={"Content-Type": CONTENT_TYPE})


def _histogram(name: str, about: str, took: Histogram) -> Metric:
    return HistogramMetricFamily(name, about, buckets=took.buckets(), sum_value=took.sum_s)

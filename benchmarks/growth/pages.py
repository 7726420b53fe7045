"""Visits to the pages of a server with a large database: how long they take, and how long other requests wait."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import psutil

from tabiya.games.registry import PGN_GAME, names

START_S, STOP_S, PAGE_S = 120.0, 30.0, 300.0
PING = "/api/v1/server"  # answered by the event loop alone
HEALTH = "/healthz"
PING_EVERY_S, REST_S = 0.002, 0.6  # between two pings; between two visits: longer than a rendered page is kept
COLUMNS = {
    "what": ("", "<62"),
    "wall_s": ("s", ">7.3f"),
    "cpu_s": ("CPU s", ">6.2f"),
    "wire_bytes": ("bytes", ">8d"),
    "ping_ms": ("ping ms", ">8.0f"),
}


@dataclass(frozen=True)
class Visit:
    """One request. wire_bytes: of the body as it was sent.  ping_ms: the longest that another request waited."""

    what: str
    wall_s: float
    cpu_s: float
    wire_bytes: int
    ping_ms: float


class Server:
    """A running `tabiya serve`. started: the seconds and processor seconds until it answered."""

    def __init__(self, process: subprocess.Popen[bytes], pages: str, began: float) -> None:
        self.process, self.host = process, urlsplit(pages).netloc
        with contextlib.closing(http.client.HTTPConnection(self.host, timeout=PAGE_S)) as connection:
            self._get(connection, HEALTH)
        self.started = time.perf_counter() - began, self._cpu_s()

    def visit(self, what: str, path: str) -> Visit:
        """Get a page, while another connection asks again and again for something small."""
        longest, done = [0.0], threading.Event()
        pinging = threading.Thread(target=self._ping, args=(longest, done))
        pinging.start()
        before, began = self._cpu_s(), time.perf_counter()
        with contextlib.closing(http.client.HTTPConnection(self.host, timeout=PAGE_S)) as connection:
            body = self._get(connection, path)
        took = time.perf_counter() - began
        cpu_s = self._cpu_s() - before
        done.set()
        pinging.join()
        return Visit(what, took, cpu_s, len(body), 1_000 * longest[0])

    def _ping(self, longest: list[float], done: threading.Event) -> None:
        with contextlib.closing(http.client.HTTPConnection(self.host, timeout=PAGE_S)) as connection:
            while not done.is_set():
                began = time.perf_counter()
                self._get(connection, PING)
                longest[0] = max(longest[0], time.perf_counter() - began)
                time.sleep(PING_EVERY_S)

    @staticmethod
    def _get(connection: http.client.HTTPConnection, path: str) -> bytes:
        connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status >= http.HTTPStatus.BAD_REQUEST:
            raise SystemExit(f"{path} was answered with {answer.status}")
        return body

    def time_control(self, game: str) -> str:
        """The one with most rated games."""
        with contextlib.closing(http.client.HTTPConnection(self.host, timeout=PAGE_S)) as connection:
            connection.request("GET", f"/api/v1/standings/{game}")
            return str(json.loads(connection.getresponse().read())["times"][0]["time"])

    def _cpu_s(self) -> float:
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system

    def stop(self) -> None:
        """Stop it as an operator does (SIGTERM)."""
        self.process.terminate()
        self.process.wait(STOP_S)

    def kill(self) -> None:
        """Kill it (SIGKILL)."""
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def serving(database: Path | str) -> Iterator[Server]:
    """A server that has just said that it is well; killed afterwards if it still runs."""
    with tempfile.TemporaryDirectory(prefix="tabiya-bench-") as folder:
        ready, ports = Path(folder, "ready.json"), ("--port", "0", "--pages-port", "0")
        command = [
            sys.executable,
            "-m",
            "tabiya",
            "serve",
            *ports,
            "--ready-file",
            str(ready),
            "--database",
            str(database),
        ]
        with Path(folder, "log").open("w") as log:
            began = time.perf_counter()
            # as it is installed: modules are not compiled at each start
            environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        try:
            until = time.monotonic() + START_S
            while not ready.exists() and process.poll() is None and time.monotonic() < until:
                time.sleep(0.005)
            if not ready.exists():
                raise SystemExit(Path(folder, "log").read_text("utf-8"))
            yield Server(process, json.loads(ready.read_text("utf-8"))["pages"], began)
        finally:
            process.kill()
            process.wait()


def pages(bot: str, match: int, time_control: str) -> list[str]:
    """What is visited. time_control: of some rated games."""
    return [
        "/",
        *(f"/standings/{game}" for game in names()),
        f"/standings/{names()[0]}?rows=all",
        f"/standings/{names()[0]}?time={quote(time_control)}",
        f"/api/v1/standings/{names()[0]}/head-to-head?first={bot}&second=bot-0001",
        f"/bots/{bot}",
        "/bots",
        "/matches",
        *(f"/matches?game={game}" for game in names()),
        f"/matches?bot={bot}",
        f"/matches?bot={bot}&game={PGN_GAME}&status=ended",
        f"/matches?bot={bot}&before={match}",
        f"/matches?before={match}",
        "/matches?status=frozen",
        f"/matches/{match}",
        "/tournaments",
        "/projector",
    ]


def visits(database: Path, bot: str, match: int) -> Iterator[Visit]:
    """Three starts with the first page at once, then each page twice; the database's own state says which start."""
    with serving(database) as server:
        yield server.visit("/ at once after a start with what was kept before", "/")
        time.sleep(5.0)
        server.stop()
    with serving(database) as server:
        yield server.visit("/ at once after an orderly end", "/")
        server.kill()
    with serving(database) as server:
        yield server.visit("/ at once after kill -9", "/")
        time.sleep(5.0)
        server.kill()
    for path in (f"/standings/{names()[0]}", f"/bots/{bot}"):
        with serving(database) as server:
            yield server.visit(f"{path} at once after kill -9", path)
    with serving(database) as server:
        time.sleep(5.0)
        for path in pages(bot, match, server.time_control(names()[0])):
            for which in ("first", "second"):
                time.sleep(REST_S)
                yield server.visit(f"{path} {which}", path)

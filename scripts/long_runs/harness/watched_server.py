"""A server in a process of its own that reports on itself.

python -m scripts.long_runs.harness.watched_server DATABASE

Standard output has JSON lines: the addresses with a first sample, a sample every `--every` seconds, at the end how many
tasks are left. Standard error has the log. SIGTERM ends it in order. It runs as `tabiya serve` runs: the same loop and
logging, the configuration from the environment.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import psutil

from tabiya.processes.server_process import run_loop, run_server
from tabiya.server.app import COUNTING, TabiyaServer
from tabiya.server.config import read_config
from tabiya.server.logs import set_up_logging

MEGABYTE = 1_048_576


class ErrorCount(logging.Handler):
    """Counts what is logged as an error; an exception that nobody handles is one, by asyncio's own logger."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen = 0

    def emit(self, record: logging.LogRecord) -> None:
        """One more."""
        self.seen += 1


class Sampler:
    """Looks at the process and at the server it runs."""

    def __init__(self, server: TabiyaServer, errors: ErrorCount, every_s: float) -> None:
        self._server, self._errors, self._every_s = server, errors, every_s
        self._process = psutil.Process(os.getpid())
        self._began = time.monotonic()
        self._lag_s = 0.0
        self._parent = os.getppid()

    async def run(self) -> None:
        """A sample at once and then every so often; how late the loop is, is looked at ten times as often."""
        while True:
            tell(self.sample())
            self._lag_s = 0.0
            if os.getppid() != self._parent:  # the parent process is gone
                os.kill(os.getpid(), signal.SIGTERM)
            for _ in range(10):
                due = time.monotonic() + self._every_s / 10
                await asyncio.sleep(self._every_s / 10)
                self._lag_s = max(self._lag_s, time.monotonic() - due)

    def sample(self) -> dict[str, Any]:
        """Everything that could grow, now."""
        server, process = self._server, self._process
        cpu = process.cpu_times()
        return {
            "at_s": round(time.monotonic() - self._began, 2),
            "rss_mb": round(process.memory_info().rss / MEGABYTE, 2),
            "cpu_s": round(cpu.user + cpu.system, 2),
            "lag_ms": round(1e3 * self._lag_s, 1),
            "tasks": sum(task.get_name() != COUNTING for task in asyncio.all_tasks()),
            "sockets": open_sockets(process),
            "files": process.num_fds() if hasattr(process, "num_fds") else 0,
            "threads": process.num_threads(),
            "connections": server.gateway.connections,
            "bots": len(server.dispatcher.sessions),
            "matches": len(server.dispatcher.runner.running()),
            "frozen": server.dispatcher.runner.frozen,
            "errors_logged": self._errors.seen,
            **{f"wire_{name}": server.gateway.counts[name] for name in ("messages", "unreadable", "flood", "errors")},
        }


def open_sockets(process: psutil.Process) -> int:
    """How many sockets this process holds, those of connections that both ends have closed included."""
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        return len(process.net_connections("inet"))
    found = 0
    for descriptor in descriptors.iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed since, as the one of this look itself
            found += str(descriptor.readlink()).startswith("socket:")
    return found


def tell(line: dict[str, Any]) -> None:
    """Print one JSON line for the parent process."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


async def serve(database: str, every_s: float, errors: ErrorCount) -> None:
    """Until SIGTERM."""
    config = read_config(os.environ, database_url=database, port=0, pages_port=0)
    tasks: list[asyncio.Task[None]] = []

    def ready(server: TabiyaServer) -> None:
        sampler = Sampler(server, errors, every_s)
        tasks.append(asyncio.ensure_future(sampler.run()))
        addresses = {"websocket": server.websocket_url, "pages": server.pages_url}
        tell(addresses | {"sample": sampler.sample()})  # taken while nobody can have come yet

    await run_server(config, ready)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    left = asyncio.all_tasks() - {asyncio.current_task()}
    tell({"left": [repr(task) for task in left], "errors_logged": errors.seen})


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", help="file of the database, or memory:")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between samples")
    chosen = parser.parse_args()
    set_up_logging("info", as_json=False)
    errors = ErrorCount()
    logging.getLogger().addHandler(errors)
    run_loop(serve(chosen.database, chosen.every, errors))


if __name__ == "__main__":
    main()

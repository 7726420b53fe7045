"""The processes of a measurement: a server on one core, the load on the other, each started and ended here."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tabiya.server.accounts.accounts import hash_token
from tabiya.storage.open import open_store

ROOT = Path(__file__).parents[2]
SERVER_CORE, LOAD_CORE = 0, 1
START_S = 120.0
LIMITS = {
    "TABIYA_LIMIT_CONNECTIONS": "20000",
    "TABIYA_MAX_MATCHES": "20000",
    "TABIYA_LIMIT_SPECTATORS_PER_MATCH": "2000",
    "TABIYA_LIMIT_PAGES_CONNECTIONS": "20000",
}
"""Limits for thousands of connections from one machine; every other limit is the default."""


class BenchmarkFailed(Exception):
    """A measurement could not be made, or what came back was wrong."""


def start(module: str, *arguments: str, core: int, niceness: int, **options: Any) -> subprocess.Popen[str]:
    """A Python process on one core (where cores can be chosen) and as nice as is allowed."""

    def prepare() -> None:
        if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
            os.sched_setaffinity(0, {core})
        with contextlib.suppress(PermissionError):
            os.nice(niceness)

    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        text=True,
        preexec_fn=prepare,  # noqa: PLW1509  # no thread runs in the benchmark's own process
        **options,
    )


class Generator:
    """The load's process; `do` gives an order and waits for the answer."""

    def __init__(self, niceness: int) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = start("benchmarks.server.generator", core=LOAD_CORE, niceness=niceness, **pipes)

    def do(self, what: str, **order: Any) -> dict[str, Any]:
        """Give an order. Raises BenchmarkFailed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"do": what, **order}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise BenchmarkFailed("the load generator has ended")
        answer: dict[str, Any] = json.loads(line)
        if answer["failed"]:
            raise BenchmarkFailed(answer["failed"])
        return answer

    def end(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


@contextlib.contextmanager
def generating(niceness: int) -> Iterator[Generator]:
    """A load generator, ended afterwards."""
    generator = Generator(niceness)
    try:
        yield generator
    finally:
        generator.end()


@dataclass(frozen=True)
class Served:
    """A server in a process of its own, and the ports where it takes websockets and requests for pages."""

    process: subprocess.Popen[str]
    port: int
    pages_port: int = 0

    @property
    def memory_bytes(self) -> int:
        """Resident memory."""
        return int(psutil.Process(self.process.pid).memory_info().rss)


@contextlib.contextmanager
def serving(folder: Path, niceness: int) -> Iterator[Served]:
    """A server for the database in `folder`, with accounts, limits and log; killed afterwards."""
    with _started(folder, "serve", "--port", "0", "--closed", core=SERVER_CORE, niceness=niceness) as started:
        process, addresses = started
        port, pages_port = (_port_of(addresses[name]) for name in ("websocket", "pages"))
        yield Served(process, port, pages_port)


@contextlib.contextmanager
def pages_apart(folder: Path, server: Served, niceness: int) -> Iterator[Served]:
    """A process that shows the pages of a server; its `port` is 0."""
    live = f"http://127.0.0.1:{server.pages_port}"
    with _started(folder, "pages", "--live", live, core=LOAD_CORE, niceness=niceness) as (process, addresses):
        yield Served(process, 0, _port_of(addresses["pages"]))


@contextlib.contextmanager
def _started(
    folder: Path, command: str, *flags: str, core: int, niceness: int
) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """A command over the database in `folder`, and the addresses that it has written; killed afterwards."""
    ready = folder / f"{command}.json"
    ready.unlink(missing_ok=True)
    words = (command, *flags, "--pages-port", "0", "--database", str(folder / "bench.db"), "--ready-file", str(ready))
    with (folder / f"{command}.log").open("a") as log:
        process = start("tabiya", *words, core=core, niceness=niceness, stderr=log, env=os.environ | LIMITS)
        try:
            yield process, _ready(process, ready)
        finally:
            process.kill()
            process.wait()


def _port_of(address: str) -> int:
    return int(address.rstrip("/").rpartition(":")[2])


def _ready(process: subprocess.Popen[str], ready: Path) -> dict[str, str]:
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(FileNotFoundError):
            addresses: dict[str, str] = json.loads(ready.read_text("utf-8"))
            return addresses
        time.sleep(0.05)
    raise BenchmarkFailed(f"{ready.stem} has not started; its log is {ready.stem}.log beside the database")


@contextlib.contextmanager
def echoing(size: int, niceness: int) -> Iterator[Served]:
    """A bare echo server that answers with `size` bytes, ended afterwards."""
    process = start("benchmarks.server.echo", str(size), core=SERVER_CORE, niceness=niceness, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield Served(process, int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def token_of(name: str) -> str:
    """The token of an account of the benchmark."""
    return f"benchmark-token-of-{name}"


def make_accounts(database: Path | str, names: Sequence[str]) -> None:
    """Register bots in a database, as the server would."""

    async def make() -> None:
        store = await open_store(str(database))
        hashes = [(name, hash_token(token_of(name))) for name in names]
        await asyncio.gather(
            *(store.create_bot(name, token_hash=hashed, created_at=time.time()) for name, hashed in hashes)
        )
        await store.close()

    asyncio.run(make())

"""Moves a second with hosts beside the server, and the processor time of each kind of process for one move.

    tabiya bench hosts --postgresql postgresql://USER@HOST/postgres --bus nats://127.0.0.1:4222 [--hosts 0,1,2]
    tabiya bench hosts --processes [--hosts 0,2]

Bots connect to one gateway and answer at once, for moves a second: what all processes together bring on this machine,
and the microseconds of processor time that a move so takes those who play (`full`). `could`: moves a second of so many
hosts with a core each, by that. Then so many moves a second are played as `--rate` says for each host: the microseconds
that each kind of process takes for a move, and the server's share of a move (p50, p99). Database and bus are counted by
the names of their processes. 0 hosts: the server plays. With --processes the hosts are those of `tabiya serve
--processes`, which hold the connections, too, on an SQLite file.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psutil

from benchmarks.common import parser, print_rows
from benchmarks.server.parts import TIME, at_percent, players, stride
from benchmarks.server.processes import LIMITS, ROOT, BenchmarkFailed, Generator, generating, make_accounts
from tabiya.games.registry import names

WARM_S = 3.0
START_S = 120.0
OWN = "tabiya_bench_hosts"  # the database of a row
LISTENS = r"ws://\S+:(\d+)"
HOST = "tabiya.processes.host_of_server"
BESIDE = {"postgres": "database", "nats-server": "bus"}
COLUMNS = {
    "hosts": ("hosts", ">5d"),
    "moves_per_s": ("moves/s", ">8.0f"),
    "full": ("full", ">6.1f"),
    "playing": ("playing", ">8.1f"),
    "server": ("server", ">7.1f"),
    "gateway": ("gateway", ">8.1f"),
    "database": ("database", ">9.1f"),
    "bus": ("bus", ">6.1f"),
    "load": ("load", ">6.1f"),
    "could": ("could", ">7.0f"),
    "p50_ms": ("p50 ms", ">7.2f"),
    "p99_ms": ("p99 ms", ">7.2f"),
}


@dataclass(frozen=True)
class Row:
    """full to load: microseconds of processor time for a move, of all processes of that kind."""

    hosts: int
    moves_per_s: float
    full: float
    playing: float
    server: float
    gateway: float
    database: float
    bus: float
    load: float
    could: float
    p50_ms: float
    p99_ms: float


class Processes:
    """Commands of ours on one database and bus. by_kind: those that run."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack, beside: dict[str, str]) -> None:
        """beside: names of other processes to count, by kind."""
        self._folder, self._stack, self._beside = folder, stack, beside
        self.by_kind: dict[str, list[psutil.Process]] = {}

    def start(self, says: str, kind: str, *words: str) -> str:
        """Start one, wait until its output has this, and return the output. Raises BenchmarkFailed."""
        path = self._folder / f"{kind}-{len(self.by_kind.get(kind, ()))}.log"
        log = self._stack.enter_context(path.open("w"))
        command = [sys.executable, "-m", "tabiya", kind, *words]
        process = subprocess.Popen(command, cwd=ROOT, stderr=log, env=os.environ | LIMITS)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        self.by_kind.setdefault(kind, []).append(psutil.Process(process.pid))
        until = time.monotonic() + START_S
        while time.monotonic() < until and process.poll() is None:
            if found := re.search(says, path.read_text("utf-8")):
                return found[1]
            time.sleep(0.05)
        raise BenchmarkFailed(f"tabiya {kind} has not started: {path.read_text('utf-8')}")

    def used_s(self) -> dict[tuple[str, int], float]:
        """Processor time so far of each process that runs, by its kind and id."""
        kinds = [(kind, process) for kind, ours in self.by_kind.items() for process in ours]
        beside = [each for each in psutil.process_iter(["name"]) if each.info["name"] in self._beside]
        kinds += [(self._beside[each.info["name"]], each) for each in beside]
        used = {}
        for kind, process in kinds:
            with contextlib.suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                used[kind, process.pid] = float(times.user + times.system)
        return used

    def know_hosts(self) -> None:
        """Count the processes that the server has started as hosts."""
        (server,) = self.by_kind["serve"]
        self.by_kind["host"] = [each for each in server.children() if HOST in each.cmdline()]


@contextlib.contextmanager
def playing(given: argparse.Namespace, database: str, hosts: int) -> Iterator[tuple[Processes, Generator]]:
    """A server, a gateway and so many hosts, with matches that are about to go on."""
    plans = players(given.pairs, given.matches)
    make_accounts(database, [plan["name"] for plan in plans])
    with tempfile.TemporaryDirectory(prefix="tabiya-bench-") as name, contextlib.ExitStack() as stack:
        processes = Processes(Path(name), stack, {} if given.processes else BESIDE)
        serve = "serve", "--port", "0", "--pages-port", "0", "--closed", "--database", database
        if given.processes:
            port = processes.start(LISTENS, *serve, "--processes", str(max(1, hosts)))
            processes.know_hosts()
        else:
            processes.start(LISTENS, *serve, "--bus", given.bus)
            port = processes.start(LISTENS, "gateway", "--port", "0", "--bus", given.bus)
            for _ in range(hosts):
                processes.start(r"(host \d+ plays)", "host", "--bus", given.bus, "--database", database)
            time.sleep(2.0)  # until the server knows them
        load = stack.enter_context(generating(0))
        load.do("connect", port=int(port), players=plans)
        load.do("seek", game=given.game, time=TIME, matches=given.pairs * given.matches, stride=stride(given.game))
        yield processes, load


def measured(given: argparse.Namespace, hosts: int) -> Row:
    """One row."""
    plays = "host" if hosts else "serve"
    empty = empty_file() if given.processes else empty_database(given.postgresql)
    with empty as database, playing(given, database, hosts) as (processes, load):
        run: dict[str, Any] = {"pid": os.getpid(), "matches": given.pairs * given.matches}
        most, full = counted_run(processes, load, given.seconds, run)
        counted, of_move = counted_run(processes, load, given.seconds, run | {"rate": given.rate * max(1, hosts)})
        if found := load.do("check")["wrong"]:
            raise BenchmarkFailed(f"what came back is wrong: {found}")
        shares = shares_us(database, counted["from"], counted["until"])
    return Row(
        hosts,
        most["moves"] / most["took_s"],
        full[plays],
        of_move[plays],
        of_move["serve"],
        of_move["gateway"],
        of_move["database"],
        of_move["bus"],
        counted["load_cpu_s"] / counted["moves"] * 1e6,
        max(1, hosts) * 1e6 / full[plays],
        at_percent(shares, 50),
        at_percent(shares, 99),
    )


def counted_run(
    processes: Processes, load: Generator, seconds: float, run: dict[str, Any]
) -> tuple[dict[str, Any], defaultdict[str, float]]:
    """The load's counts, and the microseconds of processor time for a move by the kind of process."""
    load.do("run", seconds=0.0, warm_s=WARM_S, **run)
    before = processes.used_s()
    counted = load.do("run", seconds=seconds, warm_s=0.0, **run)
    of_move: defaultdict[str, float] = defaultdict(float)
    for (kind, pid), used_s in processes.used_s().items():  # not of those that have ended, as of another program
        of_move[kind] += (used_s - before.get((kind, pid), 0.0)) / counted["moves"] * 1e6
    return counted, of_move


def asked(database: str, *statements: str) -> list[str]:
    """The lines that psql prints for these statements. Raises BenchmarkFailed."""
    command = [
        "psql",
        "-XAtq",
        "-v",
        "ON_ERROR_STOP=1",
        *(word for each in statements for word in ("-c", each)),
        database,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkFailed(f"psql: {done.stderr.strip()}")
    return done.stdout.splitlines()


def shares_us(database: str, since: float, until: float) -> list[int]:
    """The server's share of the moves made in this time, sorted. Raises BenchmarkFailed."""
    within = f"at BETWEEN {since} AND {until}"
    statement = f"SELECT server_us FROM moves WHERE NOT opening AND {within}"  # noqa: S608 - two numbers
    if database.startswith("postgresql"):
        shares = [int(share) for share in asked(database, statement)]
    else:
        with contextlib.closing(sqlite3.connect(database)) as file:
            shares = [share for (share,) in file.execute(statement)]
    if not shares:
        raise BenchmarkFailed("not one move was made in the time of the measurement")
    return sorted(shares)


@contextlib.contextmanager
def empty_file() -> Iterator[str]:
    """The path of an SQLite file that is not there yet, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="tabiya-bench-") as folder:
        yield str(Path(folder, "bench.db"))


@contextlib.contextmanager
def empty_database(server: str) -> Iterator[str]:
    """The address of a database of our own, gone afterwards."""
    drop = f"DROP DATABASE IF EXISTS {OWN} WITH (FORCE)"
    asked(server, drop, f"CREATE DATABASE {OWN}")
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{OWN}"))
    finally:
        asked(server, drop)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--postgresql", help="address at which databases may be made")
    options.add_argument("--bus", help="a NATS server")
    options.add_argument("--processes", action="store_true", help="the hosts of one server on an SQLite file")
    options.add_argument("--hosts", default="0,1,2", help="how many, one row each (%(default)s)")
    options.add_argument("--game", choices=names(), default="reversi")
    options.add_argument("--pairs", type=int, default=50, help="of bots (%(default)s)")
    options.add_argument("--matches", type=int, default=10, help="of each pair (%(default)s)")
    options.add_argument("--rate", type=int, default=1_000, help="moves a second of each host (%(default)s)")
    options.add_argument("--seconds", type=float, default=10.0, help="of each measurement (%(default)s)")
    given = options.parse_args()
    if not given.processes and not (given.postgresql and given.bus):
        options.error("say --postgresql and --bus, or --processes")
    try:
        print_rows((measured(given, int(hosts)) for hosts in given.hosts.split(",")), COLUMNS, given.format)
    except BenchmarkFailed as error:
        raise SystemExit(f"tabiya bench hosts: {error}") from None


if __name__ == "__main__":
    main()

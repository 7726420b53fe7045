"""Two thousand connections that never say hello: their cost for the players, measured in turn with and without."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.server.parts import Row, Scale, at_percent, playing, shares_us
from benchmarks.server.processes import LOAD_CORE, BenchmarkFailed, start

SENT = {"nobody": None, "nothing": 0, "half a request": 80, "a request": 9_999}  # bytes of it


def half_open(scale: Scale) -> list[Row]:
    """Moves at a part of the greatest speed: nobody disturbs; half-open connections that have sent so much."""
    game, rows, matches = scale.games[0], [], scale.pairs * scale.matches
    with playing(game, scale, scale.pairs, scale.matches) as (folder, served, load):
        full = load.do("run", pid=served.process.pid, seconds=scale.seconds / 2, warm_s=scale.warm_s)
        rate = scale.share * full["moves"] / full["took_s"]
        paced = {"rate": rate, "matches": matches, "pid": served.process.pid}
        load.do("run", **paced, seconds=scale.seconds / 2, warm_s=scale.warm_s)  # until the beginnings are apart
        # longer than the time limits of those that are half open, so that all of these fall into it
        paced |= {"seconds": 1.5 * scale.seconds, "warm_s": 0.0}
        for _ in range(scale.rounds):
            for sent, size in SENT.items():
                with _peers(served.port, 0 if size is None else scale.half_open, size or 0, scale.niceness) as report:
                    counted = load.do("run", **paced)
                rows.append(_row(game, sent, report, folder, counted))
    return rows


def _row(game: str, sent: str, report: Row, folder: Path, counted: Row) -> Row:
    shares = shares_us(folder, counted)
    return {
        "game": game,
        "sent": sent,
        "connected": report["opened"],
        "moves/s": round(counted["moves"] / counted["took_s"]),
        "p50 ms": at_percent(shares, 50),
        "p99 ms": at_percent(shares, 99),
        "p99.9 ms": at_percent(shares, 99.9),
        "most ms": at_percent(shares, 100),
        "server's core, %": round(100 * counted["server_cpu_s"] / counted["took_s"]),
        "load average": round(os.getloadavg()[0], 1),
    }


@contextlib.contextmanager
def _peers(port: int, count: int, size: int, niceness: int) -> Iterator[Row]:
    """Hold `count` half-open connections from now on; yields a report that is filled at the end."""
    report: dict[str, Any] = {}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    arguments = map(str, (port, count, size))
    process = start("benchmarks.server.half_open_peers", *arguments, core=LOAD_CORE, niceness=niceness, **pipes)
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        process.stdin.write("begin\n")
        process.stdin.flush()
        yield report
        report |= json.loads(process.communicate("end\n")[0])
        if report["failed"]:
            raise BenchmarkFailed(f"a half-open connection could not be made: {report['failed'][0]}")
    finally:
        process.kill()
        process.wait()

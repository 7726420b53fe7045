"""One match followed by a thousand pages: the cost for the players, and how late the followers are.

They follow it at the server, and then at a process that shows the server's pages, in turn.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.server.parts import Row, Scale, at_percent, playing, shares_us
from benchmarks.server.processes import LOAD_CORE, BenchmarkFailed, Generator, Served, pages_apart, start

MATCHES, MOVES_A_SECOND = 10, 10.0  # matches at the same time, and moves in each of them
PROCESSES = 2  # of followers


class Followers:
    """Processes of followers of one match."""

    def __init__(self, port: int, match: int, count: int, niceness: int) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        arguments = [str(port), str(match), str(count // PROCESSES)]
        self._processes = [
            start("benchmarks.server.page_followers", *arguments, core=LOAD_CORE, niceness=niceness, **pipes)
            for _ in range(PROCESSES)
        ]
        for process in self._processes:
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                raise BenchmarkFailed("not all followers have their first event")

    def end(self) -> list[dict[int, float]]:
        """End them; returns the arrival time of each move at every follower."""
        reports = [json.loads(process.communicate("end\n")[0]) for process in self._processes]
        if any(each["lost"] for each in reports):
            raise BenchmarkFailed("a follower was never served")
        return [{int(ply): at for ply, at in came.items()} for each in reports for came in each["came"]]


def pages(scale: Scale) -> list[Row]:
    """Ten matches with ten moves a second each: nobody follows; so many follow one at the server; at other pages."""
    game, rows = scale.games[-1], []
    with playing(game, scale, MATCHES, 1) as (folder, served, load):
        paced: dict[str, Any] = {"rate": MATCHES * MOVES_A_SECOND, "matches": MATCHES, "seconds": scale.seconds}
        paced |= {"warm_s": scale.warm_s, "pid": served.process.pid}
        for _ in range(scale.rounds):
            rows.append(_row("nobody", 0, folder, load.do("run", **paced)))
            rows.append(_followed("the server", served, scale, folder, load, paced))
            with pages_apart(folder, served, scale.niceness) as apart:
                rows.append(_row("nobody, pages apart", 0, folder, load.do("run", **paced)))
                rows.append(_followed("pages apart", apart, scale, folder, load, paced))
    return rows


def _followed(where: str, at: Served, scale: Scale, folder: Path, load: Generator, paced: dict[str, Any]) -> Row:
    match = _newest(folder)
    followers = Followers(at.pages_port, match, scale.followers, scale.niceness)
    counted = load.do("run", **paced)
    late = sorted(_late_us(folder, match, followers.end(), counted))
    return _row(where, scale.followers, folder, counted, late)


def _row(where: str, followers: int, folder: Path, counted: Row, late: Sequence[int] = ()) -> Row:
    shares = shares_us(folder, counted)
    return {
        "followed at": where,
        "followers": followers,
        "moves/s": round(counted["moves"] / counted["took_s"]),
        "p50 ms": at_percent(shares, 50),
        "p99 ms": at_percent(shares, 99),
        "late p50 ms": at_percent(late, 50) if late else "",
        "late p99 ms": at_percent(late, 99) if late else "",
        "latest ms": at_percent(late, 100) if late else "",
        "server's core, %": round(100 * counted["server_cpu_s"] / counted["took_s"]),
        "load average": round(os.getloadavg()[0], 1),
    }


def _late_us(folder: Path, match: int, followers: list[dict[int, float]], counted: Row) -> Iterator[int]:
    """After how long each follower had each move that arrived during the measurement, if with others after it."""
    with contextlib.closing(sqlite3.connect(folder / "bench.db")) as database:
        moves = database.execute(
            "select ply + 1, at from moves where match_id = ? and at between ? and ?",
            (match, counted["from"], counted["until"] - 1.0),  # a second later all have come, or never will
        ).fetchall()
    if not moves:
        raise BenchmarkFailed("the match that was followed has ended too early: ask for fewer seconds")
    for came in followers:
        plies = sorted(came)
        for ply, at in moves:
            found = bisect_left(plies, ply)
            if found == len(plies):
                raise BenchmarkFailed(f"move {ply} never came to a follower")
            yield max(0, round(1e6 * (came[plies[found]] - at)))


def _newest(folder: Path) -> int:
    """The match with the fewest moves of those that go on: it lasts longest."""
    with contextlib.closing(sqlite3.connect(folder / "bench.db")) as database:
        shortest = "select m.id from matches m join moves v on v.match_id = m.id where m.status = 'running' "
        return int(database.execute(shortest + "group by m.id order by count(*) limit 1").fetchone()[0])

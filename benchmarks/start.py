"""How long the playing engine takes to be ready, compiled and not yet compiled, and how much memory it then has.

    tabiya bench start [--parts cold,together,warm] [--games chess] [--repeat 5] [--table-mb 16] [--format table|json]

Each number is of a fresh process that does what a bot's worker does: it loads Python and the engine, with its solver of
endings if the game has one, and answers its first question. `cold`: with an empty cache of compiled code, one game at
a time; `together`: all games with one empty cache, as many processes at once as there are cores; `warm`: everything is
in the cache, the median and the longest of --repeat. s: by the clock, from starting the process to the answer; cpu s:
of its processor time, which other load changes less. MB: resident after a second of thinking with a table of that size.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common import parser, print_rows
from tabiya.processes.compile_kernels import groups_with_same_rules, longest_first

ROOT = Path(__file__).parents[1]
COLUMNS = {
    "part": ("part", "<10"),
    "games": ("game", "<12"),
    "seconds": ("s", ">7.2f"),
    "longest_s": ("longest", ">8.2f"),
    "cpu_s": ("cpu s", ">7.2f"),
    "mb": ("MB", ">5.0f"),
}
PARTS = ("cold", "together", "warm")
READY = ("-m", "benchmarks.ready")  # what Python is told to run; it is given the size of the table, and games


@dataclass(frozen=True)
class Ready:
    """What one process needed to be ready. mb: resident afterwards."""

    seconds: float
    cpu_s: float
    mb: float


@dataclass(frozen=True)
class Row:
    """A part, of one game or all. seconds, cpu_s, mb: medians.  longest_s: the longest of all."""

    part: str
    games: str
    seconds: float
    longest_s: float
    cpu_s: float
    mb: float


def ready(games: Sequence[str], table_mb: float, cache: str | None) -> Ready:
    """Start such a process and wait for it. cache: its folder of compiled code, the usual one if None.

    Raises CalledProcessError.
    """
    environment = dict(os.environ) if cache is None else os.environ | {"NUMBA_CACHE_DIR": cache}
    began = time.perf_counter()
    command = [sys.executable, *READY, str(table_mb), *games]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        cpu_s = process.stdout.readline()
        seconds = time.perf_counter() - began
        mb = process.stdout.readline()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Ready(seconds, float(cpu_s), float(mb))


def cold(games: Sequence[str], table_mb: float) -> Iterator[Row]:
    """Each game alone, with a cache of its own that is empty."""
    for game in games:
        with tempfile.TemporaryDirectory(prefix="tabiya-cold-") as cache:
            yield row("cold", game, [ready([game], table_mb, cache)])


def together(games: Sequence[str], table_mb: float) -> Iterator[Row]:
    """All of them at once with one empty cache; games that share their code in one process."""
    groups = longest_first(groups_with_same_rules(tuple(games)))
    with tempfile.TemporaryDirectory(prefix="tabiya-cold-") as cache, ThreadPoolExecutor(os.cpu_count()) as pool:
        began = time.perf_counter()
        found = list(pool.map(lambda group: ready(group, table_mb, cache), groups))
        seconds = time.perf_counter() - began
    whole = Ready(seconds, sum(each.cpu_s for each in found), max(each.mb for each in found))
    yield row("together", "all" if len(games) > 1 else games[0], [whole])


def warm(games: Sequence[str], table_mb: float, repeat: int) -> Iterator[Row]:
    """Each game by itself, several times, after one time that is not measured and fills the cache."""
    for game in games:
        ready([game], table_mb, None)
        yield row("warm", game, [ready([game], table_mb, None) for _ in range(repeat)])


def row(part: str, games: str, found: Sequence[Ready]) -> Row:
    """Medians and the longest."""
    seconds, cpu_s, mb = (
        statistics.median(values)
        for values in zip(*((each.seconds, each.cpu_s, each.mb) for each in found), strict=True)
    )
    return Row(
        part, games, round(seconds, 2), round(max(each.seconds for each in found), 2), round(cpu_s, 2), round(mb)
    )


def measure(given: argparse.Namespace) -> Iterator[Row]:
    """The rows that were asked for, as they are found."""
    games = given.games.split(",")
    for part in given.parts.split(","):
        if part == "cold":
            yield from cold(games, given.table_mb)
        elif part == "together":
            yield from together(games, given.table_mb)
        else:
            yield from warm(games, given.table_mb, given.repeat)


def command_line() -> argparse.ArgumentParser:
    """The command line."""
    found = parser("how long the playing engine takes to be ready, and its memory", games=True)
    found.add_argument("--parts", default=",".join(PARTS), help="separated by commas; all by default")
    found.add_argument("--repeat", type=int, default=5, help="warm starts of each game")
    found.add_argument("--table-mb", type=float, default=16.0)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print, a row as soon as it is known."""
    given = command_line().parse_args(arguments)
    if unknown := [part for part in given.parts.split(",") if part not in PARTS]:
        sys.exit(f"there is no part {unknown[0]!r} (there are: {', '.join(PARTS)})")
    print_rows(measure(given), COLUMNS, given.format)


if __name__ == "__main__":
    main()

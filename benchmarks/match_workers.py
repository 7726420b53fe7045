"""Games a second of one match without workers, on processes of this machine and on a Dask cluster on this machine.

    python -m benchmarks.match_workers                                  # players that answer at once: what a game costs
    python -m benchmarks.match_workers --players pvs pvs:3 --game reversi --time 0.3+0.003 --pairs 20        # bullet

Taken are the time and the processor time of all processes from the end of the first games, when each worker has
started, to that of the last; the rows are measured in turn, `--rounds` times, and the quickest of each is shown.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.common import parser, print_rows
from scripts.long_runs.harness.dask_cluster import DaskCluster
from tabiya.bots.client.events import silent
from tabiya.bots.client.run import run_loop
from tabiya.match.executors.open_executor import open_executor
from tabiya.match.executors.spread import Spread
from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.run_on_workers import play_on
from tabiya.match.score import MatchScore

COLUMNS = {
    "how": ("how", "<10"),
    "at_once": ("at once", ">7"),
    "games": ("games", ">6"),
    "games_per_s": ("games/s", ">8.1f"),
    "ms_per_game": ("ms/game", ">8.1f"),
    "processor_ms": ("processor ms/game", ">17.1f"),
}
HOW = ("no workers", "processes", "dask")


@dataclass(frozen=True)
class Row:
    """One measurement. at_once: pairs, or without workers games, at the same time.

    processor_ms: of a game, of all processes: players, workers, scheduler and this one.
    """

    how: str
    at_once: int
    games: int
    games_per_s: float
    ms_per_game: float
    processor_ms: float


def processor_s() -> float:
    """Processor time that this process and all that it has started have used."""
    own = psutil.Process()
    used = 0.0
    for process in [own, *own.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            used += times.user + times.system
    return used


def measured(how: str, at_once: int, plan: MatchPlan) -> Row:
    """Play the match once."""
    marks: list[tuple[int, float, float]] = []
    begins = 4 * at_once  # by then each worker has started

    def progress(score: MatchScore) -> None:
        games = len(score.games)
        if games >= (plan.games if marks else begins) and len(marks) < 2:
            marks.append((games, time.perf_counter(), processor_s()))

    async def on(address: str) -> None:
        executor = await open_executor(address)
        try:
            await play_on(Spread(executor), plan, MatchScore(), silent, progress)
        finally:
            await executor.close()

    with ExitStack() as opened:
        if how == "dask":
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
            address = opened.enter_context(DaskCluster(folder / "cluster", at_once)).address
        else:
            address = str(at_once)
        run_loop(play(plan, MatchScore(), silent, progress) if how == HOW[0] else on(address))
    (first, began, used_before), (last, ended, used) = marks
    games, seconds = last - first, ended - began
    processor_ms = round((used - used_before) / games * 1000, 1)
    return Row(how, at_once, games, round(games / seconds, 1), round(seconds / games * 1000, 1), processor_ms)


def best_of(given: argparse.Namespace) -> list[Row]:
    """The best of each row."""
    found: dict[tuple[str, int], Row] = {}
    for _ in range(given.rounds):
        for how in HOW:
            for at_once in map(int, given.at_once.split(",")):
                plan = MatchPlan(tuple(given.players), given.game, given.pairs, given.time, at_once)
                row = measured(how, at_once, plan)
                before = found.get((how, at_once), row)
                found[how, at_once] = max(row, before, key=lambda each: each.games_per_s)
    return list(found.values())


def main() -> None:
    """Read the command line."""
    command_line = parser("games a second with and without workers")
    command_line.add_argument("--players", nargs=2, default=["random", "random"])
    command_line.add_argument("--game", default="reversi")
    command_line.add_argument("--time", default="60+1")
    command_line.add_argument("--pairs", type=int, default=60)
    command_line.add_argument("--at-once", default="1,2,4")
    command_line.add_argument("--rounds", type=int, default=2)
    given = command_line.parse_args()
    print(f"load before: {os.getloadavg()}")
    print_rows(best_of(given), COLUMNS, given.format)
    print(f"load after: {os.getloadavg()}")


if __name__ == "__main__":
    main()

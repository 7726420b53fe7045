"""The overhead of a move: in a worker process of this machine, and in one of a Dask cluster on this machine.

    python -m benchmarks.pool                      # a player that answers at once
    python -m benchmarks.pool --moves 2000 --rounds 5

Taken is the time from the question until the answer is there, of many questions one after the other; and the processor
time of all processes in it. The two take turns, `--rounds` times.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from benchmarks.common import parser, print_rows
from benchmarks.match_workers import processor_s
from scripts.long_runs.harness.dask_cluster import DaskCluster
from tabiya.bots.players.api import MatchInfo
from tabiya.bots.players.lazy_rules import request_at
from tabiya.bots.pool.pool import RemoteLauncher, WorkerPool
from tabiya.bots.pool.time_limits import MoveTimeLimits
from tabiya.dask_cluster.launcher import DaskLauncher
from tabiya.dask_cluster.player_files import player_files
from tabiya.games.registry import load_game

LIMITS = MoveTimeLimits(think_s=60.0, grace_s=1.0, answer_s=60.0)
WARM_MOVES = 50
COLUMNS = {
    "where": ("where", "<8"),
    "moves": ("moves", ">7"),
    "median_ms": ("median ms", ">10.2f"),
    "p99_ms": ("p99 ms", ">8.2f"),
    "processor_ms": ("processor ms", ">13.2f"),
    "ratio": ("times local", ">12.1f"),
}


@dataclass(frozen=True)
class Row:
    """One place. processor_ms: of a move, of all processes.  ratio: of the median to that of this machine."""

    where: str
    moves: int
    median_ms: float
    p99_ms: float
    processor_ms: float
    ratio: float


@dataclass
class Taken:
    """Milliseconds of each move, and the processor time of all."""

    ms: list[float]
    processor_ms: float = 0.0

    def row(self, where: str, local_ms: float) -> Row:
        """The table's line.  local_ms: median of this machine."""
        moves, middle = len(self.ms), median(self.ms)
        worst = quantiles(self.ms, n=100)[-1]
        return Row(where, moves, middle, worst, self.processor_ms / moves, middle / local_ms)


async def ask(pool: WorkerPool, game: str, moves: int, taken: Taken) -> None:
    """Put questions one after the other."""
    start = load_game(game).start()
    match = MatchInfo(match=1, game=game)
    used_before = processor_s()
    for ply in range(moves):
        request = request_at(start, ply, budget_s=60.0, move_limit_ms=60_000, remaining_ms=60_000)
        began = time.perf_counter()
        await pool.think(match, request, LIMITS)
        taken.ms.append((time.perf_counter() - began) * 1000)
    taken.processor_ms += (processor_s() - used_before) * 1000


async def measured(player: str, game: str, moves: int, rounds: int) -> list[Row]:
    """This machine, then the cluster."""
    with tempfile.TemporaryDirectory() as folder, DaskCluster(Path(folder) / "cluster", workers=1) as cluster:
        cluster.wait_for_workers()
        places: dict[str, RemoteLauncher | None] = {
            "local": None,
            "dask": DaskLauncher(cluster.address, player_files(player)),
        }
        pools = {where: WorkerPool(player, report=print, games=(game,), remote=at) for where, at in places.items()}
        taken = {where: Taken([]) for where in places}
        try:
            for pool in pools.values():
                await pool.start()
                await ask(pool, game, WARM_MOVES, Taken([]))
            for _ in range(rounds):
                for where, pool in pools.items():
                    await ask(pool, game, moves, taken[where])
        finally:
            for pool in pools.values():
                await pool.close()
    local_ms = median(taken["local"].ms)
    return [found.row(where, local_ms) for where, found in taken.items()]


def main() -> None:
    """Read the command line."""
    command_line = parser("what a move costs beside thinking")
    command_line.add_argument("--player", default="random")
    command_line.add_argument("--game", default="reversi")
    command_line.add_argument("--moves", type=int, default=500, help="in each round")
    command_line.add_argument("--rounds", type=int, default=4)
    given = command_line.parse_args()
    print(f"load before: {os.getloadavg()}")
    print_rows(asyncio.run(measured(given.player, given.game, given.moves, given.rounds)), COLUMNS, given.format)
    print(f"load after: {os.getloadavg()}")


if __name__ == "__main__":
    main()

"""Two bots of which one can be held up in the middle of a game, and a Dask cluster of real processes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scripts.long_runs.harness.dask_cluster import DaskCluster

PATIENCE_S = 100.0
# In one game it says which process has started the one that it thinks in, and waits there until it may go on.
SOURCE = """
import asyncio, os, random
from pathlib import Path
from tabiya import Bot

class First(Bot):
    async def choose(self, turn):
        return turn.legal_moves[0]

class Chance(Bot):
    async def choose(self, turn):
        return random.Random(f"{{turn.match}} {{turn.ply}}").choice(turn.legal_moves)

class Waits(Chance):
    async def choose(self, turn):
        if turn.match == {match}:
            Path({told!r}).write_text(str(os.getppid()))
            while not Path({goes_on!r}).exists():
                await asyncio.sleep(0.01)
        return await super().choose(turn)
"""


class HeldUp:
    """The bots' file. held: the game with this number waits until `go_on`, and says who plays it."""

    def __init__(self, folder: Path, held: int) -> None:
        self._report, self._goes_on = folder / "told", folder / "goes on"
        self.file = folder / "players.py"
        self.file.write_text(SOURCE.format(match=held + 1, told=str(self._report), goes_on=str(self._goes_on)))
        self.players = f"{self.file}:First", f"{self.file}:Waits"

    @property
    def worker(self) -> int:
        """The process that plays the game; 0 before it has come to its first move."""
        with contextlib.suppress(OSError, ValueError):
            return int(self._report.read_text())
        return 0

    def go_on(self) -> None:
        """Nobody waits any more."""
        self._goes_on.touch()


@pytest.fixture
def held_up(tmp_path: Path) -> HeldUp:
    return HeldUp(tmp_path, held=3)


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], DaskCluster]]:
    """Gives a cluster of two workers with a thread each: the last one, with a worker started for each that was lost."""
    with contextlib.ExitStack() as running:
        made: list[DaskCluster] = []

        def with_two_workers() -> DaskCluster:
            if not made or made[-1].scheduler.poll() is not None:
                made.append(running.enter_context(DaskCluster(tmp_path_factory.mktemp("cluster"), workers=0)))
            cluster = made[-1]
            cluster.workers = [worker for worker in cluster.workers if worker.poll() is None]
            while len(cluster.workers) < 2:
                cluster.start_worker()
            return cluster

        yield with_two_workers


@pytest.fixture
def cluster(clusters: Callable[[], DaskCluster]) -> DaskCluster:
    return clusters()

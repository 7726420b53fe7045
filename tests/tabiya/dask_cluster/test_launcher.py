"""A pool whose workers think in workers of Dask: real processes, killed, stopped and cut off."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from scripts.long_runs.harness.dask_cluster import DaskCluster
from tabiya.bots.players.api import MoveReply
from tabiya.bots.pool.errors import PlayerFailed, WorkerError
from tabiya.bots.pool.frames import Start
from tabiya.bots.pool.pool import RemoteLauncher, WorkerPool
from tabiya.bots.pool.time_limits import MoveTimeLimits
from tabiya.dask_cluster.launcher import DaskLauncher
from tabiya.dask_cluster.player_files import PlayerFiles, player_files
from tests.bots.pool.test_pool import GENEROUS, Reports, match, pid_in, pool_of, request
from tests.processes import is_running
from tests.source_rules.sources import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
PATIENCE_S = 100.0


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """Two workers that no test ends."""
    with DaskCluster(tmp_path_factory.mktemp("cluster"), workers=2) as started:
        started.wait_for_workers()
        yield started


@pytest.fixture
def own(tmp_path: Path) -> Iterator[DaskCluster]:
    """Two workers of this test alone."""
    with DaskCluster(tmp_path / "cluster", workers=2) as started:
        started.wait_for_workers()
        yield started


def thinking_on(cluster: DaskCluster, player: str, **more: Any) -> Any:
    return pool_of(player, remote=DaskLauncher(cluster.address, PlayerFiles(player)), **more)


def home_of(pid: int) -> int:
    """The worker of Dask that has started a process."""
    return psutil.Process(pid).ppid()


def dask_pids(cluster: DaskCluster) -> list[int]:
    return [worker.pid for worker in cluster.workers]


def file_of(start_frame: Start) -> Path:
    return Path(start_frame.player.removesuffix(":Mine"))


def first_frame(player: str) -> Start:
    return Start(player=player)


async def when(happened: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < until
        await asyncio.sleep(0.005)


async def asked(pool: WorkerPool, number: int = 1, **fields: Any) -> MoveReply:
    return await pool.think(match(number), request(number, **fields), GENEROUS)


class Held:
    """Thoughts that wait in a folder until they may go on."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self.player = f"held:{folder}"

    @property
    def pids(self) -> list[int]:
        """The processes in which a thought has begun."""
        return [int(file.name) for file in self._folder.iterdir()]

    def go_on(self) -> None:
        """Nobody waits any more."""
        (self._folder / "go on").touch()


@pytest.fixture
def held(tmp_path: Path) -> Held:
    return Held(tmp_path / "held")


@contextlib.asynccontextmanager
async def thought_under_way(
    cluster: DaskCluster, held: Held
) -> AsyncIterator[tuple[WorkerPool, Reports, asyncio.Task[MoveReply], int]]:
    """A pool of two workers, one of which is held up in a thought: its process."""
    async with thinking_on(cluster, held.player, workers=2) as (pool, reports):
        thinking = asyncio.create_task(asked(pool, remaining_ms=60_000))
        await when(lambda: held.pids)
        yield pool, reports, thinking, held.pids[0]


async def test_matches_are_spread_over_the_workers_of_dask_and_stay_there(shared: DaskCluster) -> None:
    async with thinking_on(shared, "lot", workers=2, threads=3) as (pool, reports):
        replies = {number: {(await asked(pool, number)).text for _ in range(3)} for number in (1, 2, 3, 4)}
        assert all(len(texts) == 1 for texts in replies.values())
        pids = [pid_in(text) for [text] in replies.values()]
        assert sorted(map(home_of, pids)) == sorted(dask_pids(shared) * 2)
        assert all(text.endswith("threads 3") for [text] in replies.values())
        assert reports == []


async def test_an_engine_answers_the_same_as_here(shared: DaskCluster) -> None:
    positions = "3x3x3 --------- X", "3x3x3 X---O---- X", "3x3x3 XO--X---- O"
    found = []
    places: list[RemoteLauncher | None] = [None, DaskLauncher(shared.address, PlayerFiles("pvs:4"))]
    for remote in places:
        pool = WorkerPool("pvs:4", report=print, games=("tictactoe",), remote=remote)
        await pool.start()
        try:
            replies = [
                await asked(pool, ply=ply, position=text, history_position=text, legal_moves=None)
                for ply, text in enumerate(positions)
            ]
        finally:
            await pool.close()
        found.append([(reply.move, reply.score, reply.depth, reply.nodes, reply.pv) for reply in replies])
    assert found[0] == found[1]


async def test_a_players_files_go_with_it(shared: DaskCluster, tmp_path: Path) -> None:
    source = "from tabiya import Bot\n\nclass Mine(Bot):\n    pass\n"
    file = tmp_path / "mine.py"
    file.write_text(source)
    player = f"{file}:Mine"
    remote = DaskLauncher(shared.address, player_files(player))
    file.unlink()
    process, start_frame = await remote.launch(first_frame(player))
    assert file_of(start_frame).read_text() == source
    process.kill()
    assert await process.wait() == "killed"
    await remote.close()
    await when(lambda: not is_running(process.pid))


async def test_a_player_is_stopped_when_its_time_is_over_and_keeps_its_worker(shared: DaskCluster) -> None:
    async with thinking_on(shared, "listens") as (pool, reports):
        before = pool.pids
        reply = await pool.think(match(), request(), MoveTimeLimits(0.05, 5.0, 20.0))
        assert reply.text.startswith("stopped True budget 0.0")
        assert (pool.pids, reports) == (before, [])


async def test_a_cancelled_thought_is_stopped_and_its_worker_free_again(shared: DaskCluster) -> None:
    async with thinking_on(shared, "listens") as (pool, _):
        before = pool.pids
        thinking = asyncio.create_task(asked(pool))
        await asyncio.sleep(0.05)
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await thinking
        assert (await pool.think(match(2), request(2), MoveTimeLimits(0.05, 5.0, 20.0))).text.startswith("stopped True")
        assert pool.pids == before


async def test_a_process_that_hangs_is_killed_and_the_worker_of_dask_is_not(
    shared: DaskCluster, tmp_path: Path
) -> None:
    async with thinking_on(shared, f"hangs:{tmp_path / 'once'}", workers=2, emergency_moves=True) as (pool, reports):
        before = pool.pids
        # enough for the question to be there on a busy machine: else the next one is the first to hang
        reply = await pool.think(match(), request(), MoveTimeLimits(3.0, 0.05, 20.0))
        assert pid_in(reply.text) == before[1]  # the other worker's, at once
        assert reports.count("did not answer in time and is killed") == 1
        await when(lambda: not is_running(before[0]))
        await when(lambda: reports.count("has taken the place"))
    assert [worker.poll() for worker in shared.workers] == [None, None]


async def test_what_a_player_raises_is_told_and_its_worker_lives_on(shared: DaskCluster) -> None:
    async with thinking_on(shared, "fails") as (pool, _):
        before = pool.pids
        with pytest.raises(PlayerFailed, match="ZeroDivisionError"):
            await asked(pool)
        assert pool.pids == before


async def test_a_worker_killed_during_a_thought_is_one_thought_begun_again_on_the_other(
    own: DaskCluster, held: Held
) -> None:
    async with thought_under_way(own, held) as (pool, reports, thinking, first):
        other = home_of(next(pid for pid in pool.pids[:2] if pid != first))
        os.kill(home_of(first), signal.SIGKILL)
        await when(lambda: len(held.pids) == 2)
        held.go_on()
        reply = await thinking
        assert home_of(pid_in(reply.text)) == other
        assert 50_000 < int(reply.text.split()[-1]) < 60_000  # the time that is left, and no more
        await when(lambda: reports.count("has taken the place"))  # both are with the worker that is left
        assert [home_of(pid) for pid in pool.pids] == [other, other, os.getpid()]
        await when(lambda: not is_running(first))


async def test_without_any_worker_the_bot_thinks_here_until_there_is_one(own: DaskCluster, held: Held) -> None:
    async with thought_under_way(own, held) as (pool, reports, thinking, _):
        for _ in range(2):
            own.end_worker(0, signal.SIGKILL)
        held.go_on()
        assert home_of(pid_in((await thinking).text)) == os.getpid()
        own.start_worker()
        await when(lambda: reports.count("has taken the place"))
        assert home_of(pid_in((await asked(pool)).text)) == own.workers[0].pid


async def test_without_a_scheduler_the_bot_thinks_here(
    own: DaskCluster, held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabiya.dask_cluster.connect.CONNECT_S", 0.5)
    async with thought_under_way(own, held) as (pool, reports, thinking, _):
        thought = pool.pids[:2]
        own.scheduler.kill()
        held.go_on()
        await thinking
        await when(lambda: reports.count(f"no Dask scheduler answers at {own.address}"))
        assert home_of(pid_in((await asked(pool, 2)).text)) == os.getpid()
        await when(lambda: not any(map(is_running, thought)))  # they have not heard of the bot for a while


async def test_a_worker_that_says_nothing_any_more_is_lost(own: DaskCluster, held: Held) -> None:
    async with thought_under_way(own, held) as (_, _reports, thinking, first):
        stopped = home_of(first)
        os.kill(stopped, signal.SIGSTOP)
        await when(lambda: len(held.pids) == 2)
        held.go_on()
        assert home_of(pid_in((await thinking).text)) not in (stopped, os.getpid())
        os.kill(stopped, signal.SIGKILL)
        await when(lambda: not is_running(first))


def test_searches_of_a_killed_bot_end(shared: DaskCluster) -> None:
    source = """
import asyncio, sys
from tabiya.dask_cluster.player_files import PlayerFiles
from tabiya.dask_cluster.launcher import DaskLauncher
from tests.tabiya.dask_cluster.test_launcher import first_frame

async def main():
    process, _ = await DaskLauncher(sys.argv[1], PlayerFiles("lot")).launch(first_frame("lot"))
    print(process.pid, flush=True)
    await process.wait()

asyncio.run(main())
"""
    words = [sys.executable, "-c", source, shared.address]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as bot:
        assert bot.stdout is not None
        thinks = int(bot.stdout.readline())
        assert is_running(thinks)
        bot.kill()
    asyncio.run(when(lambda: not is_running(thinks)))


async def test_where_no_scheduler_is_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.dask_cluster.connect.CONNECT_S", 0.2)
    with pytest.raises(WorkerError, match=r"^no Dask scheduler answers at dask://127\.0\.0\.1:9: "):
        await DaskLauncher("dask://127.0.0.1:9", PlayerFiles("lot")).launch(first_frame("lot"))


async def test_where_no_worker_is_one_sentence_says_so(tmp_path: Path) -> None:
    none = r"^there is no worker at dask://127\.0\.0\.1:[0-9]+$"
    with DaskCluster(tmp_path / "cluster", workers=0) as empty, pytest.raises(WorkerError, match=none):
        await DaskLauncher(empty.address, PlayerFiles("lot")).launch(first_frame("lot"))


async def test_a_worker_of_another_tabiya_is_refused(shared: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.dask_cluster.launcher.build_id", lambda: "9.9 (other)")
    with pytest.raises(WorkerError, match=r"^the worker tcp://.* has Tabiya .*, and here is 9\.9 \(other\): they must"):
        await DaskLauncher(shared.address, PlayerFiles("lot")).launch(first_frame("lot"))


NO_TABIYA = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "tabiya":
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Missing())
"""


async def test_a_worker_without_tabiya_is_named_and_lives_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(NO_TABIYA)
    with DaskCluster(tmp_path / "cluster", workers=0) as bare:
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        bare.start_worker()
        bare.wait_for_workers()
        words = r"^the worker tcp://.* needs pip install 'tabiya\[dask\]': it says ModuleNotFoundError\('tabiya'\)$"
        with pytest.raises(WorkerError, match=words):
            await DaskLauncher(bare.address, PlayerFiles("lot")).launch(first_frame("lot"))
        assert bare.workers[0].poll() is None
        bare.wait_for_workers()


async def test_a_scheduler_without_tabiya_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(NO_TABIYA)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with DaskCluster(tmp_path / "cluster", workers=0) as bare:
        monkeypatch.delenv("PYTHONPATH")
        bare.start_worker()
        bare.wait_for_workers()
        with pytest.raises(
            WorkerError, match=r"^the Dask scheduler at dask://.* needs the same version of Tabiya as this machine$"
        ):
            await DaskLauncher(bare.address, PlayerFiles("lot")).launch(first_frame("lot"))


async def test_without_dask_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(WorkerError, match=r"need Dask, and distributed is not installed: pip install 'tabiya\[dask\]'"):
        await DaskLauncher("dask://127.0.0.1:8786", PlayerFiles("lot")).launch(first_frame("lot"))

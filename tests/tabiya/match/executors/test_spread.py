"""A match on workers of which some are lost: every pair once, and what was counted is what is stored."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scripts.long_runs.harness.dask_cluster import DaskCluster
from tabiya.bots.client.events import silent
from tabiya.bots.pool.errors import WorkerError
from tabiya.cli.workers import SpreadFacts, with_spread
from tabiya.match.executors.spread import Spread
from tabiya.match.pairs import PlayedPair
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.match.run_on_workers import play_on
from tabiya.match.score import MatchScore
from tabiya.server.ratings.sprt import Sprt
from tests.source_rules.sources import ROOT
from tests.tabiya.cli.command_runner import tabiya
from tests.tabiya.match.executors.conftest import PATIENCE_S, HeldUp
from tests.tabiya.match.recount import recount

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
PAIRS = 5
TEST = Sprt(elo0=0, elo1=5)


async def when(happened: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < until
        await asyncio.sleep(0.005)


async def played_with_a_loss(held_up: HeldUp, workers: str, database: Path) -> MatchScore:
    """Play on workers, of which one is killed in the middle of a game."""
    score = MatchScore()
    plan = MatchPlan(held_up.players, "nim", PAIRS, database=str(database), sprt=TEST)

    async def work(spread: Spread) -> None:
        await play_on(spread, plan, score, silent)

    playing = asyncio.create_task(with_spread(workers, work))
    try:
        await when(lambda: held_up.worker or playing.done())
        os.kill(held_up.worker, signal.SIGKILL)
        # the other goes on meanwhile
        held_up.go_on()
        await playing
    finally:
        playing.cancel()
    return score


async def check_every_pair_is_there_once(score: MatchScore, database: Path) -> None:
    found = await recount(str(database), "nim", "First", "Waits")
    assert sorted(found.ended) == list(range(2 * PAIRS)) == sorted(score.games)
    assert len(found.records) == 2 * PAIRS  # none was begun a second time, and none is left
    assert {record.status for record in found.records} == {"ended"}
    assert found.pairs.counts == score.pairs.counts
    assert sum(score.pairs.counts) == PAIRS
    assert TEST.llr(found.pairs) == TEST.llr(score.pairs)
    for number, record in found.ended.items():
        assert (record.seats[0].bot == "First") == (number % 2 == 0)
        assert record.start_text == found.ended[number ^ 1].start_text


async def test_a_worker_of_another_tabiya_is_refused(
    held_up: HeldUp, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabiya.match.executors.dask.build_id", lambda: "9.9 (other)")

    async def work(spread: Spread) -> None:
        await play_on(spread, MatchPlan(held_up.players, "nim", 1), MatchScore(), silent)

    with pytest.raises(MatchFailed, match=r"the worker tcp://.* has Tabiya .*, and here is 9\.9 \(other\): they must"):
        await with_spread(cluster.address, work)


async def test_a_worker_of_dask_killed_in_the_middle_of_a_pair_costs_no_pair(
    held_up: HeldUp, cluster: DaskCluster, tmp_path: Path
) -> None:
    score = await played_with_a_loss(held_up, cluster.address, tmp_path / "games.db")
    await check_every_pair_is_there_once(score, tmp_path / "games.db")
    assert [worker.poll() for worker in cluster.workers].count(None) == 1


async def test_a_process_killed_in_the_middle_of_a_pair_costs_no_pair(held_up: HeldUp, tmp_path: Path) -> None:
    score = await played_with_a_loss(held_up, "2", tmp_path / "games.db")
    await check_every_pair_is_there_once(score, tmp_path / "games.db")


async def test_a_pair_is_the_same_wherever_it_is_played(held_up: HeldUp, tmp_path: Path) -> None:
    held_up.go_on()
    found = []
    for workers in ("1", "2"):
        database = str(tmp_path / f"{workers}.db")
        plan = MatchPlan(held_up.players, "nim", 4, database=database, seed=3)

        async def work(spread: Spread, plan: MatchPlan = plan) -> None:
            await play_on(spread, plan, MatchScore(), silent)

        await with_spread(workers, work)
        found.append((await recount(database, "nim", "First", "Waits")).moves)
    assert found[0] == found[1]
    assert len(set(found[0].values())) > 4


def test_a_scheduler_that_is_killed_costs_what_was_running(
    held_up: HeldUp, cluster: DaskCluster, tmp_path: Path
) -> None:
    database = tmp_path / "games.db"
    head = ["match", *held_up.players, "-g", "nim", "-n", str(2 * PAIRS)]
    words = [*head, "-d", str(database), "--format", "json", "--workers"]
    command = [sys.executable, "-m", "tabiya", *words, cluster.address]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        asyncio.run(when(lambda: held_up.worker or process.poll() is not None))
        cluster.scheduler.kill()
        _, output = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert "Traceback" not in output
    last = output.splitlines()[-1]
    assert last.startswith(f"tabiya: the Dask scheduler at {cluster.address} is lost, with all pairs that were running")
    held_up.go_on()
    values = tabiya(*words, "1", "--resume").rows
    assert [game["number"] for game in values["games"]] == list(range(1, 2 * PAIRS + 1))
    if values["match"]["resumed_games"]:
        assert last.endswith(f"{values['match']['resumed_games']} games are kept, and --resume goes on with them")
    found = asyncio.run(recount(str(database), "nim", "First", "Waits"))
    assert list(found.pairs.counts) == values["match"]["pairs"]["counts"]
    assert len(found.ended) == 2 * PAIRS


async def test_a_cluster_without_workers_sees_pairs_that_wait_and_workers_may_come_later(
    held_up: HeldUp, tmp_path: Path
) -> None:
    held_up.go_on()
    score, facts = MatchScore(), list[dict[str, str]]()
    with DaskCluster(tmp_path / "cluster", workers=0) as cluster:

        async def work(spread: Spread) -> None:
            def progress(score: MatchScore) -> None:
                facts.append(SpreadFacts(spread).facts(len(score.games)))
                if len(facts) == 1:
                    assert spread.out == 3
                    cluster.start_worker()

            await play_on(spread, MatchPlan(held_up.players, "nim", 3), score, silent, progress)

        await with_spread(cluster.address, work)
    assert (facts[0]["workers"], facts[0]["pairs running"]) == ("0 now, 0 have played; waiting for some", "0")
    assert (facts[-1]["workers"], len(score.games)) == ("1 now, 1 have played", 6)


class GoneAtOnce:
    """An executor that is lost when its first pair has come back, with all that are out."""

    workers, cores, at_once = 1, 4, 4

    async def play(self, plan: MatchPlan, pair: int) -> PlayedPair:
        if pair:
            raise MatchFailed(f"pair {pair} is lost")
        games: Any = ()
        return PlayedPair(pair=0, names=("", ""), games=games)

    async def close(self) -> None:
        pass


async def test_what_came_back_with_a_loss_counts_and_no_other_loss_is_left_to_be_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    coming = Spread(GoneAtOnce()).pairs(MatchPlan(("", ""), "nim"), (1, 2, 0, 3))
    played = await anext(coming)
    assert played is not None
    assert played.pair == 0
    with pytest.raises(MatchFailed, match="is lost"):
        await anext(coming)
    gc.collect()
    assert caplog.messages == []


async def test_where_no_scheduler_is_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(spread: Spread) -> None:
        raise AssertionError

    monkeypatch.setattr("tabiya.dask_cluster.connect.CONNECT_S", 0.2)
    with pytest.raises(WorkerError, match=r"no Dask scheduler answers at dask://127\.0\.0\.1:9: "):
        await with_spread("dask://127.0.0.1:9", work)

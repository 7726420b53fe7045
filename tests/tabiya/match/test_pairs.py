"""Pairs at tables that stay open: nothing is started twice, nothing is kept forever, nothing is counted twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tabiya.bots.client.events import Event, Listener, silent
from tabiya.bots.pool.process import WorkerProcess
from tabiya.bots.pool.spare_workers import SpareWorkers
from tabiya.match.executors.executor import LocalExecutor
from tabiya.match.executors.open_executor import open_executor
from tabiya.match.executors.spread import Spread
from tabiya.match.pairs import PairPlayer, pair_openings
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.match.resume import ResumableRun
from tabiya.match.run_on_workers import SpreadMatch, play_on
from tabiya.match.score import MatchScore
from tabiya.match.table import Table, open_table
from tabiya.match.tally import Tally
from tabiya.server.ratings.sprt import Sprt
from tabiya.storage.memory import MemoryStore
from tests.tabiya.match.recount import recount

pytestmark = pytest.mark.slow


class Opened:
    """The stores of the tables that were opened, and how many of them are closed."""

    def __init__(self) -> None:
        self.stores, self.closed, self.first_closed = list[MemoryStore](), 0, asyncio.Event()

    @asynccontextmanager
    async def open_table(
        self, plan: MatchPlan, listener: Listener, *, store: MemoryStore, spares: SpareWorkers
    ) -> AsyncIterator[Table]:
        """As the real one."""
        self.stores.append(store)
        async with open_table(plan, listener, store=store, spares=spares) as table:
            yield table
        self.closed += 1
        self.first_closed.set()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    tables = Opened()
    monkeypatch.setattr("tabiya.match.pairs.open_table", tables.open_table)
    return tables


async def test_a_table_stays_for_the_pairs_of_its_plan_and_keeps_no_game(
    in_process: tuple[str, str], opened: Opened
) -> None:
    plan, player = MatchPlan(in_process, "nim", 5), PairPlayer()
    for pair in (3, 1, 3):
        played = await player.play(plan, pair, pair_openings(plan, pair))
        assert [game.record.id for game in played.games] == [2 * pair + 1, 2 * pair + 2]
    [store] = opened.stores
    tables = store.tables
    assert (tables.matches, tables.moves, tables.results, tables.match_ids) == ({}, {}, [], {})
    other = replace(plan, seed=1)
    await player.play(other, 0, pair_openings(other, 0))
    assert len(opened.stores) == 2
    await player.play(plan, 0, pair_openings(plan, 0))
    assert len(opened.stores) == 3  # the first had to go: one pair at once has one table
    await player.close()
    assert opened.closed == 3


async def test_players_with_other_options_think_in_the_same_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    started = list[WorkerProcess]()

    async def start(*given: Any) -> WorkerProcess:
        started.append(await real_start(*given))
        return started[-1]

    real_start = WorkerProcess.start
    monkeypatch.setattr(WorkerProcess, "start", start)
    player, margins = PairPlayer(), [(1, 300), (2, 200), (3, 100)]
    for one, other in margins:
        plan = MatchPlan((f"pvs:1?margin={one}", f"pvs:1?margin={other}"), "nim", time_control="none")
        played = await player.play(plan, 0, pair_openings(plan, 0))
        assert played.names == (f"pvs:1-margin-{one}", f"pvs:1-margin-{other}")
    assert len(started) == 2
    await player.close()
    assert not any(worker.alive for worker in started)


async def test_a_table_that_nobody_wants_is_closed(in_process: tuple[str, str], opened: Opened) -> None:
    plan, player = MatchPlan(in_process, "nim", 1), PairPlayer(idle_s=0)
    await player.play(plan, 0, pair_openings(plan, 0))
    await opened.first_closed.wait()
    await player.close()
    assert opened.closed == 1


async def test_a_pair_that_comes_twice_counts_once(in_process: tuple[str, str]) -> None:
    plan, score = MatchPlan(in_process, "nim", 3, sprt=Sprt(elo0=0, elo1=5)), MatchScore()
    executor, store = LocalExecutor(1), MemoryStore()
    match = SpreadMatch(plan, store, await ResumableRun.open(store, plan), Tally(plan, score, lambda *_: None), silent)
    pair = await executor.play(plan, 1)
    await match.take(pair)
    counted = score.pairs.counts, score.wins, score.draws, score.losses
    await match.take(await executor.play(plan, 1))
    await match.take(pair)
    assert (score.pairs.counts, score.wins, score.draws, score.losses) == counted
    assert [record.key[-2:] for record in await store.list_matches()] == ["-3", "-2"]
    assert match.wanted() == [0, 2]
    await executor.close()


async def test_a_decided_test_takes_back_what_is_out(in_process: tuple[str, str], tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    test = Sprt(elo0=0, elo1=300, alpha=0.2, beta=0.2, model="logistic")
    plan, score = MatchPlan(in_process, "nim", 400, database=database, sprt=test), MatchScore()
    executor = LocalExecutor(3)
    await play_on(Spread(executor), plan, score, silent)
    await executor.close()
    assert score.verdict in ("accept H0", "accept H1")
    found = await recount(database, "nim", *score.names)
    assert 2 <= len(found.ended) == len(found.records) == len(score.games) < 800
    assert test.verdict(found.pairs) == score.verdict


async def test_a_match_on_workers_goes_on_with_a_match_without_and_the_other_way_round(
    in_process: tuple[str, str], tmp_path: Path
) -> None:
    from tabiya.match.run import play

    plan = MatchPlan(in_process, "nim", 1, database=str(tmp_path / "games.db"))
    executor, scores = LocalExecutor(2), [MatchScore() for _ in range(3)]
    await play(plan, scores[0], silent)
    await play_on(Spread(executor), replace(plan, pairs=3, resume=True), scores[1], silent)
    await play(replace(plan, pairs=4, resume=True), scores[2], silent)
    await executor.close()
    assert [(len(score.games), score.resumed) for score in scores] == [(2, 0), (6, 2), (8, 6)]
    assert len({score.names for score in scores}) == 1
    assert [[score.games[number].match for number in (0, 1)] for score in scores] == [[1, 2]] * 3
    found = await recount(plan.database, "nim", *scores[2].names)
    assert (found.pairs, found.pairs.number) == (scores[2].pairs, 4)


async def test_what_goes_wrong_with_a_player_reaches_its_author(in_process: tuple[str, str]) -> None:
    received: list[Event] = []
    players = in_process[0].replace("First", "Fails"), in_process[1]
    executor, score = LocalExecutor(1), MatchScore()
    await play_on(Spread(executor), MatchPlan(players, "nim", 1), score, received.append)
    assert (score.losses, score.deaths) == (2, [2, 0])
    assert "choose failed" in str(received[0])
    with pytest.raises(MatchFailed, match="no licence"):
        await executor.play(MatchPlan((in_process[0].replace("First", "Stops"), in_process[1]), "nim"), 0)
    await executor.close()


async def test_an_executor_is_a_number_or_a_scheduler() -> None:
    for text in ("0", "-1", "1025", "two", "tcp://x", "99999999999"):
        with pytest.raises(ValueError, match="workers are a number of processes of this machine, 1 to 1024, or the"):
            await open_executor(text)
    executor = await open_executor("3")
    assert (executor.at_once, executor.workers) == (3, 0)
    await executor.close()

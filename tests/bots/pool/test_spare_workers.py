"""Workers that are handed on: another player of the same program, in the same process."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from tabiya.bots.pool.errors import WorkerError
from tabiya.bots.pool.pool import WorkerPool
from tabiya.bots.pool.spare_workers import SpareWorkers
from tests.bots.pool.players import FACTORY
from tests.bots.pool.test_pool import GENEROUS, match, request
from tests.waiting import until

pytestmark = pytest.mark.slow


@pytest.fixture
async def spares() -> AsyncIterator[SpareWorkers]:
    spares = SpareWorkers(2, idle_s=60.0)
    yield spares
    await spares.close()


async def started_with(spares: SpareWorkers, player: str, workers: int = 1) -> tuple[tuple[int, ...], str]:
    """The workers of a pool that is opened for one question and closed again, and what the player has answered."""
    pool = WorkerPool(player, report=print, factory=FACTORY, path=(str(Path.cwd()),), spares=spares, workers=workers)
    await pool.start()
    try:
        return pool.pids, (await pool.think(match(), request(), GENEROUS)).text
    finally:
        await pool.close()


async def test_the_next_player_with_other_options_is_the_same_process_with_nothing_of_the_one_before(
    spares: SpareWorkers,
) -> None:
    [first], one = await started_with(spares, "options:a?x=1")
    [second], other = await started_with(spares, "options:a?x=2")
    assert (one, other) == ("a?x=1 asked 1", "a?x=2 asked 1")
    assert first == second
    assert psutil.pid_exists(first)
    await spares.close()
    assert not psutil.pid_exists(first)


async def test_other_programs_and_players_without_options_get_processes_of_their_own(spares: SpareWorkers) -> None:
    [first], _ = await started_with(spares, "options:a?x=1")
    [second], _ = await started_with(spares, "options:b?x=1")
    [third], _ = await started_with(spares, "options:a")
    assert len({first, second, third}) == 3
    assert not psutil.pid_exists(third)


async def test_no_more_spares_are_kept_than_allowed(spares: SpareWorkers) -> None:
    pids, _ = await started_with(spares, "options:a?x=1", workers=3)
    await asyncio.sleep(0)
    assert len(set(pids)) == 3
    again, _ = await started_with(spares, "options:a?x=2", workers=3)
    assert len(set(pids) & set(again)) == 2


async def test_a_spare_that_is_unused_for_long_is_ended() -> None:
    spares = SpareWorkers(2, idle_s=0.0)
    [first], _ = await started_with(spares, "options:a?x=1")
    await until(lambda: not psutil.pid_exists(first))
    await spares.close()


async def test_a_process_is_not_handed_on_for_ever(spares: SpareWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.bots.pool.spare_workers.MOST_PLAYERS", 2)
    pids = [(await started_with(spares, f"options:a?x={number}"))[0] for number in range(4)]
    assert pids[0] == pids[1] != pids[2] == pids[3]


async def test_one_that_has_died_is_not_given_to_anybody(spares: SpareWorkers) -> None:
    [first], _ = await started_with(spares, "options:a?x=1")
    os.kill(first, signal.SIGKILL)
    [second], text = await started_with(spares, "options:a?x=2")
    assert (second != first, text) == (True, "a?x=2 asked 1")


async def test_a_player_that_cannot_be_made_is_reported_and_its_worker_ended(spares: SpareWorkers) -> None:
    [first], _ = await started_with(spares, "options:a?x=1")
    with pytest.raises(WorkerError, match="no such option"):
        await started_with(spares, "options:a?fails")
    assert not psutil.pid_exists(first)

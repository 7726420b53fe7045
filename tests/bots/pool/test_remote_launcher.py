"""A pool whose workers are remote, and the one that it keeps here for when none of them is there."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tabiya.bots.pool.errors import WorkerError
from tabiya.bots.pool.frames import Start
from tabiya.bots.pool.local_process import LocalProcess, RunningProcess
from tests.bots.pool.test_pool import GENEROUS, match, pid_in, pool_of, request

pytestmark = pytest.mark.slow


class RemoteLauncher:
    """Another machine, which is this one. is_there: whether it starts processes.  pids: of those it has started."""

    def __init__(self) -> None:
        self.is_there, self.is_closed = True, False
        self.pids: list[int] = []

    async def launch(self, start_frame: Start) -> tuple[RunningProcess, Start]:
        if not self.is_there:
            raise WorkerError("nobody is there")
        process = await LocalProcess.start()
        self.pids.append(process.pid)
        return process, start_frame

    async def close(self) -> None:
        self.is_closed = True

    def kill(self, *pids: int) -> None:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)


async def test_the_worker_here_has_nothing_to_do_while_others_are_there() -> None:
    remote = RemoteLauncher()
    async with pool_of("lot", workers=2, remote=remote) as (pool, reports):
        thoughts = [pool.think(match(number), request(number), GENEROUS) for number in range(6)]
        pids = {pid_in(reply.text) for reply in await asyncio.gather(*thoughts)}
        assert pids == set(remote.pids)
        assert len(pool.pids) == 3
        assert reports == []
    assert remote.is_closed


async def test_a_request_to_a_lost_remote_worker_is_answered_on_this_machine(tmp_path: Path) -> None:
    remote = RemoteLauncher()
    async with pool_of(f"held:{tmp_path}", remote=remote) as (pool, _):
        [away, here] = pool.pids
        asks = [asyncio.create_task(pool.think(match(n), request(n), GENEROUS)) for n in (1, 2, 3)]
        while not (tmp_path / str(away)).exists():  # noqa: ASYNC110  (a process has to think)
            await asyncio.sleep(0.001)
        remote.is_there = False
        remote.kill(away)
        (tmp_path / "go on").touch()
        assert [pid_in(reply.text) for reply in await asyncio.gather(*asks)] == [here] * 3


async def test_a_question_that_has_cost_two_workers_their_lives_is_put_to_the_one_here(tmp_path: Path) -> None:
    remote = RemoteLauncher()
    async with pool_of(f"held:{tmp_path}", workers=2, remote=remote) as (pool, _):
        asking = asyncio.create_task(pool.think(match(), request(), GENEROUS))
        for thinks in remote.pids[:2]:
            while not (tmp_path / str(thinks)).exists():  # noqa: ASYNC110  (a process has to think)
                await asyncio.sleep(0.001)
            remote.kill(thinks)
        (tmp_path / "go on").touch()
        assert pid_in((await asking).text) == pool.pids[-1]


async def test_a_match_goes_back_when_a_remote_worker_is_there_again() -> None:
    remote = RemoteLauncher()
    async with pool_of("lot", remote=remote) as (pool, reports):
        here = pool.pids[1]
        remote.is_there = False
        remote.kill(remote.pids[0])
        assert pid_in((await pool.think(match(), request(), GENEROUS)).text) in (here, remote.pids[0])
        assert pid_in((await pool.think(match(), request(), GENEROUS)).text) == here
        remote.is_there = True
        while not reports.count("has taken the place"):  # noqa: ASYNC110  (a process starts)
            await asyncio.sleep(0.01)
        assert pid_in((await pool.think(match(), request(), GENEROUS)).text) == remote.pids[1]


async def test_without_any_remote_worker_at_the_start_the_pool_does_not_start() -> None:
    remote = RemoteLauncher()
    remote.is_there = False
    with pytest.raises(WorkerError, match="nobody is there"):
        async with pool_of("lot", remote=remote):
            raise AssertionError
    assert remote.is_closed

"""Real worker processes, killed, hung and broken; a few tenths of a second each."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import runpy
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import psutil
import pytest

from tabiya.bots.players.api import MatchInfo, MoveRequest
from tabiya.bots.pool.errors import PlayerFailed, WorkerError
from tabiya.bots.pool.frames import Failed, Start, Where
from tabiya.bots.pool.pool import WorkerPool
from tabiya.bots.pool.process import WorkerProcess
from tabiya.bots.pool.supervisor import WorkerSupervisor
from tabiya.bots.pool.time_limits import MoveTimeLimits
from tabiya.bots.pool.worker import answer_where
from tabiya.protocol.messages.parts import NOT_ITS_OWN
from tests.bots.pool.players import FACTORY
from tests.processes import is_running

pytestmark = pytest.mark.slow

GENEROUS = MoveTimeLimits(think_s=20.0, grace_s=0.5, answer_s=30.0)
HASTY = MoveTimeLimits(think_s=0.05, grace_s=0.05, answer_s=20.0)


class Reports(list[str]):
    """What the pool says went wrong."""

    def count(self, text: str) -> int:
        return sum(text in line for line in self)


def match(number: int = 1, **fields: Any) -> MatchInfo:
    return MatchInfo(match=number, game="tictactoe", **fields)


def request(number: int = 1, ply: int = 0, **fields: Any) -> MoveRequest:
    base: dict[str, Any] = {"seat": 0, "position": "--------- X", "history_position": "--------- X", "budget_s": 20.0}
    base["legal_moves"] = ("a1", "b2", "c3")
    return MoveRequest(match=number, game="tictactoe", ply=ply, **(base | fields))


@contextlib.asynccontextmanager
async def pool_of(player: str, **options: Any) -> AsyncIterator[tuple[WorkerPool, Reports]]:
    reports = Reports()
    pool = WorkerPool(player, report=reports.append, factory=FACTORY, path=(str(Path.cwd()),), **options)
    await pool.start()
    pids = pool.pids
    try:
        yield pool, reports
    finally:
        await pool.close()
    assert not any(map(is_running, pids))


def pid_in(text: str) -> int:
    return int(text.split()[1])


async def test_a_worker_uses_the_given_number_of_threads() -> None:
    async with pool_of("lot", threads=3) as (pool, reports):
        reply = await pool.think(match(), request(), GENEROUS)
        assert reply.move in ("a1", "b2", "c3")
        assert reply.text == f"pid {pool.pids[0]} threads 3"
        assert reply == await pool.think(match(), request(), GENEROUS)
        assert reports == []


async def test_a_match_stays_with_its_worker_and_matches_are_spread() -> None:
    async with pool_of("lot", workers=2) as (pool, _):
        pids = {
            number: {pid_in((await pool.think(match(number), request(number), GENEROUS)).text) for _ in range(3)}
            for number in (1, 2, 3, 4)
        }
        assert all(len(one) == 1 for one in pids.values())
        assert sorted(len([1 for one in pids.values() if one == {pid}]) for pid in pool.pids) == [2, 2]


async def test_each_match_has_a_player_of_its_own_which_is_used_again_after_it() -> None:
    async with pool_of("remembers") as (pool, _):
        first = [await pool.think(match(7, options={"k": 3}), request(7), GENEROUS) for _ in range(2)]
        assert [reply.move for reply in first] == ["7.1", "7.2"]
        other = await pool.think(match(8), request(8), GENEROUS)
        assert other.move == "8.1"
        assert first[0].text.startswith("{'k': 3}")
        await pool.forget(7)
        again = await pool.think(match(9), request(9), GENEROUS)
        assert again.move == "9.1"
        assert again.text.split()[-1] == first[0].text.split()[-1]


async def test_questions_to_one_worker_wait_for_one_another() -> None:
    async with pool_of("remembers") as (pool, _):
        thoughts = await asyncio.gather(*(pool.think(match(n), request(n), GENEROUS) for n in range(1, 9)))
        assert [reply.move for reply in thoughts] == [f"{n}.1" for n in range(1, 9)]


async def test_a_worker_killed_in_the_middle_of_a_thought_is_replaced_and_the_answer_still_comes(
    tmp_path: Path,
) -> None:
    async with pool_of(f"dies:{tmp_path / 'once'}") as (pool, reports):
        before = pool.pids
        reply = await pool.think(match(), request(), GENEROUS)
        assert reply.text.startswith("pid ")
        assert pool.pids != before
        assert reports.count("has taken the place") == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
async def test_what_a_player_has_forked_neither_hides_the_end_of_its_worker_nor_outlives_it(tmp_path: Path) -> None:
    child = tmp_path / "child"
    async with pool_of(f"forks:{child}") as (pool, _):
        before = pool.pids
        reply = await pool.think(match(), request(), MoveTimeLimits(1000.0, 0.5, 1000.0))
        assert pid_in(reply.text) == pool.pids[0] != before[0]
    while is_running(int(child.read_text())):  # noqa: ASYNC110  (the kernel has to end it)
        await asyncio.sleep(0.001)


async def test_a_worker_killed_while_idle_is_replaced_before_it_is_needed() -> None:
    async with pool_of("lot") as (pool, reports):
        before = pool.pids
        os.kill(before[0], getattr(signal, "SIGKILL", signal.SIGTERM))
        reply = await pool.think(match(), request(), GENEROUS)
        assert pid_in(reply.text) not in before
        assert reports.count("has taken the place") == 1


async def test_a_pool_is_ready_when_its_worker_is_up_again() -> None:
    async with pool_of("lot") as (pool, _):
        os.kill(pool.pids[0], getattr(signal, "SIGKILL", signal.SIGTERM))
        while pool.pids:  # noqa: ASYNC110  (the kernel has to tell)
            await asyncio.sleep(0.001)
        await pool.ready()
        assert pool.pids


async def test_a_worker_that_dies_of_a_question_twice_is_not_asked_a_third_time() -> None:
    async with pool_of("dies", emergency_moves=True) as (pool, reports):
        reply = await pool.think(match(), request(), GENEROUS)
        assert reply.move in ("a1", "b2", "c3")
        assert reply.text.startswith(NOT_ITS_OWN)
        assert "is gone" in reply.text
        assert reports.count("a legal move is played at random") == 1
        assert (await pool.think(match(), request(), GENEROUS)).move == reply.move


async def test_a_player_whose_worker_dies_of_a_question_twice_has_failed() -> None:
    async with pool_of("dies") as (pool, _):
        with pytest.raises(PlayerFailed, match=r"^its process has ended: worker \d+ is gone"):
            await pool.think(match(), request(), GENEROUS)


async def test_a_player_without_a_move_in_time_gets_no_emergency_move() -> None:
    async with pool_of("hangs") as (pool, reports):
        thinking = asyncio.create_task(pool.think(match(), request(), MoveTimeLimits(0.01, 0.01, 0.05)))
        while not reports.count("; its clock runs on"):  # noqa: ASYNC110  (a process has to be killed)
            await asyncio.sleep(0.01)
        assert not thinking.done()
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await thinking


async def test_before_a_player_that_hangs_is_killed_its_line_is_reported() -> None:
    async with pool_of("hangs") as (pool, reports):
        thinking = asyncio.create_task(pool.think(match(), request(), MoveTimeLimits(0.01, 0.5, 0.05)))
        while not reports.count("is killed"):  # noqa: ASYNC110  (a process has to be killed)
            await asyncio.sleep(0.01)
        (where,) = [report for report in reports if report.startswith("choose failed:")]
        assert re.match(r"choose failed:\n  .*players\.py, line \d+, in choose\n    time\.sleep\(1000\)\n", where)
        assert re.search(r"^it is not over after 0\.\d+ s$", where, re.MULTILINE)
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await thinking


async def test_a_slow_player_is_not_killed_before_its_time_is_over(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    async with pool_of(f"late:{answers}") as (pool, reports):
        thinking = asyncio.create_task(pool.think(match(), request(), MoveTimeLimits(0.01, 0.01, 60.0)))
        await asyncio.sleep(0.1)  # ten times what it had to stop and to be killed
        answers.touch()
        assert pid_in((await thinking).text) == pool.pids[0]
        assert reports.count("is killed") == 0


@pytest.mark.parametrize("kind", ["hangs", "native"])
async def test_a_worker_that_hangs_is_killed_and_the_answer_comes_in_time(kind: str) -> None:
    if kind == "native" and sys.platform == "win32":
        kind = "hangs"  # pause() is not there
    async with pool_of(kind, emergency_moves=True) as (pool, reports):
        before = pool.pids
        reply = await pool.think(match(), request(), MoveTimeLimits(0.1, 0.05, 0.5))
        assert reply.move in ("a1", "b2", "c3")
        why = reply.text.removeprefix(NOT_ITS_OWN)
        assert why in ("no worker is up, and none would be in time", "no answer in time")
        assert reports.count("is killed") >= 1
        assert pool.pids != before


async def test_a_worker_that_hangs_once_is_replaced_and_asked_again_while_there_is_time(tmp_path: Path) -> None:
    async with pool_of(f"hangs:{tmp_path / 'once'}", emergency_moves=True) as (pool, reports):
        reply = await pool.think(match(), request(), HASTY)
        assert reply.text == f"pid {pool.pids[0]} threads 1"
        assert reports.count("is killed") == 1


async def test_a_worker_that_is_late_is_not_killed_and_the_answer_comes_without_it(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    async with pool_of(f"late:{answers}", emergency_moves=True) as (pool, reports):
        before = pool.pids
        reply = await pool.think(match(), request(), MoveTimeLimits(think_s=0.01, grace_s=20.0, answer_s=0.02))
        assert reply.text == f"{NOT_ITS_OWN}no answer in time"
        answers.touch()
        assert pid_in((await pool.think(match(), request(), GENEROUS)).text) == before[0]
        assert reports.count("is killed") == 0


async def test_a_match_whose_worker_dies_goes_on_with_another_that_is_up(tmp_path: Path) -> None:
    async with pool_of(f"dies:{tmp_path / 'once'}", workers=2) as (pool, reports):
        before = pool.pids
        reply = await pool.think(match(), request(), GENEROUS)
        assert pid_in(reply.text) in before
        assert reports.count("has taken the place") == 0
        assert (await pool.think(match(), request(), GENEROUS)).text == reply.text


async def test_when_no_worker_is_up_a_short_clock_is_not_spent_on_waiting_for_one() -> None:
    async with pool_of("lot", emergency_moves=True) as (pool, _):
        os.kill(pool.pids[0], getattr(signal, "SIGKILL", signal.SIGTERM))
        while pool.pids:  # noqa: ASYNC110  (the kernel has to tell)
            await asyncio.sleep(0.001)
        reply = await pool.think(match(), request(), MoveTimeLimits(think_s=0.1, grace_s=1.0, answer_s=0.15))
        assert reply.text == f"{NOT_ITS_OWN}no worker is up, and none would be in time"


async def test_a_player_is_stopped_when_its_time_is_over_and_keeps_its_worker() -> None:
    async with pool_of("listens") as (pool, reports):
        before = pool.pids
        reply = await pool.think(match(), request(), MoveTimeLimits(0.05, 5.0, 20.0))
        assert reply.text.startswith("stopped True budget 0.0")
        assert pool.pids == before
        assert reports == []


async def test_a_player_whose_time_is_over_before_it_has_begun_is_stopped_when_it_begins() -> None:
    async with pool_of("begins-late") as (pool, reports), asyncio.timeout(60):
        before = pool.pids
        reply = await pool.think(match(), request(), MoveTimeLimits(0.05, 0.5, 5.0))
        assert reply.text.startswith("stopped True")
        assert pool.pids == before
        assert reports == []


async def test_a_cancelled_thought_is_stopped_and_its_worker_free_again() -> None:
    async with pool_of("listens") as (pool, reports):
        before = pool.pids
        thinking = asyncio.create_task(pool.think(match(), request(), GENEROUS))
        await asyncio.sleep(0.05)
        thinking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await thinking
        reply = await pool.think(match(2), request(2), MoveTimeLimits(0.05, 5.0, 20.0))
        assert reply.text.startswith("stopped True")
        assert pool.pids == before
        assert reports == []


@pytest.mark.parametrize(
    ("player", "headline", "where"),
    [
        ("fails", "ZeroDivisionError", "players.py"),
        ("exits", "SystemExit: 3", "players.py"),
        ("forgets", "choose returned None; a player returns a MoveReply", ""),
        ("misjudges", r"Expected `int \| null`, got `float` - at `\$.reply.depth`", ""),
    ],
)
async def test_a_players_error_is_reported_and_its_worker_lives_on(player: str, headline: str, where: str) -> None:
    async with pool_of(player) as (pool, _):
        before = pool.pids
        with pytest.raises(PlayerFailed, match=headline) as caught:
            await pool.think(match(), request(), GENEROUS)
        assert where in str(caught.value.failure.lines)
        assert pool.pids == before


async def test_a_player_may_print_and_read_and_count_in_the_numbers_of_numpy() -> None:
    async with pool_of("talks") as (pool, _):
        reply = await pool.think(match(), request(), GENEROUS)
        assert (reply.text, reply.depth, reply.score) == ("''", 7, -5)


async def test_the_clocks_in_a_question_are_those_of_when_it_is_asked() -> None:
    async with pool_of("echo") as (pool, _):
        at_once = await pool.think(match(), request(remaining_ms=60_000, move_limit_ms=50_000), GENEROUS)
        remaining, limit, budget = at_once.text.split()
        assert 59_000 < int(remaining) <= 60_000
        assert 49_000 < int(limit) <= 50_000
        assert 19.0 < float(budget) <= 20.0


async def test_a_program_that_a_player_has_started_ends_with_the_pool() -> None:
    async with pool_of("program") as (pool, _):
        program = psutil.Process(int((await pool.think(match(), request(), GENEROUS)).text))
        assert program.is_running()
    assert not program.is_running()


@pytest.mark.parametrize(
    ("player", "words"),
    [("unbuildable", "ImportError: no such engine"), ("vanishes", "exit status 7"), ("unknown", "KeyError")],
)
async def test_a_player_that_cannot_be_built_is_reported_at_the_start(player: str, words: str) -> None:
    with pytest.raises(WorkerError, match=words):
        async with pool_of(player):
            pass


def test_a_file_that_plays_while_it_is_loaded_gets_a_hint(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text("told = answer_where(Where(phase='loading bot.py:Mine', limit_s=20.0))")
    outcome = runpy.run_path(str(file), {"answer_where": answer_where, "Where": Where})["told"]
    assert isinstance(outcome, Failed)
    assert outcome.failure.lines[-1].function == "<module>"
    assert outcome.failure.error.endswith('waits below if __name__ == "__main__":)')


async def test_a_factory_that_cannot_be_imported_is_reported_at_the_start() -> None:
    with pytest.raises(WorkerError, match="No module named 'nowhere'"):
        await WorkerPool("lot", report=print, factory="nowhere:build").start()


async def test_a_player_that_does_not_get_ready_is_killed_and_named() -> None:
    before = psutil.Process().children()
    pool = WorkerPool(
        "endless", report=print, games=("tictactoe", "nim"), factory=FACTORY, path=(str(Path.cwd()),), ready_s=2.5
    )
    with pytest.raises(
        WorkerError, match=r"^the player cannot be started: .* failed: it is not over after 5 s$"
    ) as late:
        await pool.start()
    assert late.value.failure is not None
    assert "players.py" in late.value.failure.lines[-1].file
    assert not [child for child in psutil.Process().children() if child not in before and is_running(child.pid)]


async def test_a_player_for_which_something_is_compiled_may_take_longer() -> None:
    async with pool_of("compiles", ready_s=5.0) as (pool, _):
        assert pool.pids


async def test_workers_end_with_their_supervisor_even_in_the_middle_of_a_thought(tmp_path: Path) -> None:
    program = f"""
import asyncio
from tabiya.bots.pool.pool import WorkerPool
from tabiya.bots.pool.time_limits import MoveTimeLimits
from tabiya.bots.players.api import MatchInfo, MoveRequest
async def main():
    match = MatchInfo(match=1, game="")
    request = MoveRequest(match=1, game="", seat=0, ply=0, position="", history_position="")
    pool = WorkerPool("listens", report=print, factory={FACTORY!r}, path=({str(Path.cwd())!r},))
    await pool.start()
    asyncio.create_task(pool.think(match, request, MoveTimeLimits(50, 1, 60)))
    await asyncio.sleep(0.05)
    print(*pool.pids, flush=True)
    await asyncio.sleep(100)
asyncio.run(main())
"""
    supervisor = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
    assert supervisor.stdout is not None
    worker = psutil.Process(int(await supervisor.stdout.readline()))
    supervisor.kill()
    await supervisor.wait()
    await asyncio.to_thread(worker.wait, 10)


class Up:
    """A worker that is up until `dies` is set."""

    pid, name, alive, warnings = 1, "1", True, ()

    def __init__(self) -> None:
        self.dies = asyncio.Event()
        self.gone = asyncio.create_task(self.dies.wait())

    async def close(self, grace_s: float = 0.0) -> None:
        self.dies.set()
        await self.gone


async def test_a_system_that_starts_no_process_is_a_worker_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr("asyncio.create_subprocess_exec", refuse)
    with pytest.raises(WorkerError, match="no worker process can be started: Resource temporarily unavailable"):
        await WorkerPool("lot", report=print).start()


async def test_the_waits_begin_anew_when_a_worker_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    workers, reports = [Up() for _ in range(3)], asyncio.Queue[str]()
    starts = iter([workers[0], WorkerError("no"), workers[1], WorkerError("no"), workers[2]])

    async def start(*_: object) -> object:
        worker = next(starts)
        if isinstance(worker, WorkerError):
            raise worker
        return worker

    monkeypatch.setattr(WorkerProcess, "start", start)
    monkeypatch.setattr("tabiya.bots.pool.supervisor.backoff_delays", lambda random: iter((0.0, 60.0)))
    supervisor = WorkerSupervisor(Start(player="lot"), reports.put_nowait, Random(1))
    await supervisor.start()
    for worker in workers[:2]:
        worker.dies.set()
        assert await reports.get() == "no; trying again in 0.0 s"
        assert "has taken the place" in await reports.get()
    await supervisor.close()


async def test_a_worker_that_does_not_start_leaves_no_other_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    starts, ended = iter(range(3)), asyncio.Event()

    async def start(*_: object) -> object:
        number = next(starts)
        if number == 0:
            return Up()
        if number == 1:
            raise WorkerError("no memory")
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return Up()

    monkeypatch.setattr(WorkerProcess, "start", start)
    with pytest.raises(WorkerError, match="no memory"):
        await WorkerPool("lot", workers=3, report=print).start()
    assert ended.is_set()


async def test_a_pool_needs_workers() -> None:
    with pytest.raises(ValueError, match="at least one worker"):
        WorkerPool("lot", workers=0, report=print)

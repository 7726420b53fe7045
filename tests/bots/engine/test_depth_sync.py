"""An iteration is over for all threads when one has finished it, and no stop is lost over that."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
import pytest

from tabiya.bots.engine.depth_sync import GO_ON, OVERTAKEN, STOPPED, DepthSync, FinishedDepth
from tabiya.bots.engine.engine import Engine
from tabiya.bots.engine.search_thread import SearchThread
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.limits import Iteration, StopToken
from tabiya.games.registry import load_game

PATIENCE_S = 20.0  # of a test that would hang otherwise


@dataclass(eq=False)
class Thread:
    depth: int
    flag: int = GO_ON


@dataclass
class Threads:
    """Four: two in the third iteration, one still in the second, one already in the fourth."""

    all: list[Thread] = field(default_factory=lambda: [Thread(3), Thread(3), Thread(2), Thread(4)])
    must_stop: bool = False

    def __post_init__(self) -> None:
        self.sync = DepthSync(self.all, lambda: self.must_stop)

    @property
    def flags(self) -> list[int]:
        return [thread.flag for thread in self.all]


def finished(depth: int, value: int = 0) -> FinishedDepth:
    return FinishedDepth(Iteration(depth, value, exact=False), (), best=7, value=value, effort=0.5)


def test_the_first_to_finish_a_depth_stops_threads_that_are_no_deeper() -> None:
    threads = Threads()
    threads.sync.report_depth(threads.all[1], finished(3))
    assert threads.flags == [OVERTAKEN, GO_ON, OVERTAKEN, GO_ON]
    assert threads.sync.last == finished(3)


def test_what_the_first_one_found_is_kept() -> None:
    threads = Threads()
    threads.sync.report_depth(threads.all[0], finished(3, value=10))
    threads.all[1].flag = GO_ON
    threads.sync.report_depth(threads.all[1], finished(3, value=20))
    threads.sync.report_depth(threads.all[2], finished(2, value=30))
    assert threads.sync.last == finished(3, value=10)
    assert threads.all[1].flag == GO_ON
    threads.sync.report_depth(threads.all[3], finished(4))
    assert threads.sync.last == finished(4)


def test_an_overtaken_thread_goes_on_and_a_stopped_one_does_not() -> None:
    threads = Threads()
    threads.all[2].flag = STOPPED
    threads.sync.report_depth(threads.all[1], finished(3))
    assert threads.sync.adopt_latest(threads.all[0])
    assert threads.all[0].flag == GO_ON
    assert not threads.sync.adopt_latest(threads.all[2])
    assert threads.all[2].flag == STOPPED


def test_a_stop_that_came_before_or_after_the_relief_is_not_lost() -> None:
    before, after = Threads(), Threads()
    before.must_stop = True
    before.sync.report_depth(before.all[1], finished(3))  # over a stop that was asked for at the same moment
    assert not before.sync.adopt_latest(before.all[0])
    assert before.all[0].flag == STOPPED
    after.sync.report_depth(after.all[1], finished(3))
    after.all[0].flag = STOPPED
    assert not after.sync.adopt_latest(after.all[0])


def test_when_it_is_over_it_is_over_for_those_that_were_relieved() -> None:
    threads = Threads()
    threads.sync.report_depth(threads.all[0], finished(3))
    threads.sync.end(threads.all[1:])
    assert threads.flags == [GO_ON, STOPPED, STOPPED, STOPPED]
    threads.all[1].flag = OVERTAKEN  # by one that had begun to before the end
    assert not threads.sync.adopt_latest(threads.all[1])
    threads.sync.report_depth(threads.all[3], finished(5))
    assert threads.flags[0] == GO_ON
    assert threads.sync.last == finished(3)


def two_handed() -> Engine:
    return Engine(evaluator_for(load_game("reversi")), table_mb=1, threads=2)


@pytest.fixture
def slow_leader(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """An engine of two threads, the first of which finishes no iteration after the third until it is told to."""
    engine, iterate = two_handed(), SearchThread._iterate

    def waiting(worker: SearchThread, depth: int) -> int:
        until = time.monotonic() + PATIENCE_S
        while worker is engine._workers[0] and depth > 3 and worker.flag == GO_ON and time.monotonic() < until:
            time.sleep(0.001)
        return iterate(worker, depth)

    monkeypatch.setattr(SearchThread, "_iterate", waiting)
    return engine


def test_the_answer_is_that_of_the_thread_that_was_first(slow_leader: Engine) -> None:
    reported: list[int] = []
    position = load_game("reversi").start()
    result = slow_leader.search(position, depth=7, report=lambda so_far: reported.append(so_far.depth))
    assert (result.depth, reported[-1]) == (7, 7)
    assert reported == sorted(set(reported))
    assert result.move == result.pv[0]
    assert result.time_s < PATIENCE_S
    for move in result.pv:
        position = position.play(move)


def test_a_stop_at_the_moment_of_relief_ends_the_search(slow_leader: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    token, report_depth = StopToken(), DepthSync.report_depth

    def stopped_meanwhile(sync: DepthSync, runner: SearchThread, last: FinishedDepth) -> None:
        if last.done.depth == 5:
            token.stop()
            slow_leader._workers[0].flag = GO_ON  # as if looked at before the stop, and written to after it
        report_depth(sync, runner, last)

    monkeypatch.setattr(DepthSync, "report_depth", stopped_meanwhile)
    result = slow_leader.search(load_game("reversi").start(), depth=60, time_s=PATIENCE_S, stop=token)
    assert result.depth == 5
    assert result.time_s < PATIENCE_S / 2


def test_threads_do_not_share_several_lines() -> None:
    engine, start = two_handed(), load_game("reversi").start()
    result = engine.search(start, depth=5, lines=3)
    assert len({line.pv[0] for line in result.lines}) == 3
    assert result.depth == 5
    assert not np.any([worker.work.stop == OVERTAKEN for worker in engine._workers])

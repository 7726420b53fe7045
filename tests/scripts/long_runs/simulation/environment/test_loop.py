"""The loop of the simulation: processes that cost time, stand still and die; one order for one seed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any

import pytest

from scripts.long_runs.simulation.environment.loop import NothingCanHappen, Process, SimulatedLoop
from tabiya.server.transport.loop_lag import LoopLagMonitor


def in_world(work: Callable[[SimulatedLoop], Coroutine[Any, Any, None]], seed: int = 1) -> SimulatedLoop:
    loop = SimulatedLoop(Random(seed))
    try:
        loop.run_until_complete(work(loop))
    finally:
        loop.close()
    return loop


def a_process(loop: SimulatedLoop, turn_s: float = 0.001) -> Process:
    return loop.process("server", lambda: turn_s)


def test_an_hour_passes_at_once() -> None:
    async def work(loop: SimulatedLoop) -> None:
        before = loop.time()
        await asyncio.sleep(3_600)
        assert loop.time() == before + 3_600

    in_world(work)


def test_a_turn_costs_a_process_time_and_the_world_none() -> None:
    async def work(loop: SimulatedLoop) -> None:
        process, seen, began = a_process(loop, turn_s=0.5), list[float](), loop.time()
        with loop.acting(process):
            loop.call_soon(lambda: loop.call_soon(lambda: seen.append(loop.time() - began)))
        await asyncio.sleep(0.1)
        assert seen == []
        assert loop.time() == began + 0.1
        await asyncio.sleep(1)
        assert seen == [0.5]

    in_world(work)


def test_a_process_that_stands_still_is_late_for_everything() -> None:
    async def work(loop: SimulatedLoop) -> None:
        process, seen, began = a_process(loop), list[float](), loop.time()
        with loop.acting(process):
            loop.call_later(1, lambda: seen.append(loop.time() - began))
        loop.stand_still(process, 3)
        await asyncio.sleep(5)
        assert seen == [3]

    in_world(work)


class EachTickTakesATurn(LoopLagMonitor):
    """One whose ticks the loop does not know."""

    def _tick(self) -> None:
        super()._tick()


def lag_seen(kind: type[LoopLagMonitor], seed: int) -> tuple[list[tuple[int, ...]], int]:
    """What a monitor says in a process that is busy and stands still at times, and how many turns there were."""
    seen: list[tuple[int, ...]] = []

    async def work(loop: SimulatedLoop) -> None:
        draw, costs = Random(seed), Random(seed)
        process = loop.process("server", lambda: costs.random() * (0.08 if costs.random() < 0.05 else 0.0003))
        monitor = kind(loop.now_ns, lambda since_ns, until_ns: seen.append((since_ns, until_ns)))

        def reads() -> None:
            seen.append((loop.now_ns(), monitor.earliest_arrival_ns(loop.now_ns()), monitor.take_longest_ns()))

        with loop.acting(process):
            loop.call_soon(monitor.start)
        for _ in range(200):
            await asyncio.sleep(draw.choice((0.0001, 0.01, 0.0377)) * draw.randint(1, 9))
            loop.stand_still(process, draw.choice((0, 0, 0, 0, 0, 0.004, 0.0123, 0.05, 0.3)))
            loop.arrives(process, "line", reads)

    return seen, in_world(work, seed).turns


@pytest.mark.parametrize("seed", range(1, 6))
def test_ticks_that_are_not_late_take_no_turn_and_are_not_missed(seed: int) -> None:
    (seen, turns), (expected, all_turns) = lag_seen(LoopLagMonitor, seed), lag_seen(EachTickTakesATurn, seed)
    assert seen == expected
    assert any(len(pause) == 2 for pause in seen)  # process pauses
    assert turns < all_turns / 2


def test_nothing_that_a_killed_process_had_planned_happens() -> None:
    seen: list[str] = []

    async def in_server() -> None:
        try:
            await asyncio.sleep(10)
        finally:
            asyncio.get_running_loop().call_soon(seen.append, "cleaned up")
        seen.append("went on")

    async def work(loop: SimulatedLoop) -> None:
        process = a_process(loop)
        with loop.acting(process):
            task = loop.create_task(in_server())
            loop.call_later(5, seen.append, "timer")
        await asyncio.sleep(1)
        loop.kill(process)
        loop.arrives(process, "line", seen.append, "arrived")
        await asyncio.sleep(60)
        assert not task.done()

    in_world(work)
    assert seen == []


def test_what_comes_from_one_source_keeps_its_order_and_sources_take_any() -> None:
    def order(seed: int) -> list[str]:
        seen: list[str] = []

        async def work(loop: SimulatedLoop) -> None:
            process = a_process(loop)
            for number in range(3):
                for source in "abc":
                    loop.arrives(process, source, seen.append, f"{source}{number}")
            await asyncio.sleep(1)

        in_world(work, seed)
        return seen

    orders = [order(seed) for seed in range(20)]
    for seen in orders:
        assert [one for one in seen if one.startswith("b")] == ["b0", "b1", "b2"]
    assert len({tuple(seen) for seen in orders}) > 1
    assert order(7) == orders[7]


def test_what_a_thread_has_done_arrives_later() -> None:
    async def work(loop: SimulatedLoop) -> None:
        process = a_process(loop)
        with loop.acting(process):
            task = loop.create_task(asyncio.to_thread(sum, (1, 2, 3)))
        await asyncio.sleep(0)
        assert not task.done()
        await asyncio.sleep(1)
        assert task.result() == 6

    in_world(work)


def test_a_world_in_which_nothing_can_happen_any_more_says_so() -> None:
    async def work(loop: SimulatedLoop) -> None:
        await loop.create_future()

    with pytest.raises(NothingCanHappen):
        in_world(work)

"""The disk of the simulation: what the process of a host writes is refused when the host was ended."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from scripts.long_runs.simulation.environment.disk import Disk, SimulatedStore
from scripts.long_runs.simulation.environment.loop import Process, SimulatedLoop
from tabiya.storage.errors import HostEnded
from tabiya.storage.records import MatchId
from tabiya.storage.writes import CreateBot, CreateMatch, MoveMatches, RegisterHost
from tests.scripts.long_runs.simulation.environment.test_loop import a_process, in_world
from tests.storage.samples import move, new_match


class Hosts:
    """A disk with a match for each of so many hosts, and their processes."""

    def __init__(self, loop: SimulatedLoop, count: int) -> None:
        self.disk, self._loop = Disk(loop, Random(1), 100.0, lambda write: None), loop
        ada, bob = [self.disk.apply(CreateBot(name, None, "bot", False, 0.0)) for name in ("ada", "bob")]
        self.numbers = [self.disk.apply(RegisterHost("lab", 0.0)) for _ in range(count)]
        for number in self.numbers:
            self.disk.apply(CreateMatch(new_match((ada, bob), f"m{number}", host=number)))
        self.processes = {number: a_process(loop) for number in self.numbers}
        self.stores = {number: self._opened(process, number) for number, process in self.processes.items()}

    def _opened(self, process: Process, number: int) -> SimulatedStore:
        with self._loop.acting(process):
            return self.disk.store(process, number)

    def append(self, number: int, ply: int) -> asyncio.Task[None]:
        """A host saves a move of its match."""
        with self._loop.acting(self.processes[number]):
            task: asyncio.Task[None] = self._loop.create_task(
                self.stores[number].append_move(move(MatchId(number), ply))
            )
            return task

    def end(self, number: int) -> None:
        """As its server does it."""
        self.disk.apply(MoveMatches(number, (0,), 1.0))

    def plies(self, number: int) -> list[int]:
        return sorted(self.disk.tables.moves[MatchId(number)])


def test_saves_under_way_of_an_ended_host_are_refused_and_its_process_learns_it() -> None:
    async def work(loop: SimulatedLoop) -> None:
        hosts = Hosts(loop, 1)
        notified_in = list[Process]()
        hosts.stores[1].given_up.add_done_callback(lambda _: notified_in.append(loop.acting_now))
        hosts.append(1, 2)
        await asyncio.sleep(10_000)
        late = hosts.append(1, 3)
        hosts.end(1)
        await asyncio.sleep(10_000)
        with pytest.raises(HostEnded):
            late.result()
        assert hosts.plies(1) == [0, 1, 2]
        assert notified_in == [hosts.processes[1]]

    in_world(work)


@pytest.mark.parametrize("ended", [False, True])
def test_what_a_host_had_under_way_when_it_was_killed_is_never_stored_if_it_was_ended_before(ended: bool) -> None:
    async def work(loop: SimulatedLoop) -> None:
        hosts = Hosts(loop, 10)
        for number in hosts.numbers:
            hosts.append(number, 2)
        await asyncio.sleep(0.1)  # the batches have left, and none is committed
        for number in hosts.numbers:
            if ended:
                hosts.end(number)
            loop.kill(hosts.processes[number])
            hosts.disk.died(hosts.processes[number])
        stored = sum(hosts.plies(number) == [0, 1, 2] for number in hosts.numbers)
        assert stored == 0 if ended else 0 < stored < 10

    in_world(work)

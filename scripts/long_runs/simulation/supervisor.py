"""The servers of a run, one after the other over the same disk: started, asked, stopped, killed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Iterator
from random import Random
from typing import Any

from scripts.long_runs.simulation.checks.oracle import Oracle
from scripts.long_runs.simulation.environment.bus import SimulatedBus
from scripts.long_runs.simulation.environment.disk import Disk
from scripts.long_runs.simulation.environment.loop import Process, SimulatedLoop
from scripts.long_runs.simulation.environment.network import Network
from scripts.long_runs.simulation.environment.waiting import POLL_S, Waiter
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tabiya.server.matches.dispatcher import RETURN_NS
from tabiya.server.transport.listening import StartError
from tests.virtual_time import wall_ns

RESTART_S = 0.5
HEARD_S = 1.0  # from one word of the server to the next, at most
NOTICES_S = 10.0  # so long one that was taken over has to notice it
TAKES_OVER_S = 3.0  # so long a server is not heard before the next one takes its place
CONFIG = ServerConfig(
    database_url="memory:",
    port=0,
    pages_port=0,
    abandon_ms=8_000,
    stall_limit_ms=6_000,
    open_wait_ms=6_000,
    rate_guests=True,  # so that the standings have something to add up
)
BUSY_S, QUICK_S = 0.08, 0.0003  # what a turn of the loop costs at most


def turn_s(draw: Random, busy_turns: float) -> Callable[[], float]:
    """What the next turn of a process costs. busy_turns: how many take long, 0 to 1."""
    return lambda: draw.random() * (BUSY_S if draw.random() < busy_turns else QUICK_S)


class Supervisor:
    """server: the one that runs now, None while none does. busy_turns: how many turns take long, 0 to 1."""

    def __init__(
        self,
        loop: SimulatedLoop,
        disk: Disk,
        network: Network,
        oracle: Oracle,
        waiter: Waiter,
        trace: Callable[..., None],
        draw: Random,
        busy_turns: float,
        bus: SimulatedBus | None,
    ) -> None:
        self._loop, self._disk, self._network, self._oracle = loop, disk, network, oracle
        self._waiter, self._trace, self._draw, self._busy_turns, self._bus = waiter, trace, draw, busy_turns, bus
        self.server: TabiyaServer | None = None
        self.servers: list[TabiyaServer] = []  # those that died, too: nothing of them is collected during the run
        self.process = loop.world
        self._away_since_s = loop.time()
        self.on_host_lost: Callable[[Process, int], None] = lambda process, host: None
        """Told when the server of a process takes a host for lost."""

    async def start(self) -> None:
        """Start a server over what is durable; one that cannot start is started again, as a supervisor does."""
        while not await self._try_to_start():
            await self._waiter.sleep(RESTART_S)

    async def _try_to_start(self) -> bool:
        process = self.process = self._loop.process(
            f"server {len(self.servers) + 1}", turn_s(self._draw, self._busy_turns)
        )
        self._trace("starts", process.name)
        with self._loop.acting(process):
            store = self._disk.store(process, owns=True)
            bus = self._bus.end(process) if self._bus else None
            server = TabiyaServer(CONFIG, store=store, now_ns=self._loop.now_ns, wall_ns=wall_ns, bus=bus)
            self.servers.append(server)
            started = self._loop.create_task(server.start())
        await self._waiter.until(started.done, "the server starts")
        try:
            started.result()
        except StartError as error:
            self._trace("cannot start", str(error))
            self._loop.kill(process)
            return False
        self.server, self._network.server = server, process
        if server.hosts is not None:
            server.hosts.on_lost = functools.partial(self.on_host_lost, process)
        if self._oracle.with_hosts:  # which give back to bots that could not come back meanwhile what that took
            until_s = self._loop.time() + HEARD_S + RETURN_NS / 1e9
            self._oracle.timing.may_be_excused(self._away_since_s - HEARD_S, until_s)
        return True

    async def ask(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The result of a coroutine in the server; None if the server is killed meanwhile."""
        process = self.process
        with self._loop.acting(process):
            task = self._loop.create_task(work)
        await self._waiter.until(lambda: task.done() or not process.alive, "an order is answered")
        return task.result() if task.done() else None

    async def stop(self) -> None:
        """Stop it in order."""
        server, self.server = self.server, None
        self._away_since_s = self._loop.time()
        if server is not None:
            self._trace("stops", self.process.name)
            await self.ask(server.stop())

    def kill(self) -> None:
        """End it at once; its writes at the disk and its bytes on the lines stay."""
        process, self.server = self.process, None
        self._away_since_s = self._loop.time()
        self._trace("killed", process.name)
        self._loop.kill(process)
        self._disk.died(process)
        self._network.died(process, self._draw)
        self._oracle.restarted()

    async def take_over(self, lasts_s: float) -> None:
        """It stands still, and another one takes its place; when it wakes up it notices, and ends in order."""
        process, server, self.server = self.process, self.server, None
        self._away_since_s = self._loop.time()
        assert server is not None
        self._trace("is taken over", process.name)
        self._loop.stand_still(process, TAKES_OVER_S + lasts_s)
        await self._waiter.sleep(TAKES_OVER_S)
        self._oracle.restarted()
        await self.start()
        late_s = self._loop.time() + lasts_s + NOTICES_S
        while not server.store.given_up.done() and self._loop.time() < late_s:
            await self._waiter.sleep(POLL_S)
        self._trace("gives up", process.name)
        with self._loop.acting(process):
            stopped = self._loop.create_task(server.stop())
        await self._waiter.until(stopped.done, "a server that was taken over stops")
        self._loop.kill(process)

    def left(self) -> Iterator[str]:
        """The leftovers of a server that has stopped, one sentence each."""
        process, server = self.process, self.servers[-1]
        for task in process.unfinished():
            yield f"a task is left after the stop: {task}"
        for link in self._network.left_open(process):
            yield f"the line {link.number} of {link.peer.name} is left open after the stop"
        if server.store.waiting or server.gateway.connections:
            yield f"{server.store.waiting} writes and {server.gateway.connections} lines are left after the stop"

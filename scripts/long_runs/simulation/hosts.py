"""The hosts of a run: started, killed, cut off, sent away, and ended as a process when their store has given up."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from random import Random

from scripts.long_runs.simulation.checks.oracle import Oracle
from scripts.long_runs.simulation.environment.bus import LATE_S, SimulatedBus
from scripts.long_runs.simulation.environment.disk import Disk
from scripts.long_runs.simulation.environment.loop import Process, SimulatedLoop
from scripts.long_runs.simulation.environment.waiting import Waiter
from scripts.long_runs.simulation.gateways import AFTER_S, BEFORE_S
from scripts.long_runs.simulation.plan import COMMIT, END, NOW, Fault
from scripts.long_runs.simulation.supervisor import CONFIG, Supervisor, turn_s
from tabiya.server.cluster.hosts import MAX_MISSED_BEATS
from tabiya.server.cluster.link import HEARTBEAT_S
from tabiya.server.cluster.match_host import MatchHost
from tabiya.storage.errors import StoreError
from tests.virtual_time import wall_ns

RESTART_S = 0.5
PATIENCE_S = 5.0  # for the commit that a host dies of
SAVES_S = 1.0  # for the save during which a host leaves
LOST_S = HEARTBEAT_S * (MAX_MISSED_BEATS + 2)  # until when one that is gone is known to be, where server and bus work
DEAF_S = HEARTBEAT_S * 2 + LATE_S  # after so long without the bus, earlier messages are not received
KNOWN_S = 10.0  # for how long a fault may be the reason why a host is ended


class SimulatedHosts:
    """running: the hosts that live, by their processes."""

    def __init__(
        self,
        loop: SimulatedLoop,
        disk: Disk,
        bus: SimulatedBus,
        servers: Supervisor,
        oracle: Oracle,
        waiter: Waiter,
        trace: Callable[..., None],
        fault: Callable[[str], None],
        draw: Random,
        busy_turns: float,
        number: int,
    ) -> None:
        """fault: called with each thing that must not be.  number: how many there are."""
        self._loop, self._disk, self._bus, self._servers = loop, disk, bus, servers
        self._oracle, self._waiter, self._trace, self._fault, self._draw = oracle, waiter, trace, fault, draw
        self._busy_turns, self._number = busy_turns, number
        self.running: dict[Process, MatchHost] = {}
        self._all: list[MatchHost] = []  # nothing of a dead one is collected during the run
        self._starts = 0
        self._troubled_s: defaultdict[int, float] = defaultdict(float)  # when something was wrong with a host last
        self._deadly: dict[Process, str] = {}  # after which kind of commit a host dies
        self._ending: set[Process] = set()
        self._deaf_since_s: dict[Process, float] = {}  # servers that have been cut off from the bus
        servers.on_host_lost = self._lost
        self._closing = False

    def start_all(self) -> None:
        """Start as many as there are."""
        for _ in range(self._number):
            self.start()

    def start(self) -> None:
        """Start one; one that cannot start is started again."""
        if self._closing:
            return
        self._starts += 1
        process = self._loop.process(f"host {self._starts}", turn_s(self._draw, self._busy_turns))
        self._trace("starts", process.name)
        with self._loop.acting(process):
            self._loop.create_task(self._begin(process))

    async def _begin(self, process: Process) -> None:
        try:
            number = await self._disk.store(process).register_host(process.name, wall_ns() / 1e9)
        except StoreError as error:
            self._trace("cannot start", process.name, str(error))
            self._loop.call_in(self._loop.world, self._loop.time(), self._kill, process)
            return
        store = self._disk.store(process, host=number)
        store.given_up.add_done_callback(
            lambda given_up: self._loop.call_in(self._loop.world, self._loop.time(), self._gives_up, process)
        )
        host = MatchHost(CONFIG, self._bus.end(process), store, number, self._loop.now_ns, wall_ns)
        self._trace("begins", process.name, number)
        self._all.append(host)
        self.running[process] = host
        await host.start()

    # --- what goes wrong

    def strike(self, fault: Fault) -> None:
        """A bad time of a host begins, or of the server's way to all of them."""
        if fault.kind == "server_cut":
            process, since_s, until_s = self._servers.process, self._loop.time(), self._loop.time() + fault.lasts_s
            self._bus.cut_until_s[process.name] = until_s
            self._deaf_since_s[process] = since_s
            self._oracle.timing.may_be_excused(since_s - BEFORE_S, until_s + AFTER_S)
        elif not (there := [process for process in self.running if process not in self._ending]):
            self._loop.call_later(RESTART_S, self.strike, fault)
        else:
            self._strike(fault, self._draw.choice(there))

    def _strike(self, fault: Fault, process: Process) -> None:
        since_s, until_s = self._loop.time(), self._loop.time() + fault.lasts_s
        number = self.running[process].number
        self._trace("strikes", fault.kind, process.name, number)
        match fault.kind:
            case "host_killed":
                self._dies(fault, process)
                until_s = since_s + PATIENCE_S
            case "host_standstill":
                since_s, until_s = self._loop.stand_still(process, fault.lasts_s)
                self._oracle.timing.stood_still(since_s, until_s, number)
            case "host_cut":
                self._bus.cut_until_s[process.name] = until_s
            case "host_disk_cut":
                self._disk.cut_until_s[process] = until_s
            case "host_disk_slow":
                self._disk.slow_until_s_of[process] = until_s
            case "host_leaves":
                self._loop.create_task(self._leave_while_saving(process))
        self._troubled_s[number] = max(self._troubled_s[number], until_s)
        self._oracle.timing.may_be_excused(since_s - BEFORE_S, until_s + AFTER_S + LOST_S)

    def _dies(self, fault: Fault, process: Process) -> None:
        if fault.when == NOW:
            self._kill(process)
        else:
            self._deadly[process] = fault.when
            self._loop.call_later(PATIENCE_S, self._kill, process)

    def committed(self, process: Process, *, ends_a_game: bool) -> None:
        """A write of this process is durable; it may be the one that a host dies of."""
        deadly = self._deadly.get(process)
        if deadly == COMMIT or (deadly == END and ends_a_game):
            self._loop.call_in(self._loop.world, self._loop.time(), self._kill, process)

    def _kill(self, process: Process) -> None:
        """End one at once; another is started a little later."""
        if process.alive:
            self._trace("killed", process.name)
            host = self.running.pop(process, None)
            if host is not None:
                self._troubled_s[host.number] = self._loop.time()
            self._deadly.pop(process, None)
            self._loop.kill(process)
            self._disk.died(process)
            self._loop.call_later(RESTART_S, self.start)

    def _gives_up(self, process: Process) -> None:
        """Its store takes nothing any more: the process ends in order."""
        if process.alive:
            self._trace("gives up", process.name)
            self._loop.create_task(self._leave(process))

    async def _leave_while_saving(self, process: Process) -> None:
        """Stop one in order at the worst moment, if that comes soon."""
        host, late_s = self.running[process], self._loop.time() + SAVES_S
        await self._waiter.until(
            lambda: host._store.waiting > 0 or self._loop.time() > late_s or process not in self.running,
            f"{process.name} saves something",
        )
        if process in self.running:
            await self._leave(process)

    async def _leave(self, process: Process) -> None:
        """Stop one in order; another is started a little later."""
        if process in self._ending:
            return
        self._ending.add(process)
        host = self.running[process]
        self._troubled_s[host.number] = float("inf")
        self._trace("stops", process.name)
        with self._loop.acting(process):
            stopped = self._loop.create_task(host.stop())
        await self._waiter.until(lambda: stopped.done() or not process.alive, f"{process.name} stops")
        if stopped.done() and not stopped.cancelled():
            for sentence in self._left(process, host, stopped):
                self._fault(sentence)
        self._kill(process)

    def _left(self, process: Process, host: MatchHost, stopped: asyncio.Task[None]) -> Iterator[str]:
        """The leftovers of a host that has stopped, one sentence each."""
        if stopped.exception() is not None:
            yield f"{process.name} could not stop: {stopped.exception()!r}"
        for task in process.unfinished():
            yield f"a task is left after the stop of {process.name}: {task}"
        if host._store.waiting:
            yield f"{host._store.waiting} writes are left after the stop of {process.name}"

    async def stop_all(self) -> None:
        """Stop all of them in order."""
        self._closing = True
        for process in list(self.running):
            await self._leave(process)
        await self._waiter.until(lambda: not self.running, "all hosts stop")

    # --- the server's actions

    def _lost(self, server: Process, number: int) -> None:
        """A server takes a host for lost. While the bus brings it nothing, it cannot know."""
        now_s = self._loop.time()
        if self._deaf_since_s.get(server, now_s) < now_s - DEAF_S and now_s < self._bus.cut_until_s[server.name]:
            self._fault(f"{server.name} hears nobody, and takes host {number} for lost")

    def ended(self, number: int) -> None:
        """The server has ended a host. It must have had a reason."""
        now_s = self._loop.time()
        self._oracle.timing.may_be_excused(now_s - BEFORE_S - LOST_S, now_s + AFTER_S)
        is_there = any(host.number == number for host in self.running.values())
        if is_there and max(self._troubled_s[number], self._bus.bad_until_s) < now_s - KNOWN_S:
            self._fault(f"host {number} was ended, and nothing was wrong with it")

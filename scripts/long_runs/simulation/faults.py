"""Everything that goes wrong in a run, when its moment has come."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from scripts.long_runs.simulation.bots import SimulatedBot
from scripts.long_runs.simulation.checks.oracle import Oracle
from scripts.long_runs.simulation.environment.disk import Disk
from scripts.long_runs.simulation.environment.loop import SimulatedLoop
from scripts.long_runs.simulation.environment.waiting import POLL_S, Waiter
from scripts.long_runs.simulation.gateways import Gateways
from scripts.long_runs.simulation.hosts import SimulatedHosts
from scripts.long_runs.simulation.plan import COMMIT, END, NOW, Fault
from scripts.long_runs.simulation.supervisor import Supervisor

PATIENCE_S = 5.0  # for the commit that a crash waits for


class FaultInjector:
    """struck: how many faults are over, or have begun and end by themselves."""

    def __init__(
        self,
        loop: SimulatedLoop,
        disk: Disk,
        bots: Mapping[str, SimulatedBot],
        servers: Supervisor,
        oracle: Oracle,
        waiter: Waiter,
        trace: Callable[..., None],
        gateways: Gateways | None,
        hosts: SimulatedHosts | None,
    ) -> None:
        self._gateways, self._hosts = gateways, hosts
        self._loop, self._disk, self._bots, self._servers = loop, disk, bots, servers
        self._oracle, self._waiter, self._trace = oracle, waiter, trace
        self._ending = False  # a server is about to be ended, or another one to be started
        self._deadly = NOW  # after which kind of commit the server dies
        self.struck = 0

    def committed(self, *, ends_a_game: bool) -> None:
        """A write is durable; it may be the one that a crash waits for."""
        if self._deadly == COMMIT or (self._deadly == END and ends_a_game):
            self._deadly = NOW
            self._loop.call_in(self._loop.world, self._loop.time(), self._servers.kill)

    def strike(self, fault: Fault) -> None:
        """It begins."""
        self._trace("fault", fault)
        if fault.kind in ("crash", "restart", "taken_over"):
            self._loop.create_task(self._restart(fault))
            return
        if fault.kind == "standstill":
            if self._servers.process.alive:
                self._oracle.timing.stood_still(*self._loop.stand_still(self._servers.process, fault.lasts_s))
        elif fault.kind.startswith(("disk", "answers")):
            self._strike_disk(fault)
        elif fault.kind.startswith(("gateway", "bus")):
            assert self._gateways is not None
            self._gateways.strike(fault)
        elif fault.kind.startswith(("host", "server")):
            assert self._hosts is not None
            self._hosts.strike(fault)
        else:
            for name in fault.bots:
                self._strike_line(fault, self._bots[name])
        self.struck += 1

    def _strike_disk(self, fault: Fault) -> None:
        until_s = self._loop.time() + fault.lasts_s
        if fault.kind == "disk_slow":
            self._disk.slow_until_s, self._disk.slow_s = until_s, fault.amount
        elif fault.kind == "disk_full":
            self._disk.failing_until_s = until_s
        else:
            self._disk.forgetful_until_s = until_s

    def _strike_line(self, fault: Fault, bot: SimulatedBot) -> None:
        link_model, until_s = bot.link_model, self._loop.time() + fault.lasts_s
        if fault.kind == "slow":
            link_model.slow_until_s, link_model.slow_s = until_s, fault.amount
        elif fault.kind == "cut":
            never = not math.isclose(fault.lasts_s, 1.0)
            bot.cut(None if never and bot.session.config.token else fault.amount)
        elif fault.kind == "parted":
            link_model.parted_until_s = until_s
        elif fault.kind == "rough":
            link_model.rough = fault.amount
            self._loop.call_later(fault.lasts_s, setattr, link_model, "rough", link_model.usually_rough)

    async def _restart(self, fault: Fault) -> None:
        """Kill the server, or stop it in order, and start another one a little later."""
        servers = self._servers
        await self._waiter.until(
            lambda: self._servers.server is not None and not self._ending, "a server runs that can be ended"
        )
        self._ending = True
        if fault.kind == "crash" and fault.when == NOW:
            servers.kill()
        elif fault.kind == "taken_over":
            await servers.take_over(fault.lasts_s)
            self._ending = False
            self.struck += 1
            return
        elif fault.kind == "crash":
            await self._die_of_a_commit(fault)
        else:
            await servers.stop()
            self._loop.kill(servers.process)
            self._oracle.restarted()
        await self._waiter.sleep(fault.lasts_s)
        await servers.start()
        self._ending = False
        self.struck += 1

    async def _die_of_a_commit(self, fault: Fault) -> None:
        """The server dies when the next commit of this kind is done, before it learns of it; or after a while."""
        servers = self._servers
        process, self._deadly = servers.process, fault.when
        patience_s = self._loop.time() + PATIENCE_S
        while process.alive and self._loop.time() < patience_s:
            await self._waiter.sleep(POLL_S)
        self._deadly = NOW
        if process.alive:
            servers.kill()

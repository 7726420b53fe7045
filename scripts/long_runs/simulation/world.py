"""One run: a server that is started, killed and started again, its bots, and everything that goes wrong by plan."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import traceback
from collections.abc import Coroutine, Iterator
from random import Random
from typing import Any
from unittest.mock import patch

import jinja2

from scripts.long_runs.simulation.bots import SimulatedBot
from scripts.long_runs.simulation.by_seeds import Outcome
from scripts.long_runs.simulation.checks.endings import broken_at_the_end
from scripts.long_runs.simulation.checks.log import LogCapture
from scripts.long_runs.simulation.checks.oracle import Oracle
from scripts.long_runs.simulation.environment.determinism import deterministic
from scripts.long_runs.simulation.environment.disk import Disk
from scripts.long_runs.simulation.environment.link_model import LinkModel
from scripts.long_runs.simulation.environment.loop import START_S, NothingCanHappen, SimulatedLoop
from scripts.long_runs.simulation.environment.network import Network
from scripts.long_runs.simulation.environment.waiting import POLL_S, Stop, Waiter
from scripts.long_runs.simulation.faults import FaultInjector
from scripts.long_runs.simulation.gateways import Gateways
from scripts.long_runs.simulation.hosts import SimulatedHosts
from scripts.long_runs.simulation.plan import MATCHES, Plan, PlannedBot, plan_of, with_gateway_faults, with_host_faults
from scripts.long_runs.simulation.supervisor import Supervisor
from scripts.long_runs.simulation.trace import Trace
from tabiya.bots.client.session import SessionConfig
from tabiya.games.registry import load_game, names
from tabiya.games.warm import warm
from tabiya.server.accounts.accounts import hash_token
from tabiya.server.tournaments import director
from tabiya.server.tournaments.settings import TournamentError
from tabiya.storage.errors import StoreError
from tabiya.storage.writes import CreateBot, MoveMatches

QUIET_S = 1.0
HOSTS = (2, 2, 3)
DRAWN_AHEAD = 2  # openings of a tournament: to draw the usual thirty takes longer than to play a match


class World:
    """One seed. `run` may be called once."""

    def __init__(self, seed: int, gateways: int = 0, *, hosts: bool = False) -> None:
        """gateways: that hold the bots' connections; 0: the server does.  hosts: whether others than it play."""
        self.seed, self._draw = seed, Random(seed)
        self.plan: Plan = plan_of(Random(self._draw.random()))
        self.faults: list[str] = []
        self.loop = SimulatedLoop(self._own_draw())
        self.trace = Trace(self.loop.time)
        self.oracle = Oracle(self.loop.time, self._fault)
        self.disk = Disk(self.loop, self._own_draw(), self.plan.disk_s, self._committed)
        self.oracle.tables = self.disk.tables
        self.network = Network(self.loop, self.oracle, self.trace)
        self.bots: dict[str, SimulatedBot] = {}
        self.waiter = Waiter(self.loop, self.faults, self._fault, self._what_is_left)
        around = self.oracle, self.waiter, self.trace
        servers_draw = self._own_draw()
        self.gateways = self._with_gateways(gateways) if gateways else None
        bus = self.gateways.bus if self.gateways else None
        self.servers = Supervisor(self.loop, self.disk, self.network, *around, servers_draw, self.plan.busy_turns, bus)
        self.hosts = self._with_hosts() if hosts else None
        self.trouble = FaultInjector(self.loop, self.disk, self.bots, self.servers, *around, self.gateways, self.hosts)
        self._overheard = LogCapture(self.loop, self.disk, self._fault)

    def _with_gateways(self, number: int) -> Gateways:
        self.plan = with_gateway_faults(self.plan, self._own_draw())
        self.oracle.through_gateways = True
        return Gateways(self.loop, self.network, self.oracle, self.trace, self._own_draw(), number)

    def _with_hosts(self) -> SimulatedHosts:
        assert self.gateways is not None
        self.oracle.with_hosts = True
        draw = self._own_draw()
        self.plan = with_host_faults(self.plan, self._own_draw())
        around = self.servers, self.oracle, self.waiter, self.trace, self._fault
        number = draw.choice(HOSTS)
        return SimulatedHosts(self.loop, self.disk, self.gateways.bus, *around, draw, self.plan.busy_turns, number)

    def _own_draw(self) -> Random:
        """A separate random generator."""
        return Random(self._draw.getrandbits(64))

    def _fault(self, sentence: str) -> None:
        self.trace("FAULT", sentence)
        self.faults.append(sentence)

    def _committed(self, write: Any) -> None:
        ended = self.oracle.games_ended
        self.trace("durable", write)
        self.oracle.committed(write)
        ends_a_game = self.oracle.games_ended > ended
        self.trouble.committed(ends_a_game=ends_a_game)
        if self.hosts is not None:
            self.hosts.committed(self.disk.writing, ends_a_game=ends_a_game)
            if isinstance(write, MoveMatches):
                self.hosts.ended(write.host)

    # --- the run

    def run(self) -> Outcome:
        """From the first start to the last stop."""
        few = patch.object(director, "OPENINGS_DRAWN_AHEAD", DRAWN_AHEAD)
        compiled = patch.object(jinja2.Environment, "compile", _compiled)
        with self._open(), few, compiled, deterministic(self._own_draw(), self.loop.time):
            self._run(self._main())
            self._run(self._end_all())
        return Outcome(self.seed, tuple(self.faults), self._figures(), self.trace)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            self.loop.run_until_complete(work)
        except NothingCanHappen as error:
            self._fault(str(error))
        except Stop:
            pass
        except Exception:
            self._fault(f"the run breaks off: {traceback.format_exc()}")

    @contextlib.contextmanager
    def _open(self) -> Iterator[None]:
        """Garbage is collected when the run is over: a finaliser may run code, and must not do so at any moment."""
        self.loop.set_exception_handler(self._overheard.loop_error)
        gc.disable()
        with self._overheard.listening():
            try:
                yield
            finally:
                self.loop.close()
                gc.enable()

    async def _end_all(self) -> None:
        """Kill every process that has not ended by itself."""
        for process in self.loop.processes:
            if process.alive:
                self.loop.kill(process)
        for task in self.loop.world.unfinished():
            if task is not asyncio.current_task():
                task.cancel()

    async def _main(self) -> None:
        for planned in self.plan.bots:
            self._add(planned)
        if self.gateways is not None:
            self.gateways.start_all()
        await self.servers.start()
        if self.hosts is not None:
            self.hosts.start_all()
        for fault in self.plan.faults:
            self.loop.call_later(fault.at_s, self.trouble.strike, fault)
        for bot in self.bots.values():
            self.loop.call_later(self._draw.random(), bot.come)
        organiser = self.loop.create_task(self._organise())
        await self.waiter.until(lambda: self._lobby_matches() >= self.plan.lobby_matches, "the lobby makes its matches")
        for bot in self.bots.values():
            bot.seek_no_more()
        await self.waiter.until(organiser.done, "the organiser's orders are carried out")
        await self.waiter.until(
            lambda: self.trouble.struck == len(self.plan.faults), "everything goes wrong that shall"
        )
        await self.waiter.sleep(QUIET_S)
        while self._unaware() or not self._all_over():  # again: a seek that was held back may make one match more
            await self.waiter.until(self._all_over, "all matches and tournaments end")
            await self.waiter.until(lambda: not self._unaware(), "all bots hear that their matches are over")
            await self.waiter.sleep(QUIET_S)
        server = self.servers.server
        assert server is not None
        for sentence in await self.servers.ask(broken_at_the_end(server, self.oracle)):
            self._fault(sentence)
        if len(self.disk.tables.tournaments) != len(self.plan.orders):
            self._fault(f"{len(self.plan.orders)} orders have made {len(self.disk.tables.tournaments)} tournaments")
        if len(self.disk.tables.matches) < MATCHES:
            self._fault(f"the plan has made {len(self.disk.tables.matches)} matches only")
        if self.hosts is not None:
            await self.hosts.stop_all()
        await self.servers.stop()
        for sentence in self.servers.left():
            self._fault(sentence)

    def _what_is_left(self) -> str:
        tables = self.disk.tables
        matches = [f"match {match.id} {match.status}" for match in tables.matches.values() if match.result is None]
        cups = [f"{cup.name} {cup.status} {cup.state}" for cup in tables.tournaments.values() if cup.status != "ended"]
        unheard = [f"{bot.name} plays {bot.session.running}" for bot in self._unaware()]
        return "; ".join(matches + cups + unheard) or "nothing"

    # --- bots

    def _add(self, planned: PlannedBot) -> None:
        if planned.token:
            self.disk.apply(CreateBot(planned.name, hash_token(planned.token), "bot", False, 0.0))
        config = SessionConfig(
            name=planned.name,
            token=planned.token,
            version=planned.version,
            seeks=planned.seeks,
            at_once=planned.at_once,
            legal_moves=planned.legal_moves,
        )
        link_model = LinkModel(self._own_draw(), self.loop.time, planned.base_s, planned.jitter_s, planned.repeats)
        if planned.far:
            self.network.addresses[planned.name] = f"10.0.0.{len(self.bots) + 1}"
        self.bots[planned.name] = SimulatedBot(
            self.network, self._own_draw(), config, planned.behaviour, link_model, planned.encoding
        )

    # --- tournaments

    async def _organise(self) -> None:
        """Order each tournament until that is answered; a server that dies is asked again, with the same key."""
        await self.waiter.until(lambda: self.bots.keys() <= self._known(), "every bot comes")
        for order in self.plan.orders:
            answer = None
            while answer is None:
                server = self.servers.server
                if server is None:
                    await self.waiter.sleep(POLL_S)
                    continue
                try:
                    answer = await self.servers.ask(server.tournaments.create(order))
                except (StoreError, TournamentError) as error:
                    self.trace("order", str(error))
                    await self.waiter.sleep(1.0)

    def _known(self) -> set[str]:
        return {bot.name for bot in self.disk.tables.bots.values()}

    def _lobby_matches(self) -> int:
        return sum(match.tournament_id is None for match in self.disk.tables.matches.values())

    def _all_over(self) -> bool:
        tables, server = self.disk.tables, self.servers.server
        return (
            server is not None
            and not server.dispatcher.matchmaker.reserved.total()
            and not server.dispatcher.runner.count
            and all(match.result is not None for match in tables.matches.values())
            and all(cup.status == "ended" for cup in tables.tournaments.values())
        )

    def _unaware(self) -> list[SimulatedBot]:
        """Bots that are there and believe to play."""
        return [bot for bot in self.bots.values() if bot.session.connected and bot.session.running]

    def _figures(self) -> dict[str, float]:
        tables = self.disk.tables
        return {
            "bots": len(self.bots),
            "matches": len(tables.matches),
            "moves": sum(map(len, tables.moves.values())),
            "tournaments": len(tables.tournaments),
            "starts": len(self.servers.servers),
            "faults": len(self.plan.faults),
            "messages": self.oracle.checked,
            "seconds": self.loop.time() - START_S,
            "turns": self.loop.turns,
        }


_compile = jinja2.Environment.compile
_templates: dict[str, Any] = {}


def _compiled(environment: jinja2.Environment, source: str, *names: Any) -> Any:
    """The code of a page's template, the same for all servers: to make it takes longer than all else of a start."""
    if source not in _templates:
        _templates[source] = _compile(environment, source, *names)
    return _templates[source]


@functools.cache
def prepare() -> None:
    """Compile every game before the first run: afterwards neither clock nor chance is the real one.

    What is in memory by then is left out of every later collection of garbage.
    """
    for name in names():
        warm(load_game(name))
    gc.collect()
    gc.freeze()


def run_seed(seed: int, gateways: int = 0, *, hosts: bool = False) -> Outcome:
    """The outcome of a seed. gateways, hosts: as of `World`."""
    prepare()
    return World(seed, gateways, hosts=hosts).run()

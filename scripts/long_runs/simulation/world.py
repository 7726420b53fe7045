"""One run: a server that is started, killed and started again, its bots, and everything that goes wrong by plan."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import math
import traceback
from collections.abc import Callable, Coroutine, Iterator
from random import Random
from typing import Any
from unittest.mock import patch

from msgspec import Struct

from bots.client.session import Wishes
from games.registry import load_game, names
from games.warm import warm
from scripts.long_runs.simulation.bots import SimulatedBot
from scripts.long_runs.simulation.disk import Disk
from scripts.long_runs.simulation.endings import broken_at_the_end
from scripts.long_runs.simulation.log import Overheard
from scripts.long_runs.simulation.loop import NothingCanHappen, SimulatedLoop
from scripts.long_runs.simulation.network import Network
from scripts.long_runs.simulation.plan import COMMIT, END, NOW, Fault, Plan, PlannedBot, plan_of
from scripts.long_runs.simulation.sealed import sealed
from scripts.long_runs.simulation.trace import Trace
from scripts.long_runs.simulation.truth import Truth
from scripts.long_runs.simulation.weather import Weather
from server.accounts import hash_token
from server.app import StartError, TabiyaServer
from server.config import ServerConfig
from server.tournaments import director
from server.tournaments.settings import TournamentError
from storage.errors import StoreError
from storage.writes import CreateBot
from tests.virtual_time import now_ns, wall_ns

LOOK_S = 0.1
RESTART_S = 0.5
PATIENCE_S = 5.0  # for the commit that a crash waits for
LONGEST_S = 600.0  # of virtual time; whatever is not over by then never ends
QUIET_S = 1.0
DRAWN_AHEAD = 2  # openings of a tournament: to draw the usual thirty takes longer than to play a match
BUSY_S = 0.08  # a turn that takes long


class Outcome(Struct, frozen=True):
    """What came of a seed. faults: what must not be, empty if all is well."""

    seed: int
    faults: tuple[str, ...]
    figures: dict[str, float]
    trace: Trace

    @property
    def digest(self) -> str:
        """Equal for two runs in which the same happened at the same times."""
        return self.trace.digest()


class Stop(Exception):
    """A fault has been found; nothing after it means anything."""


class World:
    """One seed. `run` may be called once."""

    def __init__(self, seed: int) -> None:
        self.seed, self._draw = seed, Random(seed)
        self.plan: Plan = plan_of(Random(self._draw.random()))
        self.faults: list[str] = []
        self.loop = SimulatedLoop(self._own_draw())
        self.trace = Trace(self.loop.time)
        self.truth = Truth(self.loop.time, self._fault)
        self.disk = Disk(self.loop, self._own_draw(), self.plan.disk_s, self._committed)
        self.truth.tables = self.disk.tables
        self.network = Network(self.loop, self.truth, self.trace)
        self.bots: dict[str, SimulatedBot] = {}
        self.server: TabiyaServer | None = None  # once it is started
        self.servers: list[TabiyaServer] = []  # those that died, too: nothing of them is collected during the run
        self.process = self.loop.world
        self._overheard = Overheard(self.loop, self.disk, self._fault)
        self._turn_draw = self._own_draw()
        self._ending = False  # a server is about to be ended, or another one to be started
        self._deadly = NOW  # after which kind of commit the server dies
        self._struck = 0  # faults that are over, or have begun and end by themselves

    def _own_draw(self) -> Random:
        """A source of chance that nobody else draws from."""
        return Random(self._draw.getrandbits(64))

    def _fault(self, sentence: str) -> None:
        self.trace("FAULT", sentence)
        self.faults.append(sentence)

    def _committed(self, write: Any) -> None:
        ended = self.truth.games_ended
        self.trace("durable", write)
        self.truth.committed(write)
        if self._deadly == COMMIT or (self._deadly == END and self.truth.games_ended > ended):
            self._deadly = NOW
            self.loop.call_in(self.loop.world, self.loop.time(), self._kill)

    # --- the run

    def run(self) -> Outcome:
        """From the first start to the last stop."""
        few = patch.object(director, "DRAWN_AHEAD", DRAWN_AHEAD)
        with self._open(), few, sealed(self._own_draw(), self.loop.time):
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
        """Kill whatever has not ended by itself."""
        for process in self.loop.processes:
            if process.alive:
                self.loop.kill(process)
        for task in self.loop.world.unfinished():
            if task is not asyncio.current_task():
                task.cancel()

    async def _main(self) -> None:
        for planned in self.plan.bots:
            self._add(planned)
        await self._start()
        for fault in self.plan.faults:
            self.loop.call_later(fault.at_s, self._strike, fault)
        for bot in self.bots.values():
            self.loop.call_later(self._draw.random(), bot.come)
        organiser = self.loop.create_task(self._organise())
        await self._until(lambda: self._lobby_matches() >= self.plan.lobby_matches, "the lobby makes its matches")
        for bot in self.bots.values():
            bot.seek_no_more()
        await self._until(organiser.done, "the organiser's orders are carried out")
        await self._until(lambda: self._struck == len(self.plan.faults), "everything goes wrong that shall")
        await self._until(self._all_over, "all matches and tournaments end")
        await self._sleep(QUIET_S)
        assert self.server is not None
        for sentence in await self._in_server(broken_at_the_end(self.server, self.truth)):
            self._fault(sentence)
        await self._stop()
        self._check_nothing_left()

    async def _until(self, true: Callable[[], bool], what: str) -> None:
        while not true():
            await self._sleep(LOOK_S)
            if self.loop.time() > LONGEST_S + 1_000.0:
                self._fault(f"it never happens that {what}: {self._what_is_left()}")
                raise Stop

    async def _sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if self.faults:
            raise Stop

    def _what_is_left(self) -> str:
        tables = self.disk.tables
        matches = [f"match {match.id} {match.status}" for match in tables.matches.values() if match.result is None]
        cups = [f"{cup.name} {cup.status} {cup.state}" for cup in tables.tournaments.values() if cup.status != "ended"]
        return "; ".join(matches + cups) or "nothing"

    # --- bots

    def _add(self, planned: PlannedBot) -> None:
        if planned.token:
            self.disk.apply(CreateBot(planned.name, hash_token(planned.token), "bot", False, 0.0))
        wishes = Wishes(
            name=planned.name,
            token=planned.token,
            version=planned.version,
            seeks=planned.seeks,
            at_once=planned.at_once,
            legal_moves=planned.legal_moves,
        )
        weather = Weather(self._own_draw(), self.loop.time, planned.base_s, planned.jitter_s, planned.repeats)
        if planned.far:
            self.network.addresses[planned.name] = f"10.0.0.{len(self.bots) + 1}"
        self.bots[planned.name] = SimulatedBot(
            self.network, self._own_draw(), wishes, planned.manner, weather, planned.encoding
        )

    # --- the server

    def _turn_s(self) -> float:
        draw = self._turn_draw
        if draw.random() < self.plan.busy_turns:
            return draw.random() * BUSY_S
        return draw.random() * 0.0003

    async def _start(self) -> None:
        """Start a server over what is durable; one that cannot start is started again, as a supervisor does."""
        while not await self._try_to_start():
            await self._sleep(RESTART_S)

    async def _try_to_start(self) -> bool:
        process = self.process = self.loop.process(f"server {len(self.servers) + 1}", self._turn_s)
        self.trace("starts", process.name)
        with self.loop.acting(process):
            store = self.disk.store(process)
            config = ServerConfig(
                database_url="memory:", port=0, pages_port=0, abandon_ms=8_000, stall_limit_ms=6_000, open_wait_ms=6_000
            )
            server = TabiyaServer(config, store=store, now_ns=now_ns, wall_ns=wall_ns)
            self.servers.append(server)
            started = self.loop.create_task(server.start())
        await self._until(started.done, "the server starts")
        try:
            started.result()
        except StartError as error:
            self.trace("cannot start", str(error))
            self.loop.kill(process)
            return False
        self.server, self.network.server = server, process
        return True

    async def _in_server(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What a coroutine gives that runs in the server; None if the server is killed meanwhile."""
        process = self.process
        with self.loop.acting(process):
            task = self.loop.create_task(work)
        await self._until(lambda: task.done() or not process.alive, "an order is answered")
        return task.result() if task.done() else None

    async def _stop(self) -> None:
        server, self.server = self.server, None
        if server is not None:
            self.trace("stops", self.process.name)
            await self._in_server(server.stop())

    def _kill(self) -> None:
        process, self.server = self.process, None
        self.trace("killed", process.name)
        self.loop.kill(process)
        self.disk.died(process)
        self.network.died(process, self._draw)
        self.truth.timing.restarted()

    def _check_nothing_left(self) -> None:
        process, server = self.process, self.servers[-1]
        for task in process.unfinished():
            self._fault(f"a task is left after the stop: {task}")
        for link in self.network.left_open(process):
            self._fault(f"the line {link.number} of {link.peer.name} is left open after the stop")
        if server.store.waiting or server.gateway.connections:
            self._fault(f"{server.store.waiting} writes and {server.gateway.connections} lines are left after the stop")

    # --- tournaments

    async def _organise(self) -> None:
        """Order each tournament until it is there and has begun; a server that dies is asked again."""
        await self._until(lambda: self.bots.keys() <= self._known(), "every bot comes")
        for order in self.plan.orders:
            while True:
                found = [cup for cup in self.disk.tables.tournaments.values() if cup.name == order.name]
                if found and found[0].status != "created":
                    break
                if self.server is None:
                    await self._sleep(LOOK_S)
                    continue
                tournaments = self.server.tournaments
                work = tournaments.start(found[0].id) if found else tournaments.create(order)
                try:
                    await self._in_server(work)
                except (StoreError, TournamentError) as error:
                    self.trace("order", str(error))
                    await self._sleep(1.0)

    def _known(self) -> set[str]:
        return {bot.name for bot in self.disk.tables.bots.values()}

    def _lobby_matches(self) -> int:
        return sum(match.tournament_id is None for match in self.disk.tables.matches.values())

    def _all_over(self) -> bool:
        tables = self.disk.tables
        return (
            self.server is not None
            and all(match.result is not None for match in tables.matches.values())
            and all(cup.status == "ended" for cup in tables.tournaments.values())
        )

    # --- what goes wrong

    def _strike(self, fault: Fault) -> None:
        self.trace("fault", fault)
        if fault.kind in ("crash", "restart"):
            self.loop.create_task(self._restart(fault))
            return
        if fault.kind == "standstill":
            if self.process.alive:
                self.truth.timing.stood_still(self.loop.time(), self.loop.time() + fault.lasts_s)
                self.loop.stand_still(self.process, fault.lasts_s)
        elif fault.kind.startswith(("disk", "answers")):
            self._strike_disk(fault)
        else:
            for name in fault.bots:
                self._strike_line(fault, self.bots[name])
        self._struck += 1

    def _strike_disk(self, fault: Fault) -> None:
        until_s = self.loop.time() + fault.lasts_s
        if fault.kind == "disk_slow":
            self.disk.slow_until_s, self.disk.slow_s = until_s, fault.amount
        elif fault.kind == "disk_full":
            self.disk.failing_until_s = until_s
        else:
            self.disk.forgetful_until_s = until_s

    def _strike_line(self, fault: Fault, bot: SimulatedBot) -> None:
        weather, until_s = bot.weather, self.loop.time() + fault.lasts_s
        if fault.kind == "slow":
            weather.slow_until_s, weather.slow_s = until_s, fault.amount
        elif fault.kind == "cut":
            never = not math.isclose(fault.lasts_s, 1.0)
            bot.cut(None if never and bot.session.wishes.token else fault.amount)
        elif fault.kind == "parted":
            weather.parted_until_s = until_s
        elif fault.kind == "rough":
            weather.rough = fault.amount
            self.loop.call_later(fault.lasts_s, setattr, weather, "rough", weather.usually_rough)

    async def _restart(self, fault: Fault) -> None:
        """Kill the server, or stop it in order, and start another one a little later."""
        await self._until(lambda: self.server is not None and not self._ending, "a server runs that can be ended")
        self._ending = True
        if fault.kind == "crash" and fault.when == NOW:
            self._kill()
        elif fault.kind == "crash":
            await self._die_of_a_commit(fault)
        else:
            await self._stop()
            self.loop.kill(self.process)
            self.truth.timing.restarted()
        await self._sleep(fault.lasts_s)
        await self._start()
        self._ending = False
        self._struck += 1

    async def _die_of_a_commit(self, fault: Fault) -> None:
        """The server dies when the next commit of this kind is done, before it learns of it; or after a while."""
        process, self._deadly = self.process, fault.when
        patience_s = self.loop.time() + PATIENCE_S
        while process.alive and self.loop.time() < patience_s:
            await self._sleep(LOOK_S)
        self._deadly = NOW
        if process.alive:
            self._kill()

    def _figures(self) -> dict[str, float]:
        tables = self.disk.tables
        return {
            "bots": len(self.bots),
            "matches": len(tables.matches),
            "moves": sum(map(len, tables.moves.values())),
            "tournaments": len(tables.tournaments),
            "starts": len(self.servers),
            "faults": len(self.plan.faults),
            "messages": self.truth.checked,
            "seconds": self.loop.time() - 1_000.0,
            "turns": self.loop.turns,
        }


@functools.cache
def prepare() -> None:
    """Compile every game before the first run: afterwards neither clock nor chance is the real one.

    What is in memory by then is left out of every later collection of garbage.
    """
    for name in names():
        warm(load_game(name))
    gc.collect()
    gc.freeze()


def run_seed(seed: int) -> Outcome:
    """What comes of a seed."""
    prepare()
    return World(seed).run()

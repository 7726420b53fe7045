"""One day: owners upload, workers run what they get, and much goes wrong until the last two hours."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from scripts.long_runs.simulation.by_seeds import Outcome
from scripts.long_runs.simulation.environment.determinism import deterministic
from scripts.long_runs.simulation.environment.disk import Disk, SimulatedStore
from scripts.long_runs.simulation.environment.loop import Process, SimulatedLoop
from scripts.long_runs.simulation.trace import Trace
from scripts.long_runs.worker_days.link import SimulatedServerClient
from scripts.long_runs.worker_days.oracle import Oracle
from tabiya.classroom.record import ResourceUsage
from tabiya.hosting.leases import ProgramLeases
from tabiya.hosting.turns import MOST_FAILURES
from tabiya.hosting.worker import Worker, WorkerSettings, _Running
from tabiya.storage.errors import StoreError
from tabiya.storage.program_records import LeaseOutcome, NewProgram, ProgramId
from tabiya.storage.records import BotId
from tabiya.storage.writes import CreateBot, GrantLease, Write
from tests.fakes.hosting_server import FakeHostingServer

HOUR_S = 3_600.0
TROUBLED_S, DAY_S = 8 * HOUR_S, 10 * HOUR_S  # in the last two hours nothing goes wrong, and all catch up
POLL_S = 20.0
BOTS, UPLOADS, GAMES = 8, 24, ("nim", "tictactoe")
WORKERS, KILLS, CUTS, SLEEPS, CRASHES, DISK_FAULTS = 3, 24, 12, 12, 4, 10
TURN_S, EXAMINATION_S = (120.0, 900.0), (20.0, 200.0)
OWN = "worker 1"  # ends with the server, as that which `serve --hosted` starts


class SimulatedWorker(Worker):
    """A worker whose programs take time and no processor. running_now: those that really run."""

    def __init__(self, day: Day, client: SimulatedServerClient, settings: WorkerSettings, draw: Random) -> None:
        super().__init__(client, settings, lambda message: None)
        self._day, self._draw = day, draw
        self.running_now: list[_Running] = []

    async def _outcome(self, running: _Running) -> tuple[LeaseOutcome, str]:
        self.running_now.append(running)
        try:
            return await self._simulated(running)
        finally:
            self.running_now.remove(running)

    def believes(self) -> list[ProgramId]:
        """The programs that run here and that it takes for its own."""
        now_s = asyncio.get_running_loop().time()
        return [each.work.program for each in self.running_now if now_s <= each.renewed_s + self._lease_s]

    async def _simulated(self, running: _Running) -> tuple[LeaseOutcome, str]:
        work, draw = running.work, self._draw
        running.usage = ResourceUsage(peak_mb=draw.uniform(40.0, 600.0), cpu_s=draw.uniform(0.0, 100.0))
        text = f"{self._settings.name}, lease {work.fence}"
        if work.kind == "examine":
            await asyncio.sleep(draw.uniform(*EXAMINATION_S))
            return ("good" if draw.random() < 0.8 else "refused"), text
        if not work.token:
            self._day.fault(f"program {work.program} is to play and has no token")
        try:
            async with asyncio.timeout(draw.uniform(*TURN_S)):
                await running.stop.wait()
            return "stopped", ""
        except TimeoutError:
            fails = draw.random() < self._day.nature[work.digest]
            return ("failed", text) if fails and not running.was_cut_off else ("played", "")


class Around(FakeHostingServer):
    """The server around the leases: a bot is there while a worker that lives lets it play, and mostly has a game."""

    def __init__(self, day: Day) -> None:
        super().__init__()
        self._day, self._draw = day, day.own_draw()

    def bot_is_there(self, bot: BotId) -> bool:
        names = {f"bot {bot}"}
        return any(
            running.work.bot in names and running.work.kind == "play"
            for worker, process in self._day.workers.values()
            if process.alive
            for running in worker._running.values()
        )

    def bot_plays(self, bot: BotId) -> bool:
        return self._draw.random() < 0.7


class Day:
    """See the module. leases: of the server that runs now, None while none does. nature: how often a digest fails."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed, self._draw, self._folder = seed, Random(seed), folder
        self.loop = SimulatedLoop(self.own_draw())
        self.began_s = self.loop.time()
        self.trace, self.faults = Trace(self.loop.time), list[str]()
        self.disk = Disk(self.loop, self.own_draw(), 0.02, lambda write: None)
        self.oracle = Oracle(self.disk.tables, self.loop.time, self.fault)
        self._plain_apply = self.disk.apply
        self.disk.apply = self._apply  # type: ignore[method-assign]
        self.lease_s = self._draw.uniform(150.0, 300.0)
        self.leases: ProgramLeases | None = None
        self.server = self.loop.world
        self._servers = 0
        self.workers: dict[str, tuple[SimulatedWorker, Process]] = {}
        self._clients: dict[str, SimulatedServerClient] = {}
        self.nature = dict[str, float]()

    def own_draw(self) -> Random:
        """A separate random generator."""
        return Random(self._draw.getrandbits(64))

    def fault(self, sentence: str) -> None:
        """Note a fault."""
        self.trace("FAULT", sentence)
        self.faults.append(sentence)

    def run(self) -> Outcome:
        """From opening to closing."""
        gc.disable()
        self.loop.set_exception_handler(self._overheard)
        try:
            with deterministic(self.own_draw(), self.loop.time):
                self.loop.run_until_complete(self._main())
        except Exception:
            self.fault(f"the day breaks off: {traceback.format_exc()}")
        finally:
            self.loop.close()
            gc.enable()
        counts = dict(self.oracle.counts) | {"servers": self._servers, "disk faults": self.disk.failures}
        return Outcome(self.seed, tuple(self.faults), counts, self.trace)

    def _overheard(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if "exception" in context:
            self.fault(f"{context['message']}: {context['exception']!r}")

    def _apply(self, write: Write) -> Any:
        before = self.oracle.state_of(write)
        value = self._plain_apply(write)
        if not isinstance(write, GrantLease) or value is not None:
            self.trace(type(write).__name__, getattr(write, "program_id", ""), value)
        self.oracle.committed(write, value, before)
        return value

    async def _main(self) -> None:
        for number in range(1, BOTS + 1):
            self.disk.apply(CreateBot(f"bot {number}", f"hash {number}", "bot", False, 0.0))
        await self._start_server()
        for number in range(1, WORKERS + 1):
            self._start_worker(f"worker {number}")
        self._plan()
        while self.loop.time() < self.began_s + DAY_S:
            await asyncio.sleep(POLL_S)
            self.oracle.look([worker.believes() for worker, process in self.workers.values() if process.alive])
            if self.faults:
                break
        if not self.faults:
            self._nobody_is_starved()
        for process in self.loop.processes:
            if process.alive:
                self.loop.kill(process)
        for task in self.loop.world.unfinished():
            if task is not asyncio.current_task():
                task.cancel()

    def _plan(self) -> None:
        draw = self.own_draw()

        def several(many: int, what: Any) -> None:
            for _ in range(many):
                self.loop.call_later(draw.random() * TROUBLED_S, what)

        several(UPLOADS, lambda: self._do(self._upload()))
        several(KILLS, self._kill_worker)
        several(CUTS, self._cut_worker)
        several(SLEEPS, self._send_to_sleep)
        several(CRASHES, lambda: self.loop.create_task(self._crash()))
        several(DISK_FAULTS, self._break_disk)

    # --- what happens

    async def _start_server(self) -> None:
        self._servers += 1
        process = self.loop.process(f"server {self._servers}", lambda: 0.0001)
        with self.loop.acting(process):
            store = SimulatedStore(self.disk, process)
            leases = ProgramLeases(
                store,
                Around(self),
                sandbox="landlock",
                now=self.loop.time,
                draw=self.own_draw(),
                lease_s=self.lease_s,
                heartbeat_s=self.lease_s / 5,
                ask_s=60.0,
            )
            opened = self.loop.create_task(leases.open(own=(OWN,)))
        while not opened.done():  # noqa: ASYNC110 - it is another process
            await asyncio.sleep(0.1)
        if opened.exception() is not None:
            self.loop.kill(process)
            await asyncio.sleep(1.0)
            await self._start_server()
            return
        self.server, self.leases, self._store = process, leases, store

    def _start_worker(self, name: str) -> None:
        process = self.loop.process(name, lambda: 0.0001)
        client = SimulatedServerClient(self, process, self.own_draw())
        settings = WorkerSettings(name, "", self._folder, "landlock", 2, 8_000)
        with self.loop.acting(process):
            worker = SimulatedWorker(self, client, settings, self.own_draw())
            self.loop.create_task(worker.run())
        self.workers[name], self._clients[name] = (worker, process), client

    def _kill_worker(self, name: str = "") -> None:
        """It is gone at once; another process of its name comes soon."""
        name = name or self._draw.choice(sorted(self.workers))
        process = self.workers[name][1]
        if process.alive:
            self.trace("killed", name)
            self.oracle.counts["workers killed"] += 1
            self.loop.kill(process)
            self.loop.call_later(self._draw.uniform(1.0, 2 * self.lease_s), self._start_worker, name)

    def _cut_worker(self) -> None:
        """It works on and reaches nobody, for up to three leases."""
        name = self._draw.choice(sorted(self.workers))
        self.trace("cut off", name)
        self._clients[name].cut_until_s = self.loop.time() + self._draw.uniform(1.0, 3 * self.lease_s)

    def _send_to_sleep(self) -> None:
        """As a laptop that is closed: it stands still for up to four leases, and goes on as if nothing had been."""
        name = self._draw.choice(sorted(self.workers))
        process = self.workers[name][1]
        if process.alive:
            self.trace("sleeps", name)
            self.loop.stand_still(process, self._draw.uniform(1.0, 4 * self.lease_s))

    async def _crash(self) -> None:
        """The server dies, and with it the worker of its machine."""
        if self.leases is None:
            return
        self.trace("crash")
        self.leases = None
        self.disk.died(self.server)
        self.loop.kill(self.server)
        self._kill_worker(OWN)
        await asyncio.sleep(self._draw.uniform(1.0, 2 * self.lease_s))
        await self._start_server()

    def _break_disk(self) -> None:
        until_s = self.loop.time() + self._draw.uniform(1.0, 120.0)
        if self._draw.random() < 0.5:
            self.disk.failing_until_s = until_s
        else:
            self.disk.forgetful_until_s = until_s

    def _do(self, work: Any) -> None:
        if self.leases is None:
            work.close()
            return
        with self.loop.acting(self.server):
            self.loop.create_task(work)

    async def _upload(self) -> None:
        """An owner hands in a version, or chooses the one that plays again."""
        leases, store, draw = self.leases, self._store, self._draw
        bot = BotId(draw.randrange(BOTS) + 1)
        digest = f"{draw.getrandbits(48):x}"
        self.nature[digest] = draw.choice((0.0, 0.05, 0.9))
        game = GAMES[bot % len(GAMES)]
        new = NewProgram(bot_id=bot, game=game, digest=digest, file_name="bot.py", archive=b"zip", created_at=0.0)
        try:
            if draw.random() < 0.2 and (used := [each for each in await store.programs(bot) if each.in_use]):
                await store.use_program(bot, used[0].id)
            else:
                await store.add_program(new)
            if leases is not None:
                await leases.load()
        except StoreError as error:
            self.trace("upload", error)

    def _nobody_is_starved(self) -> None:
        """Check that after two quiet hours every version is examined and every sound program has played lately."""
        tables, now_s = self.disk.tables, self.loop.time()
        for program in tables.programs.values():
            if program.state == "new":
                self.fault(f"program {program.id} is not examined at the end of the day")
        able = [
            program
            for program in tables.programs.values()
            if program.in_use and tables.leases[program.id].failures < MOST_FAILURES
        ]
        for program in able:
            several = sum(other.game == program.game for other in able) > 1
            if several and tables.leases[program.id].granted_at < now_s - 2 * HOUR_S:
                self.fault(f"program {program.id} has had no turn for two hours")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Faults are wanted here, and no log of them."""
    ours = logging.getLogger("tabiya")
    level = ours.level
    ours.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        ours.setLevel(level)


def run_day(seed: int) -> Outcome:
    """The outcome of a day."""
    with quiet(), tempfile.TemporaryDirectory(prefix="tabiya-days-") as folder:
        return Day(seed, Path(folder)).run()

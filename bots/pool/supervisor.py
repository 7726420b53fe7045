"""One place in the pool: a worker, and its replacement when it is lost."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tabiya.bots.client.backoff import backoff_delays
from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest, shortened
from tabiya.bots.pool.errors import OutOfTime, WorkerError, WorkerLost
from tabiya.bots.pool.frames import Start
from tabiya.bots.pool.process import Launch, WorkerProcess
from tabiya.bots.pool.sandbox import SandboxedProgram
from tabiya.bots.pool.spare_workers import SpareWorkers
from tabiya.bots.pool.time_limits import GRACE_S

SHORTEST_THOUGHT_S = 0.001
START_S = 1.0  # no worker is started in less
CLOSING_S = 1.0
STOP_AGAIN_S = 0.1  # between two words to stop


class Deadline(NamedTuple):
    """Times of the event loop.  asked: when the request was written.  until: when the player is to be stopped."""

    asked: float
    until: float


class WorkerSupervisor:
    """Holds one worker. Replaces it at once when it dies; while no replacement starts, tries again with back-off."""

    def __init__(
        self,
        start_frame: Start,
        report: Callable[[str], None],
        random: Random,
        sandboxed: Callable[[], SandboxedProgram | None] = lambda: None,
        spares: SpareWorkers | None = None,
        launch: Launch | None = None,
    ) -> None:
        """sandboxed: makes the sandbox of a worker that is started; None for none.  spares: looked at first, left to.

        launch: starts workers elsewhere.
        """
        self._spares, self._launch = spares, launch
        self._start_frame, self._report, self._sandboxed = start_frame, report, sandboxed
        self._random, self._delays = random, backoff_delays(random)
        self._queue = asyncio.Lock()  # fair: questions are put in the order in which they came
        self._worker: WorkerProcess | None = None
        self._available = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._ending: set[WorkerProcess] = set()  # that were killed and may not be gone yet
        self.matches: set[int] = set()

    @property
    def has_worker(self) -> bool:
        """Whether there is a worker to ask."""
        return self._worker is not None and self._worker.alive

    @property
    def pid(self) -> int | None:
        """The id of the present worker's process, None while there is none."""
        return None if self._worker is None else self._worker.pid

    async def start(self) -> tuple[str, ...]:
        """Start the first worker; returns its warnings.  Raises WorkerError if it does not start."""
        worker = await self._new_worker()
        self._take(worker)
        self._keeper = asyncio.create_task(self._keep_alive())
        return worker.warnings

    async def close(self) -> None:
        """End the worker; start no other."""
        if self._keeper is not None:
            self._keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._keeper
        if self._worker is not None and not self._leave_as_spare(self._worker):
            await self._worker.close(CLOSING_S)
        for worker in tuple(self._ending):
            await worker.close()

    async def forget(self, match: int) -> None:
        """A match is over."""
        self.matches.discard(match)
        if self._worker is not None:
            await self._worker.forget(match)

    async def think(
        self, match: MatchInfo, request: MoveRequest, deadline: Deadline, grace_s: float, stop: asyncio.Event
    ) -> MoveReply:
        """The worker's answer.  deadline.until: when the player is stopped.  stop: stops it earlier.

        Waits for its turn, and for a worker if there is none and time for one to start here. Raises PlayerFailed,
        OutOfTime, and WorkerLost when the worker died, or `stop` came before it was asked.
        """
        async with self._queue:
            if not self.has_worker and self._launch is not None:
                raise WorkerLost("no worker is there")  # and the time until the next one is unknown
            if not self.has_worker and deadline.until - asyncio.get_running_loop().time() < START_S:
                raise OutOfTime("no worker is up, and none would be in time")
            worker, now = await self.wait_for_worker(stop), asyncio.get_running_loop().time()
            left_s = deadline.until - now
            if left_s < SHORTEST_THOUGHT_S:
                raise OutOfTime("no time was left for a thought")
            number, answer = await worker.ask(match, shortened(request, left_s, now - deadline.asked))
            answer.add_done_callback(_retrieve_error)  # its caller may have been cancelled
            stopping = asyncio.create_task(stop.wait())
            try:
                either: list[asyncio.Future[Any]] = [answer, stopping]
                await asyncio.wait(either, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            finally:
                stopping.cancel()
            await self._stop(worker, number, answer, grace_s, now)
            if not answer.done():
                self._report(f"worker {worker.name} did not answer in time and is killed")
                self._fail_all(worker)  # first, so that it gets no request while it ends
                self._ending.add(worker)  # the caller may be cancelled before it has ended
                worker.gone.add_done_callback(lambda _: self._ending.discard(worker))
                await worker.close()
                raise OutOfTime("no answer in time")
            return await answer

    async def _stop(
        self, worker: WorkerProcess, number: int, answer: asyncio.Future[MoveReply], grace_s: float, asked: float
    ) -> None:
        """Send stops until the player answers, for `grace_s` at most: before it begins to think it ignores them.

        Shortly before the end it is asked for its line.  asked: time of the request.
        """
        loop = asyncio.get_running_loop()
        until, is_late = loop.time() + grace_s, False
        while not answer.done() and (left_s := until - loop.time()) > 0:
            await worker.stop(number)
            await asyncio.wait([answer], timeout=min(STOP_AGAIN_S, left_s))
            if not (answer.done() or is_late) and until - loop.time() <= GRACE_S:
                is_late = True
                await worker.say_where("choose", loop.time() - asked)

    async def wait_for_worker(self, stop: asyncio.Event) -> WorkerProcess:
        """The present worker, waited for if need be.  Raises WorkerLost when `stop` comes first."""
        while await _first_of(self._available, stop):
            worker = self._worker
            if worker is not None and worker.alive:
                return worker
            self._available.clear()  # it has just died; its replacement sets it again
        raise WorkerLost("the answer is no longer needed")

    async def _keep_alive(self) -> None:
        """Replace the worker whenever it is gone."""
        while True:
            worker = self._worker
            if worker is not None:
                await asyncio.wait([worker.gone])
                self._fail_all(worker)
            try:
                new = await self._new_worker()
                self._take(new)
                self._report(f"worker {new.name} has taken the place of one that is gone")
                self._delays = backoff_delays(self._random)
            except WorkerError as error:
                delay_s = next(self._delays)
                self._report(f"{error}; trying again in {delay_s:.1f} s")
                await asyncio.sleep(delay_s)

    def _leave_as_spare(self, worker: WorkerProcess) -> bool:
        return self._spares is not None and self._spares.leave(self._start_frame, worker)

    async def _new_worker(self) -> WorkerProcess:
        sandboxed = self._sandboxed()
        if self._spares is not None and sandboxed is None:
            spare = await self._spares.take(self._start_frame)
            if spare is not None:
                return spare
        return await WorkerProcess.start(self._start_frame, sandboxed, self._report, self._launch)

    def _take(self, worker: WorkerProcess) -> None:
        self._worker = worker
        self._available.set()

    def _fail_all(self, worker: WorkerProcess) -> None:
        if self._worker is worker:
            self._worker = None
            self._available.clear()


def _retrieve_error(answer: asyncio.Future[MoveReply]) -> None:
    """Retrieve its error, if it has one."""
    if not answer.cancelled():
        answer.exception()


async def _first_of(first: asyncio.Event, second: asyncio.Event) -> bool:
    """Wait for one of two events; whether the first one has come."""
    if first.is_set() or second.is_set():
        return first.is_set() and not second.is_set()
    tasks = [asyncio.create_task(first.wait()), asyncio.create_task(second.wait())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
    return first.is_set() and not second.is_set()

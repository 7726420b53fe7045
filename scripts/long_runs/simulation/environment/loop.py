"""One event loop for a whole world: simulated processes that can be killed and can stand still, and one virtual time.

    loop = SimulatedLoop(Random(seed))
    server = loop.process("server 1")
    with loop.acting(server): ...         # what is scheduled here belongs to the server
    loop.kill(server)                     # none of it ever happens

What is scheduled while a process acts belongs to that process. The world (peers, network, disk) is one of its own, and
never late. A process takes turns as an event loop does: what is ready, what has arrived, timers that are due; each
turn costs time. The seed draws what a real loop leaves open: the order in which several lines are found readable, that
of timers due at the same instant, whether timers come before (uvloop) or after (asyncio), and what a turn costs.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import math
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from random import Random
from typing import Any, TypeVar

from scripts.long_runs.harness.memory_transport import Listening
from tabiya.server.transport.loop_lag import LoopLagMonitor

T = TypeVar("T")

START_S = 1_000.0
THREAD_S = 0.01  # at most, for what is done in a thread
CLOSINGS = 5  # how often a dead task is told to end: its own clean-up may want to wait once more


class NothingCanHappen(AssertionError):
    """Every task waits and no timer is set."""


class Process:
    """The queue of one process. busy_until_s: it does nothing before; timers_first: as uvloop has it."""

    def __init__(self, name: str, turn_s: Callable[[], float], *, timers_first: bool = False) -> None:
        """turn_s: what the next turn costs."""
        self.name, self.turn_s, self.timers_first = name, turn_s, timers_first
        self.ready: deque[asyncio.Handle] = deque()
        self.arrived: dict[object, deque[asyncio.Handle]] = {}
        self.timers: list[tuple[float, float, int, asyncio.TimerHandle]] = []
        self.tick: asyncio.TimerHandle | None = None  # of the monitor of its loop's lag
        self.tasks: list[asyncio.Task[Any]] = []
        self.alive = True
        self.busy_until_s = 0.0

    def unfinished(self) -> list[asyncio.Task[Any]]:
        """Its tasks that have not ended."""
        self.tasks = [task for task in self.tasks if not task.done()]
        return self.tasks

    def pass_ticks(self, until_s: float) -> bool:
        """Take the turns up to a time in which its monitor only sees that its tick is not late: half of all turns.

        Whether one of them took so long that the next tick is late, before that time.
        """
        tick = self.tick
        if tick is None or tick._cancelled or not self.busy_until_s <= tick._when < until_s:  # type: ignore[attr-defined]
            return False
        monitor = tick._callback.__self__  # type: ignore[attr-defined]
        while self.busy_until_s <= tick._when < until_s:  # type: ignore[attr-defined]
            self.busy_until_s = tick._when + self.turn_s()  # type: ignore[attr-defined]
            monitor._due_ns += monitor._tick_ns
            tick._when = monitor._due_ns / 1e9  # type: ignore[attr-defined]
        return bool(tick._when < self.busy_until_s < until_s)  # type: ignore[attr-defined]

    def forget(self) -> None:
        """Drop whatever is scheduled."""
        self.tick = None
        self.ready.clear()
        self.arrived.clear()
        self.timers.clear()


class SimulatedLoop(asyncio.BaseEventLoop):
    """See the module. draw: the source of all chance in scheduling."""

    def __init__(self, draw: Random) -> None:
        super().__init__()
        self._draw, self._now_s, self._numbers = draw, START_S, itertools.count()
        self.world = self.acting_now = Process("world", lambda: 0.0)
        self.processes: list[Process] = []  # all there have been
        self._running = [self.world]
        self.listening: dict[str, list[Callable[[], asyncio.Protocol]]] = {}
        self.turns = 0

    # --- processes

    def process(self, name: str, turn_s: Callable[[], float]) -> Process:
        """A new one."""
        process = Process(name, turn_s, timers_first=self._draw.random() < 0.5)
        self.processes.append(process)
        self._running.append(process)
        return process

    @contextlib.contextmanager
    def acting(self, process: Process) -> Iterator[None]:
        """Whatever is scheduled in here belongs to this process."""
        before, self.acting_now = self.acting_now, process
        try:
            yield
        finally:
            self.acting_now = before

    def arrives(self, process: Process, source: object, callback: Callable[..., object], *args: Any) -> None:
        """Something from outside for a process: read in its next turn; in order as far as it is of one source."""
        if process.alive:
            process.arrived.setdefault(source, deque()).append(asyncio.Handle(callback, args, self))

    def stand_still(self, process: Process, seconds: float) -> tuple[float, float]:
        """The process does not run for so long, after what already keeps it; the world goes on. Since, until."""
        process.pass_ticks(self._now_s)
        since_s = max(process.busy_until_s, self._now_s)
        process.busy_until_s = since_s + seconds
        return since_s, process.busy_until_s

    def kill(self, process: Process) -> None:
        """End a process at once: nothing it had planned happens, and its tasks end without a chance to act."""
        process.alive = False
        self._running.remove(process)
        with self.acting(process):
            for task in process.unfinished():
                task._log_destroy_pending = False  # type: ignore[attr-defined]  # as asyncio's own gather does
                _end(task.get_coro())
        process.forget()

    # --- what asyncio asks of a loop

    def time(self) -> float:
        """Seconds of virtual time."""
        return self._now_s

    def now_ns(self) -> int:
        """The same as the clocks of our processes want it; half of all turns ask more than once."""
        return round(self._now_s * 1e9)

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Any = None) -> asyncio.Handle:  # type: ignore[override]
        """In the next turn of the process that acts now."""
        handle = asyncio.Handle(callback, args, self, context)
        self.acting_now.ready.append(handle)
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """As of asyncio; the delay is in virtual seconds."""
        return self.call_in(self.acting_now, self._now_s + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """At this time."""
        if getattr(callback, "__func__", None) is LoopLagMonitor._tick:
            self.acting_now.tick = asyncio.TimerHandle(when, callback, args, self, context)
            return self.acting_now.tick
        return self.call_in(self.acting_now, when, callback, *args, context=context)

    def call_in(
        self, process: Process, when: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """At this time, in this process."""
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._set(process, handle)
        return handle

    def _set(self, process: Process, timer: asyncio.TimerHandle) -> None:
        heapq.heappush(process.timers, (timer.when(), self._draw.random(), next(self._numbers), timer))

    def create_task(self, coro: Any, **options: Any) -> Any:
        """A task of the process that acts now."""
        task = asyncio.Task(coro, loop=self, **options)
        self.acting_now.tasks.append(task)
        return task

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """The twin of a thread: it works at once, and what comes of it arrives a little later."""
        future, process = self.create_future(), self.acting_now
        try:
            answer, error = func(*args), None
        except Exception as raised:
            answer, error = None, raised
        ready_s = self._now_s + self._draw.random() * THREAD_S
        self.call_in(self.world, ready_s, self.arrives, process, future, _settle, future, answer, error)
        return future

    async def create_server(self, protocol_factory: Any, *_: Any, **__: Any) -> Any:
        """Keep the protocol factory under the name of the process."""
        factories = self.listening.setdefault(self.acting_now.name, [])
        return Listening(self, factories, protocol_factory)

    def _asyncgen_finalizer_hook(self, agen: Any) -> None:
        """A generator nobody waits for any more is ended by its process, if that still lives."""
        if self.is_running() and self.acting_now.alive:
            self.call_soon(self.create_task, agen.aclose())

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        return  # left in its heap until it is due

    # --- the turns

    def _run_once(self) -> None:
        """One turn of one process; when nobody has anything to do, time passes."""
        process = self.acting_now = self._next()
        if process is self.world:
            self._take_all(process)
        else:
            self.turns += 1
            self._take_turn(process)
            process.busy_until_s = self._now_s + process.turn_s()
        self.acting_now = self.world

    def _next(self) -> Process:
        """Whose turn it is now, the world before all others; time jumps to it."""
        while True:
            due_s, chosen = self._first_due()
            if due_s == math.inf:
                raise NothingCanHappen("everybody waits and no timer is set")
            now_s = max(due_s, self._now_s)
            for process in self._running:
                if (tick := process.tick) and tick._when < now_s and process.pass_ticks(now_s):  # type: ignore[attr-defined]
                    break
            else:
                if chosen.busy_until_s <= now_s:
                    self._now_s = now_s
                    return chosen

    def _first_due(self) -> tuple[float, Process]:
        """When the next turn is, apart from ticks that are not late, and whose."""
        due_s, chosen = math.inf, self.world
        for process in self._running:
            at_s, timers, tick = process.busy_until_s, process.timers, process.tick
            if not (process.ready or process.arrived or (tick and tick._when < at_s and not tick._cancelled)):  # type: ignore[attr-defined]
                while timers and timers[0][3]._cancelled:
                    heapq.heappop(timers)
                if not timers:
                    continue
                if timers[0][0] > at_s:
                    at_s = timers[0][0]
            if at_s < due_s:
                due_s, chosen = at_s, process
        return due_s, chosen

    def _take_all(self, process: Process) -> None:
        self._take_due(process)
        while process.ready:
            handle = process.ready.popleft()
            if not handle._cancelled:
                handle._run()

    def _take_turn(self, process: Process) -> None:
        if process.timers_first:
            self._take_due(process)
        ready = len(process.ready)
        arrived = self._shuffled(process) if process.arrived else ()
        for _ in range(ready):
            handle = process.ready.popleft()
            if not handle._cancelled:
                handle._run()
        for handle in arrived:
            handle._run()
        if not process.timers_first:
            self._take_due(process)

    def _shuffled(self, process: Process) -> list[asyncio.Handle]:
        """What has arrived: of each source in order, the sources in any."""
        sources = list(process.arrived.values())
        process.arrived = {}
        self._draw.shuffle(sources)
        return [handle for source in sources for handle in source]

    def _take_due(self, process: Process) -> None:
        if process.tick is not None and process.tick.when() <= self._now_s:
            self._set(process, process.tick)
            process.tick = None
        timers, due = process.timers, []
        while timers and timers[0][0] <= self._now_s:
            due.append(heapq.heappop(timers)[3])
        for handle in due:
            if process.alive and not handle._cancelled:
                handle._run()


def _settle(future: asyncio.Future[Any], answer: Any, error: BaseException | None) -> None:
    if future.cancelled():
        return
    if error is None:
        future.set_result(answer)
    else:
        future.set_exception(error)


def _end(coroutine: Coroutine[Any, Any, Any] | Any) -> None:
    """Close a coroutine, and ignore its errors."""
    for _ in range(CLOSINGS):
        try:
            coroutine.close()
        except Exception:  # what a dead process still says is not heard
            continue
        return

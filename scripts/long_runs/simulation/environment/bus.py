"""The bus between simulated gateways and hosts: late, and in bad times lossy, doubling, out of order or cut."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from random import Random

from scripts.long_runs.simulation.environment.loop import Process, SimulatedLoop
from scripts.long_runs.simulation.environment.network import Pipe
from tabiya.server.cluster.bus import Arrived

USUAL_S = 0.001
LATE_S = 0.3  # at most, for what is overtaken


class SimulatedBus:
    """The bus of all processes. published: called with everything that is published.

    loses, doubles, delays: chances for each message until `bad_until_s`. cut_until_s: by the number of a process.
    """

    def __init__(self, loop: SimulatedLoop, draw: Random, published: Callable[[str, bytes], None]) -> None:
        self.loop, self._draw, self.published = loop, draw, published
        self.loses = self.doubles = self.delays = 0.0
        self.bad_until_s = 0.0
        self.cut_until_s: defaultdict[str, float] = defaultdict(float)
        self.subscribers: defaultdict[str, list[tuple[Process, Arrived]]] = defaultdict(list)
        self._pipes: dict[tuple[Process, Process], Pipe] = {}

    def end(self, process: Process) -> BusEnd:
        """For one process."""
        return BusEnd(self, process)

    def carry(self, sender: Process, receiver: Process, arrived: Arrived, data: bytes) -> None:
        """Bring a message to one subscriber, as often as chance will have it."""
        now_s, draw = self.loop.time(), self._draw
        if max(self.cut_until_s[sender.name], self.cut_until_s[receiver.name]) > now_s:
            return
        is_bad = now_s < self.bad_until_s
        if is_bad and draw.random() < self.loses:
            return
        self._bring(sender, receiver, arrived, data, overtaken=is_bad and draw.random() < self.delays)
        if is_bad and draw.random() < self.doubles:
            self._bring(sender, receiver, arrived, data, overtaken=draw.random() < 0.5)

    def _bring(self, sender: Process, receiver: Process, arrived: Arrived, data: bytes, *, overtaken: bool) -> None:
        arrive = self.loop.arrives, receiver, (self, sender, overtaken), arrived, data
        if overtaken:
            self.loop.call_in(self.loop.world, self.loop.time() + self._draw.random() * LATE_S, *arrive)
            return
        pipe = self._pipes.get((sender, receiver))
        if pipe is None:
            pipe = self._pipes[sender, receiver] = Pipe(self.loop, lambda: self._draw.random() * USUAL_S)
        pipe.put(*arrive)


class BusEnd:
    """The `Bus` of one process."""

    def __init__(self, bus: SimulatedBus, process: Process) -> None:
        self._bus, self._process = bus, process

    def publish(self, subject: str, data: bytes) -> None:
        """See `Bus.publish`."""
        if self._process.alive:
            self._bus.published(subject, data)
            for receiver, arrived in self._bus.subscribers[subject]:
                self._bus.carry(self._process, receiver, arrived, data)

    async def subscribe(self, subject: str, arrived: Arrived) -> None:
        """See `Bus.subscribe`."""
        self._bus.subscribers[subject].append((self._process, arrived))

    async def close(self) -> None:
        """Nothing is open."""

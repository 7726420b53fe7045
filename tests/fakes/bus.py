"""A bus in memory: what is published arrives in the next turn of the loop, unless a test interferes."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable

from tabiya.server.cluster.bus import Arrived


class LocalBus:
    """Bus of one process. passes: how often a message arrives, usually once; asked for each."""

    def __init__(self) -> None:
        self._subscribers: defaultdict[str, list[Arrived]] = defaultdict(list)
        self.passes: Callable[[str, bytes], int] = lambda subject, data: 1
        self.delay_s = 0.0

    def publish(self, subject: str, data: bytes) -> None:
        """See `Bus.publish`."""
        loop = asyncio.get_running_loop()
        for arrived in self._subscribers[subject] * self.passes(subject, data):
            if self.delay_s:
                loop.call_later(self.delay_s, arrived, data)
            else:
                loop.call_soon(arrived, data)

    async def subscribe(self, subject: str, arrived: Arrived) -> None:
        """See `Bus.subscribe`."""
        self._subscribers[subject].append(arrived)

    async def close(self) -> None:
        """Nothing is open."""

"""Waiting in the simulation: until a condition holds, a fault is found, or the condition can never hold."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from scripts.long_runs.simulation.environment.loop import START_S, SimulatedLoop

POLL_S = 0.1
LONGEST_S = 600.0  # of virtual time; whatever is not over by then never ends


class Stop(Exception):
    """A fault has been found; nothing after it means anything."""


class Waiter:
    """How a run waits. faults: those found so far; fault: adds one; what_is_left: what has not ended, in words."""

    def __init__(
        self, loop: SimulatedLoop, faults: list[str], fault: Callable[[str], None], what_is_left: Callable[[], str]
    ) -> None:
        self._loop, self._faults, self._fault, self._what_is_left = loop, faults, fault, what_is_left

    async def until(self, true: Callable[[], bool], what: str) -> None:
        """Wait until it is so. Raises Stop when it never is."""
        while not true():
            await self.sleep(POLL_S)
            if self._loop.time() > START_S + LONGEST_S:
                self._fault(f"it never happens that {what}: {self._what_is_left()}")
                raise Stop

    async def sleep(self, seconds: float) -> None:
        """Wait so long. Raises Stop when a fault has been found."""
        await asyncio.sleep(seconds)
        if self._faults:
            raise Stop

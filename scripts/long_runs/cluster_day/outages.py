"""How long matches stood still after each act on the cluster."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable

ON_ITS_WAY_S = 0.1  # a turn that comes so soon was sent before the act
Due = tuple[int, int]
"""A match and a bot that is to be told a turn in it; 0: any of the two."""


class Outage:
    """One act. waiting: turns not yet sent since.  after_s: for each of the others, when it was sent.

    alone: whether nothing else was out of order at that time.  load: of the machine when it began.  serves_s: until
    the other server listened, if it is about one.
    """

    def __init__(self, kind: str, waiting: Iterable[Due], load: float) -> None:
        self.kind, self.load, self.waiting = kind, load, set(waiting)
        self.alone = True
        self.began_s = time.monotonic()
        self.after_s: list[float] = []
        self.serves_s: float | None = None
        self.counts_from_s = math.inf
        self._over = asyncio.Event()

    def is_done(self) -> None:
        """The act is done: turns from now on come from another process."""
        self.counts_from_s = min(self.counts_from_s, time.monotonic() + ON_ITS_WAY_S)
        self._look()

    def turn_sent(self, match: int, bot: int) -> None:
        """A turn of a match was sent to this bot."""
        now_s = time.monotonic()
        if now_s >= self.counts_from_s:
            for due in {(match, 0), (match, bot)} & self.waiting:
                self.waiting.discard(due)
                self.after_s.append(now_s - self.began_s)
            self._look()

    def ended(self, match: int) -> None:
        """A match is over: no turn is due in it."""
        self.waiting = {due for due in self.waiting if due[0] != match}
        self._look()

    def _look(self) -> None:
        if not self.waiting and self.counts_from_s < math.inf:
            self._over.set()

    async def over(self, within_s: float) -> None:
        """Wait until all matches have gone on. Raises TimeoutError."""
        async with asyncio.timeout(within_s):
            await self._over.wait()


def spread(times: Iterable[float]) -> str:
    """Least, median, what nineteen of twenty stay below, and most, in seconds."""
    ordered = sorted(times)
    if not ordered:
        return "none"
    least, half, nearly_all = (ordered[len(ordered) * twentieth // 20] for twentieth in (0, 10, 19))
    return f"{least:.1f}, {half:.1f}, {nearly_all:.1f}, {ordered[-1]:.1f}"


def summary(outages: Iterable[Outage]) -> str:
    """A line for each kind: those alone, and those that fell into another."""
    lines = []
    found = list(outages)
    for kind in sorted({outage.kind for outage in found}):
        for alone in (True, False):
            these = [outage for outage in found if (outage.kind, outage.alone) == (kind, alone)]
            if not these:
                continue
            times = [after_s for outage in these for after_s in outage.after_s]
            line = (
                f"{kind}{'' if alone else ' beside another'}, {len(these)} times, {len(times)} turns: {spread(times)}"
            )
            if serves := [outage.serves_s for outage in these if outage.serves_s is not None]:
                line += f"; the other one served after {spread(serves)}"
            lines.append(f"{line}; load {spread(outage.load for outage in these)}")
    return "\n".join(lines)

"""Games that were lost on time, each with the account of its last turn, and how late the machine itself was."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any, Self

import psutil

from tabiya.storage.records import MatchRecord

ON_TIME = frozenset({"time", "time_cannot_win", "stall"})  # counted as lost, even if the other cannot win any more
POLL_S = 0.01
NOT_ASKED_FOR = frozenset({"idle", "iowait", "guest", "guest_nice"})  # the guests' is in user and nice, too


def accounts(matches: Iterable[MatchRecord]) -> list[str]:
    """A line for each game that ended by time, from its result."""
    found = []
    for match in matches:
        result = match.result
        if result is not None and result.ending in ON_TIME:
            found.append(f"match {match.id} ({match.game}): {result.reason}")
    return found


def endings(matches: Iterable[MatchRecord]) -> dict[str, Counter[str]]:
    """How the games ended, by game."""
    found: dict[str, Counter[str]] = {}
    for match in matches:
        if match.result is not None and match.result.ending != "aborted":
            found.setdefault(match.game, Counter())[match.result.ending] += 1
    return found


def upper_bound(lost: int, games: int, doubt: float = 0.05) -> float:
    """The upper bound of the rate at a confidence of 1 - doubt: a higher one brings `lost` or fewer more seldom.

    Clopper and Pearson, one-sided: exact for games that do not depend on each other.
    """
    if lost >= games:
        return 1.0
    low, high = lost / games, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        low, high = (rate, high) if at_most(lost, games, rate) > doubt else (low, rate)
    return high


def at_most(lost: int, games: int, rate: float) -> float:
    """How probable so few losses are, or fewer, at this rate."""
    if rate <= 0.0 or rate >= 1.0:
        return float(rate <= 0.0)
    odds = math.log(rate), math.log1p(-rate)
    ways = (math.lgamma(games + 1) - math.lgamma(n + 1) - math.lgamma(games - n + 1) for n in range(lost + 1))
    return sum(math.exp(way + n * odds[0] + (games - n) * odds[1]) for n, way in enumerate(ways))


class LoopLag:
    """How late an idle process is woken: the delay of the machine itself.

    Where the machine is a guest, its host may give its processors to others; what it took is told, too.
    """

    def __init__(self) -> None:
        self.late_ms: list[float] = []
        self._before = psutil.cpu_times()
        self._watching: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Watch until the end of the block."""
        self._watching = asyncio.ensure_future(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._watching is not None
        self._watching.cancel()
        await asyncio.gather(self._watching, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            due = time.perf_counter() + POLL_S
            await asyncio.sleep(POLL_S)
            self.late_ms.append(1e3 * (time.perf_counter() - due))

    def __str__(self) -> str:
        late = sorted(self.late_ms) or [0.0]
        p99, p9999 = late[int(0.99 * (len(late) - 1))], late[int(0.9999 * (len(late) - 1))]
        woken = f"the machine woke this process late by p99 {p99:.1f} ms, p99.99 {p9999:.1f} ms, most {late[-1]:.1f} ms"
        return f"{woken}, its host gave others {taken(self._before, psutil.cpu_times()):.1%} of the time it asked for"


def taken(before: Any, after: Any) -> float:
    """The share of the requested processor time that went to other guests of the host.

    before, after: answers of psutil.cpu_times(). 0 where the system does not say: on a machine that is no guest, and
    anywhere but on Linux.
    """
    spent = {name: at - before._asdict()[name] for name, at in after._asdict().items() if name not in NOT_ASKED_FOR}
    asked = sum(spent.values())
    return spent.get("steal", 0.0) / asked if asked > 0 else 0.0

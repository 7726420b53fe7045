"""How much of something an origin may still do: buckets that refill slowly, on the event loop's clock.

For wrong secrets first; for requests, connections and new names, too.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math

MOST_KEPT = 10_000


def origin_of(address: str) -> str:
    """Where a guess comes from: the address, or the whole network of an IPv6 host, who can take any address in it."""
    plain = address.split("%", maxsplit=1)[0]
    try:
        parsed = ipaddress.ip_address(plain)
    except ValueError:
        return plain
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else plain


class KeyedTokenBuckets:
    """A bucket for everyone who guesses. at_once: wrong secrets without waiting.  per_second: how it refills."""

    def __init__(self, at_once: float = 20.0, per_second: float = 0.2) -> None:
        self._at_once, self._per_second = at_once, per_second
        self._left: dict[str, tuple[float, float]] = {}

    def wait_s(self, guesser: str) -> int:
        """Seconds until the next guess is looked at; 0 when it may come now."""
        left = self._now(guesser)
        return 0 if left >= 1 else math.ceil((1 - left) / self._per_second)

    def count(self, guesser: str) -> None:
        """One more wrong guess."""
        if len(self._left) >= MOST_KEPT:
            self._left = {known: kept for known, kept in self._left.items() if self._now(known) < self._at_once}
        if len(self._left) < MOST_KEPT or guesser in self._left:
            self._left[guesser] = self._now(guesser) - 1, asyncio.get_running_loop().time()

    def _now(self, guesser: str) -> float:
        left, at = self._left.get(guesser, (self._at_once, 0.0))
        return min(self._at_once, left + (asyncio.get_running_loop().time() - at) * self._per_second)

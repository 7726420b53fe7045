"""Rate limits by token buckets: of one connection's messages, and of requests, connections, names and wrong secrets."""

from __future__ import annotations

import asyncio
import math

MOST_KEYS = 10_000
NS = 1_000_000_000


class TokenBucket:
    """A bucket of `burst` tokens that refills at `per_second`. Every time is the caller's clock in nanoseconds."""

    __slots__ = ("_burst", "_given", "_left", "_most_given", "_per_ns", "_seen_ns")

    def __init__(self, burst: float, per_second: float, now_ns: int, most_given: int = 0) -> None:
        """most_given: how many tokens of `give` are kept besides a full bucket."""
        self._burst, self._left = burst, burst
        self._given, self._most_given = 0, most_given
        self._per_ns, self._seen_ns = per_second / NS, now_ns

    def take(self, now_ns: int) -> bool:
        """Whether a token is left; takes it if so."""
        self._refill(now_ns)
        if self._left >= 1:
            self._left -= 1
        elif self._given:  # last, for these do not come again by themselves
            self._given -= 1
        else:
            return False
        return True

    def spend(self, now_ns: int) -> None:
        """Take a token, into debt if none is left: the next one is then longer to come."""
        self._refill(now_ns)
        self._left -= 1

    def give(self) -> None:
        """One token more: the server has just asked for a message.

        With `most_given` answers due at most, no peer that keeps to the rate besides them ever finds the bucket empty.
        """
        if self._given < self._most_given:
            self._given += 1
        else:
            self._left = min(self._burst, self._left + 1)

    def wait_s(self, now_ns: int) -> int:
        """Whole seconds until a token is there; 0 if one is there now."""
        self._refill(now_ns)
        # rounded before it is rounded up: 5.0000000001 s are five seconds and not six
        return 0 if self._left >= 1 else math.ceil(round((1 - self._left) / self._per_ns / NS, 6))

    def is_full(self, now_ns: int) -> bool:
        """Whether the bucket is full again."""
        self._refill(now_ns)
        return self._left >= self._burst

    def _refill(self, now_ns: int) -> None:
        if now_ns > self._seen_ns:  # bytes can have lain in a socket since before the bucket was made
            self._left = min(self._burst, self._left + (now_ns - self._seen_ns) * self._per_ns)
            self._seen_ns = now_ns


class KeyedTokenBuckets:
    """A token bucket for each key, such as an address, on the event loop's clock; at 10,000 keys, full ones go."""

    def __init__(self, burst: float = 20.0, per_second: float = 0.2) -> None:
        """The defaults are those for guessing secrets: twenty at once, then one in five seconds."""
        self._burst, self._per_second = burst, per_second
        self._buckets: dict[str, TokenBucket] = {}
        self._next_sweep_ns = 0

    def wait_s(self, key: str) -> int:
        """Whole seconds until the next one may come; 0 if it may come now."""
        bucket = self._buckets.get(key)
        return 0 if bucket is None else bucket.wait_s(_now_ns())

    def spend(self, key: str) -> None:
        """Count one, whether or not it had to wait."""
        now_ns = _now_ns()
        if len(self._buckets) >= MOST_KEYS and now_ns >= self._next_sweep_ns:
            # once a second at most: it takes milliseconds, and else every new source would have it done
            self._next_sweep_ns = now_ns + NS
            self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.is_full(now_ns)}
        bucket = self._buckets.get(key)
        # with ten thousand sources in debt one more is not counted: the memory must not grow with the attackers
        if bucket is None and len(self._buckets) < MOST_KEYS:
            bucket = self._buckets[key] = TokenBucket(self._burst, self._per_second, now_ns)
        if bucket is not None:
            bucket.spend(now_ns)


def _now_ns() -> int:
    return round(asyncio.get_running_loop().time() * NS)  # which a simulation sets, unlike time.monotonic_ns

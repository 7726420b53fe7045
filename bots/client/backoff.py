"""How long to wait before the next attempt: numbers only, the waiting is done elsewhere."""

from collections.abc import Iterator
from random import Random

FIRST_S = 0.25
LONGEST_S = 30.0  # a server that is back after an hour has its bots half a minute later


def backoff_delays(random: Random, first_s: float = FIRST_S, longest_s: float = LONGEST_S) -> Iterator[float]:
    """Endless waiting times in seconds: the n-th lies between half and all of `first_s * 2**n`, at most `longest_s`.

    The random half keeps a class of bots, disconnected together, from coming back together.
    """
    ceiling = first_s
    while True:
        ceiling = min(ceiling, longest_s)
        yield ceiling * random.uniform(0.5, 1.0)
        ceiling *= 2


def busy_delay(random: Random, retry_ms: int) -> float:
    """Seconds to wait after `busy`: at least `retry_ms` and up to as much again."""
    return retry_ms / 1000 * random.uniform(1.0, 2.0)

"""How many workers run the tests, and which tests each of them has first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
PER_CORE = 2


def workers_for(cores: int | None) -> int:
    """Two for each core: much of its time a worker waits, for a process that starts, a disk or a clock."""
    return PER_CORE * (cores or 1)


def shares_of_workers(slow: Sequence[Sequence[T]], quick: Sequence[T], workers: int) -> list[T]:
    """All tests so that each worker's part, in the parts into which pytest-xdist cuts the list, begins with slow ones.

    Otherwise one that takes half a minute may be the last of all, and the other workers wait for it.
    slow: those of each file, which one worker has together: what they share (a server, a browser) is then made once.
    """
    found, rest = list[T](), list(quick)
    total = len(quick) + sum(map(len, slow))
    for worker in range(workers):
        share = [test for file in slow[worker::workers] for test in file]
        more = max(0, (total - len(found)) // (workers - worker) - len(share))
        found += share + rest[:more]
        del rest[:more]
    return found + rest

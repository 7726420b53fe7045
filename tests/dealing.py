"""How many workers run the tests, and which tests each of them has first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
PER_CORE = 2


def workers_for(cores: int | None) -> int:
    """Two for each core: much of its time a worker waits, for a process that starts, a disk or a clock."""
    return PER_CORE * (cores or 1)


def dealt(long: Sequence[T], short: Sequence[T], hands: int) -> list[T]:
    """All tests so that each hand's part, in the parts into which pytest-xdist cuts the list, begins with long ones.

    Otherwise one that takes half a minute may be the last of all, and the other workers wait for it.
    """
    found, rest = list[T](), list(short)
    for hand in range(hands):
        left = hands - hand
        mine = list(long[hand::hands])
        size = (len(long) + len(short) - len(found)) // left
        found += mine + rest[: size - len(mine)]
        del rest[: size - len(mine)]
    return found + rest

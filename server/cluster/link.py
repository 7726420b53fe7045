"""One end of a link: it sends numbered batches, so that the other end notices lost and doubled ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum
from typing import Generic, TypeVar

HEARTBEAT_S = 0.5
"""How often each end says that it is there, and what it has received last."""
BATCH_BYTES = 262_144  # a quarter of what a NATS server takes as one message
OFFSETS_KEPT = 32  # twice: some ten to thirty seconds of heartbeats, less when there is more to say
ITEM_BYTES = 64  # that an item takes beside its frame, at most

Item = TypeVar("Item")


class Arrival(Enum):
    """Whether a batch is the next, a duplicate, or comes after a lost one."""

    NEXT = "next"
    DUPLICATE = "doubled"
    GAP = "gap"  # one before it is lost


class ClockOffset:
    """What must be added to times of another clock, measured by the quickest of its last messages.

    Of the last ones only, because the clocks drift apart: at 50 millionths a millisecond in 20 s.
    """

    def __init__(self) -> None:
        self._before_ns: int | None = None  # the least of a full window, then of the one that fills
        self._now_ns: int | None = None
        self._seen = 0

    def measure(self, theirs_ns: int, ours_ns: int) -> None:
        """Note a message that was sent at `theirs_ns` on their clock and arrived at `ours_ns` on ours."""
        if self._seen == OFFSETS_KEPT:
            self._before_ns, self._now_ns, self._seen = self._now_ns, None, 0
        offset_ns = ours_ns - theirs_ns
        self._now_ns = offset_ns if self._now_ns is None else min(self._now_ns, offset_ns)
        self._seen += 1

    def to_our_clock(self, theirs_ns: int) -> int:
        """A time of their clock on our clock, late by at most the time of the quickest message."""
        known = [offset_ns for offset_ns in (self._before_ns, self._now_ns) if offset_ns is not None]
        return theirs_ns + min(known)


class LinkEnd(Generic[Item]):
    """Numbers of both directions, and the items that wait to be sent.

    received: number of the other end's last batch, 0 for none.
    """

    def __init__(self, publish: Callable[[int, tuple[Item, ...]], None]) -> None:
        """publish: sends a batch of this number with these items."""
        self.sent = self.received = 0
        self._publish, self._loop = publish, asyncio.get_running_loop()
        self._items: list[Item] = []
        self._bytes = 0
        self._flush_planned = False

    def arrival(self, number: int) -> Arrival:
        """Count a batch that has arrived, if it is the next."""
        if number <= self.received:
            return Arrival.DUPLICATE
        if number > self.received + 1:
            return Arrival.GAP
        self.received = number
        return Arrival.NEXT

    def put(self, item: Item, size: int = 0) -> None:
        """Queue an item for the end of this turn of the loop. size: bytes of the frame in it."""
        self._items.append(item)
        self._bytes += size + ITEM_BYTES
        if self._bytes > BATCH_BYTES:
            self.flush()
        elif not self._flush_planned:
            self._flush_planned = True
            self._loop.call_soon(self._planned_flush)

    def flush(self) -> None:
        """Send what waits."""
        if self._items:
            self.beat()

    def beat(self) -> None:
        """Send what waits, or an empty batch as a sign of life."""
        items, self._items, self._bytes = self._items, [], 0
        self.sent += 1
        self._publish(self.sent, tuple(items))

    def _planned_flush(self) -> None:
        self._flush_planned = False
        self.flush()

"""A gateway's link to one host; after a loss it restarts with everything that the host must know."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable

from tabiya.server.cluster.bus import Bus, host_subject
from tabiya.server.cluster.link import Arrival, LinkEnd
from tabiya.server.cluster.messages import GatewayBatch, GatewayItem, HostBatch, HostItem, pack
from tabiya.server.transport.base import Clock

log = logging.getLogger("tabiya.relay")

RELINK_S = 0.5  # from one link to the next at least: introductions must not be what is lost next


class HostLink:
    """The link of `gateway` to `host`. silent_beats: our heartbeats since the host's last message."""

    def __init__(
        self,
        gateway: str,
        host: int,
        bus: Bus,
        now_ns: Clock,
        numbers: itertools.count[int],
        introduce: Callable[[HostLink], None],
        carry_out: Callable[[HostLink, HostItem], None],
    ) -> None:
        """numbers: of the links of this gateway.  introduce: puts all that a host must know first."""
        self.gateway, self.host, self._bus, self._now_ns = gateway, host, bus, now_ns
        self._numbers, self._introduce, self._carry_out = numbers, introduce, carry_out
        self.silent_beats = 0
        self.number = 0
        self._end: LinkEnd[GatewayItem]
        self._begun_s = 0.0
        self._relink: asyncio.TimerHandle | None = None
        self.begin()

    def begin(self) -> None:
        """Introduce every bot to the host; what was under way on the link before is lost."""
        self.number = number = next(self._numbers)
        subject = host_subject(self.host)

        def publish(batch: int, items: tuple[GatewayItem, ...]) -> None:
            if number == self.number:
                what = GatewayBatch(self.gateway, number, batch, self._end.received, self._now_ns(), items)
                self._bus.publish(subject, pack(what))

        self._end = LinkEnd(publish)
        self._begun_s = asyncio.get_running_loop().time()
        self._cancel_relink()
        self._introduce(self)
        self._end.beat()

    def put(self, item: GatewayItem, size: int = 0) -> None:
        """See `LinkEnd.put`."""
        self._end.put(item, size)

    def beat(self) -> None:
        """Send a sign of life."""
        self._end.beat()

    def end(self) -> None:
        """Stop sending and receiving."""
        self.number = 0
        self._cancel_relink()

    def arrived(self, batch: HostBatch) -> None:
        """A batch has arrived from the host."""
        if batch.link != self.number:
            return
        self.silent_beats = 0
        arrival = self._end.arrival(batch.number)
        if arrival is Arrival.NEXT:
            for item in batch.items:
                self._carry_out(self, item)
        elif (arrival is Arrival.GAP or batch.number == 0) and self._relink is None:
            log.warning(
                "messages to or from host %d were lost on the bus; all bots are announced to it again", self.host
            )
            loop = asyncio.get_running_loop()
            self._relink = loop.call_at(max(loop.time(), self._begun_s + RELINK_S), self.begin)

    def _cancel_relink(self) -> None:
        if self._relink is not None:
            self._relink.cancel()
            self._relink = None

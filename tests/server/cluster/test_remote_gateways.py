"""What a host hears of gateways."""

from __future__ import annotations

import asyncio
from unittest.mock import patch

from tabiya.server.cluster.bus import host_subject
from tabiya.server.cluster.match_host import MatchHost
from tabiya.server.cluster.messages import GatewayBatch, Opened, pack
from tabiya.server.config import ServerConfig
from tabiya.storage.memory import MemoryStore
from tests.fakes.bus import LocalBus
from tests.virtual_time import now_ns, virtual_time

STANDSTILL_NS = 6_000_000_000


@virtual_time
async def test_a_standstill_is_known_before_what_came_meanwhile_is_handled() -> None:
    bus, skipped_ns, seen = LocalBus(), 0, list[str]()
    store = MemoryStore()
    number = await store.register_host("host", 0.0)
    host = MatchHost(ServerConfig(), bus, store, number, lambda: now_ns() + skipped_ns)
    await host.start()
    bus.publish(host_subject(number), pack(GatewayBatch("a", 1, 1, 0, 0, (Opened(1, "::1", True, "json", 0),))))
    skipped_ns = STANDSTILL_NS
    with (
        patch.object(host.dispatcher, "opened", lambda connection: seen.append("opened")),
        patch.object(host.dispatcher.runner, "process_paused", lambda since_ns, until_ns: seen.append("stood still")),
    ):
        await asyncio.sleep(0)
    assert seen == ["stood still", "opened"]
    await host.stop()

"""What a host hears of gateways."""

from __future__ import annotations

import asyncio
from unittest.mock import MagicMock, patch

import pytest

from tabiya.server.cluster.bus import host_subject
from tabiya.server.cluster.match_host import MatchHost
from tabiya.server.cluster.messages import ConnectionOpened, GatewayBatch, MessageReceived, TurnWritten, pack
from tabiya.server.cluster.remote_gateways import GatewayLink, RemoteConnection
from tabiya.server.config import ServerConfig
from tabiya.storage.memory import MemoryStore
from tests.fakes.bus import LocalBus
from tests.virtual_time import now_ns, virtual_time

STANDSTILL_NS = 6_000_000_000
LATE_NS = 50_000_000


@virtual_time
async def test_a_standstill_is_known_before_what_came_meanwhile_is_handled() -> None:
    bus, skipped_ns, seen = LocalBus(), 0, list[str]()
    store = MemoryStore()
    number = await store.register_host("host", 0.0)
    host = MatchHost(ServerConfig(), bus, store, number, lambda: now_ns() + skipped_ns)
    await host.start()
    bus.publish(
        host_subject(number), pack(GatewayBatch("a", 1, 1, 0, 0, (ConnectionOpened(1, "::1", True, "json", 0),)))
    )
    skipped_ns = STANDSTILL_NS
    with (
        patch.object(host.dispatcher, "opened", lambda connection: seen.append("opened")),
        patch.object(host.dispatcher.runner, "process_paused", lambda since_ns, until_ns: seen.append("stood still")),
    ):
        await asyncio.sleep(0)
    assert seen == ["stood still", "opened"]
    await host.stop()


@virtual_time
async def test_times_of_a_gateway_stay_as_exact_when_its_link_begins_anew_with_a_slow_batch() -> None:
    bus, late_ns = LocalBus(), 0
    store = MemoryStore()
    number = await store.register_host("host", 0.0)
    host = MatchHost(ServerConfig(), bus, store, number, lambda: now_ns() + late_ns)
    await host.start()
    for link in (1, 2):
        bus.publish(host_subject(number), pack(GatewayBatch("a", link, 1, 0, now_ns(), ())))
        await asyncio.sleep(0)
        late_ns = LATE_NS
    assert host.gateways._links["a"].to_our_clock(now_ns()) == now_ns()
    await host.stop()


@pytest.mark.parametrize(
    ("passed_on", "waits", "counts"), [(False, True, True), (True, True, True), (True, False, False)]
)
@virtual_time
async def test_a_turn_that_is_answered_before_it_is_written_counts_from_the_answer_and_a_doubled_answer_not_at_all(
    passed_on: bool, waits: bool, counts: bool
) -> None:
    seen: list[tuple[str, int]] = []
    handler = MagicMock()
    handler.host_of.return_value, handler.waits_for.return_value = 0, waits
    handler.received = lambda connection, message, arrived_ns: seen.append(("received", arrived_ns))
    link = GatewayLink("a", 1, 1, LocalBus(), handler, now_ns)
    link.batch_received(GatewayBatch("a", 1, 1, 0, now_ns(), ()))
    connection = RemoteConnection(link, ConnectionOpened(1, "::1", True, "json", 0))
    connection.written(3, 7, lambda at_ns: seen.append(("written", at_ns)))
    read_ns = now_ns()
    move = b'{"type":"move","match":3,"ply":7,"move":"a1"}'
    connection.received(MessageReceived(1, move, True, read_ns, 0, passed_on), 1_000)
    connection.turn_written(TurnWritten(1, 3, 7, read_ns + LATE_NS))
    assert seen == ([("written", read_ns), ("received", read_ns)] if counts else [("written", now_ns())])

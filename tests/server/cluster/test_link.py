"""Numbers, batches and clocks of one link; and what is no batch."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tabiya.server.cluster.link import BATCH_BYTES, OFFSETS_KEPT, Arrival, ClockOffset, LinkEnd
from tabiya.server.cluster.messages import (
    ConnectionOpened,
    GatewayBatch,
    HostBatch,
    HostPresence,
    MessageReceived,
    ReadsDrained,
    Send,
    pack,
    unpack,
)
from tests.virtual_time import virtual_time

GATEWAY_BATCH = GatewayBatch(
    "a",
    1,
    2,
    3,
    4,
    (ConnectionOpened(1, "::1", True, "json", 5), MessageReceived(1, b"{}", True, 6, 7), ReadsDrained(8)),
)
HOST_BATCH = HostBatch(1, 2, 3, (Send(1, b"\x81\x02{}", True, (7, 0)), Send(1, b"", False, None)))


@virtual_time
async def test_a_number_says_whether_a_batch_is_the_next_a_doubled_one_or_behind_a_lost_one() -> None:
    end: LinkEnd[ReadsDrained] = LinkEnd(lambda number, items: None)
    assert [end.arrival(number) for number in (1, 1, 3, 2, 3)] == [
        Arrival.NEXT,
        Arrival.DUPLICATE,
        Arrival.GAP,
        Arrival.NEXT,
        Arrival.NEXT,
    ]


@virtual_time
async def test_messages_of_one_turn_of_the_loop_are_one_batch_unless_it_is_too_large() -> None:
    sent: list[tuple[int, int]] = []
    end: LinkEnd[ReadsDrained] = LinkEnd(lambda number, items: sent.append((number, len(items))))
    for question in range(3):
        end.put(ReadsDrained(question))
    assert sent == []
    await asyncio.sleep(0)
    assert sent == [(1, 3)]
    for question in range(5):
        end.put(ReadsDrained(question), BATCH_BYTES // 2)
    assert sent == [(1, 3), (2, 2), (3, 2)]
    end.beat()
    assert sent == [(1, 3), (2, 2), (3, 2), (4, 1)]
    await asyncio.sleep(0)
    end.beat()
    assert sent[4:] == [(5, 0)]  # a word of life


def test_times_of_another_clock_are_late_by_the_quickest_message_and_follow_a_drift() -> None:
    offset = ClockOffset()
    for at, took in ((1_000, 70), (2_000, 30), (3_000, 90)):
        offset.measure(at, at + 500_000 + took)
    assert offset.to_our_clock(2_500) == 2_500 + 500_000 + 30
    for at in range(4_000, 4_000 + 2 * OFFSETS_KEPT):  # the other clock has fallen back meanwhile
        offset.measure(at, at + 600_000)
    assert offset.to_our_clock(9_000) == 9_000 + 600_000


@pytest.mark.parametrize(
    "batch", [GATEWAY_BATCH, HOST_BATCH, HostPresence(7, is_server=True)], ids=lambda batch: type(batch).__name__
)
def test_a_batch_is_read_as_it_was_written_and_anything_else_is_none(batch: Any) -> None:
    data = pack(batch)
    assert unpack(data, type(batch)) == batch
    for garbage in (b"", data[:-1], data + b"\x00", b"\xc1", b"\x90", b"\x91" * 5_000, pack("text"), pack(["one"] * 9)):
        assert unpack(garbage, type(batch)) is None

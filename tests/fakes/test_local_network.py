"""The local network does what it says: frames in order, late, cut, unread."""

from __future__ import annotations

import asyncio
from itertools import cycle
from typing import Any

from tabiya.protocol.codec import CodecError
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import ClientMessage, Notice, ServerMessage, Unseek
from tabiya.server.transport.base import Connection
from tests.fakes.local_network import BROKEN, LocalNetwork
from tests.virtual_time import now_ns, now_s, virtual_time


class Recorder:
    """Both ends of one connection; keeps what each of them is told, with the time."""

    connection: Connection

    def __init__(self, **options: Any) -> None:
        self.server_received: list[tuple[float, ClientMessage | CodecError]] = []
        self.client_received: list[tuple[float, ServerMessage]] = []
        self.client_ends: list[tuple[int, str]] = []
        self.server_ends = 0
        self.client = LocalNetwork(self, WireLimits(frame_bytes=100), now_ns).connect(
            lambda message: self.client_received.append((now_s(), message)),
            lambda code, reason: self.client_ends.append((code, reason)),
            **options,
        )

    def opened(self, connection: Connection) -> None:
        self.connection = connection

    def received(self, connection: Connection, message: ClientMessage, arrived_ns: int) -> None:
        self.server_received.append((round(now_s(), 6), message))

    def unreadable(self, connection: Connection, error: CodecError, arrived_ns: int) -> None:
        self.server_received.append((round(now_s(), 6), error))

    def process_paused(self, since_ns: int, until_ns: int) -> None:
        raise AssertionError("a local network notices no pause")

    def closed(self, connection: Connection) -> None:
        self.server_ends += 1


@virtual_time
async def test_messages_arrive_in_order_whatever_each_takes() -> None:
    delays = cycle([0.5, 0.1, 0.0, 0.3])
    ends = Recorder(delay_s=lambda: next(delays))
    sent = [Unseek(game=f"game{number}") for number in range(8)]
    for message in sent:
        ends.client.send(message)
    await asyncio.sleep(2)
    assert ends.server_received == [(0.5, message) for message in sent]


@virtual_time
async def test_a_cut_connection_loses_what_is_under_way_and_is_told_once() -> None:
    ends = Recorder(delay_s=lambda: 1.0)
    for _ in range(2):
        ends.client.send(Unseek(game="nim"))
        ends.client.cut()
    await asyncio.sleep(5)
    assert (ends.server_received, ends.server_ends, ends.client_ends) == ([], 1, [(BROKEN, "")])


@virtual_time
async def test_a_close_comes_behind_what_was_sent_before_and_nothing_comes_behind_it() -> None:
    ends, last = Recorder(delay_s=lambda: 0.25), Notice(kind="last", text="words")
    ends.connection.send(last)
    ends.connection.close(CloseCode.SERVER_CLOSING, "good night")
    ends.connection.send(Notice(kind="too", text="late"))
    await asyncio.sleep(5)
    assert ends.client_received == [(0.25, last)]
    assert (ends.client_ends, ends.server_ends) == ([(CloseCode.SERVER_CLOSING, "good night")], 1)


@virtual_time
async def test_a_client_that_reads_nothing_has_a_backlog_and_cannot_put_off_the_end_for_long() -> None:
    ends = Recorder()
    ends.client.stop_reading()
    for _ in range(10):
        ends.connection.send(Notice(kind="news", text="x" * 100))
    await asyncio.sleep(1)
    assert (ends.client_received, ends.connection.backlog > 1_000) == ([], True)
    ends.client.read_on()
    assert (len(ends.client_received), ends.connection.backlog) == (10, 0)
    ends.client.stop_reading()
    ends.connection.close(CloseCode.SERVER_CLOSING, "")
    await asyncio.sleep(1)
    assert ends.server_ends == 0
    await asyncio.sleep(2)
    assert ends.server_ends == 1


@virtual_time
async def test_garbage_and_frames_too_large_are_treated_as_by_the_gateway() -> None:
    ends = Recorder()
    ends.client.send_frame(b"\xc1")
    await asyncio.sleep(1)
    ((_, error),) = ends.server_received
    assert isinstance(error, CodecError)
    assert error.garbage
    ends.client.send_frame(b"\x00" * 101)
    await asyncio.sleep(1)
    assert [code for code, _ in ends.client_ends] == [CloseCode.OVERSIZE]

"""Local lines: frames in order, late, cut, unread."""

from __future__ import annotations

import asyncio
from itertools import cycle

from tabiya.protocol.codec import CodecError, Encoding
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import ClientMessage, Hello, Notice, ServerMessage, Unseek
from tabiya.server.transport.base import Connection
from tabiya.server.transport.in_memory import BROKEN, LocalNetwork
from tests.virtual_time import now_ns, now_s, virtual_time


class Listener:
    """A host that writes down what it is called with."""

    def __init__(self) -> None:
        self.heard: list[tuple[float, ClientMessage]] = []
        self.unread: list[CodecError] = []
        self.closings = 0
        self.connection: Connection

    def opened(self, connection: Connection) -> None:
        self.connection = connection

    def received(self, connection: Connection, message: ClientMessage, arrived_ns: int) -> None:
        assert arrived_ns == now_ns()
        self.heard.append((round(now_s(), 6), message))
        if isinstance(message, Hello):
            raise RuntimeError("an error of ours")

    def unreadable(self, connection: Connection, error: CodecError, arrived_ns: int) -> None:
        self.unread.append(error)

    def process_paused(self, since_ns: int, until_ns: int) -> None:
        raise AssertionError("a local network has no pulse")

    def closed(self, connection: Connection) -> None:
        self.closings += 1


def network() -> tuple[Listener, LocalNetwork]:
    listener = Listener()
    return listener, LocalNetwork(listener, WireLimits(frame_bytes=100), now_ns)


def unseek(number: int) -> Unseek:
    return Unseek(game=f"game{number}")


@virtual_time
async def test_messages_arrive_in_order_whatever_each_takes() -> None:
    listener, lines = network()
    delays = cycle([0.5, 0.1, 0.0, 0.3])
    peer = lines.connect(lambda message: None, delay_s=lambda: next(delays))
    for number in range(8):
        peer.send(unseek(number))
    await asyncio.sleep(2)
    assert [message for _, message in listener.heard] == [unseek(number) for number in range(8)]
    assert [at for at, _ in listener.heard] == [0.5] * 8


@virtual_time
async def test_the_servers_messages_take_the_same_way_back() -> None:
    listener, lines = network()
    heard: list[tuple[float, ServerMessage]] = []
    lines.connect(lambda message: heard.append((now_s(), message)), delay_s=lambda: 0.25, encoding=Encoding.JSON)
    notice = Notice(kind="news", text="all is well")
    listener.connection.send(notice)
    await asyncio.sleep(1)
    assert heard == [(0.25, notice)]


@virtual_time
async def test_a_cut_line_loses_what_is_under_way_and_is_told_once() -> None:
    listener, lines = network()
    ends: list[tuple[int, str]] = []
    peer = lines.connect(lambda message: None, lambda code, reason: ends.append((code, reason)), delay_s=lambda: 1.0)
    peer.send(unseek(1))
    peer.cut()
    peer.send(unseek(2))
    peer.cut()
    await asyncio.sleep(5)
    assert (listener.heard, listener.closings, ends) == ([], 1, [(BROKEN, "")])


@virtual_time
async def test_a_close_comes_behind_what_was_sent_before() -> None:
    listener, lines = network()
    heard: list[ServerMessage] = []
    ends: list[tuple[int, str]] = []
    lines.connect(heard.append, lambda code, reason: ends.append((code, reason)), delay_s=lambda: 0.1)
    listener.connection.send(Notice(kind="last", text="words"))
    listener.connection.close(CloseCode.SERVER_CLOSING, "good night")
    listener.connection.send(Notice(kind="too", text="late"))
    await asyncio.sleep(5)
    assert [message.kind for message in heard if isinstance(message, Notice)] == ["last"]
    assert (ends, listener.closings) == ([(CloseCode.SERVER_CLOSING, "good night")], 1)


@virtual_time
async def test_a_peer_that_reads_nothing_has_a_backlog_and_cannot_put_off_the_end_for_long() -> None:
    listener, lines = network()
    heard: list[ServerMessage] = []
    peer = lines.connect(heard.append)
    peer.stop_reading()
    for _ in range(10):
        listener.connection.send(Notice(kind="news", text="x" * 100))
    await asyncio.sleep(1)
    assert heard == []
    assert listener.connection.backlog > 1_000
    listener.connection.close(CloseCode.SERVER_CLOSING, "")
    await asyncio.sleep(1)
    assert listener.closings == 0
    await asyncio.sleep(2)
    assert listener.closings == 1


@virtual_time
async def test_who_reads_on_gets_everything_that_piled_up() -> None:
    listener, lines = network()
    heard: list[ServerMessage] = []
    peer = lines.connect(heard.append)
    peer.stop_reading()
    notices = [Notice(kind="news", text=str(number)) for number in range(5)]
    for notice in notices:
        listener.connection.send(notice)
    await asyncio.sleep(1)
    peer.read_on()
    assert heard == notices
    assert listener.connection.backlog == 0


@virtual_time
async def test_garbage_and_frames_too_large_are_treated_as_by_the_gateway() -> None:
    listener, lines = network()
    peer = lines.connect(lambda message: None)
    peer.send_frame(b"\xc1")
    await asyncio.sleep(1)
    assert [error.garbage for error in listener.unread] == [True]
    ends: list[int] = []
    peer = lines.connect(lambda message: None, lambda code, reason: ends.append(code))
    peer.send_frame(b"\x00" * 101)
    await asyncio.sleep(1)
    assert ends == [CloseCode.OVERSIZE]


def test_an_error_of_ours_closes_that_line_alone(errors_expected: None) -> None:
    @virtual_time
    async def run() -> None:
        listener, lines = network()
        ends: list[int] = []
        peer = lines.connect(lambda message: None, lambda code, reason: ends.append(code))
        other = lines.connect(lambda message: None)
        peer.send(Hello(name="ada"))
        await asyncio.sleep(1)
        other.send(unseek(1))
        await asyncio.sleep(1)
        assert ends == [CloseCode.SERVER_ERROR]
        assert listener.heard[-1][1] == unseek(1)

    run()

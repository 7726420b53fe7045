"""What the kernel does and knows of a TCP connection: a vanished peer is given up; its measure of the round trip."""

from __future__ import annotations

import asyncio
import ctypes
import socket
import struct
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabiya.protocol.limits import WireLimits
from tabiya.server.transport.tcp import SHORTEST, SMOOTHED, kernel_round_trip_ns, read_tcp_info, trip_ns
from tests.live import eventually, live_server, raw_line

SO_ATTACH_FILTER = 26  # of Linux
DROP_EVERYTHING = struct.pack("HBBI", 0x06, 0, 0, 0)  # one instruction of its packet filters: keep no byte


def vanish(line: socket.socket) -> ctypes.Array[ctypes.c_char]:
    """From now on nothing that is sent to this socket arrives, and nobody says so. Returns what must be kept."""
    program = ctypes.create_string_buffer(DROP_EVERYTHING, len(DROP_EVERYTHING))
    line.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HxxxxxxP", 1, ctypes.addressof(program)))
    return program


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a test drop what arrives")
async def test_a_vanished_peer_is_soon_noticed_and_a_thinking_one_stays() -> None:
    limits = WireLimits(vanished_s=1.0, ping_interval_s=0.2)
    async with live_server(limits=limits) as server, raw_line(server) as gone, raw_line(server) as thinks:
        for name, line in (("ada", gone), ("bob", thinks)):
            assert b" 101 " in await line.upgrade()
            line.say(type="hello", name=name)
            await line.reader.read(10)
            line.writer.transport.pause_reading()  # type: ignore[attr-defined]  # it answers no ping either
        here = server.dispatcher.sessions
        await eventually(lambda: len(here) == 2)
        kept = vanish(gone.writer.get_extra_info("socket"))
        await eventually(lambda: len(here) == 1)
        await asyncio.sleep(1.0)
        assert here.by_name("bob") is not None
        assert len(kept) == 8


async def test_the_kernel_is_told_how_long_to_wait() -> None:
    async with live_server(limits=WireLimits(vanished_s=30.0)) as server, raw_line(server) as line:
        await line.upgrade()
        await eventually(lambda: server.gateway.connections == 1)
        (inner,) = (one for one in server.gateway._open)
        option = inner.transport.get_extra_info("socket").getsockopt
        assert option(socket.SOL_SOCKET, socket.SO_KEEPALIVE) != 0
        for name, value in (
            ("TCP_KEEPIDLE", 15),
            ("TCP_KEEPINTVL", 5),
            ("TCP_KEEPCNT", 3),
            ("TCP_USER_TIMEOUT", 30_000),
        ):
            if hasattr(socket, name):
                assert option(socket.IPPROTO_TCP, getattr(socket, name)) == value


# --- round trips


def tcp_info(smoothed_us: int, shortest_us: int | None) -> bytes:
    """An answer of the kernel; None: of one too old to keep the shortest."""
    answer = bytearray(SHORTEST.stop)
    answer[SMOOTHED] = smoothed_us.to_bytes(4, sys.byteorder)
    if shortest_us is None:
        return bytes(answer[: SHORTEST.start])
    answer[SHORTEST] = shortest_us.to_bytes(4, sys.byteorder)
    return bytes(answer)


def test_the_shortest_round_trip_counts_and_the_smoothed_one_stands_in_for_it() -> None:
    assert read_tcp_info(tcp_info(90_000, 40_000)) == 40_000_000
    assert read_tcp_info(tcp_info(90_000, None)) == 90_000_000
    assert read_tcp_info(tcp_info(90_000, 0xFFFF_FFFF)) == 90_000_000


def test_nothing_measured_is_no_round_trip() -> None:
    assert read_tcp_info(tcp_info(0, 0)) is None
    assert read_tcp_info(b"") is None


async def test_a_line_that_is_no_tcp_has_no_measure() -> None:
    class Pipe(asyncio.Transport):
        """No socket behind it."""

    assert kernel_round_trip_ns(Pipe()) is None


def test_a_pong_counts_as_no_longer_than_what_the_kernel_has_measured() -> None:
    assert trip_ns(5_000_000_000, 40_000_000) == 40_000_000
    assert trip_ns(30_000_000, 40_000_000) == 30_000_000
    assert trip_ns(5_000_000_000, None) == 5_000_000_000
    assert trip_ns(-3, None) == 0


@given(st.lists(st.tuples(st.integers(0, 10**10), st.integers(0, 10**10)), min_size=1, max_size=8))
def test_delayed_pongs_never_gain_more_than_the_line_takes(trips: list[tuple[int, int]]) -> None:
    """Each pair: what the line takes, and by how much the bot delays its answer."""
    measured_ns = min(trip_ns(line_ns + delay_ns, line_ns) for line_ns, delay_ns in trips)
    assert measured_ns == min(line_ns for line_ns, _ in trips)

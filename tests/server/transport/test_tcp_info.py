"""What the kernel says of a connection's round trip, and what is made of answers that say nothing."""

from __future__ import annotations

import asyncio
import sys

from hypothesis import given
from hypothesis import strategies as st

from tabiya.server.transport.tcp_info import SHORTEST, SMOOTHED, kernel_round_trip_ns, read_tcp_info, trip_ns


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

"""What the kernel says of a connection's round trip, and what is made of answers that say nothing."""

from __future__ import annotations

import asyncio
import sys

from tabiya.server.transport.tcp_info import SHORTEST, SMOOTHED, kernel_round_trip_ns, read_tcp_info


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

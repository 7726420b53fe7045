"""The round trip of a connection as the kernel of this machine has measured it, from the acknowledgements of TCP.

These come from the other machine's kernel, not from the bot: where the system tells them, a bot that answers pings late
gains nothing. Elsewhere it gains no more than its quota of lag credit and the refill.
"""

from __future__ import annotations

import asyncio
import socket
import sys

NS_PER_US = 1_000
NEVER_US = 0xFFFF_FFFF
# struct tcp_info of Linux: the smoothed round trip, and (since 4.6) the shortest of the last five minutes
SMOOTHED, SHORTEST = slice(68, 72), slice(148, 152)


def kernel_round_trip_ns(transport: asyncio.BaseTransport) -> int | None:
    """The shortest round trip of the last minutes; None where the system does not tell (it is asked on Linux only)."""
    if sys.platform != "linux":
        return None
    connection = transport.get_extra_info("socket")
    if connection is None:
        return None
    try:
        answer = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, SHORTEST.stop)
    except (OSError, ValueError):  # no TCP, or the line is gone
        return None
    return read_tcp_info(answer)


def read_tcp_info(answer: bytes) -> int | None:
    """The round trip in what the kernel answers: the shortest, else the smoothed one. None if nothing is measured."""
    for place in (SHORTEST, SMOOTHED):
        measured_us = int.from_bytes(answer[place], sys.byteorder)
        if 0 < measured_us < NEVER_US:
            return measured_us * NS_PER_US
    return None


def trip_ns(pong_ns: int, kernel_ns: int | None) -> int:
    """One round trip: what the answer to a ping took, and never more than the kernel's own measure, if it has one."""
    return max(0, pong_ns if kernel_ns is None else min(pong_ns, kernel_ns))

"""TCP settings and measurements of the kernel: keep-alive for vanished peers, round trips.

Keep-alive: a peer that has vanished (cable out, lid closed) is given up, but not one that thinks, for the kernel of a
bot that blocks still says that bytes have arrived. Where nobody says so for `after_s` the connection is lost as any
other: the bot is away, is not seated in new games, and its patience runs.

Round trips, from the acknowledgements of TCP: these come from the other machine's kernel, not from the bot. Where the
system tells them, a bot that answers pings late gains nothing; elsewhere no more than its quota of lag credit and the
refill.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys

PROBES = 3
NS_PER_US = 1_000
NEVER_US = 0xFFFF_FFFF  # what Linux answers for the shortest round trip before it has measured one
# struct tcp_info of Linux: the smoothed round trip, and (since 4.6) the shortest of the last five minutes
SMOOTHED, SHORTEST = slice(68, 72), slice(148, 152)


def enable_keepalive(transport: asyncio.BaseTransport, after_s: float) -> None:
    """Set the keep-alive options of a connection, as far as the system knows them."""
    connection = transport.get_extra_info("socket")
    if connection is None or connection.family not in (socket.AF_INET, socket.AF_INET6):
        return
    # half of the time passes before the first probe, the other half until the last one is given up
    options = {
        "TCP_KEEPIDLE": max(1, round(after_s / 2)),  # of an idle connection
        "TCP_KEEPINTVL": max(1, round(after_s / 2 / PROBES)),
        "TCP_KEEPCNT": PROBES,
        "TCP_USER_TIMEOUT": round(1_000 * after_s),  # for unacknowledged bytes, such as our pings
    }
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in options.items():
        if hasattr(socket, name):  # macOS and Windows do not have all of them
            with contextlib.suppress(OSError):  # a connection without keep-alive is better than none
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


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

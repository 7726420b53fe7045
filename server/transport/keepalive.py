"""TCP keep-alive: the kernel gives up a peer that has vanished (cable out, lid closed), but not one that thinks.

The kernel of a bot that blocks while it thinks still says that bytes have arrived. Where nobody says so for `after_s`
the connection is lost as any other: the bot is away, is not seated in new games, and its patience runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket

PROBES = 3


def enable_keepalive(transport: asyncio.BaseTransport, after_s: float) -> None:
    """Set the keep-alive options of a connection, as far as the system knows them."""
    line = transport.get_extra_info("socket")
    if line is None or line.family not in (socket.AF_INET, socket.AF_INET6):
        return
    options = {
        "TCP_KEEPIDLE": max(1, round(after_s / 2)),  # of an idle connection
        "TCP_KEEPINTVL": max(1, round(after_s / 2 / PROBES)),
        "TCP_KEEPCNT": PROBES,
        "TCP_USER_TIMEOUT": round(1_000 * after_s),  # of bytes that nobody says have arrived, such as our pings
    }
    with contextlib.suppress(OSError):
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in options.items():
        if hasattr(socket, name):
            with contextlib.suppress(OSError):
                line.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)

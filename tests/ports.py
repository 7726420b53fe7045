"""Ports of loopback for servers that come back at the same place."""

from __future__ import annotations

import contextlib
import random
import socket

NOT_OUTGOING = range(20_000, 32_000)  # Linux takes those of connections from 32,768 on, others from 49,152 on


def free_port() -> int:
    """See `free_ports`."""
    return free_ports(1)[0]


def free_ports(number: int) -> list[int]:
    """So many on which nobody listens now, and of which no outgoing connection takes one later."""
    with contextlib.ExitStack() as stack:
        taken: list[socket.socket] = []
        while len(taken) < number:
            with contextlib.suppress(OSError):
                taken.append(stack.enter_context(socket.create_server(("127.0.0.1", random.choice(NOT_OUTGOING)))))
        return [each.getsockname()[1] for each in taken]

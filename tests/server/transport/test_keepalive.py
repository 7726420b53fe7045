"""A peer whose machine is gone without a word: the kernel gives it up. One that blocks while it thinks stays."""

from __future__ import annotations

import asyncio
import ctypes
import socket
import struct
import sys

import pytest

from tabiya.protocol.limits import WireLimits
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
async def test_a_peer_that_vanishes_without_a_word_is_soon_gone_and_one_that_only_thinks_is_not() -> None:
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
        told = inner.transport.get_extra_info("socket").getsockopt
        assert told(socket.SOL_SOCKET, socket.SO_KEEPALIVE) != 0
        for name, value in (
            ("TCP_KEEPIDLE", 15),
            ("TCP_KEEPINTVL", 5),
            ("TCP_KEEPCNT", 3),
            ("TCP_USER_TIMEOUT", 30_000),
        ):
            if hasattr(socket, name):
                assert told(socket.IPPROTO_TCP, getattr(socket, name)) == value

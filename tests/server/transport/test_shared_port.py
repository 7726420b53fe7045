"""A port of several processes: kept from others, taking nothing by itself."""

from __future__ import annotations

import asyncio
import socket

import pytest

from tabiya.server.transport.shared_port import port_of, reserve_port

HERE = "127.0.0.1"


async def test_a_reserved_port_is_for_processes_of_ours_alone() -> None:
    reserved = await reserve_port(HERE, 0)
    port = port_of(reserved)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(HERE, port)
    loop = asyncio.get_running_loop()
    ours = [await loop.create_server(asyncio.Protocol, HERE, port, reuse_port=True) for _ in range(2)]
    _, writer = await asyncio.open_connection(HERE, port)
    writer.close()
    with pytest.raises(OSError, match="ddress already in use"):
        await reserve_port(HERE, port)
    for server in (*ours, reserved):
        server.close()


async def test_a_port_at_which_another_program_listens_is_not_reserved() -> None:
    with socket.create_server((HERE, 0)) as other, pytest.raises(OSError, match="ddress already in use"):
        await reserve_port(HERE, other.getsockname()[1])

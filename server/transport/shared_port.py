"""A port at which several processes of one server listen."""

from __future__ import annotations

import asyncio


async def reserve_port(host: str, port: int) -> asyncio.Server:
    """Reserve a port (0: any free one) for our processes, until the returned socket is closed.

    It takes no connections. Raises OSError if anybody listens there.
    """
    loop = asyncio.get_running_loop()
    alone = await loop.create_server(asyncio.Protocol, host, port, start_serving=False)  # not shared
    port = port_of(alone)
    alone.close()
    return await loop.create_server(asyncio.Protocol, host, port, reuse_port=True, start_serving=False)


def port_of(server: asyncio.Server) -> int:
    return int(server.sockets[0].getsockname()[1])

"""A real server inside the test's process, its store in memory."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from server.app import TabiyaServer
from server.config import ServerConfig


@contextlib.asynccontextmanager
async def real_server(time_control: str = "60+1") -> AsyncIterator[TabiyaServer]:
    """A server that listens on a port chosen by the system."""
    config = ServerConfig(port=0, pages_port=0, database_url="memory:", time_control=time_control)
    server = TabiyaServer(config)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()

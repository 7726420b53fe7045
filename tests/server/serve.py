"""A server in a process of its own: `python -m tests.server.serve DATABASE`; prints its port, and what it leaves."""

from __future__ import annotations

import asyncio
import signal
import sys

from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig


async def serve(database: str) -> None:
    """Until SIGINT or SIGTERM."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.slow_callback_duration = 60.0  # under -X dev: compiling takes long here
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    server = TabiyaServer(ServerConfig(database_url=database, port=0, pages_port=0))
    await server.start()
    sys.stdout.write(f"{server.port}\n")
    sys.stdout.flush()
    await stop.wait()
    await server.stop()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    sys.stdout.write(f"left: {len(left)} {left or ''}\n")


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))

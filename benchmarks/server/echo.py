"""A bare `websockets` server on uvloop that answers each frame with one of a given size; nothing else.

python -m benchmarks.server.echo BYTES    # prints its port
"""

from __future__ import annotations

import asyncio
import contextlib
import sys

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from tabiya.processes.server_process import run_loop


async def echo(size: int) -> None:
    """Answer forever."""
    answer = bytes(size)

    async def handle(connection: ServerConnection) -> None:
        with contextlib.suppress(ConnectionClosed):  # the load ends without a word
            async for _ in connection:
                await connection.send(answer)

    async with serve(handle, "127.0.0.1", 0, compression=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    run_loop(echo(int(sys.argv[1])))

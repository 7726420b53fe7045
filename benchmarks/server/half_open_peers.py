"""Peers that open connections and never say hello: many in one process, each there again a second after it is cut.

python -m benchmarks.server.half_open_peers PORT COUNT BYTES    # started by the benchmark

BYTES: of the request for a websocket, all of it if there are more. Says "ready", begins at a line on its input, ends at
the next, and tells as JSON how often it connected.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from typing import cast

from scripts.websocket_frames import handshake
from tabiya.processes.server_process import allow_many_files, run_loop

RETRY_S = 1.0  # the mean; as fast as a client that ignores `busy`
AT_ONCE = 64  # connections that are being opened


class Peer(asyncio.Protocol):
    """One connection, which says a part of a request and then nothing."""

    def __init__(self, request: bytes) -> None:
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._request = request

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if self._request:
            cast(asyncio.Transport, transport).write(self._request)  # of uvloop, which derives from nothing of asyncio

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.lost.done():  # it is when this process ends
            self.lost.set_result(None)


async def trouble(port: int, count: int, size: int) -> None:
    """Begin and end at the words on the input."""
    loop, gate, request, opened = asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE), handshake()[:size], 0

    async def one() -> None:
        nonlocal opened
        while True:
            async with gate:
                _, peer = await loop.create_connection(lambda: Peer(request), "127.0.0.1", port)
            opened += 1
            await peer.lost
            await asyncio.sleep(RETRY_S * (0.5 + random.random()))

    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    peers = [asyncio.ensure_future(one()) for _ in range(count)]
    await asyncio.to_thread(sys.stdin.readline)
    failed = [repr(peer.exception()) for peer in peers if peer.done()]
    json.dump({"opened": opened, "failed": failed[:1]}, sys.stdout)


if __name__ == "__main__":
    allow_many_files()
    run_loop(trouble(*map(int, sys.argv[1:4])))

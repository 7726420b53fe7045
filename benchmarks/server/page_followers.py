"""Followers of one match as its page follows it: many event streams in one process, which only read.

python -m benchmarks.server.page_followers PORT MATCH COUNT    # started by the benchmark

Says "ready" when all have their first event; ends at a line on its input, and tells as JSON when each move came.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import cast

from tabiya.processes.server_process import allow_many_files, run_loop

AT_ONCE = 64  # connections that are being opened


class Follower(asyncio.Protocol):
    """One stream. came: the seconds since 1970 at which each ply was there."""

    def __init__(self, request: bytes) -> None:
        self.came: dict[int, float] = {}
        self.is_open = asyncio.get_running_loop().create_future()
        self.is_lost = False
        self._request, self._rest = request, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).write(self._request)  # of uvloop, which derives from nothing of asyncio

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        if not self.is_open.done():
            self.is_open.set_result(None)

    def data_received(self, data: bytes) -> None:
        now, lines = time.time(), (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            if line.startswith(b"id: "):
                self.came.setdefault(int(line[4:]), now)
                if not self.is_open.done():
                    self.is_open.set_result(None)


async def follow(port: int, match: int, count: int) -> None:
    """Open all streams, wait for the word to end, print what they have seen."""
    loop, gate = asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE)
    request = f"GET /api/v1/matches/{match}/live?after=0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    followers: list[Follower] = []

    async def one() -> None:
        async with gate:
            _, follower = await loop.create_connection(lambda: Follower(request), "127.0.0.1", port)
            followers.append(follower)
            await follower.is_open

    await asyncio.gather(*(one() for _ in range(count)))
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    lost = sum(follower.is_lost and not follower.came for follower in followers)
    json.dump({"lost": lost, "came": [follower.came for follower in followers]}, sys.stdout)


if __name__ == "__main__":
    allow_many_files()
    run_loop(follow(*map(int, sys.argv[1:4])))

"""Open streams of server-sent events: their number, heartbeats, and closing event."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from aiohttp import HttpVersion11, web

from tabiya.protocol.limits import WireLimits
from tabiya.server.transport.addresses import is_loopback
from tabiya.server.web.http.auth import address_of
from tabiya.server.web.http.json_responses import HttpError

HEARTBEAT_S = 15.0  # a comment at least this often keeps proxies from closing the stream; chosen, not measured
BEAT = b": beat\n\n"
RETRY = b"retry: 2000\n\n"
CLOSING = b"event: closing\ndata: {}\n\n"
CLOSING_EVENT_TIMEOUT_S = 0.5
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nginx would hold events back otherwise
T = TypeVar("T")
Write = Callable[[web.StreamResponse], Awaitable[None]]


def sse_event(name: str, number: int, data: bytes) -> bytes:
    """One event; its id is the number."""
    return b"event: %s\nid: %d\ndata: %s\n\n" % (name.encode(), number, data)


def state_unknown(match: int) -> HttpError:
    """The refusal for a running match whose present state this process does not know."""
    return HttpError(503, f"no news of match {match} at this moment; try again", Retry_After="2")


class EventStreams:
    """All open event streams of a server."""

    def __init__(self, limits: WireLimits) -> None:
        self._limits = limits
        self._tasks: set[asyncio.Task[None]] = set()
        self._addresses: Counter[str] = Counter()
        self._closing = False

    def __len__(self) -> int:
        return len(self._tasks)

    async def stop(self) -> None:
        """Send `closing` to every follower and end its stream; browsers reconnect by themselves."""
        self._closing = True
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def check_room(self, request: web.Request) -> None:
        """Raises HttpError (503) where this request would be one stream too many."""
        limits, address = self._limits, address_of(request)
        is_crowded = self._addresses[address] >= limits.connections_per_address and not is_loopback(
            request.remote or ""
        )
        if len(self) >= limits.connections or is_crowded:
            raise HttpError(503, "too many streams are open from your address", Retry_After="10")

    async def open(self, request: web.Request, write: Write) -> web.StreamResponse:
        """Answer with what `write` writes, until it returns, the client is gone or the server closes."""
        address = address_of(request)
        self._addresses[address] += 1
        response = web.StreamResponse(headers=HEADERS)
        response.content_type = "text/event-stream"
        if request.version >= HttpVersion11:
            response.enable_chunked_encoding()  # as aiohttp would by itself; so those who write can see it
        task = asyncio.ensure_future(self._write(request, response, write))
        self._tasks.add(task)
        try:
            await asyncio.wait({task})  # not the task itself: `stop` cancels that one, and this request goes on
        finally:
            self._tasks.discard(task)
            self._addresses -= Counter({address: 1})  # and forget an address that follows nothing any more
        if not task.cancelled():
            task.result()
        return response

    async def _write(self, request: web.Request, response: web.StreamResponse, write: Write) -> None:
        with contextlib.suppress(ConnectionError):  # the client is gone
            await response.prepare(request)
            await response.write(RETRY)
            try:
                await write(response)
            except asyncio.CancelledError:
                await self._write_closing_event(response)
                raise
            await response.write_eof()

    async def _write_closing_event(self, response: web.StreamResponse) -> None:
        """Send `closing` if the server closes, to a follower that still reads."""
        if self._closing:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSING_EVENT_TIMEOUT_S):
                    await response.write(CLOSING)


async def with_heartbeats(items: AsyncIterator[T]) -> AsyncIterator[T | None]:
    """The items, and None after each `HEARTBEAT_S` without one."""
    following = asyncio.ensure_future(anext(items, None))
    try:
        while True:
            # not wait_for(), which would cancel the waiting for an item, and with it the generator
            done, _ = await asyncio.wait({following}, timeout=HEARTBEAT_S)
            if not done:
                yield None
                continue
            item = following.result()
            if item is None:
                return
            yield item
            following = asyncio.ensure_future(anext(items, None))
    finally:
        following.cancel()

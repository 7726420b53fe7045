"""Server-sent events that follow a match, each with the whole state. A slow reader skips states."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator

import msgspec
from aiohttp import web

from tabiya.protocol.messages import Watching
from tabiya.server.matches.spectators import PageViewer
from tabiya.server.transport.addresses import is_loopback
from tabiya.server.web.http.auth import address_of
from tabiya.server.web.http.json_responses import HttpError
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.responses import LiveState
from tabiya.server.web.views.matches import MatchViews
from tabiya.storage.records import MatchRecord

HEARTBEAT_S = 15.0  # a comment at least this often keeps proxies from closing the stream; chosen, not measured
RETRY = b"retry: 2000\n\n"
CLOSING = b"event: closing\ndata: {}\n\n"
CLOSING_EVENT_TIMEOUT_S = 0.5
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nginx would hold events back otherwise


def sse_event(state: LiveState) -> bytes:
    """A state as an event; its id is the ply."""
    return b"event: state\nid: %d\ndata: %s\n\n" % (state.ply, msgspec.json.encode(state))


class LiveStreams:
    """All open event streams."""

    def __init__(self, facade: ServerFacade, views: MatchViews) -> None:
        self._facade, self._views = facade, views
        self._tasks: set[asyncio.Task[None]] = set()
        self._addresses: Counter[str] = Counter()
        self._latest: dict[int, tuple[Watching, asyncio.Task[LiveState]]] = {}
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

    async def follow(self, request: web.Request, record: MatchRecord) -> web.StreamResponse:
        """Stream a match to this request until it ends. Raises HttpError."""
        address, viewer = address_of(request), PageViewer()
        self._check_limits(address, exempt=is_loopback(request.remote or ""))
        running = self._facade.snapshot(record.id) is not None and not self._facade.is_frozen(record.id)
        if running and not self._facade.watch(record.id, viewer):
            raise HttpError(503, f"match {record.id} has as many watchers as are allowed", Retry_After="10")
        self._addresses[address] += 1
        response = web.StreamResponse(headers=HEADERS)
        response.content_type = "text/event-stream"
        task = asyncio.ensure_future(self._write_stream(request, response, record, viewer if running else None))
        self._tasks.add(task)
        try:
            await asyncio.wait({task})  # not the task itself: `stop` cancels that one, and this request goes on
        finally:
            self._tasks.discard(task)
            self._unfollow(record.id, viewer, address)
        if not task.cancelled():
            task.result()
        return response

    def _check_limits(self, address: str, *, exempt: bool) -> None:
        limits = self._facade.limits
        if len(self) >= limits.connections or (
            not exempt and self._addresses[address] >= limits.connections_per_address
        ):
            raise HttpError(503, "too many follow matches here already", Retry_After="10")

    def _unfollow(self, match_id: int, viewer: PageViewer, address: str) -> None:
        self._facade.unwatch(match_id, viewer)
        self._addresses[address] -= 1
        if self._addresses[address] <= 0:
            del self._addresses[address]
        if self._facade.snapshot(match_id) is None:
            self._latest.pop(match_id, None)

    async def _write_stream(
        self, request: web.Request, response: web.StreamResponse, record: MatchRecord, viewer: PageViewer | None
    ) -> None:
        """Write to the stream until the match, the client or the server ends. viewer: None if no match is running."""
        with contextlib.suppress(ConnectionError):  # the client is gone
            await response.prepare(request)
            await response.write(RETRY)
            try:
                if viewer is None:
                    await response.write(sse_event(await self._views.live(record)))
                else:
                    await self._write_states(response, record, viewer)
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

    async def _write_states(self, response: web.StreamResponse, record: MatchRecord, viewer: PageViewer) -> None:
        async for state in _with_heartbeats(viewer.states()):
            if state is None:
                await response.write(b": beat\n\n")
                continue
            shown = await self._live_state(record, state)
            await response.write(sse_event(shown))
            if shown.status != "running":
                return

    async def _live_state(self, record: MatchRecord, state: Watching) -> LiveState:
        """The state as all followers get it, made once: every viewer is given the same object."""
        latest = self._latest.get(record.id)
        if latest is None or latest[0] is not state:
            latest = self._latest[record.id] = state, asyncio.ensure_future(self._views.followed(record, state))
        shown = await asyncio.shield(latest[1])  # a follower that leaves must not cancel the work for the others
        if shown.status == "running" and self._facade.is_frozen(record.id):
            return msgspec.structs.replace(shown, status="frozen", to_move=None)
        return shown


async def _with_heartbeats(states: AsyncIterator[Watching]) -> AsyncIterator[Watching | None]:
    """The states, and None after each `HEARTBEAT_S` without one."""
    following = asyncio.ensure_future(anext(states, None))
    try:
        while True:
            # not wait_for(), which would cancel the waiting for a state, and with it the generator
            done, _ = await asyncio.wait({following}, timeout=HEARTBEAT_S)
            if not done:
                yield None
                continue
            state = following.result()
            if state is None:
                return
            yield state
            following = asyncio.ensure_future(anext(states, None))
    finally:
        following.cancel()

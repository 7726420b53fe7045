"""Streams that follow a match, each event with the whole state. A slow reader skips states."""

from __future__ import annotations

import asyncio

import msgspec
from aiohttp import web

from tabiya.protocol.messages import Watching
from tabiya.server.matches.spectators import PageViewer
from tabiya.server.web.http.json_responses import HttpError
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.live.streams import BEAT, EventStreams, sse_event, state_unknown, with_heartbeats
from tabiya.server.web.schemas.responses import LiveState
from tabiya.server.web.views.matches import MatchViews
from tabiya.storage.records import MatchRecord


def state_event(state: LiveState) -> bytes:
    """A state as an event; its id is the ply."""
    return sse_event("state", state.ply, msgspec.json.encode(state))


class MatchStreams:
    """The streams of all matches that are followed."""

    def __init__(self, facade: ServerView, views: MatchViews, streams: EventStreams) -> None:
        self._facade, self._views, self._streams = facade, views, streams
        self._latest: dict[int, tuple[Watching, asyncio.Task[LiveState]]] = {}

    async def follow(self, request: web.Request, record: MatchRecord) -> web.StreamResponse:
        """Stream a match to this request until it ends. Raises HttpError."""
        self._streams.check_room(request)
        viewer = PageViewer()
        running = self._facade.snapshot(record.id) is not None and not self._facade.is_frozen(record.id)
        if not running:  # it may just have ended
            record = await self._facade.store.match(record.id) or record
            if record.status == "running":
                raise state_unknown(record.id)
        if running and not self._facade.watch(record.id, viewer):
            raise HttpError(503, f"match {record.id} has as many watchers as are allowed", Retry_After="10")

        async def write(response: web.StreamResponse) -> None:
            if running:
                await self._write_states(response, record, viewer)
            else:
                await response.write(state_event(await self._views.live(record)))

        try:
            return await self._streams.open(request, write)
        finally:
            self._facade.unwatch(record.id, viewer)
            if self._facade.snapshot(record.id) is None:
                self._latest.pop(record.id, None)

    async def _write_states(self, response: web.StreamResponse, record: MatchRecord, viewer: PageViewer) -> None:
        async for state in with_heartbeats(viewer.states()):
            if state is None:
                await response.write(BEAT)
                continue
            shown = await self._live_state(record, state)
            await response.write(state_event(shown))
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

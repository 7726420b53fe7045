"""Streams that follow a match from a ply on: each event has only the news, made once for all followers at the same ply.

Many may follow one match. One task waits for its states and writes each event to all who are up to date and read what
they are sent, some of them at a time, so that moves are dealt with in between, and none while a move is being saved.
Who is behind is brought up to date by the task of its own request.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import NamedTuple, Self

import msgspec
from aiohttp import web

from tabiya.games.errors import GameError
from tabiya.protocol.messages import Watching
from tabiya.server.matches.spectators import PageViewer
from tabiya.server.web.http.json_responses import HttpError
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.live.streams import BEAT, EventStreams, sse_event, state_unknown, with_heartbeats
from tabiya.server.web.schemas.live_moves import LiveMove, LiveMoves
from tabiya.server.web.schemas.responses import MatchDetail, MoveLine
from tabiya.server.web.views.match_pieces import MatchPieces
from tabiya.server.web.views.match_scores import costly_moves, longest_ms
from tabiya.server.web.views.matches import MatchViews
from tabiya.storage.errors import StoreError
from tabiya.storage.records import MatchRecord, MoveRecord
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.web")

BATCH_SIZE = 8  # followers who are written to before the loop may do something else
MAX_BROADCAST_WAIT_S = 0.05  # the longest that a broadcast waits for saves under way; followers see moves within 250 ms
RECHECK_S = 0.001  # between two checks whether moves are still being saved
STALE = b"event: stale\ndata: {}\n\n"
MOST_UNREAD_BYTES = 16_384  # of a follower; beyond that its own task waits until it reads


class LiveEvent(NamedTuple):
    """An event that is written to many. chunk: as it is written where an answer comes in chunks (HTTP/1.1)."""

    data: bytes
    chunk: bytes

    @classmethod
    def of(cls, data: bytes) -> Self:
        """The event with its chunk."""
        return cls(data, b"%x\r\n%b\r\n" % (len(data), data))


class Follower:
    """One stream: how far it is, and whether its own task is writing to it."""

    def __init__(self, request: web.Request, response: web.StreamResponse, after: int, seat: int) -> None:
        self.response, self.ply, self.seat, self.version = response, after, seat, 0
        self._transport = request.transport
        self.is_behind, self.is_gone = True, False
        self.wake = asyncio.Event()

    @property
    def can_take(self) -> bool:
        """Whether the follower is waiting for news and reads its stream."""
        reads = self._transport is not None and self._transport.get_write_buffer_size() < MOST_UNREAD_BYTES
        return reads and not self.is_behind

    def send(self, event: LiveEvent) -> None:
        """Write to a follower that can take it, which does not wait."""
        if self._transport is None or self._transport.is_closing():
            self.is_gone = True
            self.wake.set()
        else:  # past aiohttp, for which a write takes twice as long
            self._transport.write(event.chunk if self.response.chunked else event.data)


class FollowedMatch:
    """A match as its followers get it: its newest state, and its moves as they are sent."""

    def __init__(self, record: MatchRecord, store: Store, views: MatchViews, pieces: MatchPieces) -> None:
        self.record, self.followers = record, set[Follower]()
        self._store, self._views, self._pieces = store, views, pieces
        self._detail: MatchDetail
        self._came_s = 0.0
        self._html: dict[str, str] = {}
        self._saved: list[MoveRecord] = []
        self._lines: list[MoveLine] = []
        self._rendered: dict[tuple[int, int], LiveMove] = {}  # by seat and ply
        self._making = asyncio.Lock()
        self.version = 0  # of the state; 0 until there is one
        self.is_closed = False  # it gets no more updates

    @property
    def is_over(self) -> bool:
        """Whether nothing follows the present state."""
        return self.version > 0 and self._detail.status != "running"

    async def take(self, state: Watching | None, *, frozen: bool = False) -> None:
        """A new state. state: None for a match that is not running.  Raises StoreError, GameError."""
        if state is None or state.result or frozen or not self.version:
            self.record = await self._store.match(self.record.id) or self.record
            detail = await self._views.detail(self.record, state)
        else:
            detail = self._detail
        self._saved += await self._store.moves(self.record.id, len(self._saved))
        if state is not None and not state.result:  # more may be saved already
            clocks = (float(state.clock_ms[0]), float(state.clock_ms[1])) if state.clock_ms else None
            status = "frozen" if frozen else "running"
            to_move = None if frozen else state.to_move
            thinking_ms = float(state.thinking_ms)
            detail = msgspec.structs.replace(
                detail, status=status, plies=state.ply, to_move=to_move, clock_ms=clocks, thinking_ms=thinking_ms
            )
        self._lines += await asyncio.to_thread(self._views.lines, self.record, tuple(self._saved), len(self._lines))
        self._html = self._pieces.end(detail) if detail.status == "running" else await self._last_words(detail)
        self._detail, self._came_s = detail, asyncio.get_running_loop().time()
        self.version += 1

    async def _last_words(self, detail: MatchDetail) -> dict[str, str]:
        texts = [move.text for move in self._saved]
        _, tally = await self._views.board_at(self.record, texts, len(texts))
        return self._pieces.of_end(detail, tally)

    async def event(self, after: int, seat: int) -> tuple[int, int, bytes]:
        """The news for a client with `after` moves: its version and ply, and the event."""
        async with self._making:
            version, detail, html, came_s = self.version, self._detail, self._html, self._came_s
            ply = detail.plies
            after = after if after <= ply else 0  # it has moves that never were
            missing = [at for at in range(after + 1, ply + 1) if (seat, at) not in self._rendered]
            if missing:
                await asyncio.to_thread(self._render, self._saved[:ply], missing[0], seat)
        waited_ms = 1000 * (asyncio.get_running_loop().time() - came_s) if detail.to_move is not None else 0.0
        lines = self._lines[:ply]
        costs = {at + 1: round(cost, 2) for at, cost in costly_moves(lines, None).items()}
        moves = LiveMoves(
            after=after,
            ply=ply,
            moves=tuple(self._rendered[seat, at] for at in range(after + 1, ply + 1)),
            status=detail.status,
            to_move=detail.to_move,
            clock_ms=detail.clock_ms,
            thinking_ms=round(detail.thinking_ms + waited_ms, 3),
            result=detail.result,
            falls={at: cost for at, cost in costs.items() if at > after - 2},
            longest_ms=longest_ms(lines),
            html=html,
        )
        return version, ply, sse_event("moves", ply, msgspec.json.encode(moves))

    def _render(self, saved: Sequence[MoveRecord], first: int, seat: int) -> None:
        """Render the moves from ply `first` to the last saved one, with the board seen from a seat."""
        boards = self._views.added_boards(self.record, saved, first, seat)
        for ply, (board, parts) in enumerate(boards, start=first):
            line = self._lines[ply - 1]
            self._rendered[seat, ply] = LiveMove(
                ply=ply,
                seat=line.seat,
                move=line.move,
                readable=line.readable,
                board=board,
                parts=parts,
                page=self._pieces.of_move(self._detail, line),
            )

    async def broadcast(self) -> None:
        """Send the present state to waiting followers, and wake those that are behind."""
        events: dict[tuple[int, int], tuple[int, int, LiveEvent]] = {}
        until_s = asyncio.get_running_loop().time() + MAX_BROADCAST_WAIT_S
        for count, follower in enumerate(list(self.followers), start=1):
            if follower.can_take and follower.version < self.version:
                place = follower.ply, follower.seat
                if place not in events:
                    version, ply, data = await self.event(*place)
                    events[place] = version, ply, LiveEvent.of(data)
                version, ply, event = events[place]
                follower.send(event)
                follower.version, follower.ply = version, ply
            if self.is_over or follower.version < self.version:
                follower.wake.set()
            if count % BATCH_SIZE == 0:
                await self._yield_to_loop(until_s)

    async def _yield_to_loop(self, until_s: float) -> None:
        """Let the loop work, first on a move that is being saved."""
        await asyncio.sleep(0)
        while self._store.waiting and asyncio.get_running_loop().time() < until_s:  # noqa: ASYNC110  # tells nobody
            await asyncio.sleep(RECHECK_S)

    def close(self) -> None:
        """Let the streams end; browsers come again by themselves."""
        self.is_closed = True
        for follower in self.followers:
            follower.wake.set()

    def send_to_all(self, data: bytes) -> None:
        """Write a word to all who wait, such as that the stream lives."""
        event = LiveEvent.of(data)
        for follower in list(self.followers):
            if follower.can_take:
                follower.send(event)

    async def serve(self, follower: Follower) -> None:
        """Keep one follower up to date, until the match is over or the follower is gone."""
        self.followers.add(follower)
        try:
            while True:
                version, ply, data = await self.event(follower.ply, follower.seat)
                await follower.response.write(data)
                follower.version, follower.ply = version, ply
                while follower.version == self.version:
                    if self.is_over or self.is_closed or follower.is_gone:
                        return
                    follower.is_behind = False
                    await follower.wake.wait()
                    follower.wake.clear()
                    follower.is_behind = True
        finally:
            self.followers.discard(follower)


Known = tuple[
    FollowedMatch, asyncio.Task[None], asyncio.Task[None]
]  # with its first state, and what keeps it up to date


class MatchFollowing:
    """All followed matches; each follower gets only new moves."""

    def __init__(self, facade: ServerView, views: MatchViews, streams: EventStreams, pieces: MatchPieces) -> None:
        self._facade, self._views, self._streams, self._pieces = facade, views, streams, pieces
        self._followed: dict[int, Known] = {}

    async def follow(self, request: web.Request, record: MatchRecord, after: int, seat: int) -> web.StreamResponse:
        """Stream what is new in a match to this request until it ends. Raises HttpError."""
        self._streams.check_room(request)
        try:
            followed = await self._find(record)
        except GameError as error:
            raise HttpError(409, f"the moves of match {record.id} cannot be replayed by the rules: {error}") from None

        async def write(response: web.StreamResponse) -> None:
            try:
                await followed.serve(Follower(request, response, after, seat))
            finally:
                self._leave(followed)

        return await self._streams.open(request, write)

    def interrupted(self) -> None:
        """The server cannot be reached; mark all followed matches as possibly out of date."""
        for followed, *_ in self._followed.values():
            followed.send_to_all(STALE)

    async def _find(self, record: MatchRecord) -> FollowedMatch:
        """The match, kept up to date by a task while it runs. Raises HttpError, StoreError, GameError."""
        known = self._followed.get(record.id)
        if known is None:
            followed, viewer = FollowedMatch(record, self._facade.store, self._views, self._pieces), PageViewer()
            state = None if self._facade.is_frozen(record.id) else self._facade.snapshot(record.id)
            if state is None:
                await followed.take(None)
                if not followed.is_over:
                    raise state_unknown(record.id)
                return followed
            if not self._facade.watch(record.id, viewer):
                raise HttpError(503, f"match {record.id} has as many watchers as are allowed", Retry_After="10")
            first = asyncio.ensure_future(followed.take(state))
            known = self._followed[record.id] = (
                followed,
                first,
                asyncio.ensure_future(self._run(followed, first, viewer)),
            )
        await asyncio.shield(known[1])
        return known[0]

    async def _run(self, followed: FollowedMatch, first: asyncio.Task[None], viewer: PageViewer) -> None:
        """Take every state and tell it to all followers, until there are no more of either."""
        match = followed.record.id
        try:
            await asyncio.wait({first})
            async for state in with_heartbeats(viewer.states()):
                if state is None:
                    followed.send_to_all(BEAT)
                    continue
                await followed.take(state, frozen=self._facade.is_frozen(match))
                await followed.broadcast()
                if followed.is_over:
                    return
        except (StoreError, GameError) as error:
            log.warning("match %d cannot be followed: %s", match, error, extra={"match": match})
        finally:
            followed.close()
            self._facade.unwatch(match, viewer)
            self._forget(followed)

    def _leave(self, followed: FollowedMatch) -> None:
        """Remove a follower, and end the match's task with its last one."""
        if not followed.followers and (known := self._forget(followed)):
            known[2].cancel()

    def _forget(self, followed: FollowedMatch) -> Known | None:
        known = self._followed.get(followed.record.id)
        return self._followed.pop(followed.record.id) if known and known[0] is followed else None

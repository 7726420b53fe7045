"""News of this server for the processes that show its pages: sent once, however many spectators they have.

A reader is first told all matches that run, a few at a time, then what is new. An event is written once and sent to all
readers; one that does not read is cut, and begins again. A match that has changed several times within FLUSH_S is sent
once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping

import msgspec
from aiohttp import web
from msgspec.structs import replace

from tabiya.protocol.messages import Watching
from tabiya.server.matches.spectators import FLUSH_S
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.live.streams import EventStreams, sse_event
from tabiya.server.web.schemas.live_server import Games, LiveServer, MatchNews

BEAT_S = 1.0  # there is an event as often at least, by which a reader knows that the server lives
BATCH_SIZE = 32  # matches in an event, after which moves are dealt with
MOST_UNREAD = 512  # events; beyond that a reader is cut


class _Reader:
    """One process that reads the news. is_lost: it stopped reading and was cut."""

    def __init__(self) -> None:
        self._unread: deque[bytes] = deque()
        self._changed = asyncio.Event()
        self.is_lost = False

    def take(self, event: bytes) -> None:
        """One event more."""
        if len(self._unread) >= MOST_UNREAD:
            self.is_lost = True
        if not self.is_lost:
            self._unread.append(event)
        self._changed.set()

    async def next(self) -> bytes:
        """All events that have come, together."""
        await self._changed.wait()
        self._changed.clear()
        events, self._unread = b"".join(self._unread), deque()
        return events


class ServerNews:
    """The stream of one server."""

    def __init__(self, facade: ServerFacade, streams: EventStreams) -> None:
        self._facade, self._streams = facade, streams
        self._readers: set[_Reader] = set()
        self._task: asyncio.Task[None] | None = None
        self._number = 0
        self._sent_moves: dict[int, int] = {}  # moves of each match that the readers know
        self._changed: dict[int, Watching | None] = {}  # for ended matches: the last state
        self._present: dict[int, Games] = {}
        self._hosted: dict[int, Games] = {}

    async def follow(self, request: web.Request) -> web.StreamResponse:
        """Send the news to this request. Raises HttpError."""
        self._streams.check_room(request)
        return await self._streams.open(request, self._write)

    async def _write(self, response: web.StreamResponse) -> None:
        reader = _Reader()
        if self._task is None:
            self._begin()
        number, running = self._number, self._facade.running()
        self._readers.add(reader)  # before the snapshot: all later changes are sent as news
        try:
            await response.write(_event(number, self._state({}, {})))
            for at in range(0, len(running), BATCH_SIZE):
                some = self._news(dict.fromkeys(running[at : at + BATCH_SIZE]), {})
                await response.write(_event(number, LiveServer(matches=some)))
                await asyncio.sleep(0)
            await response.write(_event(number, LiveServer(snapshot_complete=True)))
            while not reader.is_lost:
                await response.write(await reader.next())
        finally:
            self._readers.discard(reader)
            if not self._readers:
                self._end()

    def _begin(self) -> None:
        self._changed, self._sent_moves = {}, {}
        self._present, self._hosted = self._facade.present(), self._facade.hosted()
        self._facade.spectators.on_change = self._match_changed
        self._task = asyncio.create_task(self._tell(), name="server news")

    def _match_changed(self, match: int, final: Watching | None) -> None:
        self._changed[match] = final or self._changed.get(match)

    def _end(self) -> None:
        """The last reader is gone: stop watching the server."""
        self._facade.spectators.on_change = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _tell(self) -> None:
        """Write what is new, again and again."""
        loop = asyncio.get_running_loop()
        beat_s = loop.time() + BEAT_S
        while True:
            await asyncio.sleep(FLUSH_S)
            changed, self._changed = list(self._changed.items()), {}
            for at in range(0, len(changed), BATCH_SIZE):
                some = self._news(dict(changed[at : at + BATCH_SIZE]), self._sent_moves)
                self._publish(LiveServer(counts=self._facade.counts(), matches=some))
                await asyncio.sleep(0)
            if loop.time() >= beat_s:
                beat_s = loop.time() + BEAT_S
                self._publish(self._state(self._present, self._hosted))

    def _publish(self, news: LiveServer) -> None:
        self._number += 1
        event = _event(self._number, news)
        for reader in self._readers:
            reader.take(event)

    def _state(self, present: dict[int, Games], hosted: dict[int, Games]) -> LiveServer:
        """What holds beside the matches, with the bots that are new in these, which are brought up to date."""
        return LiveServer(
            counts=self._facade.counts(),
            facts=self._facade.facts,
            present=_brought_up_to_date(present, self._facade.present()),
            hosted=_brought_up_to_date(hosted, self._facade.hosted()),
        )

    def _news(self, matches: Mapping[int, Watching | None], sent: dict[int, int]) -> tuple[MatchNews, ...]:
        """The states of matches, each with the moves that are not yet `sent`, and are then. matches: see `_changed`."""
        news = []
        for match, final in matches.items():
            state = final or self._facade.snapshot(match)
            if state is None:  # it has ended; its end is sent next
                continue
            after = sent.pop(match, 0)
            if final is None:
                sent[match] = state.ply
            news.append(
                MatchNews(
                    state=replace(state, moves=state.moves[after:], info=None),
                    after=after,
                    thinking=self._facade.is_thinking(match),
                    frozen=self._facade.is_frozen(match),
                )
            )
        return tuple(news)


def _event(number: int, news: LiveServer) -> bytes:
    return sse_event("news", number, msgspec.json.encode(news))


def _brought_up_to_date(old: dict[int, Games], new: dict[int, Games]) -> dict[int, Games | None]:
    """The changes from the old mapping to the new one. The old mapping is updated in place."""
    changed: dict[int, Games | None] = {bot: games for bot, games in new.items() if old.get(bot) != games}
    changed |= dict.fromkeys(old.keys() - new.keys())
    old.clear()
    old.update(new)
    return changed

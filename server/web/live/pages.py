"""Streams that keep pages fresh: changes of a page, sent to all who look at it.

A page is followed at its own address, by a request that accepts `text/event-stream`. Every state of a page has a
number; an event says from which number to which it leads. Who has missed one, or comes from another state, is told to
load the page again. A page that many look at is rendered once for all (docs/decisions/019-live-pages.md).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
from aiohttp import hdrs, web

from tabiya.server.web.http.json_responses import HttpError
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.live.parts import Changes, Parts, changes, parts_of
from tabiya.server.web.live.streams import EventStreams, sse_event, with_heartbeats
from tabiya.storage.errors import StoreError

log = logging.getLogger("tabiya.web")

PACE_S = 1.0  # a followed page is rendered this often ...
IDLE_REFRESH_S = 2.0  # ... or this often while nothing happens on the server
REFRESH_FACTOR = 4.0  # after rendering for t seconds, wait this many t: at most a fifth of the time is rendering
MAX_CHANGES = 32  # remembered of a page, for clients that reconnect
MAX_PAGES = 128  # remembered; of those that are followed, more are refused
LIVE = re.compile(r"<body data-live\b")
RELOAD, STALE, FRESH, OVER = "reload", "stale", "fresh", "over"
BEAT = b"event: beat\ndata: {}\n\n"  # no comment, so that the page knows that the connection lives

Render = Callable[[], Awaitable[str]]


class PageState:
    """One page at one address: its newest state, how it came to it, and who follows it."""

    def __init__(self) -> None:
        self.number = 0
        self.parts: Parts = {}
        self.is_stale = False  # it could not be rendered
        self.is_over = False  # nothing will change in it any more
        self.followers = 0
        self.task: asyncio.Task[None] | None = None  # that renders it again and again
        self.lock = asyncio.Lock()  # held while the newest state is compared with the one before
        self._changes: deque[tuple[int, bytes]] = deque(maxlen=MAX_CHANGES)
        self._changed = asyncio.Event()

    def take(self, parts: Parts, changed: Changes | None) -> int:
        """The page is rendered; returns the number of this state. changed: since the last one; None if all may be."""
        if changed is None or changed:
            before, self.number = self.number, max(self.number + 1, time.time_ns() // 1_000_000)
            if changed is not None:
                data = msgspec.json.encode({"from": before, "parts": changed})
                self._changes.append((before, sse_event("change", self.number, data)))
            else:
                self._changes.clear()
            self.parts = parts
        self.wake(is_stale=False)
        return self.number

    def wake(self, *, is_stale: bool) -> None:
        """Wake the followers."""
        self.is_stale = is_stale
        self._changed.set()
        self._changed = asyncio.Event()

    async def events(self, number: int) -> AsyncIterator[bytes]:
        """What leads on from the state with this number."""
        was_stale = False
        while True:
            changed = self._changed
            if number != self.number:
                missed = self.since(number)
                if not missed:
                    yield sse_event(RELOAD, self.number, b"{}")
                    return
                for event in missed:
                    yield event
                number = self.number
            if self.is_stale != was_stale:
                was_stale = self.is_stale
                yield sse_event(STALE if was_stale else FRESH, number, b"{}")
            if self.is_over:
                yield sse_event(OVER, number, b"{}")
                return
            await changed.wait()

    def since(self, number: int) -> list[bytes]:
        """All changes since the state with this number; none if they are not remembered."""
        known = list(self._changes)
        at = next((i for i, (begin, _) in enumerate(known) if begin == number), len(known))
        return [event for _, event in known[at:]]


class PageStreams:
    """All pages that are, or could be, followed."""

    def __init__(self, facade: ServerView, streams: EventStreams) -> None:
        self._facade, self._streams = facade, streams
        self._pages: OrderedDict[str, PageState] = OrderedDict()
        self._slot = asyncio.Lock()  # one page at a time, and a rest after it

    async def stop(self) -> None:
        """Render nothing any more."""
        tasks = [page.task for page in self._pages.values() if page.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def numbered(self, key: str, page: str) -> str:
        """A page as it is sent, with the number of its state if it can be followed. key: its address.

        One that could be followed and cannot any more has changed for the last time, which its followers are told.
        """
        is_over = not LIVE.search(page)
        known = self._pages.get(key)
        if is_over and not (known and known.number):
            return page
        state = self._page(key)
        try:
            async with state.lock:
                parts, changed = await asyncio.to_thread(_compared, page, state.parts)
                state.is_over = is_over
                number = state.take(parts, changed)
        except ValueError:
            log.exception("a page cannot be followed: %s", key)
            return LIVE.sub("<body", page, count=1)
        return LIVE.sub(f'<body data-live="{number}"', page, count=1)

    def _page(self, key: str) -> PageState:
        page = self._pages.setdefault(key, PageState())
        self._pages.move_to_end(key)
        for known in [known for known, each in self._pages.items() if not each.followers][:-MAX_PAGES]:
            del self._pages[known]
        return page

    async def follow(self, request: web.Request, key: str, render: Render) -> web.StreamResponse:
        """Send a page's changes to this request. render: renders it again, by `numbered`. Raises HttpError."""
        self._streams.check_room(request)
        page = self._page(key)
        if not page.number:
            await render()  # which says, too, if there is no such page
        if not page.number:
            raise HttpError(406, "this page has no live updates")
        if page.task is None or page.task.done():
            if sum(each.followers > 0 for each in self._pages.values()) >= MAX_PAGES:
                raise HttpError(503, "too many pages have live updates already", Retry_After="10")
            page.task = asyncio.ensure_future(self._keep_fresh(page, render))
        page.followers += 1

        async def write(response: web.StreamResponse) -> None:
            async for event in with_heartbeats(page.events(_number(request))):
                await response.write(BEAT if event is None else event)

        try:
            return await self._streams.open(request, write)
        finally:
            page.followers -= 1

    async def _keep_fresh(self, page: PageState, render: Render) -> None:
        """Render the page repeatedly while it has followers."""
        loop = asyncio.get_running_loop()
        seen, looked = self._facade.activity(), loop.time()
        while True:
            await asyncio.sleep(PACE_S)
            if not page.followers:
                return
            if (now := self._facade.activity()) == seen and loop.time() - looked < IDLE_REFRESH_S and not page.is_stale:
                continue
            async with self._slot:
                seen, looked = now, loop.time()
                await self._render(page, render)
                if page.is_over:
                    return
                await asyncio.sleep(REFRESH_FACTOR * (loop.time() - looked))

    async def _render(self, page: PageState, render: Render) -> None:
        try:
            await render()
        except (StoreError, HttpError):  # the database is away, or what the page shows
            page.wake(is_stale=True)
        except Exception:
            log.exception("a page that is followed cannot be rendered")
            page.wake(is_stale=True)


def _compared(page: str, before: Parts) -> tuple[Parts, Changes | None]:
    """The parts of a page, and what has changed in them; None if they are other parts. Raises ValueError."""
    parts = parts_of(page)
    return parts, changes(before, parts) if parts.keys() == before.keys() else None


def _number(request: web.Request) -> int:
    """Of the state that the client has: the browser says it when it comes back, the page when it first comes."""
    for text in (request.headers.get("Last-Event-ID", ""), request.query.get("after", "")):
        with contextlib.suppress(ValueError):
            return int(text[:20])
    return 0


def accepts_events(request: web.Request) -> bool:
    """Whether this request follows a page."""
    return request.method == hdrs.METH_GET and "text/event-stream" in request.headers.get("Accept", "")

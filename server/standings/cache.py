"""The standings of every game, kept up to date by what is new in the store.

The fit runs in a thread, so that no clock waits for it, and one fit at a time per game.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from tabiya.server.standings.compute import Fitted, fitted
from tabiya.server.standings.counters import Tally, View
from tabiya.server.standings.models import HeadToHead, Standings, Superiority
from tabiya.storage.store import Store

PAGE = 4_000  # results read at once
FEW = 100  # results that are counted at once; more in a thread
PATIENCE = 10  # a fit that took t seconds is shown for up to t * PATIENCE seconds more ...
QUICK_S = 0.2  # ... unless it was quicker than this
VIEWS = 8  # kept per game: who asks with anchors of their own must not fill the memory
ALL_VERSIONS = True


async def read_standings(store: Store, game: str, view: View | None = None) -> Standings:
    """The standings as of now, from all stored results. Raises StoreError."""
    return await StandingsBook(store).of(game, view)


class StandingsBook:
    """The standings of every game. anchors: (bot, rating) where a view has none of its own."""

    def __init__(self, store: Store, anchors: tuple[tuple[str, float], ...] = ()) -> None:
        self._store, self._anchors = store, anchors
        self._pages: dict[str, _Page] = {}

    async def of(self, game: str, view: View | None = None) -> Standings:
        """The standings of a game; of one that nobody has played they are empty. Raises StoreError."""
        return (await self._fitted(game, view)).standings

    async def superiority(self, game: str, most: int, view: View | None = None) -> Superiority:
        """How likely each of the first rows is better than each other. Raises StoreError."""
        found = await self._fitted(game, view)
        return await asyncio.to_thread(found.superiority, most)

    async def head_to_head(self, game: str, first: str, second: str) -> HeadToHead:
        """How two bots with all their versions compare. Raises StoreError."""
        return (await self._fitted(game, View(pooled=ALL_VERSIONS))).head_to_head(first, second)

    async def _fitted(self, game: str, view: View | None) -> Fitted:
        page = self._pages.get(game)
        if page is None:
            page = self._pages[game] = _Page(self._store, game)
        view = view or View()
        return await page.current(view if view.anchors else view._replace(anchors=self._anchors))


class _Kept:
    """One view: what was fitted, from which results, and until when it is shown without asking."""

    def __init__(self, found: Fitted, seen: int, good_until: float) -> None:
        self.found, self.seen, self.good_until = found, seen, good_until


class _Page:
    """The standings of one game."""

    def __init__(self, store: Store, game: str) -> None:
        self._store = store
        self._tally = Tally(game)
        self._kept: OrderedDict[View, _Kept] = OrderedDict()
        self._lock = asyncio.Lock()

    async def current(self, view: View) -> Fitted:
        """Read what is new and fit again if there was anything."""
        loop = asyncio.get_running_loop()
        kept = self._kept.get(view)
        if kept and loop.time() < kept.good_until:
            return kept.found
        async with self._lock:
            await self._read()
            kept = self._kept.get(view)
            if kept is None or kept.seen != self._tally.seen:
                began = loop.time()
                found = await asyncio.to_thread(fitted, self._tally, view)
                took = loop.time() - began
                kept = _Kept(found, self._tally.seen, loop.time() + (PATIENCE * took if took > QUICK_S else 0.0))
                self._kept[view] = kept
            self._kept.move_to_end(view)
            while len(self._kept) > VIEWS:
                self._kept.popitem(last=False)
            return kept.found

    async def _read(self) -> None:
        while True:
            results = await self._store.results(self._tally.game, after=self._tally.seen, limit=PAGE)
            if len(results) <= FEW:
                self._tally.add_all(results)
            else:
                await asyncio.to_thread(self._tally.add_all, results)
            if len(results) < PAGE:
                return

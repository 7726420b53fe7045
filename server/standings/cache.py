"""A cache of the standings of every game, updated with the new results of the store.

The fit runs in a thread, so that no clock waits for it, and one fit at a time per game.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from tabiya.server.standings.compute import FittedStandings, fit_standings
from tabiya.server.standings.counters import ResultCounters, View
from tabiya.server.standings.models import HeadToHead, Standings, Superiority
from tabiya.storage.store import Store

PAGE = 4_000  # results read at once
MAX_COUNTED_ON_LOOP = 100  # more results than this are counted in a thread
CACHE_FACTOR = 10  # a fit that took t seconds is shown for up to t * CACHE_FACTOR seconds more ...
NOT_CACHED_BELOW_S = 0.2  # ... unless it was quicker than this
MAX_VIEWS = 8  # per game, so that requests with many different anchors do not fill the memory
ALL_VERSIONS = True


async def read_standings(store: Store, game: str, view: View | None = None) -> Standings:
    """The standings as of now, from all stored results. Raises StoreError."""
    return await StandingsCache(store).standings(game, view)


class StandingsCache:
    """The standings of every game. anchors: (bot, rating) where a view has none of its own."""

    def __init__(self, store: Store, anchors: tuple[tuple[str, float], ...] = ()) -> None:
        self._store, self._anchors = store, anchors
        self._pages: dict[str, _GameStandings] = {}

    async def standings(self, game: str, view: View | None = None) -> Standings:
        """The standings of a game; of one that nobody has played they are empty. Raises StoreError."""
        return (await self._fitted(game, view)).standings

    async def superiority(self, game: str, most: int, view: View | None = None) -> Superiority:
        """How likely each of the first rows is better than each other. Raises StoreError."""
        found = await self._fitted(game, view)
        return await asyncio.to_thread(found.superiority, most)

    async def head_to_head(self, game: str, first: str, second: str) -> HeadToHead:
        """How two bots with all their versions compare. Raises StoreError."""
        return (await self._fitted(game, View(pooled=ALL_VERSIONS))).head_to_head(first, second)

    async def _fitted(self, game: str, view: View | None) -> FittedStandings:
        page = self._pages.get(game)
        if page is None:
            page = self._pages[game] = _GameStandings(self._store, game)
        view = view or View()
        return await page.current(view if view.anchors else view._replace(anchors=self._anchors))


class _CachedView:
    """One fitted view. last_result: number of the newest result in it.  valid_until: not checked before."""

    def __init__(self, found: FittedStandings, last_result: int, valid_until: float) -> None:
        self.found, self.last_result, self.valid_until = found, last_result, valid_until


class _GameStandings:
    """The standings of one game."""

    def __init__(self, store: Store, game: str) -> None:
        self._store = store
        self._counters = ResultCounters(game)
        self._views: OrderedDict[View, _CachedView] = OrderedDict()
        self._lock = asyncio.Lock()

    async def current(self, view: View) -> FittedStandings:
        """Read what is new and fit again if there was anything."""
        loop = asyncio.get_running_loop()
        cached = self._views.get(view)
        if cached and loop.time() < cached.valid_until:
            return cached.found
        async with self._lock:
            # Held while the thread fits, too, for the counters must not change meanwhile. Who has waited for it finds
            # what the one before has made, and fits again only if there are newer results.
            await self._read()
            cached = self._views.get(view)
            if cached is None or cached.last_result != self._counters.last_result:
                began = loop.time()
                found = await asyncio.to_thread(fit_standings, self._counters, view)
                took = loop.time() - began
                cached = _CachedView(
                    found,
                    self._counters.last_result,
                    loop.time() + (CACHE_FACTOR * took if took > NOT_CACHED_BELOW_S else 0.0),
                )
                self._views[view] = cached
            self._views.move_to_end(view)
            while len(self._views) > MAX_VIEWS:
                self._views.popitem(last=False)
            return cached.found

    async def _read(self) -> None:
        while True:
            results = await self._store.results(self._counters.game, after=self._counters.last_result, limit=PAGE)
            if len(results) <= MAX_COUNTED_ON_LOOP:
                self._counters.add_all(results)
            else:
                await asyncio.to_thread(self._counters.add_all, results)
            if len(results) < PAGE:
                return

"""The standings of every game, kept up to date with the results of the store.

What is counted of the results is kept in the store as well, so that a start reads counts and the last few results, not
all games (docs/decisions/016-counted-results.md). Counting and fitting run in threads, so that no clock waits for them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict, defaultdict

from tabiya.server.standings.compute import FittedStandings, fit_standings
from tabiya.server.standings.counters import CountedResults, View
from tabiya.server.standings.models import HeadToHead, Standings, Superiority
from tabiya.storage.errors import StoreError
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.standings")

PAGE = 4_000  # results read at once
MAX_COUNTED_ON_LOOP = 100  # more results than this are counted in a thread
CACHE_FACTOR = 10  # a fit that took t seconds is shown for up to t * CACHE_FACTOR seconds more ...
NOT_CACHED_BELOW_S = 0.2  # ... unless it was quicker than this
MAX_VIEWS = 8  # per game, so that requests with many different anchors do not fill the memory
ALL_VERSIONS = True
KEPT_AS = "counted results"  # the setting of the store
KEEP_AFTER, KEEP_SHARE = 5_000, 0.05  # results more than those of which the counts are kept, or this share more


async def read_standings(store: Store, game: str, view: View | None = None) -> Standings:
    """The standings as of now, from all stored results. Raises StoreError."""
    return await StandingsCache(store).standings(game, view)


class StandingsCache:
    """The standings of every game. All methods raise StoreError."""

    def __init__(
        self, store: Store, anchors: tuple[tuple[str, float], ...] = (), *, keeps_counts: bool = False
    ) -> None:
        """anchors: (bot, rating) where a view has none of its own.  keeps_counts: whether it writes, too."""
        self._store, self._anchors, self._keeps_counts = store, anchors, keeps_counts
        self._counted: CountedResults | None = None
        self._ready = asyncio.Event()  # set when what was there at the start has been counted
        self._kept = 0  # how many results were looked at when the counts were written
        self._views: defaultdict[str, OrderedDict[View, _CachedView]] = defaultdict(OrderedDict)
        self._lock = asyncio.Lock()

    async def is_ready(self, within_s: float) -> bool:
        """Whether what was there at the start has been counted, or is within so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._ready.wait()
        return self._ready.is_set()

    async def prepare(self) -> None:
        """Count what there is."""
        async with self._lock:
            await self._read()

    async def close(self) -> None:
        """Write down what has been counted since it was last written, if it writes at all."""
        async with self._lock:
            if self._keeps_counts and self._counted is not None and self._counted.seen > self._kept:
                await self._keep(self._counted)

    async def standings(self, game: str, view: View | None = None) -> Standings:
        """The standings of a game; of one that nobody has played they are empty."""
        return (await self._fitted(game, view)).standings

    async def superiority(self, game: str, most: int, view: View | None = None) -> Superiority:
        """How likely each of the first rows is better than each other."""
        found = await self._fitted(game, view)
        return await asyncio.to_thread(found.superiority, most)

    async def head_to_head(self, game: str, first: str, second: str) -> HeadToHead:
        """How two bots with all their versions compare."""
        return (await self._fitted(game, View(pooled=ALL_VERSIONS))).head_to_head(first, second)

    async def fitted(self, game: str, view: View | None = None) -> FittedStandings:
        """The standings of a game with the results and the ratings that they are made of."""
        return await self._fitted(game, view)

    async def _fitted(self, game: str, view: View | None) -> FittedStandings:
        """Read what is new and fit again if there was anything."""
        view = view or View()
        view = view if view.anchors else view._replace(anchors=self._anchors)
        loop, views = asyncio.get_running_loop(), self._views[game]
        cached = views.get(view)
        if cached and loop.time() < cached.valid_until:
            return cached.found
        async with self._lock:
            # Held while the thread fits, too, for the counters must not change meanwhile. Who has waited for it finds
            # what the one before has made, and fits again only if there are newer results.
            counters = (await self._read()).of(game)
            cached = views.get(view)
            if cached is None or cached.last_result != counters.last_result:
                began = loop.time()
                found = await asyncio.to_thread(fit_standings, counters, view)
                took = loop.time() - began
                valid_until = loop.time() + (CACHE_FACTOR * took if took > NOT_CACHED_BELOW_S else 0.0)
                cached = views[view] = _CachedView(found, counters.last_result, valid_until)
            views.move_to_end(view)
            while len(views) > MAX_VIEWS:
                views.popitem(last=False)
            return cached.found

    async def _read(self) -> CountedResults:
        """Count what is new."""
        counted = self._counted or await self._kept_counts()
        while True:
            results = await self._store.results(after=counted.seen, limit=PAGE)
            if len(results) <= MAX_COUNTED_ON_LOOP:
                counted.add_all(results)
            else:
                await asyncio.to_thread(counted.add_all, results)
            if self._keeps_counts and counted.seen - self._kept >= max(KEEP_AFTER, KEEP_SHARE * counted.seen):
                await self._keep(counted)
            if len(results) < PAGE:
                self._counted = counted
                self._ready.set()
                return counted

    async def _kept_counts(self) -> CountedResults:
        """What was written down; nothing if that cannot be used or is not of this store."""
        text = await self._store.setting(KEPT_AS)
        if text is None:
            return CountedResults()
        try:
            counted = await asyncio.to_thread(CountedResults.from_text, text)
        except ValueError as error:
            log.warning("the results are counted anew: what was kept of them cannot be used: %s", error)
            return CountedResults()
        last = await self._store.results(after=counted.seen - 1, limit=1)
        if not last or last[0].number != counted.seen:
            log.warning("the results are counted anew: what was kept of them is of other results")
            return CountedResults()
        self._kept = counted.seen
        return counted

    async def _keep(self, counted: CountedResults) -> None:
        """Write down what is counted; if that cannot be saved, the next start has more to read."""
        try:
            await self._store.put_setting(KEPT_AS, await asyncio.to_thread(counted.text))
        except StoreError as error:
            log.warning("what is counted of the results could not be saved: %s", error)
        self._kept = counted.seen  # also then: it is tried again after as many results more


class _CachedView:
    """One fitted view. last_result: number of the newest result in it.  valid_until: not checked before."""

    def __init__(self, found: FittedStandings, last_result: int, valid_until: float) -> None:
        self.found, self.last_result, self.valid_until = found, last_result, valid_until

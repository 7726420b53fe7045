"""The standings of every game, kept up to date with the results of the store.

What is counted of the results is kept in the store as well, so that a start reads counts and the last few results, not
all games (docs/decisions/016-counted-results.md); so are the last standings, which are shown until those are made that
follow from the counts. Counting and fitting run in threads, so that no clock waits for them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict, defaultdict

import msgspec

from tabiya.server.standings.compute import FittedStandings, fit_standings
from tabiya.server.standings.counters import ALL_VERSIONS, CountedResults, ResultCounters, View
from tabiya.server.standings.models import HeadToHead, Standings, Superiority
from tabiya.server.standings.selected import PAGE, SelectedResults
from tabiya.server.standings.selection import ALL_GAMES, Selection
from tabiya.storage.errors import StoreError
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.standings")

MAX_COUNTED_ON_LOOP = 100  # more results than this are counted in a thread
CACHE_FACTOR = 10  # a fit that took t seconds is made again after t * CACHE_FACTOR seconds, and shown until then ...
NOT_CACHED_BELOW_S = 0.2  # ... unless it was quicker than this: then requests wait for it
MAX_SELECTIONS = 8  # whose counted results are kept
MAX_VIEWS = 12  # per game, so that requests with many different anchors or time controls do not fill the memory
COUNTERS_KEY = "counted results"  # the setting of the store
STANDINGS_KEY = "last standings"  # the setting with what is shown after a start
KEEP_AFTER, KEEP_SHARE = 5_000, 0.01  # counts are stored after this many more results, or this share more


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
        self._ready = asyncio.Event()  # set when there is something to show
        self._at_start: dict[str, Standings] | None = None  # of the last run, until this one has made its own
        self._kept = 0  # how many results were looked at when the counts were written
        self._always = {self._view(None), self._view(ALL_VERSIONS)}  # many pages need them: no other takes their place
        self._views: defaultdict[str, OrderedDict[View, _CachedView]] = defaultdict(OrderedDict)
        self._fits: dict[tuple[str, View], asyncio.Task[None]] = {}  # made in the background
        self._lock = asyncio.Lock()
        self._selected: OrderedDict[tuple[str, Selection], SelectedResults] = OrderedDict()
        self._selecting = asyncio.Lock()

    async def is_ready(self, within_s: float) -> bool:
        """Whether standings can be shown without counting everything, or within this many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._ready.wait()
        return self._ready.is_set()

    async def show_last(self) -> None:
        """Show the standings of the last run until `prepare`, which must follow, has made those of now."""
        self._at_start = await self._last_standings()
        if self._at_start is not None:
            self._ready.set()

    async def prepare(self) -> None:
        """Count what there is, and fit it before anybody asks."""
        try:
            async with self._lock:
                games = list((await self._read()).games)
            for game in games:
                await self._updated(game, self._view(None))
        finally:  # after an error, too: then a request gets the error
            self._at_start = None
            self._ready.set()
        if self._keeps_counts:
            await self._keep_shown()
        for game in games:  # for the pages of bots
            await self._updated(game, self._view(ALL_VERSIONS))

    async def close(self) -> None:
        """Store the counts since the last time, if this cache stores them."""
        for fit in self._fits.values():
            fit.cancel()
        async with self._lock:
            if self._keeps_counts and self._counted is not None and self._counted.seen > self._kept:
                await self._keep(self._counted)

    async def standings(self, game: str, view: View | None = None) -> Standings:
        """The standings of a game; empty if it was never played."""
        if self._at_start is not None and self._view(view) == self._view(None):
            return self._at_start.get(game) or fit_standings(ResultCounters(game), self._view(None)).standings
        return (await self.fitted(game, view)).standings

    async def up_to_date(self, game: str, view: View) -> Standings:
        """The standings as of now, however long that takes."""
        return (await self._updated(game, self._view(view))).standings

    async def superiority(self, game: str, most: int, view: View | None = None) -> Superiority:
        """How likely each of the first rows is better than each other."""
        found = await self.fitted(game, view)
        return await asyncio.to_thread(found.superiority, most)

    async def head_to_head(self, game: str, first: str, second: str) -> HeadToHead:
        """How two bots with all their versions compare."""
        return (await self.fitted(game, ALL_VERSIONS)).head_to_head(first, second)

    async def fitted(self, game: str, view: View | None = None) -> FittedStandings:
        """The standings of a game with the results and the ratings that they are made of.

        As of now, or if the fit takes long the last one while the next is made.
        """
        view = self._view(view)
        cached = self._views[game].get(view)
        if cached is None or cached.took_s <= NOT_CACHED_BELOW_S:
            return await self._updated(game, view)
        if asyncio.get_running_loop().time() >= cached.valid_until and (game, view) not in self._fits:
            fit = self._fits[game, view] = asyncio.create_task(self._fit_again(game, view))
            fit.add_done_callback(lambda _: self._fits.pop((game, view)))
        return cached.found

    def _view(self, view: View | None) -> View:
        view = view or View()
        return view if view.anchors else view._replace(anchors=self._anchors)

    async def _fit_again(self, game: str, view: View) -> None:
        with contextlib.suppress(StoreError):  # the next request tries again
            await self._updated(game, view)

    async def _updated(self, game: str, view: View) -> FittedStandings:
        """Read what is new and fit again if there was anything."""
        loop, views = asyncio.get_running_loop(), self._views[game]
        async with self._lock if view.selection == ALL_GAMES else self._selecting:
            # Held while the thread fits, too, for the counters must not change meanwhile. Who has waited for it finds
            # what the one before has made, and fits again only if there are newer results.
            counters = await self._counters(game, view.selection)
            cached = views.get(view)
            if cached is None or cached.last_result != counters.last_result:
                began = loop.time()
                found = await asyncio.to_thread(fit_standings, counters, view)
                if not counters.has(view):  # a request for nothing takes no place
                    return found
                cached = views[view] = _CachedView(found, counters.last_result, loop.time() - began)
            cached.valid_until = loop.time() + CACHE_FACTOR * cached.took_s
            views.move_to_end(view)
            while len(views) > MAX_VIEWS:
                del views[next(old for old in views if old not in self._always)]
            return cached.found

    async def _counters(self, game: str, selection: Selection) -> ResultCounters:
        if selection == ALL_GAMES:
            return (await self._read()).of(game)
        selected = self._selected.setdefault((game, selection), SelectedResults(self._store, game, selection))
        self._selected.move_to_end((game, selection))
        while len(self._selected) > MAX_SELECTIONS:
            self._selected.popitem(last=False)
        return await selected.read()

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
                return counted

    async def _kept_counts(self) -> CountedResults:
        """The stored counts; none if they cannot be used or are not of this store."""
        text = await self._store.setting(COUNTERS_KEY)
        if text is None:
            return CountedResults()
        try:
            counted = await asyncio.to_thread(CountedResults.from_text, text)
        except ValueError as error:
            log.warning("all results are counted again: the stored counters cannot be used: %s", error)
            return CountedResults()
        last = await self._store.results(after=counted.seen - 1, limit=1)
        if not last or last[0].number != counted.seen:
            log.warning("all results are counted again: the stored counters are of other results")
            return CountedResults()
        self._kept = counted.seen
        return counted

    async def _keep(self, counted: CountedResults) -> None:
        """Store the counts; if that fails, the next start has more to read."""
        try:
            await self._store.put_setting(COUNTERS_KEY, await asyncio.to_thread(counted.text))
        except StoreError as error:
            log.warning("the counters of results could not be saved: %s", error)
        self._kept = counted.seen  # also then: it is tried again after as many results more
        if self._ready.is_set():
            await self._keep_shown()

    async def _keep_shown(self) -> None:
        """Store the standings as shown, for the next start."""
        view = self._view(None)
        shown = {game: views[view].found.standings for game, views in self._views.items() if view in views}
        with contextlib.suppress(StoreError):  # after a start they are counted again anyway
            await self._store.put_setting(STANDINGS_KEY, (await asyncio.to_thread(msgspec.json.encode, shown)).decode())

    async def _last_standings(self) -> dict[str, Standings] | None:
        """The standings shown last; None if unknown or made with other anchors."""
        text = await self._store.setting(STANDINGS_KEY)
        if text is None:
            return None
        try:
            shown = await asyncio.to_thread(msgspec.json.decode, text, type=dict[str, Standings])
        except msgspec.MsgspecError:
            return None
        return shown if all(each.anchors == dict(self._anchors) for each in shown.values()) else None


class _CachedView:
    """One fitted view. last_result: number of the newest result in it.  valid_until: no newer ones are looked for."""

    def __init__(self, found: FittedStandings, last_result: int, took_s: float) -> None:
        self.found, self.last_result, self.took_s, self.valid_until = found, last_result, took_s, 0.0

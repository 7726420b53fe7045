"""Counted results of a selection: all results are read once, then only new ones."""

from __future__ import annotations

import asyncio

from tabiya.server.standings.counters import ResultCounters
from tabiya.server.standings.selection import Selection
from tabiya.storage.records import GameResult
from tabiya.storage.store import Store

PAGE = 4_000  # results read at once


class SelectedResults:
    """The rated results of one game that a selection wants, counted."""

    def __init__(self, store: Store, game: str, selection: Selection) -> None:
        self._store, self._game, self._selection = store, game, selection
        self._counters, self._seen, self._is_complete = ResultCounters(game), -1, False

    async def read(self) -> ResultCounters:
        """All of them so far. Not to be called by two at once. Raises StoreError."""
        if self._seen < 0:
            self._seen = await self._number_before(self._selection.since)
        while not self._is_complete:
            results = await self._store.results(after=self._seen, limit=PAGE)
            if results:
                await asyncio.to_thread(self._count, results)
            if len(results) < PAGE:
                break
        return self._counters

    def _count(self, results: tuple[GameResult, ...]) -> None:
        for result in results:
            if result.game == self._game and result.rated and self._selection.wants(result):
                self._counters.add(result)
        self._seen = results[-1].number
        until = self._selection.until
        self._is_complete = until is not None and results[-1].ended_at >= until

    async def _number_before(self, since: float | None) -> int:
        """A number after which all results are that ended at a time or later: they are numbered as they end."""
        if since is None:
            return 0
        low, high = 0, 1
        while await self._is_before(high, since):
            low, high = high, 2 * high
        while high - low > PAGE:
            middle = (low + high) // 2
            low, high = (middle, high) if await self._is_before(middle, since) else (low, middle)
        return low

    async def _is_before(self, number: int, since: float) -> bool:
        """Whether the first result after a number ended before that time."""
        found = await self._store.results(after=number, limit=1)
        return bool(found) and found[0].ended_at < since

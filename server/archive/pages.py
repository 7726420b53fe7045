"""Stored matches with their moves in pages, worked on in threads here or in other processes that read them themselves.

async for text in pages(store, MatchFilter(status="ended"), work):        # work(page), for each page by id
    ...
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from tabiya.storage.open import open_store
from tabiya.storage.records import MatchFilter, MatchId, StoredMatches
from tabiya.storage.store import Store

T = TypeVar("T")
Work = Callable[[StoredMatches], T]
"""What is made of a page. For other processes it and what it makes can be pickled."""

PAGE = 50  # a thread that works holds up the event loop: it is to end soon
RANGE = 1_000  # of ids, for one piece of work of another process


class OtherProcesses(NamedTuple):
    """Other processes that work on pages. processes: their number. url: of the database, for `open_store`."""

    executor: Executor
    processes: int
    url: str


async def pages(
    store: Store, wanted: MatchFilter, work: Work[T], others: OtherProcesses | None = None, *, in_thread: bool = False
) -> AsyncIterator[T]:
    """What `work` makes of the wanted matches, page by page, the oldest first. Raises StoreError.

    others: do it from the second page on; one page is done before another process has started.  in_thread: so that the
    event loop goes on meanwhile.
    """
    wanted = replace(wanted, after_id=wanted.after_id or MatchId(0), limit=PAGE)
    while True:
        page = await store.stored_matches(wanted)
        if not (ids := ids_of(page)):  # a page may be short because of damage: only an empty one is the last
            return
        yield await asyncio.to_thread(work, page) if in_thread else work(page)
        wanted = replace(wanted, after_id=max(ids))
        if others is not None and len(ids) == PAGE:
            newest = await store.list_matches(replace(wanted, after_id=None, limit=1))
            last = max((*ids, *(match.id for match in newest)))  # the newest may not be wanted any more
            async for made in _by_others(wanted, last, work, others):
                yield made
            wanted, others = replace(wanted, after_id=last), None  # what has been stored since then is left


async def _by_others(wanted: MatchFilter, last: MatchId, work: Work[T], others: OtherProcesses) -> AsyncIterator[T]:
    loop, started = asyncio.get_running_loop(), deque[asyncio.Future[T]]()
    assert wanted.after_id is not None
    try:
        for begin in range(wanted.after_id, last, RANGE):
            end = MatchId(min(begin + RANGE, last) + 1)
            part = replace(wanted, after_id=MatchId(begin), before_id=end, limit=RANGE)
            started.append(loop.run_in_executor(others.executor, _work_on, others.url, part, work))
            if len(started) > 2 * others.processes:  # so that none waits for work, and what is made does not pile up
                yield await started.popleft()
        while started:
            yield await started.popleft()
    finally:
        for left in started:  # after an error, or when the reader stops
            if not left.cancel() and not left.cancelled():
                left.exception()  # retrieved, or asyncio would log it


def _work_on(url: str, wanted: MatchFilter, work: Work[T]) -> T:
    """In another process."""

    async def read() -> StoredMatches:
        store = await open_store(url, read_only=True)
        try:
            return await store.stored_matches(wanted)
        finally:
            await store.close()

    return work(asyncio.run(read()))


def ids_of(page: StoredMatches) -> list[MatchId]:
    """Of all matches of a page, damaged ones as well."""
    return [stored.match.id for stored in page.matches] + [damaged.match_id for damaged in page.damaged]

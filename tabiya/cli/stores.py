"""Commands that read a database themselves: which one is meant, work on its store, and processes that share it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from tabiya.errors import user_errors

if TYPE_CHECKING:
    from tabiya.server.archive.pages import OtherProcesses
    from tabiya.storage.store import Store

T = TypeVar("T")
BESIDE_A_SERVER = 10  # niceness: a server that uses the database goes first


def database_url(given: str | None) -> str:
    """The database meant: flag, environment, or the server's usual file."""
    return given or os.environ.get("TABIYA_DATABASE_URL") or "tabiya.db"


@contextmanager
def other_processes(count: int, url: str) -> Iterator[OtherProcesses | None]:
    """So many processes that read the database at this address, started when there is much to read; None for one alone.

    count: 0 for as many as there are cores.
    """
    from tabiya.processes.parallel import parallel_processes
    from tabiya.server.archive.pages import OtherProcesses
    from tabiya.server.tournaments.settings import cores

    count = count or cores()
    if count == 1:
        yield None
        return
    with parallel_processes(count, nice=BESIDE_A_SERVER) as executor:
        yield OtherProcesses(executor, count, url)


def on_store(url: str, work: Callable[[Store], Awaitable[T]]) -> T:
    """What `work` returns of the store at this address, which must be there. Raises UserError."""
    from tabiya.storage.errors import StoreError
    from tabiya.storage.open import open_store

    async def run() -> T:
        store = await open_store(url, create=False)  # a misspelt file is no empty database
        try:
            return await work(store)
        finally:
            await store.close()

    with user_errors(StoreError):
        return asyncio.run(run())

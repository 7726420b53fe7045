"""Commands that read a database themselves: which one is meant, and work on its store."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from tabiya.errors import user_errors

if TYPE_CHECKING:
    from tabiya.storage.store import Store

T = TypeVar("T")


def database_url(given: str | None) -> str:
    """The database meant: flag, environment, or the server's usual file."""
    return given or os.environ.get("TABIYA_DATABASE_URL") or "tabiya.db"


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

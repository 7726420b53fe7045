"""What is acknowledged where a replica is waited for."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.storage.errors import StoreError
from tabiya.storage.open import open_store
from tabiya.storage.records import MoveRecord
from tabiya.storage.store import Store
from tests.storage.postgres import private_cluster
from tests.storage.samples import move, new_match, two_bots
from tests.waiting import WITHIN_S


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_a_write_that_is_repeated_is_acknowledged_only_when_the_replica_has_it() -> None:
    with private_cluster() as first:
        url = first.create("games")
        store = await open_store(url, exclusive=True)
        match = await store.create_match(new_match(await two_bots(store)))
        with first.replica() as second:
            first.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
            first.sql("SELECT pg_reload_conf()")
            await store.append_move(move(match, 2))
            second.stop("fast")
            unanswered = asyncio.create_task(store.append_move(move(match, 3)))
            await asyncio.sleep(0.5)  # its commit waits in PostgreSQL, and tells nobody
            first.stop()
            first.start()
            with pytest.raises(StoreError):
                await unanswered
            again = asyncio.create_task(appended(store, move(match, 3)))
            await asyncio.wait([again], timeout=3.0)
            assert not again.done()
            assert first.sql("SELECT max(ply) FROM moves", "games") == "3"  # it is there; its replica lacks it
            second.start()
            async with asyncio.timeout(WITHIN_S):
                await again
            assert second.sql("SELECT max(ply) FROM moves", "games") == "3"
            await store.close()


async def appended(store: Store, row: MoveRecord) -> None:
    """Save it, tried again as a server does."""
    while True:
        try:
            return await store.append_move(row)
        except StoreError:
            await asyncio.sleep(0.05)

"""Who owns a PostgreSQL database, who waits for it, and that nobody writes who has lost it."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import Connection
from sqlalchemy.util import await_only

from tabiya.storage.errors import CannotOpen, DatabaseInUse, StoreError
from tabiya.storage.group_commit import Batch
from tabiya.storage.open import open_store
from tabiya.storage.sql import standby
from tabiya.storage.sql.statements import batch_writes
from tabiya.storage.store import Store
from tests.storage.postgres import Cluster, private_cluster
from tests.storage.sql.test_hosts import prepare_one
from tests.waiting import WITHIN_S


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times for a test."""
    monkeypatch.setattr(standby, "POLL_S", 0.05)
    monkeypatch.setattr(standby, "GONE_S", 0.2)


async def waiting(address: str, lines: list[str]) -> asyncio.Task[Store]:
    """A second server's store, once it waits."""
    task = asyncio.create_task(open_store(address, exclusive=True, standby=lines.append))
    async with asyncio.timeout(WITHIN_S):
        while not lines:  # noqa: ASYNC110 - it tells a list
            await asyncio.sleep(0.02)
    return task


@pytest.mark.slow
async def test_a_second_server_waits_until_the_first_lets_go(short: None, cluster: Cluster) -> None:
    address = cluster.create("standby")
    first = await open_store(address, exclusive=True)
    with pytest.raises(DatabaseInUse):
        await open_store(address, exclusive=True)
    received: list[str] = []
    task = await waiting(address, received)
    await asyncio.sleep(0.5)
    assert not task.done()
    assert len(received) == 1
    assert "in use by another server" in received[0]
    await first.close()
    async with asyncio.timeout(WITHIN_S):
        second = await task
    await second.put_setting("a", "1")
    await second.close()


@pytest.mark.slow
async def test_a_server_that_hangs_is_cut_off_and_writes_nothing_when_it_wakes_up(
    short: None, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standby, "HANGS_S", 2.5)
    address = cluster.create("hangs")
    first = await open_store(address, exclusive=True)
    received: list[str] = []
    task = await waiting(address, received)
    await asyncio.sleep(3)
    assert not task.done()  # it has nothing to write, and says a word each second
    monkeypatch.setattr("tabiya.storage.sql.postgresql._Writer.beat", silence)
    async with asyncio.timeout(WITHIN_S):
        second = await task
    async with asyncio.timeout(WITHIN_S):
        while not first.given_up.done():  # the first write finds that its connection is gone
            with pytest.raises(StoreError):
                await first.put_setting("a", "1")
            await asyncio.sleep(0.05)
    with pytest.raises(StoreError, match="in use by another"):
        await first.put_setting("a", "1")
    assert not second.given_up.done()
    await second.put_setting("a", "2")
    assert await second.setting("a") == "2"
    await first.close()
    await second.close()


async def silence(writer: object) -> None:
    """No word."""


@pytest.mark.parametrize("prepared", [False, True])
async def test_a_server_that_stands_still_in_the_middle_of_a_transaction_is_cut_off(
    short: None, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, prepared: bool
) -> None:
    address, plain = cluster.create(f"still {prepared}"), batch_writes._apply_fast
    reached, goes_on = asyncio.Event(), asyncio.Event()

    def apply(connection: Connection, batch: Batch) -> None:
        plain(connection, batch)
        if prepared:  # the database then takes the session for active
            prepare_one(connection)
        reached.set()
        await_only(goes_on.wait())

    first = await open_store(address, exclusive=True)
    monkeypatch.setattr(batch_writes, "_apply_fast", apply)
    writing = asyncio.create_task(first.put_setting("a", "1"))
    await reached.wait()
    async with asyncio.timeout(WITHIN_S):
        second = await (await waiting(address, []))
    goes_on.set()
    with pytest.raises(StoreError):
        await writing
    assert await second.setting("a") is None
    await first.close()
    await second.close()


@pytest.mark.slow
async def test_after_a_restart_of_postgresql_its_server_goes_on_and_not_the_one_that_waits() -> None:
    with private_cluster() as cluster:
        address = cluster.create("restarts")
        first = await open_store(address, exclusive=True)
        received: list[str] = []
        task = await waiting(address, received)
        await first.put_setting("a", "1")  # what was committed before is on the disk with it
        cluster.stop()
        await asyncio.sleep(1)
        cluster.start()
        async with asyncio.timeout(WITHIN_S):
            while True:
                try:
                    await first.put_setting("a", "1")
                    break
                except StoreError:
                    await asyncio.sleep(0.1)
        await asyncio.sleep(2 * standby.GONE_S)
        assert not task.done()
        assert not first.given_up.done()
        task.cancel()
        await first.close()


async def test_standby_needs_postgresql() -> None:
    with pytest.raises(CannotOpen, match="waits on PostgreSQL only"):
        await open_store("memory:", exclusive=True, standby=print)

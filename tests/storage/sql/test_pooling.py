"""Connections that are few or not our own: behind a PgBouncer, at the limit of PostgreSQL, and of the reading ones."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tabiya.storage.errors import CannotOpen, DatabaseInUse, StoreError
from tabiya.storage.open import open_store
from tabiya.storage.sql import standby
from tabiya.storage.sql.move import move
from tests.storage.pgbouncer import pgbouncer
from tests.storage.postgres import Cluster
from tests.waiting import WITHIN_S


@pytest.mark.slow
async def test_a_pooler_that_keeps_a_connection_for_a_session_is_as_good_as_none(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standby, "POLL_S", 0.05)
    monkeypatch.setattr(standby, "GONE_S", 0.2)
    cluster.create("pooled")
    with pgbouncer(cluster, "session") as pooled:
        url = pooled.url("pooled")
        first = await open_store(url, exclusive=True)
        with pytest.raises(DatabaseInUse):
            await open_store(url, exclusive=True)
        with pytest.raises(DatabaseInUse):
            await open_store(cluster.url("pooled"), exclusive=True)
        received: list[str] = []
        waiting = asyncio.create_task(open_store(url, exclusive=True, standby=received.append))
        await first.put_setting("a", "1")
        assert await asyncio.gather(*(first.setting("a") for _ in range(10))) == ["1"] * 10
        await first.close()
        async with asyncio.timeout(WITHIN_S):
            second = await waiting
        await second.put_setting("a", "2")
        host = await open_store(url, host=await second.register_host("a", 0.0))
        await host.put_setting("a", "3")
        assert await second.setting("a") == "3"
        await host.close()
        await second.close()


@pytest.mark.slow
@pytest.mark.parametrize("round_robin", [False, True])
async def test_a_server_is_told_that_a_pooler_cannot_keep_its_lock(
    cluster: Cluster, tmp_path: Path, round_robin: bool
) -> None:
    name = f"shared-{round_robin}"
    direct = cluster.create(name)
    server = await open_store(direct)
    host = await server.register_host("a", 0.0)
    await server.close()
    with pgbouncer(cluster, "transaction", round_robin=round_robin) as pooled:
        busy = [await open_store(pooled.url(name)) for _ in range(3)]  # more connections than one, for the pooler
        for _ in range(2):
            with pytest.raises(CannotOpen, match="pool_mode = session"):
                await open_store(pooled.url(name), exclusive=True)
            with pytest.raises(CannotOpen, match="pool_mode = session"):
                await open_store(pooled.url(name), host=host)
        with pytest.raises(CannotOpen, match="pool_mode = session"):
            await move(pooled.url(name), str(tmp_path / "target.db"), lambda _table, _rows: None)
        for store in busy:
            await store.close()
        await (await open_store(direct, exclusive=True)).close()  # no lock is left with the pooler


@pytest.mark.slow
async def test_a_pooler_of_single_statements_is_told(cluster: Cluster) -> None:
    url = cluster.create("statements")
    await (await open_store(url)).close()
    with (
        pgbouncer(cluster, "statement") as pooled,
        pytest.raises(CannotOpen, match=r"pool_mode = session|statement pooling"),
    ):
        await open_store(pooled.url("statements"), exclusive=True)


@pytest.mark.slow
async def test_where_postgresql_has_no_connection_left_it_is_said(cluster: Cluster) -> None:
    name = "crowded"
    cluster.sql(f"CREATE DATABASE {name} OWNER locked CONNECTION LIMIT 1")
    url = cluster.url(name, "locked", "open%20sesame")
    store = await open_store(url, exclusive=True)
    try:
        await store.put_setting("a", "1")
        with pytest.raises(StoreError, match="gives no further connection"):
            await store.setting("a")
        with pytest.raises(CannotOpen, match="gives no further connection"):
            await open_store(url)
        cluster.sql(f"ALTER DATABASE {name} CONNECTION LIMIT 2")
        assert await store.setting("a") == "1"
    finally:
        await store.close()


@pytest.mark.slow
async def test_no_more_connections_read_than_were_asked_for(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await open_store(cluster.create("few"), readers=2)
    await store.put_setting("a", "1")
    await asyncio.gather(*(store.setting("a") for _ in range(20)))
    count = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'few' AND application_name = 'tabiya'"
    assert cluster.sql(count) == "3"
    engine = store._database._engine  # type: ignore[attr-defined]
    monkeypatch.setattr(engine.pool, "_timeout", 0.05)
    async with engine.connect(), engine.connect():
        with pytest.raises(StoreError, match="all connections for reading were busy"):
            await store.setting("a")
    await store.close()

"""What must survive is asked of the database itself: how its writing connection is really set."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from tabiya.storage import open_store
from tabiya.storage.errors import CannotOpen
from tabiya.storage.sql.postgresql import PostgresDatabase
from tabiya.storage.sql.sqlite import SqliteDatabase
from tabiya.storage.sql.store import SqlStore
from tabiya.storage.store import Durability
from tests.present import present
from tests.storage.postgres import Cluster
from tests.storage.samples import two_bots

NORMAL, FULL = 1, 2


async def opened(url: str, durability: Durability) -> SqlStore:
    """The store, whose writer has written something."""
    store = await open_store(url, durability=durability)
    assert isinstance(store, SqlStore)
    await two_bots(store)
    return store


@pytest.mark.parametrize(("durability", "synchronous"), [("process", NORMAL), ("power", FULL)])
async def test_sqlite_waits_for_the_disk_when_power_loss_must_be_survived(
    empty_file: Path, durability: Durability, synchronous: int
) -> None:
    store = await opened(str(empty_file), durability)
    database = store._database
    assert isinstance(database, SqliteDatabase)
    connection = present(database._writer._connection)
    assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == synchronous
    assert connection.exec_driver_sql("PRAGMA fullfsync").scalar() == (synchronous == FULL)
    assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    connection.rollback()
    await store.close()


async def test_postgresql_never_answers_before_its_log_is_written(empty_database: str, cluster: Cluster) -> None:
    assert cluster.sql("SHOW synchronous_commit", "shared") == "off"  # of the tests' server; the store changes it
    store = await opened(empty_database, "process")
    database = store._database
    assert isinstance(database, PostgresDatabase)
    connection = present(database._writer._connection)
    assert (await connection.execute(text("SHOW synchronous_commit"))).scalar() == "on"
    await connection.rollback()
    await store.close()


async def test_a_postgresql_server_that_does_not_wait_for_its_disk_is_refused_for_power(empty_database: str) -> None:
    with pytest.raises(CannotOpen) as refused:
        await open_store(empty_database, durability="power")
    assert "runs with fsync=off and may lose what it has acknowledged when the power fails" in str(refused.value)
    assert "\n" not in str(refused.value)

"""PostgreSQL stops, or permits only reading, under a running server: a real server process, a real PostgreSQL."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial

import pytest

from tabiya.storage.open import open_store
from tabiya.storage.records import MatchId
from tests.live import served
from tests.server.test_database_trouble import plays_through
from tests.storage.postgres import Cluster, private_cluster


@contextlib.contextmanager
def stopped(cluster: Cluster, mode: str) -> Iterator[str]:
    """It stops, and comes back."""
    cluster.stop(mode)
    try:
        yield ""
    finally:
        cluster.start()


@contextlib.contextmanager
def read_only(cluster: Cluster) -> Iterator[str]:
    """It permits only reading, like one that another has taken the place of."""
    for value in ("on", "off"):
        cluster.sql(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
        cluster.sql("SELECT pg_reload_conf()")
        if value == "on":
            yield "read-only transaction"


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_match_waits_for_its_postgresql_and_goes_on() -> None:
    with private_cluster() as cluster:
        address = cluster.create("games")
        troubles = [
            partial(stopped, cluster, "immediate"),
            partial(read_only, cluster),
            partial(stopped, cluster, "fast"),
        ]
        async with served(address) as server:
            await plays_through(server, troubles)
            code, log = await server.end()
        assert code == 0
        assert log.count("saving works again") == 3
        assert "Traceback" not in log
        store = await open_store(address, create=False)
        assert len([row for row in await store.moves(MatchId(1)) if not row.opening]) == 3
        await store.close()

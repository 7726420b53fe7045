"""A replica takes the place of the PostgreSQL under a running server: a real server process, two real PostgreSQL."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from random import Random

import pytest

from scripts.long_runs.harness.proxy import Proxy
from tabiya.protocol.messages import Turn
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchId
from tests.live import served, welcomed
from tests.server.test_database_trouble import begun, plays_through, say
from tests.storage.postgres import Cluster, private_cluster


class Pair:
    """A PostgreSQL and its replica. now: the one that may be written."""

    def __init__(self, first: Cluster, second: Cluster) -> None:
        self.first, self.second, self.now = first, second, first

    def waits_for_replica(self, waits: bool) -> None:
        """Whether the first one acknowledges only what the second one has, too."""
        self.first.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{'*' if waits else ''}'")
        self.first.sql("SELECT pg_reload_conf()")

    @contextlib.contextmanager
    def replaced(self) -> Iterator[str]:
        """The first one dies; the second one takes its place."""
        self.first.stop()
        yield ""
        self.second.control("promote")
        self.now = self.second

    @contextlib.asynccontextmanager
    async def address(self, kind: str) -> AsyncIterator[str]:
        """Of its database `games`, by one name that leads to the right one, or by both."""
        places = [f"127.0.0.1:{cluster.port}" for cluster in (self.first, self.second)]
        if kind == "several hosts":
            yield f"postgresql://tabiya@{','.join(reversed(places))}/games"
            return
        relay = Proxy(lambda: ("127.0.0.1", self.now.port), Random(1))
        yield f"postgresql://tabiya@127.0.0.1:{await relay.start()}/games"
        await relay.stop()


@contextlib.contextmanager
def pair() -> Iterator[Pair]:
    """A PostgreSQL with the database `games`, and its replica."""
    with private_cluster() as first:
        first.create("games")
        with first.replica() as second:
            yield Pair(first, second)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["one name", "several hosts"])
async def test_a_match_goes_on_when_a_synchronous_replica_takes_over(kind: str) -> None:
    with pair() as databases:
        databases.waits_for_replica(True)
        async with databases.address(kind) as address, served(address) as server:
            await plays_through(server, [databases.replaced])
            code, log = await server.end()
            assert (code, "Traceback" in log) == (0, False)
            assert "saving works again" in log
        store = await open_store(databases.second.url("games"), create=False)
        assert len([row for row in await store.moves(MatchId(1)) if not row.opening]) == 1
        assert await store.check() == []
        await store.close()


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_server_ends_when_its_database_has_lost_what_it_acknowledged_and_the_next_one_goes_on() -> None:
    with pair() as databases:
        databases.waits_for_replica(True)
        async with databases.address("one name") as address, served(address) as server:
            async with welcomed(server.url, "ada") as ada, welcomed(server.url, "bob") as bob:
                white, black, first = await begun(ada, bob)
                await say(white, first)
                second = await black.receives(Turn)
                owes = "bob" if black is bob else "ada"
                databases.waits_for_replica(False)
                databases.second.stop("fast")
                await say(black, second)
                lost = await white.receives(Turn)
                databases.first.stop()
                databases.second.start()
                databases.second.control("promote")
                databases.now = databases.second
                ended = await server.process.wait()
            assert server.process.stderr is not None
            log = (await server.process.stderr.read()).decode()
            assert ended == 1
            assert "has lost moves that it had acknowledged" in log
            assert "Traceback" not in log
            async with served(address) as again:
                async with welcomed(again.url, "ada") as ada, welcomed(again.url, "bob") as bob:
                    asked = await {"ada": ada, "bob": bob}[owes].receives(Turn)
                    assert (asked.ply, asked.position) == (second.ply, second.position)
                    assert asked.ply == lost.ply - 1
                await again.end()
        store = await open_store(databases.second.url("games"), create=False)
        assert await store.check() == []
        await store.close()

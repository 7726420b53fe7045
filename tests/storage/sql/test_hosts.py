"""Hosts that write to one PostgreSQL beside its server: ended in the middle, cut off, restarted, results in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection
from sqlalchemy.util import await_only

from tabiya.storage.errors import DatabaseInUse, HostEnded, SaveFailed, StoreError
from tabiya.storage.group_commit import Batch
from tabiya.storage.open import open_store
from tabiya.storage.records import BotRecord, MatchId
from tabiya.storage.sql import advisory_locks, database, postgresql
from tabiya.storage.sql.move import move as move_database
from tabiya.storage.sql.statements import batch_writes
from tabiya.storage.sql.statements.hosts import lock_for
from tabiya.storage.store import Store
from tabiya.storage.writes import AppendMove, FinishMatch, Write
from tests.storage.postgres import Cluster, private_cluster
from tests.storage.samples import NOON, move, new_match, result, two_bots
from tests.waiting import WITHIN_S

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '{}'"
SHARED = "shared"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No store pauses after a failure."""
    monkeypatch.setattr(database, "FIRST_PAUSE_S", 0.0)


def prepare_one(connection: Connection) -> None:
    """Have the database prepare a statement, without its execution."""
    driver = connection.connection.driver_connection
    assert driver is not None
    await_only(driver.prepare("SELECT 1"))


class Gate:
    """Holds the transactions that write a move or the result of one match, until it is opened.

    early: as soon as a transaction has locked the row of its host; else when only the commit is missing.
    prepared: behind the preparation of one statement more, where the database takes the session for active.
    """

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, match_id: MatchId, *, early: bool = False, prepared: bool = False
    ) -> None:
        self.reached, self.opened = asyncio.Event(), asyncio.Event()
        self._match_id, self._prepared = match_id, prepared
        self._lock, self._apply = lock_for, batch_writes._apply_fast
        held = ("lock_for", self._lock_later) if early else ("_apply_fast", self._apply_and_wait)
        monkeypatch.setattr(batch_writes, *held)

    def _lock_later(self, connection: Connection, batch: Batch) -> None:
        self._wait(connection, batch)
        self._lock(connection, batch)

    def _apply_and_wait(self, connection: Connection, batch: Batch) -> None:
        self._apply(connection, batch)
        self._wait(connection, batch)

    def _wait(self, connection: Connection, batch: Batch) -> None:
        if any(self._holds(pending.write) for pending in batch):
            if self._prepared:
                prepare_one(connection)
            self.reached.set()
            await_only(self.opened.wait())

    def _holds(self, write: Write) -> bool:
        return isinstance(write, AppendMove | FinishMatch) and write.group == self._match_id


class Table:
    """A server and two hosts at one database."""

    def __init__(self, url: str, server: Store, bots: tuple[BotRecord, BotRecord], numbers: list[int]) -> None:
        self.url, self.server, self.bots, self.numbers = url, server, bots, numbers
        self.stores: list[Store] = [server]
        self.gates: list[Gate] = []

    def gate(self, monkeypatch: pytest.MonkeyPatch, match_id: MatchId, **how: bool) -> Gate:
        """A closed one, which is opened at the end of the test at the latest."""
        self.gates.append(Gate(monkeypatch, match_id, **how))
        return self.gates[-1]

    async def open(self, number: int) -> Store:
        """The store of a host."""
        self.stores.append(await open_store(self.url, host=number))
        return self.stores[-1]

    async def matches(self, count: int, host: int) -> list[MatchId]:
        """New ones, that this host plays."""
        new = [new_match(self.bots, f"{host}/{number}", host=host) for number in range(count)]
        return [await self.server.create_match(each) for each in new]


@asynccontextmanager
async def seated(url: str) -> AsyncIterator[Table]:
    server = await open_store(url, exclusive=True)
    table = Table(url, server, await two_bots(server), [await server.register_host(name, NOON) for name in "ab"])
    try:
        yield table
    finally:
        for gate in table.gates:
            gate.opened.set()
        for store in table.stores:
            await store.close()


@pytest.fixture
async def table(empty_database: str) -> AsyncIterator[Table]:
    """At an empty database."""
    async with seated(empty_database) as table:
        yield table


async def somebody_waits(cluster: Cluster) -> None:
    """Until a transaction waits for another one."""
    async with asyncio.timeout(WITHIN_S):
        while await asyncio.to_thread(cluster.sql, WAITING.format(SHARED)) == "0":  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def plies(store: Store, match_id: MatchId) -> list[tuple[int, str]]:
    """The moves after the opening."""
    return [(made.ply, made.text) for made in await store.moves(match_id, 2)]


@pytest.mark.slow
async def test_a_host_is_ended_when_what_it_is_committing_is_stored_and_writes_nothing_after_that(
    table: Table, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = table.numbers
    (match_id,) = await table.matches(1, one)
    host, other = await table.open(one), await table.open(two)
    gate = table.gate(monkeypatch, match_id)
    last = asyncio.create_task(host.append_move(move(match_id, 2, "last")))
    await gate.reached.wait()
    moved = asyncio.create_task(table.server.move_matches(one, (two,), NOON))
    await somebody_waits(cluster)
    assert not moved.done()
    assert await other.hosts_of_matches() == {match_id: one}
    late = asyncio.create_task(host.append_move(move(match_id, 3, "late")))
    gate.opened.set()
    await last
    await moved
    (refused,) = await asyncio.gather(late, return_exceptions=True)
    assert refused is None or isinstance(refused, HostEnded)  # it may have come before the end; then it is stored
    texts = ["last"] if refused else ["last", "late"]
    with pytest.raises(HostEnded, match="was ended"):
        await host.append_move(move(match_id, 2 + len(texts), "too late"))
    assert "was ended" in host.given_up.result()
    assert await other.hosts_of_matches() == {match_id: two}
    (found,) = (await other.whole_matches([match_id])).matches
    assert [made.text for made in found.moves[2:]] == texts
    await other.append_move(move(match_id, 2 + len(texts), "next"))
    assert await plies(table.server, match_id) == list(enumerate([*texts, "next"], 2))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts that stand still are cut off soon."""
    monkeypatch.setattr(advisory_locks, "HOST_STALL_S", 0.05)
    monkeypatch.setattr(advisory_locks, "POLL_S", 0.05)


@pytest.mark.parametrize("prepared", [False, True])
async def test_a_host_that_stands_still_in_a_transaction_is_cut_off_and_holds_nobody_up(
    table: Table, monkeypatch: pytest.MonkeyPatch, prepared: bool, quick: None
) -> None:
    one, two = table.numbers
    (match_id,) = await table.matches(1, one)
    host = await table.open(one)
    gate = table.gate(monkeypatch, match_id, prepared=prepared)
    written = asyncio.create_task(host.append_move(move(match_id, 2)))
    await gate.reached.wait()
    async with asyncio.timeout(WITHIN_S):
        await table.server.move_matches(one, (two,), NOON)
    gate.opened.set()
    with pytest.raises(SaveFailed):
        await written
    with pytest.raises(HostEnded):  # by a new connection
        await host.append_move(move(match_id, 2))
    assert "was ended" in host.given_up.result()
    assert await plies(table.server, match_id) == []


async def test_results_wait_for_no_host_that_stands_still_with_one(
    table: Table, monkeypatch: pytest.MonkeyPatch, quick: None
) -> None:
    (its,) = await table.matches(1, table.numbers[0])
    (ours,) = await table.matches(1, 0)
    host = await table.open(table.numbers[0])
    gate = table.gate(monkeypatch, its, prepared=True)
    written = asyncio.create_task(host.finish_match(result(its)))
    await gate.reached.wait()
    async with asyncio.timeout(WITHIN_S):
        await table.server.finish_match(result(ours))
    gate.opened.set()
    with pytest.raises(SaveFailed):
        await written
    await host.finish_match(result(its))  # it was not ended, and goes on by a new connection
    assert [game.match_id for game in await table.server.results()] == [ours, its]


async def test_a_host_without_anything_to_write_notices_that_it_was_ended(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "BEAT_S", 0.02)
    host = await table.open(table.numbers[0])
    await table.server.move_matches(table.numbers[0], (0,), NOON)
    async with asyncio.timeout(WITHIN_S):
        assert "was ended" in await host.given_up


@pytest.mark.slow
async def test_no_move_is_lost_or_doubled_when_hosts_are_ended_while_they_write(table: Table) -> None:
    ids = await table.matches(20, 0)
    playing, acknowledged = 0, set[tuple[MatchId, int, str]]()
    for number in range(8):
        host = await table.server.register_host(str(number), NOON)
        await table.server.move_matches(playing, (host,), NOON)
        store, playing = await table.open(host), host
        assert set((await store.hosts_of_matches()).values()) == {host}
        found = (await store.whole_matches(ids)).matches
        assert [stored.match.id for stored in found] == ids
        writing = [
            asyncio.create_task(play(store, stored.match.id, len(stored.moves), f"host {host}", acknowledged))
            for stored in found
        ]
        before = len(acknowledged)
        async with asyncio.timeout(WITHIN_S):
            while len(acknowledged) < before + 100:  # noqa: ASYNC110
                await asyncio.sleep(0)
        await table.server.move_matches(host, (0,), NOON)
        stored_then = {match_id: await plies(table.server, match_id) for match_id in ids}
        playing = 0
        await asyncio.gather(*writing)
        assert {match_id: await plies(table.server, match_id) for match_id in ids} == stored_then
    stored = {(match_id, *each) for match_id in ids for each in await plies(table.server, match_id)}
    assert stored == acknowledged  # no answer was lost here
    assert await table.server.check() == []


async def play(store: Store, match_id: MatchId, ply: int, text: str, reported: set[tuple[MatchId, int, str]]) -> None:
    """Append moves until the host is ended; what was acknowledged is added to `told`."""
    while True:
        try:
            await store.append_move(move(match_id, ply, text))
        except HostEnded:
            return
        reported.add((match_id, ply, text))
        ply += 1


@pytest.mark.slow
async def test_results_become_visible_in_the_order_of_their_numbers(
    table: Table, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = table.numbers
    (first,), (second,) = await table.matches(1, one), await table.matches(1, two)
    gate = table.gate(monkeypatch, first)
    slow = asyncio.create_task((await table.open(one)).finish_match(result(first)))
    await gate.reached.wait()
    quick = asyncio.create_task((await table.open(two)).finish_match(result(second)))
    await somebody_waits(cluster)
    assert await table.server.results() == ()
    gate.opened.set()
    await slow
    await quick
    assert [game.match_id for game in await table.server.results()] == [first, second]


@pytest.mark.slow
async def test_a_server_that_ends_a_host_and_a_match_at_once_does_not_wait_in_a_circle(
    table: Table, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = table.numbers
    (theirs,), (ours,) = await table.matches(1, one), await table.matches(1, 0)
    host = await table.open(one)
    for match_id in (theirs, ours):
        await table.server.append_move(move(match_id, 2))  # the same bot's thinking is counted at both ends
    gate = table.gate(monkeypatch, theirs, early=True)
    last = asyncio.create_task(host.finish_match(result(theirs)))
    await gate.reached.wait()
    both = asyncio.gather(table.server.finish_match(result(ours)), table.server.move_matches(one, (two,), NOON))
    await somebody_waits(cluster)
    gate.opened.set()
    await last
    await both
    assert [game.match_id for game in await table.server.results()] == [theirs, ours]
    assert await table.server.check() == []


async def test_a_host_whose_database_has_lost_what_it_acknowledged_gives_up(table: Table, cluster: Cluster) -> None:
    (match_id,) = await table.matches(1, table.numbers[0])
    host = await table.open(table.numbers[0])
    await host.append_move(move(match_id, 2))
    cluster.sql("DELETE FROM moves WHERE ply = 2", SHARED)
    cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tabiya'")
    for _ in range(2):
        with pytest.raises(SaveFailed):
            await host.append_move(move(match_id, 3))
    assert host.given_up.result() == postgresql.LOST
    assert await plies(table.server, match_id) == []


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_a_host_goes_on_after_a_restart_of_postgresql_with_all_that_it_was_told() -> None:
    with private_cluster() as cluster:
        async with seated(cluster.create(SHARED)) as table:
            one, two = table.numbers
            (match_id,) = await table.matches(1, one)
            host, reported = await table.open(one), list[int]()

            async def write() -> None:
                for ply in range(2, 400):
                    while True:
                        try:
                            await host.append_move(move(match_id, ply))
                            break
                        except StoreError:
                            await asyncio.sleep(0.01)
                    reported.append(ply)

            writing = asyncio.create_task(write())
            for least in (50, 150):
                async with asyncio.timeout(WITHIN_S):
                    while len(reported) < least:  # noqa: ASYNC110
                        await asyncio.sleep(0.001)
                await asyncio.to_thread(cluster.stop)
                await asyncio.to_thread(cluster.start)
            await writing
            assert not host.given_up.done()
            assert [ply for ply, _ in await plies(host, match_id)] == reported
            async with asyncio.timeout(WITHIN_S):
                while True:  # the server finds PostgreSQL again, too
                    try:
                        await table.server.move_matches(one, (two,), NOON)
                        break
                    except SaveFailed:
                        await asyncio.sleep(0.05)
            with pytest.raises(HostEnded):
                await host.append_move(move(match_id, 400))


async def test_a_database_is_not_moved_while_a_host_plays(table: Table, tmp_path: Path) -> None:
    host = await table.open(table.numbers[0])
    await table.server.close()
    with pytest.raises(DatabaseInUse, match="hosts still play its matches; end them first"):
        await move_database(table.url, str(tmp_path / "copy.db"), lambda name, rows: None)
    await host.close()
    assert await move_database(table.url, str(tmp_path / "copy.db"), lambda name, rows: None) == []

"""What every store keeps of the hosts that play its matches, and that a host which was ended writes nothing more."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from tabiya.storage.errors import CannotOpen, HostEnded, StoreError, WriteConflict, WriteRefused
from tabiya.storage.open import open_store
from tabiya.storage.records import HostRecord, MatchId
from tabiya.storage.sql import postgresql, sqlite
from tabiya.storage.store import Store
from tests.present import present
from tests.storage.conftest import Home
from tests.storage.samples import NOON, move, new_match, new_tournament, result, step, two_bots


async def played_by(store: Store, host: int | None) -> list[MatchId]:
    wanted = [number for number, its in (await store.hosts_of_matches()).items() if host in (None, its)]
    return [stored.match.id for stored in (await store.whole_matches(wanted)).matches]


async def host_of(store: Store, match_id: MatchId) -> int:
    return present(await store.match(match_id)).host


async def test_each_host_gets_a_number_of_its_own_and_all_are_told_the_newest_last(home: Home) -> None:
    store = await home.open()
    assert await store.hosts() == ()
    numbers = [await store.register_host("lab", NOON + at) for at in (0, 0, 1)]
    assert 0 < numbers[0] < numbers[1] < numbers[2]
    await store.move_matches(numbers[1], (0,), NOON + 2)
    await store.close()
    again = await home.open()
    assert await again.hosts() == (
        HostRecord(number=numbers[0], name="lab", began_at=NOON),
        HostRecord(number=numbers[1], name="lab", began_at=NOON, ended_at=NOON + 2),
        HostRecord(number=numbers[2], name="lab", began_at=NOON + 1),
    )


async def test_the_host_of_a_match_is_stored_wherever_matches_are_created(store: Store) -> None:
    bots = await two_bots(store)
    alone = await store.create_match(new_match(bots, "alone", host=3))
    first = await store.create_match(new_match(bots, "first"))
    await store.finish_match(result(first), goes_on=new_match(bots, "goes-on", host=4))
    tournament = await store.create_tournament(new_tournament(bots))
    of_step = new_match(bots, "step", host=5, tournament_id=tournament)
    (stepped,) = await store.save_tournament_step(step(tournament, 1, matches=(of_step,)))
    assert [await host_of(store, match_id) for match_id in (first, alone, stepped)] == [0, 3, 5]
    assert [stored.match.host for stored in (await store.unfinished_matches()).matches] == [3, 4, 5]
    assert await played_by(store, 3) == [alone]
    assert await played_by(store, 0) == await played_by(store, 9) == []


async def test_the_matches_of_a_host_that_is_ended_are_shared_out_once(store: Store) -> None:
    bots = await two_bots(store)
    one, two, three = [await store.register_host(name, NOON) for name in "abc"]
    ids = [await store.create_match(new_match(bots, f"m{number}", host=one)) for number in range(5)]
    servers = await store.create_match(new_match(bots, "server's"))
    over, frozen, *running = ids
    await store.finish_match(result(over))
    await store.freeze_match(frozen, "why")
    for at in (0, 1):  # an answer may be lost
        await store.move_matches(one, (two, three), NOON + at)
        assert await host_of(store, over) == one
        for match_id in (frozen, *running):
            assert await host_of(store, match_id) == (two, three)[match_id % 2]
        assert await played_by(store, two) == [each for each in running if each % 2 == 0]
        assert await played_by(store, 0) == [servers]
        assert [host.ended_at for host in await store.hosts()] == [NOON, None, None]


async def test_the_matches_of_the_server_can_be_moved_and_no_match_to_nobody(store: Store) -> None:
    match_id = await store.create_match(new_match(await two_bots(store)))
    host = await store.register_host("a", NOON)
    with pytest.raises(WriteRefused, match="nobody is named"):
        await store.move_matches(0, (), NOON)
    await store.move_matches(0, (host,), NOON)
    with pytest.raises(WriteRefused, match="nobody is named"):
        await store.move_matches(host, (), NOON)
    assert await played_by(store, host) == [match_id]
    assert [host.ended_at for host in await store.hosts()] == [None]


async def test_a_match_that_was_moved_may_be_created_again_when_the_answer_was_lost(store: Store) -> None:
    bots = await two_bots(store)
    new = new_match(bots, host=await store.register_host("a", NOON))
    match_id = await store.create_match(new)
    await store.move_matches(new.host, (0,), NOON)
    assert await store.create_match(new) == match_id
    assert await host_of(store, match_id) == 0
    with pytest.raises(WriteConflict):
        await store.create_match(replace(new, game="nim"))


async def test_a_host_writes_until_it_is_ended_and_then_nothing_any_more(home: Home) -> None:
    server = await home.open()
    bots = await two_bots(server)
    one, two = [await server.register_host(name, NOON) for name in "ab"]
    first, second = [await server.create_match(new_match(bots, key, host=one)) for key in ("m1", "m2")]
    host, other = await home.open(one), await home.open(two)
    await host.append_move(move(first, 2))
    with pytest.raises(WriteConflict):
        await host.append_move(move(first, 2, "a1"))
    await server.move_matches(one, (two,), NOON + 1)
    refused = await asyncio.gather(
        host.append_move(move(first, 3)),
        host.append_move(move(first, 4)),
        host.finish_match(result(second)),
        host.create_match(new_match(bots, "m3", host=one)),
        return_exceptions=True,
    )
    assert [type(error) for error in refused] == [HostEnded] * 4
    assert host.given_up.result() == f"host {one} was ended; its matches go on elsewhere" == str(refused[0])
    with pytest.raises(HostEnded):
        await host.append_move(move(first, 3))
    assert await played_by(other, two) == [first, second]
    await other.append_move(move(first, 3))
    assert [made.ply for made in await server.moves(first)] == [0, 1, 2, 3]
    assert len(await server.list_matches()) == 2
    assert not other.given_up.done()
    assert not server.given_up.done()


async def test_a_host_that_was_never_registered_or_is_ended_has_no_store(database: str) -> None:
    server = await open_store(database)
    with pytest.raises(CannotOpen, match="cannot be opened: there is no host 1"):
        await open_store(database, host=1)
    number = await server.register_host("a", NOON)
    await (await open_store(database, host=number)).close()
    await server.move_matches(number, (0,), NOON)
    with pytest.raises(CannotOpen, match="was ended"):
        await open_store(database, host=number)
    await server.close()


async def test_a_host_with_nothing_to_write_hears_that_it_was_ended(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BEAT_S", 0.01)
    monkeypatch.setattr(postgresql, "BEAT_S", 0.01)
    server = await open_store(database)
    number = await server.register_host("a", NOON)
    host = await open_store(database, host=number)
    await server.move_matches(number, (0,), NOON)
    assert await host.given_up == f"host {number} was ended; its matches go on elsewhere"
    for store in (server, host):
        await store.close()


async def test_a_database_in_memory_cannot_be_opened_by_a_host() -> None:
    with pytest.raises(CannotOpen, match="a database in memory cannot be used by another process"):
        await open_store("memory:", host=1)


async def test_a_host_in_memory_that_was_never_registered_is_refused() -> None:
    host = await Home("memory:").open(7)
    with pytest.raises(StoreError, match="there is no host 7"):
        await host.put_setting("a", "1")

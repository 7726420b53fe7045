"""What every store keeps of tournaments."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tabiya.storage.errors import WriteConflict, WriteRefused
from tabiya.storage.records import TournamentId, TournamentRecord
from tabiya.storage.store import Store
from tests.present import present
from tests.storage.conftest import Home
from tests.storage.samples import NOBODY, NOON, entry, new_match, new_tournament, result, step, two_bots


async def stored(store: Store, tournament_id: TournamentId) -> TournamentRecord:
    return present(await store.tournament(tournament_id))


async def test_a_tournament_reads_back_as_it_was_given_and_is_created_once(store: Store) -> None:
    new = new_tournament(await two_bots(store))
    tournament = await stored(store, await store.create_tournament(new))
    for field in new.__struct_fields__:
        assert getattr(tournament, field) == getattr(new, field), field
    assert (tournament.status, tournament.step, tournament.started_at) == ("created", 0, None)
    assert await store.create_tournament(new) == tournament.id
    assert await store.tournament(TournamentId(99)) is None
    later = await store.create_tournament(replace(new, name="Wednesday"))
    assert [(one.id, len(one.entries)) for one in await store.list_tournaments()] == [(later, 2), (tournament.id, 2)]


async def test_an_entry_of_an_unknown_bot_is_refused_with_the_whole(store: Store) -> None:
    with pytest.raises(WriteRefused):
        await store.create_tournament(new_tournament((NOBODY,)))
    assert await store.list_tournaments() == ()


async def test_a_step_saves_state_entries_and_matches_together(home: Home) -> None:
    store = await home.open()
    ada, bob = bots = await two_bots(store)
    eve = await store.create_bot("Eve", created_at=NOON)
    tournament_id = await store.create_tournament(new_tournament(bots))
    new = [
        new_match(bots, f"t1/{index}", tournament_id=tournament_id, pairing=3, game_index=index) for index in range(2)
    ]
    changed = (entry(bob, 1, withdrawn=True), entry(eve, 2))
    ids = await store.save_tournament_step(
        step(tournament_id, 1, entries=changed, matches=tuple(new), started_at=NOON + 5)
    )
    await store.close()

    again = await home.open()
    tournament = await stored(again, tournament_id)
    assert (tournament.status, tournament.step, tournament.state) == ("running", 1, {"done": [1]})
    assert (tournament.started_at, tournament.ended_at) == (NOON + 5, None)
    assert tournament.entries == (entry(ada, 0), *changed)
    matches = await again.tournament_matches(tournament_id)
    assert tuple(match.id for match in matches) == ids
    assert [(match.pairing, match.game_index, match.plies) for match in matches] == [(3, 0, 2), (3, 1, 2)]


async def test_a_later_step_keeps_the_instants_it_does_not_name(store: Store) -> None:
    tournament_id = await store.create_tournament(new_tournament(await two_bots(store)))
    await store.save_tournament_step(step(tournament_id, 1, started_at=NOON + 5))
    await store.save_tournament_step(step(tournament_id, 2, status="ended", ended_at=NOON + 6))
    tournament = await stored(store, tournament_id)
    assert (tournament.started_at, tournament.ended_at, tournament.status) == (NOON + 5, NOON + 6, "ended")


async def test_a_step_changes_the_name_and_settings_or_keeps_those_it_does_not_name(store: Store) -> None:
    tournament_id = await store.create_tournament(new_tournament(await two_bots(store)))
    await store.save_tournament_step(step(tournament_id, 1, name="Friday", settings={"rounds": 3}))
    await store.save_tournament_step(step(tournament_id, 2))
    tournament = await stored(store, tournament_id)
    assert (tournament.name, tournament.settings) == ("Friday", {"rounds": 3})


async def test_an_equal_step_again_gives_the_same_matches_and_one_out_of_turn_is_a_conflict(store: Store) -> None:
    bots = await two_bots(store)
    tournament_id = await store.create_tournament(new_tournament(bots))
    first = step(tournament_id, 1, matches=(new_match(bots, "t/1", tournament_id=tournament_id),))
    assert await store.save_tournament_step(first) == await store.save_tournament_step(first)
    for number in (0, 1, 3):
        with pytest.raises(WriteConflict):
            await store.save_tournament_step(step(tournament_id, number, state={"other": True}))
    assert (await stored(store, tournament_id)).state == {"done": [1]}
    assert len(await store.tournament_matches(tournament_id)) == 1
    with pytest.raises(WriteRefused):
        await store.save_tournament_step(step(TournamentId(9), 1))


async def test_a_step_with_a_bad_match_saves_nothing(store: Store) -> None:
    ada, bob = bots = await two_bots(store)
    tournament_id = await store.create_tournament(new_tournament(bots))
    bad = (new_match(bots, "fine"), new_match((ada, NOBODY), "bad"))
    with pytest.raises(WriteRefused):
        await store.save_tournament_step(step(tournament_id, 1, matches=bad, entries=(entry(bob, 1, withdrawn=True),)))
    tournament = await stored(store, tournament_id)
    assert (tournament.step, tournament.entries[1].withdrawn) == (0, False)
    assert await store.list_matches() == ()


async def test_endings_are_counted_per_tournament(store: Store) -> None:
    bots = await two_bots(store)
    tournament_id = await store.create_tournament(new_tournament(bots))
    new = new_match(bots, "in", tournament_id=tournament_id)
    (inside,) = await store.save_tournament_step(step(tournament_id, 1, matches=(new,)))
    outside = await store.create_match(new_match(bots, "out"))
    await store.finish_match(result(inside, ending="line"))
    await store.finish_match(result(outside, ending="time"))
    assert await store.ending_counts(tournament_id) == {"line": 1}
    (game, _) = await store.results()
    assert (game.tournament_id, game.pairing) == (tournament_id, None)


async def test_tournaments_are_listed_in_parts_and_those_that_ended_by_their_end(store: Store) -> None:
    new = new_tournament(await two_bots(store))
    ids = [await store.create_tournament(replace(new, name=f"cup {number}", seed=number)) for number in range(4)]
    part = await store.list_tournaments(before=ids[3], limit=2)
    assert [(one.id, len(one.entries)) for one in part] == [(ids[2], 2), (ids[1], 2)]
    assert [one.id for one in await store.list_tournaments(before=ids[1])] == [ids[0]]
    for number, ended_at in ((0, NOON + 9), (2, NOON + 5), (3, NOON + 7)):
        await store.save_tournament_step(step(ids[number], 1, status="ended", ended_at=ended_at))
    await store.save_tournament_step(step(ids[1], 1, status="cancelled", ended_at=NOON + 8))
    assert [one.id for one in await store.ended_tournaments(2)] == [ids[0], ids[3]]
    assert len(await store.ended_tournaments(9)) == 3
    listed = await store.list_tournaments(statuses=("ended", "created"), before=ids[3], limit=1)
    assert [(one.id, len(one.entries)) for one in listed] == [(ids[2], 2)]
    assert [one.id for one in await store.list_tournaments(statuses=["cancelled"])] == [ids[1]]
    assert await store.list_tournaments(statuses=["paused"]) == ()

"""The faulty store does what it says, so that a test that relies on it means something."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.storage.errors import SaveFailed, StoreError
from tabiya.storage.memory import MemoryStore
from tabiya.storage.records import MatchId
from tabiya.storage.writes import AppendMove
from tests.fakes.store import FaultyStore
from tests.storage.samples import move, new_match, two_bots


async def a_match(store: FaultyStore) -> MatchId:
    return await store.create_match(new_match(await two_bots(store)))


async def some_ticks() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("fails", "plies"), [("fail_next", 2), ("lose_next_answer", 3)])
async def test_a_save_that_fails_or_seems_to_can_be_repeated(fails: str, plies: int) -> None:
    store = FaultyStore()
    match_id = await a_match(store)
    getattr(store, fails)()
    with pytest.raises(SaveFailed):
        await store.append_move(move(match_id, 2))
    assert len(await store.moves(match_id)) == plies
    await store.append_move(move(match_id, 2))
    assert len(await store.moves(match_id)) == 3


@pytest.mark.parametrize(("trouble", "plies"), [("hold_commits", 2), ("hold_answers", 3), ("slow", 2)])
@pytest.mark.parametrize("crashes", [False, True])
async def test_what_is_held_is_answered_when_released_and_never_after_a_crash(
    trouble: str, plies: int, crashes: bool
) -> None:
    store = FaultyStore()
    match_id = await a_match(store)
    answers: list[StoreError | None] = []
    if trouble == "slow":
        store.seconds_to_commit = lambda: 3600.0
    else:
        getattr(store, trouble)()
    store.submit(AppendMove(move(match_id, 2)), answers.append)
    await some_ticks()
    assert (answers, len(await store.moves(match_id))) == ([], plies)
    if crashes:
        store.crash()
    store.release()
    await some_ticks()
    if crashes or trouble == "slow":
        (found,) = (await MemoryStore(store.tables).unfinished_matches()).matches
        assert (answers, len(found.moves)) == ([], plies)
    else:
        assert (answers, len(await store.moves(match_id))) == ([None], 3)

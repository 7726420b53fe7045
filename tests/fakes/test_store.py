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


async def test_a_failed_save_is_not_made_and_can_be_repeated() -> None:
    store = FaultyStore()
    match_id = await a_match(store)
    store.fail_next(reason="the disk is full")
    with pytest.raises(SaveFailed, match="the disk is full"):
        await store.append_move(move(match_id, 2))
    assert len(await store.moves(match_id)) == 2
    await store.append_move(move(match_id, 2))
    assert len(await store.moves(match_id)) == 3


async def test_a_lost_answer_leaves_the_row_and_a_repetition_succeeds() -> None:
    store = FaultyStore()
    match_id = await a_match(store)
    store.lose_next_answer()
    with pytest.raises(SaveFailed):
        await store.append_move(move(match_id, 2))
    assert len(await store.moves(match_id)) == 3
    await store.append_move(move(match_id, 2))
    assert len(await store.moves(match_id)) == 3


@pytest.mark.parametrize(("hold", "plies"), [("hold_commits", 2), ("hold_answers", 3)])
async def test_what_is_held_is_answered_when_released(hold: str, plies: int) -> None:
    store = FaultyStore()
    match_id = await a_match(store)
    answers: list[StoreError | None] = []
    getattr(store, hold)()
    store.submit(AppendMove(move(match_id, 2)), answers.append)
    await some_ticks()
    assert answers == []
    assert len(await store.moves(match_id)) == plies
    store.release()
    await some_ticks()
    assert answers == [None]
    assert len(await store.moves(match_id)) == 3


@pytest.mark.parametrize(("hold", "plies"), [("hold_commits", 2), ("hold_answers", 3)])
async def test_after_a_crash_a_new_store_finds_what_was_committed(hold: str, plies: int) -> None:
    store = FaultyStore()
    match_id = await a_match(store)
    answers: list[StoreError | None] = []
    getattr(store, hold)()
    store.submit(AppendMove(move(match_id, 2)), answers.append)
    await some_ticks()
    store.crash()
    store.release()
    await some_ticks()
    assert answers == []
    (found,) = (await MemoryStore(store.tables).unfinished_matches()).matches
    assert len(found.moves) == plies


async def test_a_slow_commit_takes_its_time() -> None:
    store = FaultyStore()
    match_id = await a_match(store)
    store.seconds_to_commit = lambda: 3600.0
    answers: list[StoreError | None] = []
    store.submit(AppendMove(move(match_id, 2)), answers.append)
    await some_ticks()
    assert answers == []
    assert len(await store.moves(match_id)) == 2

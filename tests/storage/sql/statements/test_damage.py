"""Rows that cannot be read: what is damaged is told apart, and everything else is read as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.storage import Store, open_store
from tabiya.storage.errors import DamagedRows
from tabiya.storage.records import MatchFilter, MatchId, StoredMatches
from tests.present import present
from tests.storage.conftest import Home, change
from tests.storage.postgres import Cluster
from tests.storage.samples import move, new_match, result, two_bots
from tests.storage.sql.broken_files import break_page_with

MARK = "the text by which the page is found"


@pytest.fixture
def address(database: str) -> str:
    """The databases alone: nobody changes a store in memory behind its back."""
    return database


async def three_matches(store: Store) -> list[MatchId]:
    """Running matches with three moves that fill a page each; those of the second speak of the mark."""
    bots = await two_bots(store)
    ids = [await store.create_match(new_match(bots, f"m{number}")) for number in range(3)]
    for match_id in ids:
        text = (MARK if match_id == ids[1] else "nothing") + "." * 3_000
        for ply in range(2, 5):
            await store.append_move(move(match_id, ply, info={"text": text}))
    return ids


def assert_the_second_is_damaged(found: StoredMatches, ids: list[MatchId], reason: str = "") -> None:
    assert [stored.match.id for stored in found.matches] == [ids[0], ids[2]]
    (damaged,) = found.damaged
    assert damaged.match_id == ids[1]
    assert damaged.reason.startswith(f"match {ids[1]} cannot be read: {reason}")


async def test_a_match_whose_texts_are_damaged_is_listed_with_the_reason(home: Home, cluster: Cluster) -> None:
    store = await home.open()
    ids = await three_matches(store)
    change(f"UPDATE matches SET options = '{{nonsense' WHERE id = {ids[1]}", home.url, cluster)  # noqa: S608
    listed = await store.list_matches(MatchFilter())
    assert [match.id for match in listed] == ids[::-1]
    assert [bool(match.damage) for match in listed] == [False, True, False]
    found = present(await store.match(ids[1]))
    assert found.damage is not None
    assert found.damage.startswith(f"match {ids[1]} cannot be read: ")
    assert (found.options, found.time_control, found.plies) == ({}, "60+0.5", 5)
    assert_the_second_is_damaged(await store.unfinished_matches(), ids)
    assert any(f"match {ids[1]} cannot be read" in fault for fault in await store.check())


async def test_damaged_moves_say_so_keep_no_other_match_back_and_are_read_once_mended(
    home: Home, cluster: Cluster
) -> None:
    store = await home.open()
    ids = await three_matches(store)
    before = await store.moves(ids[1])
    where = f"WHERE match_id = {ids[1]} AND ply = 3"
    change(f"UPDATE moves SET info = '[' {where}", home.url, cluster)  # noqa: S608
    with pytest.raises(DamagedRows, match=f"the moves of match {ids[1]} cannot be read") as caught:
        await store.moves(ids[1])
    for found in (await store.unfinished_matches(), await store.stored_matches(MatchFilter(limit=10))):
        assert_the_second_is_damaged(found, ids)
    change(f"UPDATE moves SET info = '{{}}' {where}", home.url, cluster)  # noqa: S608
    mended = [row.info for row in before[:3]] + [{}] + [row.info for row in before[4:]]
    for _ in range(8):  # a question that was not read to its end would keep its connection at that moment
        assert [row.info for row in await store.moves(ids[1])] == mended
    assert caught.value.__cause__ is not None


async def test_thinking_that_is_not_what_the_moves_say_is_told(home: Home, cluster: Cluster) -> None:
    store = await home.open()
    ids = await three_matches(store)
    await store.finish_match(result(ids[0]))
    assert await store.check() == []
    text = "what is counted of the thinking of {} is not what its moves say"
    change("UPDATE thinking SET total_us = total_us + 1 WHERE bot_id = 1", home.url, cluster)
    assert await store.check() == [text.format("ada")]
    change("DELETE FROM thinking", home.url, cluster)
    assert await store.check() == [text.format("ada"), text.format("Bob")]


async def test_a_broken_page_of_the_file_keeps_no_other_match_back(empty_file: Path) -> None:
    store = await open_store(str(empty_file))
    ids = await three_matches(store)
    await store.close()
    break_page_with(empty_file, MARK)
    store = await open_store(str(empty_file))
    for found in (await store.unfinished_matches(), await store.stored_matches(MatchFilter(limit=10))):
        assert_the_second_is_damaged(found, ids, "the database file is damaged")
    await store.close()

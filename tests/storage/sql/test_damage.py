"""Rows that cannot be read: what is damaged is told apart, and everything else is read as before."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from tabiya.storage import open_store
from tabiya.storage.errors import DamagedRows
from tabiya.storage.records import MatchFilter, MatchId
from tests.storage.postgres import Cluster
from tests.storage.samples import move, new_match, two_bots
from tests.storage.sql.broken_files import break_page_with

MARK = "the text by which the page is found"


@pytest.fixture(params=["empty_file", "empty_database"], ids=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """The address of an empty database of each kind."""
    return str(request.getfixturevalue(request.param))


async def three_matches(url: str) -> list[MatchId]:
    """Running matches with three moves that fill a page each; those of the second speak of the mark."""
    store = await open_store(url)
    bots = await two_bots(store)
    ids = [await store.create_match(new_match(bots, f"m{number}")) for number in range(3)]
    for match_id in ids:
        text = (MARK if match_id == ids[1] else "nothing") + "." * 3_000
        for ply in range(2, 5):
            await store.append_move(move(match_id, ply, info={"text": text}))
    await store.close()
    return ids


def damage(statement: str, url: str, cluster: Cluster) -> None:
    """Change a row behind the store's back."""
    if url.startswith("postgresql"):
        cluster.sql(statement, "shared")
        return
    with contextlib.closing(sqlite3.connect(url)) as file:
        file.execute(statement)
        file.commit()


async def test_a_match_whose_texts_are_damaged_is_listed_with_the_reason(database: str, cluster: Cluster) -> None:
    ids = await three_matches(database)
    damage(f"UPDATE matches SET options = '{{nonsense' WHERE id = {ids[1]}", database, cluster)  # noqa: S608
    store = await open_store(database)
    listed = await store.list_matches(MatchFilter())
    assert [match.id for match in listed] == ids[::-1]
    assert [bool(match.damage) for match in listed] == [False, True, False]
    found = await store.match(ids[1])
    assert found is not None
    assert found.damage is not None
    assert found.damage.startswith(f"match {ids[1]} cannot be read: ")
    assert (found.options, found.time_control, found.plies) == ({}, "60+0.5", 5)
    await store.close()


async def test_moves_that_are_damaged_say_so_and_keep_no_other_match_back(database: str, cluster: Cluster) -> None:
    ids = await three_matches(database)
    damage(f"UPDATE moves SET info = '[' WHERE match_id = {ids[1]} AND ply = 3", database, cluster)  # noqa: S608
    store = await open_store(database)
    with pytest.raises(DamagedRows, match=f"the moves of match {ids[1]} cannot be read"):
        await store.moves(ids[1])
    for found in (await store.unfinished_matches(), await store.stored_matches(MatchId(0), 10)):
        assert [stored.match.id for stored in found.matches] == [ids[0], ids[2]]
        assert [damaged.match_id for damaged in found.damaged] == [ids[1]]
    await store.close()


async def test_moves_that_are_mended_behind_our_back_are_read_as_they_are_then(database: str, cluster: Cluster) -> None:
    ids = await three_matches(database)
    store = await open_store(database)
    before = await store.moves(ids[1])
    where = f"WHERE match_id = {ids[1]} AND ply = 3"
    damage(f"UPDATE moves SET info = '[' {where}", database, cluster)  # noqa: S608
    with pytest.raises(DamagedRows) as caught:
        await store.moves(ids[1])
    damage(f"UPDATE moves SET info = '{{}}' {where}", database, cluster)  # noqa: S608
    for _ in range(8):  # a question that was not read to its end would keep its connection at that moment
        mended = await store.moves(ids[1])
        assert [row.info for row in mended] == [
            *(row.info for row in before[:3]),
            {},
            *(row.info for row in before[4:]),
        ]
    assert caught.value.__cause__ is not None
    await store.close()


async def test_a_broken_page_of_the_file_keeps_no_other_match_back(empty_file: Path) -> None:
    ids = await three_matches(str(empty_file))
    break_page_with(empty_file, MARK)
    store = await open_store(str(empty_file))
    for found in (await store.unfinished_matches(), await store.stored_matches(MatchId(0), 10)):
        assert [stored.match.id for stored in found.matches] == [ids[0], ids[2]]
        (damaged,) = found.damaged
        assert damaged.match_id == ids[1]
        assert damaged.reason.startswith(f"match {ids[1]} cannot be read: the database file is damaged")
    await store.close()

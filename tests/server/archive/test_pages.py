"""Pages of matches: all of them once and in order, no matter who works on them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

import pytest

from tabiya.server.archive import pages as in_pages
from tabiya.server.archive.pages import OtherProcesses, ids_of, pages
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchFilter, MatchId, StoredMatches
from tabiya.storage.store import Store
from tests.server.planted import change
from tests.storage.samples import new_match, result, two_bots

MATCHES = 23


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
async def store(file: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    monkeypatch.setattr(in_pages, "PAGE", 4)
    monkeypatch.setattr(in_pages, "RANGE", 3)
    store = await open_store(str(file))
    bots = await two_bots(store)
    for number in range(MATCHES):
        match = await store.create_match(new_match(bots, f"m{number}"))
        if number % 2:
            await store.finish_match(result(match))
    yield store
    await store.close()


def numbers(page: StoredMatches) -> list[int]:
    return sorted(ids_of(page))


def damaged(page: StoredMatches) -> list[int]:
    return [one.match_id for one in page.damaged]


async def read(store: Store, wanted: MatchFilter, others: OtherProcesses | None = None) -> list[list[int]]:
    return [page async for page in pages(store, wanted, numbers, others)]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (MatchFilter(), list(range(1, MATCHES + 1))),
        (MatchFilter(status="ended"), list(range(2, MATCHES + 1, 2))),
        (MatchFilter(after_id=MatchId(9)), list(range(10, MATCHES + 1))),
        (MatchFilter(status="frozen"), []),
    ],
)
async def test_every_match_comes_once_and_in_order_whoever_works(
    store: Store, file: Path, wanted: MatchFilter, expected: list[int]
) -> None:
    alone = await read(store, wanted)
    with ThreadPoolExecutor(2) as executor:  # threads can do all that processes do here
        shared = await read(store, wanted, OtherProcesses(executor, 2, str(file)))
    assert list(chain(*alone)) == list(chain(*shared)) == expected
    assert shared[:1] == alone[:1]
    assert len(shared) > len(alone) or not expected


async def test_damage_is_in_the_page_of_its_match(store: Store, file: Path) -> None:
    await store.close()
    change(file, "DELETE FROM moves WHERE match_id IN (2, 22) AND ply = 0")
    again = await open_store(str(file))
    with ThreadPoolExecutor(2) as executor:
        others = OtherProcesses(executor, 2, str(file))
        found = [page async for page in pages(again, MatchFilter(), damaged, others)]
    await again.close()
    assert list(chain(*found)) == [2, 22]


async def test_matches_that_begin_meanwhile_are_read_too(store: Store) -> None:
    seen: list[int] = []
    async for page in pages(store, MatchFilter(), numbers):
        if not seen:
            (first,) = (await store.stored_matches(MatchFilter(after_id=MatchId(0), limit=1))).matches
            bots = [await store.bot(seat.bot_id) for seat in first.match.seats]
            assert bots[0]
            assert bots[1]
            await store.create_match(new_match((bots[0], bots[1]), "later"))
        seen += page
    assert seen == list(range(1, MATCHES + 2))

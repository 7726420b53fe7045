"""What every store keeps of the games that owners ask for."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tabiya.storage.errors import WriteRefused
from tabiya.storage.program_records import NewWish, WishId, WishRecord
from tabiya.storage.records import BotId, BotRecord
from tabiya.storage.store import Store
from tests.storage.conftest import Home
from tests.storage.samples import NOON, two_bots

DAY_S = 24 * 3600.0


def asked(bot: BotRecord, opponent: BotRecord, games: int = 2, at: float = NOON) -> NewWish:
    return NewWish(bot_id=bot.id, opponent_id=opponent.id, game="nim", games=games, asked_at=at)


async def test_what_is_asked_for_is_there_in_a_store_opened_again(home: Home) -> None:
    store = await home.open()
    ada, bob = await two_bots(store)
    first = await store.add_wish(asked(ada, bob), forget_before=0.0)
    second = await store.add_wish(asked(bob, ada, 3, NOON + 1), forget_before=0.0)
    await store.close()
    again = await home.open()
    assert await again.wishes() == (first, second)
    assert await again.wishes(bob.id) == (second,)
    assert second == WishRecord(
        id=second.id, bot_id=bob.id, opponent_id=ada.id, game="nim", games=3, waiting=3, asked_at=NOON + 1
    )


async def test_a_game_that_begins_waits_no_longer_and_the_wish_is_kept_when_none_waits(store: Store) -> None:
    ada, bob = await two_bots(store)
    wish = await store.add_wish(asked(ada, bob), forget_before=0.0)
    found = [await store.begin_wished_game(wish.id) for _ in range(3)]
    assert found == [replace(wish, waiting=left) for left in (1, 0, 0)]
    assert await store.wishes() == (replace(wish, waiting=0),)
    assert await store.begin_wished_game(WishId(77)) is None


async def test_what_is_taken_back_was_never_asked_for(store: Store) -> None:
    ada, bob = await two_bots(store)
    untouched = await store.add_wish(asked(ada, bob), forget_before=0.0)
    begun = await store.add_wish(asked(ada, bob, 5), forget_before=0.0)
    await store.begin_wished_game(begun.id)
    assert await store.take_back_wish(untouched.id) is None
    assert await store.take_back_wish(untouched.id) is None
    for _ in range(2):
        assert await store.take_back_wish(begun.id) == replace(begun, games=1, waiting=0)
    assert await store.wishes() == (replace(begun, games=1, waiting=0),)


async def test_what_has_begun_is_forgotten_when_its_day_is_over(store: Store) -> None:
    ada, bob = await two_bots(store)
    over, waits = [await store.add_wish(asked(ada, bob, 1), forget_before=0.0) for _ in range(2)]
    await store.begin_wished_game(over.id)
    today = await store.add_wish(asked(bob, ada, 1, NOON + DAY_S), forget_before=NOON)
    assert len(await store.wishes()) == 3
    await store.begin_wished_game(today.id)
    newest = await store.add_wish(asked(ada, bob, 1, NOON + DAY_S), forget_before=NOON + 1)
    assert await store.wishes() == (waits, replace(today, waiting=0), newest)


async def test_bots_that_are_not_there_are_refused(store: Store) -> None:
    ada, _ = await two_bots(store)
    nobody = replace(ada, id=BotId(77))
    for wrong in (asked(ada, nobody), asked(nobody, ada)):
        with pytest.raises(WriteRefused):
            await store.add_wish(wrong, forget_before=0.0)
    assert await store.wishes() == ()

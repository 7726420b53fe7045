"""What every store keeps of bots and settings."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.storage.errors import NameTaken, WriteRefused
from tabiya.storage.records import BotId, SessionRecord
from tabiya.storage.store import Store
from tests.present import present
from tests.storage.conftest import Home
from tests.storage.samples import NOON, two_bots


async def test_a_bot_is_found_by_name_id_and_token(store: Store) -> None:
    ada, bob = await two_bots(store)
    assert (ada.name, ada.token_hash, ada.role, ada.guest, ada.created_at) == (
        "ada",
        "hash of ada's token",
        "bot",
        False,
        NOON,
    )
    assert await store.bot_by_name("ADA") == ada
    assert await store.bot(bob.id) == bob
    assert await store.bot_by_token_hash("hash of Bob's token") == bob
    assert await store.bot_by_name("carol") is None
    assert await store.bot(BotId(77)) is None
    assert await store.bot_by_token_hash("no such hash") is None


async def test_a_name_is_given_once_whatever_its_case_and_an_equal_bot_is_the_same(store: Store) -> None:
    ada, _ = await two_bots(store)
    await store.create_bot("Ärger", created_at=NOON)
    for taken in ("BOB", "ÄRGER"):
        with pytest.raises(NameTaken, match=taken):
            await store.create_bot(taken, created_at=NOON)
    assert await store.create_bot("ada", token_hash="hash of ada's token", created_at=NOON) == ada


async def test_a_new_token_replaces_the_old_and_belongs_to_one_known_bot(store: Store) -> None:
    ada, bob = await two_bots(store)
    for refused in (
        store.create_bot("carol", token_hash=ada.token_hash, created_at=NOON),
        store.rotate_token(bob.id, ada.token_hash),
        store.rotate_token(BotId(77), "hash"),
    ):
        with pytest.raises(WriteRefused):
            await refused
    await store.rotate_token(ada.id, "another hash")
    found = present(await store.bot_by_token_hash("another hash"))
    assert found.id == ada.id
    assert await store.bot_by_token_hash("hash of ada's token") is None
    await store.rotate_token(ada.id, None)
    assert await store.bot_by_token_hash("another hash") is None


async def test_a_role_is_given_and_taken_back(store: Store) -> None:
    ada, bob = await two_bots(store)
    await store.set_role(ada.id, "operator")
    found = [await store.bot(bot.id) for bot in (ada, bob)]
    assert [bot and bot.role for bot in found] == ["operator", "bot"]
    await store.set_role(ada.id, "bot")
    assert await store.bot(ada.id) == ada
    with pytest.raises(WriteRefused):
        await store.set_role(BotId(77), "operator")


async def test_guests_can_be_left_out_and_one_that_is_given_a_token_is_an_account_from_then_on(store: Store) -> None:
    ada, bob = await two_bots(store)
    guest = await store.create_bot("guest-1", guest=True, created_at=NOON)
    boss = await store.create_bot("boss", role="operator", token_hash="hash", created_at=NOON)
    assert await store.list_bots() == (ada, bob, guest, boss)
    assert await store.list_bots(guests=False) == (ada, bob, boss)
    assert await store.list_bots(after=ada.id, limit=2) == (bob, guest)
    assert await store.list_bots(guests=False, after=bob.id, limit=2) == (boss,)
    assert (guest.token_hash, boss.role) == (None, "operator")
    await store.rotate_token(guest.id, "a hash")
    found = present(await store.bot_by_token_hash("a hash"))
    assert (found.id, found.guest) == (guest.id, False)
    await store.rotate_token(guest.id, None)
    assert [bot.guest for bot in await store.list_bots()] == [False] * 4


async def test_a_setting_is_kept_until_it_is_replaced(home: Home) -> None:
    store = await home.open()
    assert await store.setting("secret") is None
    await store.put_setting("secret", "first")
    await store.put_setting("motd", "hello")
    await store.put_setting("motd", "good bye")
    await store.close()
    again = await home.open()
    assert await again.setting("secret") == "first"
    assert await again.setting("motd") == "good bye"


async def test_of_several_who_ask_for_one_name_at_once_one_gets_it_and_each_other_is_told_that_it_is_taken(
    store: Store,
) -> None:
    asked = [store.create_bot("Ann", created_at=float(number)) for number in range(4)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(answer).__name__ for answer in answers].count("NameTaken") == 3, answers
    assert len(await store.list_bots()) == 1


def session(secret_hash: str, bot_id: BotId | None, created_at: float = NOON, lasts_s: float = 60.0) -> SessionRecord:
    return SessionRecord(secret_hash=secret_hash, bot_id=bot_id, created_at=created_at, expires_at=created_at + lasts_s)


async def test_a_session_is_found_by_its_secret_until_it_is_closed(store: Store) -> None:
    ada, _ = await two_bots(store)
    for opened in (session("of ada", ada.id), session("of the operator", None)):
        await store.open_session(opened)
        await store.open_session(opened)  # the same again, whose answer was lost
        assert await store.session(opened.secret_hash) == opened
    for secret, bot_id in (("of ada", None), ("of nobody", BotId(77))):
        with pytest.raises(WriteRefused):
            await store.open_session(session(secret, bot_id))
    await store.close_session("of ada")
    await store.close_session("of nobody")
    assert await store.session("of ada") is None
    assert await store.session("of the operator") is not None


async def test_a_new_token_ends_the_sessions_of_its_bot_alone(store: Store) -> None:
    ada, bob = await two_bots(store)
    for secret, bot_id in (("1", ada.id), ("2", ada.id), ("3", bob.id), ("4", None)):
        await store.open_session(session(secret, bot_id))
    await store.rotate_token(ada.id, None)
    assert [await store.session(secret) is not None for secret in "1234"] == [False, False, True, True]


async def test_sessions_that_have_run_out_are_forgotten_when_another_begins(store: Store) -> None:
    await store.open_session(session("short", None, lasts_s=5.0))
    await store.open_session(session("long", None, lasts_s=500.0))
    await store.open_session(session("later", None, created_at=NOON + 10))
    assert await store.session("short") is None
    assert await store.session("long") is not None

"""Tokens and names that may be had."""

# ruff: noqa: RUF001 - the look-alikes are what is tested

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tabiya.server.accounts.accounts import (
    Accounts,
    NameNotFree,
    NoAccount,
    NotAdmitted,
    hash_token,
    new_token,
)
from tabiya.server.accounts.secrets_file import SecretsFile
from tabiya.server.config import ServerConfig
from tabiya.storage.errors import StoreError
from tabiya.storage.memory import MemoryStore
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.program_records import NewProgram
from tabiya.storage.records import BotRecord
from tabiya.storage.store import Store
from tests.fakes.store import FaultyStore
from tests.virtual_time import virtual_time


async def accounts(
    store: Store | None = None, *, open_to_all: bool = False, secrets_file: SecretsFile | None = None, **config: Any
) -> Accounts:
    """Prepared accounts over a store."""
    made = Accounts(store or MemoryStore(), ServerConfig(**config), open_to_all=open_to_all, secrets_file=secrets_file)
    await made.prepare()
    return made


def test_no_token_begins_like_an_option_of_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["-a" + "x" * 41, "--" + "x" * 41, "b-" + "x" * 41])
    monkeypatch.setattr("tabiya.server.accounts.accounts.secrets.token_urlsafe", lambda size: next(drawn))
    assert new_token() == "b-" + "x" * 41


@virtual_time
async def test_a_token_is_shown_once_and_stored_as_a_hash_only() -> None:
    store = MemoryStore()
    made = await accounts(store)
    bot, token = await made.register("Ada", made.invite_secret)
    assert bot.token_hash == hash_token(token)
    assert len(token) >= 43
    assert token not in repr(vars(store.tables))
    assert (await made.admit("ada", token, lambda name: False)) == (bot, True)


@virtual_time
async def test_a_name_is_registered_once_whatever_its_case_and_with_the_invite_code_where_it_is_not_open() -> None:
    closed = await accounts(invite_secret="open sesame")
    for wrong in ("open", "open sesame ", "\udcff"):
        with pytest.raises(NotAdmitted, match="invite code is not right"):
            await closed.register("ada", wrong)
    with pytest.raises(NotAdmitted, match="a new name needs the server's invite code"):
        await closed.register("ada", "")
    await closed.register("ada", "open sesame")
    made = await accounts(open_to_all=True)
    await made.register("Ada", "")
    with pytest.raises(NotAdmitted, match="ada"):
        await made.register("ada", "")
    with pytest.raises(NotAdmitted, match="reserved"):
        await made.register("Tabiya", "")


@virtual_time
async def test_an_invite_code_may_be_typed_in_capitals() -> None:
    made = await accounts()
    assert made.invite_secret != made.invite_secret.upper()
    bot, _ = await made.register("ada", made.invite_secret.upper())
    assert bot.name == "ada"


@virtual_time
async def test_names_from_before_the_rule_for_the_first_character_stay_valid() -> None:
    store = MemoryStore()
    guest = await store.create_bot("../guest", guest=True, created_at=0.0)
    account = await store.create_bot("+account", token_hash=hash_token("token"), created_at=0.0)
    made = await accounts(store, open_to_all=True)
    assert (await made.admit("../Guest", "", nobody)) == (guest, False)
    assert (await made.admit("+account", "token", nobody)) == (account, True)
    assert (await made.register("../guest", ""))[0].id == guest.id
    for name in ("../other", "+1+1", "@SUM(1)"):
        with pytest.raises(NotAdmitted, match="begins with a letter or digit"):
            await made.admit(name, "", nobody)
        with pytest.raises(NotAdmitted, match="begins with a letter or digit"):
            await made.register(name, made.invite_secret)


@virtual_time
async def test_a_name_that_is_too_common_is_refused_in_the_end() -> None:
    made = await accounts(open_to_all=True)
    with pytest.raises(NotAdmitted, match="too many bots"):
        await made.admit("ada", "", lambda name: True)


def nobody(name: str) -> bool:
    """No guest is connected."""
    return False


@virtual_time
async def test_a_new_token_replaces_the_old_one_and_the_connected_bot_is_told_of() -> None:
    made = await accounts()
    changed: list[int] = []
    made.on_token_changed = changed.append
    bot, old = await made.register("ada", made.invite_secret)
    new = await made.rotate(bot)
    assert new != old
    assert len(new) >= 43
    assert changed == [bot.id]
    assert (await made.admit("ada", new, nobody))[1]
    with pytest.raises(NotAdmitted):
        await made.admit("ada", old, nobody)


@virtual_time
async def test_a_bot_that_was_shut_out_comes_back_with_a_new_token() -> None:
    made = await accounts()
    bot, token = await made.register("ada", made.invite_secret)
    await made.revoke(bot)
    with pytest.raises(NotAdmitted, match="does not belong"):
        await made.admit("ada", token, nobody)
    assert (await made.admit("ada", await made.rotate(bot), nobody))[1]


@virtual_time
async def test_a_token_that_is_replaced_while_it_is_looked_up_admits_nobody() -> None:
    store = FaultyStore()
    made = await accounts(store)
    bot, old = await made.register("ada", made.invite_secret)
    looked_up = store.bot_by_token_hash

    async def slowly(token_hash: str) -> BotRecord | None:
        found = await looked_up(token_hash)
        await asyncio.sleep(1)
        return found

    store.bot_by_token_hash = slowly  # type: ignore[method-assign]
    coming = asyncio.ensure_future(made.admit("ada", old, nobody))
    await asyncio.sleep(0.5)
    await made.rotate(bot)
    with pytest.raises(NotAdmitted):
        await coming


@virtual_time
@pytest.mark.parametrize("is_gone", [False, True])
async def test_guests_of_one_name_who_come_while_it_is_looked_up_are_different_bots_unless_one_is_gone(
    is_gone: bool,
) -> None:
    store = FaultyStore()
    made = await accounts(store, open_to_all=True)
    await made.admit("ada", "", nobody)
    by_name = store.bot_by_name

    async def slowly(name: str) -> BotRecord | None:
        await asyncio.sleep(1)
        return await by_name(name)

    store.bot_by_name = slowly  # type: ignore[method-assign]
    there = set[str]()

    async def comes(*, stays: bool) -> str:
        bot, _ = await made.admit("ada", "", there.__contains__)
        there.update([bot.name] if stays else [])
        return bot.name

    names = await asyncio.gather(comes(stays=not is_gone), comes(stays=True), comes(stays=True))
    assert list(names) == (["ada", "ada", "ada-2"] if is_gone else ["ada", "ada-2", "ada-3"])


@virtual_time
async def test_an_operator_makes_another_and_takes_the_role_back() -> None:
    made = await accounts()
    bot, token = await made.register("ada", made.invite_secret)
    assert not await made.is_operator(token)
    await made.set_role(bot, "operator")
    assert await made.is_operator(token)
    assert not await made.is_operator(new_token())
    await made.revoke(bot)
    assert not await made.is_operator(token)
    token = await made.rotate(bot)
    await made.set_role(bot, "bot")
    assert not await made.is_operator(token)


@virtual_time
async def test_a_guest_has_no_account_to_change() -> None:
    made = await accounts(open_to_all=True)
    guest, _ = await made.admit("ada", "", nobody)
    for change in (made.rotate(guest), made.revoke(guest), made.set_role(guest, "operator")):
        with pytest.raises(NoAccount, match="ada plays without a token"):
            await change


@virtual_time
async def test_a_guest_who_is_gone_can_be_registered_and_keeps_its_games() -> None:
    made = await accounts(open_to_all=True)
    guest, _ = await made.admit("gu", "", nobody)
    made.is_connected = lambda name: name.lower() == "gu"
    with pytest.raises(NameNotFree, match="a bot without a token plays as 'gu' now"):
        await made.register("Gu", made.invite_secret)
    made.is_connected = lambda name: False
    account, token = await made.register("Gu", made.invite_secret)
    assert (account.id, account.guest) == (guest.id, False)
    again, known = await made.admit("gu", token, nobody)
    assert (again.id, known) == (guest.id, True)
    other, known = await made.admit("gu", "", nobody)  # the free name is free no more
    assert (other.name, known) == ("gu-2", False)
    with pytest.raises(NameNotFree):
        await made.register("gu", made.invite_secret)


async def test_a_name_that_looks_like_one_that_is_held_is_refused_even_after_a_restart() -> None:
    store = MemoryStore()
    made = await accounts(store, open_to_all=True)
    await made.register("cocoa 1", "")
    for restarted in (made, await accounts(store, open_to_all=True)):
        for alike in ("сосоа 1", "COCOA-l", "c0c0a1", "Co_coa I"):
            with pytest.raises(NameNotFree, match="looks too much like 'cocoa 1'"):
                await restarted.register(alike, "")
        with pytest.raises(NameNotFree, match="COCOA 1"):
            await restarted.register("COCOA 1", "")
        guest, _ = await restarted.admit("cocoa l", "", nobody)
        assert guest.name == "cocoa l-2"


@virtual_time
async def test_of_look_alikes_that_come_in_one_instant_one_gets_the_name() -> None:
    made = await accounts(open_to_all=True)
    asked = (made.register(name, "") for name in ("Bot O", "Bot 0", "B0T-O"))
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(answer, NameNotFree) for answer in answers) == 2


@virtual_time
async def test_a_name_that_could_not_be_saved_is_not_held() -> None:
    store = FaultyStore()
    made = await accounts(store, open_to_all=True)
    store.fail_next()
    with pytest.raises(StoreError):
        await made.register("Bot O", "")
    await made.register("Bot 0", "")


async def test_a_token_lent_to_a_worker_is_valid_until_its_lease_ends_also_after_a_restart() -> None:
    tables = MemoryTables()
    store = MemoryStore(tables)
    bot = await store.create_bot("ada", token_hash="hash of ada's token", created_at=1.0)
    new = NewProgram(bot_id=bot.id, game="nim", digest="1f", file_name="bot.py", archive=b"zip", created_at=1.0)
    program = await store.add_program(new)
    await store.keep_examination(program.id, "good", "{}")
    await store.use_program(bot.id, program.id)
    lease = await store.grant_lease([(program.id, "play")], "lab-1", hash_token("lent"), now=1.0, expires_at=31.0)
    assert lease is not None
    restarted = Accounts(MemoryStore(tables), ServerConfig(), open_to_all=False)
    await restarted.prepare()
    assert await restarted.owner("lent") == bot
    assert not restarted.is_worker("lent")
    restarted.take_back(lease.token_hash)
    assert await restarted.owner("lent") is None
    await store.end_lease(program.id, lease.fence, "played", "", now=2.0)
    again = Accounts(MemoryStore(tables), ServerConfig(), open_to_all=False)
    await again.prepare()
    assert await again.owner("lent") is None


@virtual_time
async def test_a_house_bot_is_lent_a_token_for_an_account_made_for_it_and_for_no_other() -> None:
    store = MemoryStore()
    made = await accounts(store)
    first = await made.new_house_token("easy") or ""
    bot = await made.owner(first)
    assert bot is not None
    assert (bot.name, bot.guest) == ("easy", False)
    again = await accounts(store, open_to_all=True)
    assert await again.owner(first) is None
    assert await again.owner(await again.new_house_token("easy") or "") == bot
    assert await again.new_house_token("hard") == ""  # an open server takes it as a guest
    await again.register("greedy", "", by_operator=True)  # a student's
    assert await again.new_house_token("greedy") is None

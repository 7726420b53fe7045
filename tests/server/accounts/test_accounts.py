"""Tokens, invitations and the operator; names that may be had."""

# ruff: noqa: RUF001 - the look-alikes are what is tested

from __future__ import annotations

import asyncio
import hmac
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tabiya.protocol.limits import WireLimits
from tabiya.server.accounts.accounts import (
    INVITE_LETTERS,
    Accounts,
    NameNotFree,
    NoAccount,
    NotAdmitted,
    TooManyGuesses,
    TooManyNames,
    hash_token,
    new_invite,
    new_token,
)
from tabiya.server.accounts.secrets_file import SecretsFile, beside_database
from tabiya.server.config import ServerConfig
from tabiya.storage.errors import StoreError
from tabiya.storage.memory import MemoryStore
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.open import open_store
from tabiya.storage.program_records import NewProgram
from tabiya.storage.records import BotRecord
from tabiya.storage.store import Store
from tests.fakes.store import FaultyStore
from tests.virtual_time import now_s, virtual_time


async def accounts(
    store: Store | None = None, *, open_to_all: bool = False, secrets_file: SecretsFile | None = None, **config: Any
) -> Accounts:
    """Prepared accounts over a store."""
    made = Accounts(store or MemoryStore(), ServerConfig(**config), open_to_all=open_to_all, secrets_file=secrets_file)
    await made.prepare()
    return made


def mode_of(path: Path) -> int:
    """Who may do what with a file."""
    return stat.S_IMODE(path.stat().st_mode)


def write(path: Path, text: str) -> None:
    """Put other words into a file, or nothing in its place."""
    path.write_text(text) if text else path.unlink()


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
    for wrong in ("", "open", "open sesame ", "\udcff"):
        with pytest.raises(NotAdmitted, match="invite code is not right"):
            await closed.register("ada", wrong)
    await closed.register("ada", "open sesame")
    made = await accounts(open_to_all=True)
    await made.register("Ada", "")
    with pytest.raises(NotAdmitted, match="ada"):
        await made.register("ada", "")
    with pytest.raises(NotAdmitted, match="reserved"):
        await made.register("Tabiya", "")


async def test_the_servers_secrets_are_made_once_and_kept_unless_given(tmp_path: Path) -> None:
    store, file = MemoryStore(), SecretsFile(tmp_path / "tabiya.db.secrets")
    first, second = await accounts(store, secrets_file=file), await accounts(store, secrets_file=file)
    assert (first.invite_secret, first.operator_token) == (second.invite_secret, second.operator_token)
    assert len(first.operator_token) >= 43
    given = await accounts(store, invite_secret="ours", operator_token="o" * 40)
    assert (given.invite_secret, given.operator_token) == ("ours", "o" * 40)
    assert [await second.is_operator(token) for token in (first.operator_token, given.operator_token)] == [True, False]


async def test_the_store_has_only_hashes_of_the_servers_secrets_and_their_texts_are_for_their_owner_alone(
    tmp_path: Path,
) -> None:
    store, path = MemoryStore(), tmp_path / "tabiya.db.secrets"
    made = await accounts(store, secrets_file=SecretsFile(path))
    for secret in (made.invite_secret, made.operator_token):
        assert secret not in repr(vars(store.tables))
        assert hash_token(secret) in repr(vars(store.tables))
    if os.name == "posix":
        assert mode_of(path) == 0o600
    # what is stored is no secret: it opens nothing
    assert not await made.is_operator(store.tables.settings["operator_token"])
    assert not await made.is_operator(hash_token(made.operator_token))


async def test_the_secrets_of_a_database_of_before_stay_good_and_their_texts_leave_it(tmp_path: Path) -> None:
    url = str(tmp_path / "tabiya.db")
    store = await open_store(url)
    old = {"invite_secret": "k7fw-3m9q-xn4t", "operator_token": "o" * 43}
    for setting, text in old.items():
        await store.put_setting(setting, text)
    made = await accounts(store, secrets_file=beside_database(url))
    assert {"invite_secret": made.invite_secret, "operator_token": made.operator_token} == old
    assert await made.is_operator("o" * 43)
    await store.close()
    for text in old.values():
        assert text.encode() not in await asyncio.to_thread(Path(url).read_bytes)
    again = await open_store(url)
    assert (await accounts(again, secrets_file=beside_database(url))).operator_token == "o" * 43
    await again.close()


async def test_a_database_that_has_come_without_its_file_gets_new_secrets_and_the_log_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store, path = MemoryStore(), tmp_path / "tabiya.db.secrets"
    first = await accounts(store, secrets_file=SecretsFile(path))
    for damage in ("", "{", '{"operator_token": 3}'):
        write(path, damage)
        second = await accounts(store, secrets_file=SecretsFile(path))
        assert not await second.is_operator(first.operator_token)
        assert await second.is_operator(second.operator_token)
        assert "a new one is made, the old one is void" in caplog.text
        assert (await accounts(store, secrets_file=SecretsFile(path))).operator_token == second.operator_token
    path.unlink()
    caplog.clear()
    third = await accounts(store, secrets_file=SecretsFile(tmp_path / "no" / "file"))
    assert await third.is_operator(third.operator_token)
    assert "cannot be written, and its secrets are shown this once" in caplog.text


async def test_where_no_file_can_be_kept_the_secrets_stay_good_and_their_texts_are_known_once() -> None:
    store = MemoryStore()
    first, second = await accounts(store), await accounts(store)
    assert (second.invite_secret, second.operator_token) == ("", "")
    assert [await second.is_operator(token) for token in (first.operator_token, "")] == [True, False]
    await second.register("ada", first.invite_secret)
    with pytest.raises(NotAdmitted, match="invite code"):
        await second.register("bob", "")


@virtual_time
async def test_only_the_operators_token_is_the_operators() -> None:
    made = await accounts()
    assert await made.is_operator(made.operator_token)
    for wrong in ("", "x", made.operator_token[:-1], new_token(), "\udc80"):
        assert not await made.is_operator(wrong)


@virtual_time
async def test_a_name_of_before_the_rule_for_the_first_character_goes_on_with_a_token_and_without() -> None:
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
async def test_guests_of_one_name_who_come_while_it_is_looked_up_are_different_bots() -> None:
    store = FaultyStore()
    made = await accounts(store, open_to_all=True)
    await made.admit("ada", "", nobody)
    by_name = store.bot_by_name

    async def slowly(name: str) -> BotRecord | None:
        await asyncio.sleep(1)
        return await by_name(name)

    store.bot_by_name = slowly  # type: ignore[method-assign]
    bots = await asyncio.gather(*(made.admit("ada", "", nobody) for _ in range(2)))
    assert [bot.name for bot, _ in bots] == ["ada", "ada-2"]


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
        with pytest.raises(NoAccount, match="ada plays under a free name"):
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


@virtual_time
async def test_who_tries_many_tokens_has_to_wait_and_shuts_nobody_else_out() -> None:
    made = await accounts()
    _, right = await made.register("ada", made.invite_secret)
    _, of_bob = await made.register("bob", made.invite_secret)
    for _ in range(20):
        with pytest.raises(NotAdmitted, match="does not belong"):
            await made.admit("ada", new_token(), nobody, "192.0.2.1")
    with pytest.raises(TooManyGuesses) as refused:
        await made.admit("Ada", new_token(), nobody, "192.0.2.1")
    assert (await made.admit("ada", right, nobody, "192.0.2.2"))[1]
    assert (await made.admit("bob", of_bob, nobody, "192.0.2.1"))[1]
    await asyncio.sleep(refused.value.wait_s)
    with pytest.raises(NotAdmitted, match="does not belong"):
        await made.admit("ada", new_token(), nobody, "192.0.2.1")


@pytest.mark.parametrize("names", [["ada"], [f"bot {number}" for number in range(200)]], ids=["one", "many"])
@virtual_time
async def test_two_hundred_wrong_tokens_from_one_address_do_not_lock_out_the_owner_there(names: list[str]) -> None:
    made = await accounts()
    _, right = await made.register("ada", made.invite_secret)
    for number in range(200):
        with pytest.raises(NotAdmitted):
            await made.admit(names[number % len(names)], new_token(), nobody, "192.0.2.1")
    assert (await made.admit("Ada", right, nobody, "192.0.2.1"))[1]


@virtual_time
async def test_tokens_beyond_what_may_be_tried_for_one_name_are_looked_at_slowly_at_every_address() -> None:
    made = await accounts(limits=WireLimits(hello_timeout_s=8))
    _, right = await made.register("ada", made.invite_secret)
    _, of_bob = await made.register("bob", made.invite_secret)
    for number in range(200):
        with pytest.raises(NotAdmitted, match="does not belong"):
            await made.admit("ada", new_token(), nobody, f"192.0.2.{number}")

    async def seconds(name: str, token: str, admitted: bool) -> float:
        began = now_s()
        if admitted:
            assert (await made.admit(name, token, nobody, "198.51.100.1"))[1]
        else:
            with pytest.raises(TooManyGuesses):
                await made.admit(name, token, nobody, "198.51.100.1")
        return now_s() - began

    tries = (("ada", new_token(), False), ("ada", right, True), ("bob", of_bob, True))
    assert await asyncio.gather(*(seconds(*each) for each in tries)) == pytest.approx([2, 2, 0])


@virtual_time
async def test_a_token_that_is_looked_at_slowly_is_looked_at_before_the_time_for_hello_is_over() -> None:
    made = await accounts(limits=WireLimits(hello_timeout_s=1))
    _, right = await made.register("ada", made.invite_secret)
    for _ in range(20):
        with pytest.raises(NotAdmitted):
            await made.admit("ada", new_token(), nobody, "192.0.2.1")
    began = now_s()
    assert (await made.admit("ada", right, nobody, "192.0.2.1"))[1]
    assert now_s() - began == pytest.approx(0.5)


@virtual_time
async def test_one_network_that_tries_tokens_for_many_names_has_to_wait_for_all_of_them() -> None:
    made = await accounts()
    for number in range(200):
        with pytest.raises(NotAdmitted, match="does not belong"):
            await made.admit(f"bot {number}", new_token(), nobody, f"2001:db8::{number:x}")
    with pytest.raises(TooManyGuesses):
        await made.admit("another", new_token(), nobody, "2001:db8::ffff")
    with pytest.raises(NotAdmitted, match="does not belong"):
        await made.admit("another", new_token(), nobody, "2001:db8:0:1::1")


@virtual_time
async def test_new_names_without_a_token_are_so_many_from_one_network_and_known_ones_do_not_count() -> None:
    made = await accounts(open_to_all=True, limits=WireLimits(guest_names_per_minute=2))
    for number in range(20):
        await made.admit(f"bot {number}", "", nobody, f"2001:db8::{number:x}")
    with pytest.raises(TooManyNames) as refused:
        await made.admit("one more", "", nobody, "2001:db8::ffff")
    with pytest.raises(TooManyNames):
        await made.register("one more", "", "2001:db8::ffff")
    assert refused.value.wait_s == 30
    assert not (await made.admit("bot 3", "", nobody, "2001:db8::ffff"))[1]
    await made.register("invited", made.invite_secret, "2001:db8::ffff")
    await made.admit("elsewhere", "", nobody, "192.0.2.1")
    await asyncio.sleep(refused.value.wait_s)
    await made.admit("one more", "", nobody, "2001:db8::ffff")


@virtual_time
async def test_this_machine_and_a_class_behind_one_address_may_take_new_names() -> None:
    made = await accounts(open_to_all=True)
    for number in range(500):
        await made.admit(f"local {number}", "", nobody, "127.0.0.1")
    for number in range(40):
        for version in range(5):
            await made.admit(f"student {number} try {version}", "", nobody, "192.0.2.1")


async def test_secrets_are_compared_in_constant_time_and_tokens_by_their_hashes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, compared, looked_up = await accounts(), list[tuple[str, str]](), list[str]()
    compare, by_hash = hmac.compare_digest, made._store.bot_by_token_hash

    def comparing(first: str, second: str) -> bool:
        compared.append((first, second))
        return compare(first, second)

    def looking_up(token_hash: str) -> Any:
        looked_up.append(token_hash)
        return by_hash(token_hash)

    monkeypatch.setattr("tabiya.server.accounts.accounts.hmac.compare_digest", comparing)
    monkeypatch.setattr(made._store, "bot_by_token_hash", looking_up)
    with pytest.raises(NotAdmitted, match="invite code"):
        await made.register("ada", "guess")
    assert not await made.is_operator("guess")
    hashes = map(hash_token, (made.invite_secret, made.operator_token))
    assert [{hash_token("guess"), each} for each in hashes] == [set(pair) for pair in compared]
    assert looked_up == [hash_token("guess")]


def test_an_invite_code_can_be_read_from_a_projector_and_is_hard_to_guess() -> None:
    codes = {new_invite() for _ in range(100)}
    assert len(codes) == 100
    for code in codes:
        assert [len(group) for group in code.split("-")] == [4, 4, 4]
        assert set(code) <= {*INVITE_LETTERS, "-"}
    assert not set("il1o0") & set(INVITE_LETTERS)
    assert len(INVITE_LETTERS) ** 12 > 2**58


async def test_a_token_that_was_lent_to_a_worker_is_good_until_its_lease_ends_also_after_a_restart() -> None:
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


async def test_workers_have_a_token_of_their_own_that_stays_the_same_and_can_be_lent_for_one_run() -> None:
    tables = MemoryTables()
    first = Accounts(MemoryStore(tables), ServerConfig(), open_to_all=False)
    await first.prepare()
    token, lent = first.worker_token, first.lend_to_worker()
    assert first.is_worker(token)
    assert first.is_worker(lent)
    assert not await first.is_operator(token)
    again = Accounts(MemoryStore(tables), ServerConfig(), open_to_all=False)
    await again.prepare()
    assert again.is_worker(token)
    assert not again.is_worker(lent)
    chosen = Accounts(MemoryStore(tables), ServerConfig(worker_token="chosen"), open_to_all=False)
    await chosen.prepare()
    assert chosen.is_worker("chosen")
    assert not chosen.is_worker(token)

"""The secrets of a server: invite code, the operator's token and the workers'; where they are kept."""

from __future__ import annotations

import asyncio
import hmac
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tabiya.server.accounts.accounts import (
    INVITE_LETTERS,
    Accounts,
    NotAdmitted,
    hash_token,
    new_invite,
    new_token,
)
from tabiya.server.accounts.secrets_file import SecretsFile, beside_database
from tabiya.server.config import ServerConfig
from tabiya.storage.memory import MemoryStore
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.open import open_store
from tests.server.accounts.test_accounts import accounts
from tests.virtual_time import virtual_time


def mode_of(path: Path) -> int:
    """Who may do what with a file."""
    return stat.S_IMODE(path.stat().st_mode)


def write(path: Path, text: str) -> None:
    """Put other words into a file, or nothing in its place."""
    path.write_text(text) if text else path.unlink()


async def test_the_servers_secrets_are_made_once_and_kept_unless_given(tmp_path: Path) -> None:
    store, file = MemoryStore(), SecretsFile(tmp_path / "tabiya.db.secrets")
    first, second = await accounts(store, secrets_file=file), await accounts(store, secrets_file=file)
    assert (first.invite_secret, first.operator_token) == (second.invite_secret, second.operator_token)
    assert len(first.operator_token) >= 43
    given = await accounts(store, invite_secret="ours", operator_token="o" * 40)
    assert (given.invite_secret, given.operator_token) == ("ours", "o" * 40)
    assert [await second.is_operator(token) for token in (first.operator_token, given.operator_token)] == [True, False]


async def test_the_store_has_only_hashes_of_secrets_and_only_the_owner_can_read_their_texts(
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


async def test_the_secrets_of_an_older_database_stay_valid_and_their_texts_are_removed(tmp_path: Path) -> None:
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


async def test_workers_have_a_token_of_their_own_that_stays_the_same_and_can_be_lent_for_one_run() -> None:
    tables = MemoryTables()
    first = Accounts(MemoryStore(tables), ServerConfig(), open_to_all=False)
    await first.prepare()
    token, lent = first.worker_token, first.new_worker_token()
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

"""Tokens replaced, revoked and kept by command."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tabiya.api_client.settings import ClientSettings, client_settings
from tabiya.api_client.token_files import known_token
from tests.tabiya.cli.command_runner import ask, serving

OPERATOR = "the-operators-own"
SHARED: dict[str, Any] = {
    "host": "0.0.0.0",
    "open_registration": False,
    "invite_secret": "tulip",
    "operator_token": OPERATOR,
}


def here(server: object) -> ClientSettings:
    """The server as the commands of this machine find it."""
    return client_settings(None)


async def test_an_owner_replaces_its_token_and_the_new_one_is_kept() -> None:
    async with serving(**SHARED) as server:
        await ask("register", "ada", "--invite", " tulip ")
        old = known_token(here(server).pages, "ada")
        result = await ask("account", "rotate", "ada")
        new = known_token(here(server).pages, "ada")
        assert (result.status, result.out.strip()) == (0, new)
        assert new != old
        assert "ada has a new token, which is kept in " in result.err
        shown = await ask("account", "show", "ada")
        assert shown.out == "ada: the token is good, role bot, not connected\n"
        assert (
            "the token of ada or an operator's is not right"
            in (await ask("account", "rotate", "ada", "--token", old)).sentence
        )


async def test_an_operator_creates_the_accounts_of_a_class_from_a_file_and_lists_them(tmp_path: Path) -> None:
    names = tmp_path / "class.txt"
    names.write_text("\ufeffAda L\n\nbob,\n Eve \nAda L\n", encoding="utf-8")
    async with serving(**SHARED) as server:
        operator = ("--operator-token", OPERATOR)
        assert "name the bots, or a file" in (await ask("account", "create", *operator)).sentence
        result = await ask("account", "create", "--from", str(names), "--format", "csv", *operator)
        rows = [line.split(",") for line in result.out.splitlines()]
        assert [row[0] for row in rows] == ["name", "Ada L", "Eve"]
        owner = await server.accounts.owner(rows[2][1])
        assert owner is not None
        assert owner.name == "Eve"
        assert "bob,: a name consists of letters" in result.err
        assert result.sentence.endswith("1 of 3 accounts could not be created")
        assert known_token(here(server).pages, "Eve") == ""
        listed = await ask("account", "list", "--format", "csv", *operator)
        assert listed.out.splitlines() == [
            "name,role,connected,shut_out",
            "Ada L,bot,False,False",
            "Eve,bot,False,False",
        ]
        assert (await ask("account", "create", "Zoe", "--operator-token", "guess")).out == ""
        assert "cannot be read" in (await ask("account", "create", "--from", str(tmp_path / "no"))).sentence


async def test_an_operator_makes_a_new_token_for_who_has_lost_it_and_the_owner_keeps_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(**SHARED) as server:
        await server.accounts.register("Ada L", "tulip")
        result = await ask("account", "rotate", "ada l", "--operator-token", OPERATOR)
        assert "its owner keeps it with: tabiya account keep 'Ada L' TOKEN" in result.err
        token = result.out.strip()
        assert known_token(here(server).pages, "ada l") == ""
        kept = await ask("account", "keep", "ada l", token)
        assert kept.status == 0
        assert known_token(here(server).pages, "Ada L") == token
        wrong = await ask("account", "keep", "bob", token)
        assert wrong.sentence == "the token is that of Ada L, not of bob"
        assert "is not right" in (await ask("account", "keep", "ada l", "guess")).sentence
        assert "one word" in (await ask("account", "keep", "ada l", "two words")).sentence
        assert known_token(here(server).pages, "Ada L") == token


async def test_a_revoked_token_is_forgotten_and_the_message_says_who_can_help() -> None:
    async with serving(**SHARED) as server:
        await ask("register", "ada", "--invite", "tulip")
        result = await ask("account", "revoke", "ada")
        assert "only an operator can give it a new token" in result.out
        assert known_token(here(server).pages, "ada") == ""
        assert "no token of ada is saved here" in (await ask("account", "show", "ada")).sentence
        assert "this needs the token of ada or an operator's" in (await ask("account", "rotate", "ada")).sentence


async def test_an_operator_makes_another_who_then_needs_no_other_token(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(**SHARED) as server:
        await ask("register", "ada", "--invite", "tulip")
        own = known_token(here(server).pages, "ada")
        assert (
            "operator's token is not right"
            in (await ask("account", "role", "ada", "operator", "--operator-token", own)).sentence
        )
        result = await ask("account", "role", "ada", "operator", "--operator-token", OPERATOR)
        assert result.out == "ada has the role operator\n"
        monkeypatch.setenv("TABIYA_OPERATOR_TOKEN", own)
        assert (await ask("account", "role", "ada", "bot")).out == "ada has the role bot\n"


async def test_the_operators_login_is_kept_once_and_then_orders_need_no_token() -> None:
    async with serving(**SHARED) as server:
        assert "needs the operator's token" in (await ask("matches", "abort", "1")).sentence
        result = await ask("account", "keep", "operator", OPERATOR)
        assert "operator is confirmed; its token is kept in " in result.err
        assert "there is no match 1" in (await ask("matches", "abort", "1")).sentence
        settings = await asyncio.to_thread(client_settings, None)
        assert settings.operator_token == OPERATOR
        assert client_settings("http://127.0.0.1:1").operator_token == ""
        assert server.accounts.operator_token == OPERATOR


async def test_a_name_that_is_taken_says_what_helps() -> None:
    async with serving(**SHARED):
        await ask("register", "ada", "--invite", "tulip")
        result = await ask("register", "Ada", "--invite", "tulip")
        assert result.sentence == "the name 'Ada' is taken; if it is yours, an operator can give you a new token"

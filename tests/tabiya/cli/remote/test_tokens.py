"""Tokens: registered by name and invite code, kept for the next time where only their owner can read them."""

from __future__ import annotations

import asyncio
import os
import stat
from typing import Any

import pytest

from tabiya.api_client.settings import ClientSettings
from tabiya.api_client.token_files import known_token, token_path
from tabiya.bots.client.bot import Bot
from tabiya.bots.client.connection import RunConfig
from tabiya.bots.client.errors import Rejected
from tabiya.cli.remote import register
from tabiya.cli.remote.register import token_for
from tabiya.errors import UserError
from tabiya.protocol.codes import CloseCode
from tests.tabiya.cli.command_runner import ask, serving

HERE = ClientSettings("http://127.0.0.1:8080")


def test_a_token_that_is_given_is_taken_as_it_is() -> None:
    assert token_for(ClientSettings("http://nowhere", "given"), "ada", "") == "given"


def test_without_token_and_invite_code_a_bot_comes_as_a_guest() -> None:
    assert token_for(HERE, "ada", "") == ""


async def test_a_registered_bot_has_its_token_printed_and_kept_for_its_owner_alone(server: Any) -> None:
    result = await ask("register", "Ada Lovelace")
    settings = ClientSettings(server.pages_url)
    path = token_path(settings.pages, "ada lovelace")
    assert result.status == 0
    assert result.out.strip() == known_token(settings.pages, "ADA LOVELACE")
    assert result.err == f"Ada Lovelace is registered; its token is kept in {path}\n"
    assert path.name.startswith("ada-lovelace-127.0.0.1-")
    if os.name != "nt":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_the_first_time_an_invite_code_registers_and_then_the_kept_token_is_used() -> None:
    async with serving(invite_secret="come", open_registration=False) as server:
        settings = ClientSettings(server.pages_url)
        token = await asyncio.to_thread(token_for, settings, "ada", "come")
        assert token
        assert await asyncio.to_thread(token_for, settings, "Ada", "come") == token
        assert await asyncio.to_thread(token_for, settings, "Ada", "") == token
        assert (await server.store.bot_by_name("ada")) is not None


async def test_a_bot_under_another_name_than_the_kept_one_is_told_which_names_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(bot: Bot, plan: RunConfig) -> None:
        raise Rejected("it admits only registered bots.", CloseCode.BAD_TOKEN)

    monkeypatch.setattr("tabiya.cli.players.bot.play", refused)  # in its thread here it cannot hear Ctrl-C
    async with serving(invite_secret="come", open_registration=False):
        assert (await ask("bot", "random", "--name", "ada")).sentence == "it admits only registered bots."
        await ask("register", "Ada", "--invite", "come")
        assert (await ask("bot", "random", "--name", "ada 2")).sentence == (
            "it admits only registered bots. (no token of ada 2 is kept on this machine, but of Ada; is --name meant?)"
        )
        with_wrong_token = await ask("bot", "random", "--name", "ada 2", "--token", "guess")
        assert with_wrong_token.sentence == "it admits only registered bots."


async def test_a_wrong_invite_code_is_refused_in_one_sentence() -> None:
    async with serving(invite_secret="come", open_registration=False):
        result = await ask("register", "ada", "--invite", "go")
        assert result.sentence == "the invite code is not right; ask the person who runs the server"
        result = await ask("register", "ada")
        assert result.sentence == "a new name needs the server's invite code; ask the person who runs the server"


async def test_a_name_that_is_none_is_refused_in_one_sentence(server: Any) -> None:
    assert "\x1b" not in (await ask("register", "a\x1b[2J")).sentence


async def test_a_server_under_a_new_address_is_given_the_old_token_only_when_its_owner_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with serving(invite_secret="come", open_registration=False) as server:
        here, there = ClientSettings(server.pages_url), server.pages_url.replace("127.0.0.1", "localhost")
        token = await asyncio.to_thread(token_for, here, "Ada", "come")
        assert token_for(ClientSettings(there), "ada", "") == ""
        assert f"tabiya account keep 'ada' --from {here.pages} --server {there}" in capsys.readouterr().err
        result = await ask("account", "keep", "ada", "--from", here.pages, "--server", there)
        assert result.status == 0
        assert token_for(ClientSettings(there), "ada", "") == token
        wrong = await ask("account", "keep", "bob", "--from", here.pages, "--server", there)
        assert wrong.sentence == f"no token of bob is saved for {here.pages}"
    assert token_for(ClientSettings("http://nowhere"), "eve", "") == ""
    assert capsys.readouterr().err == ""


async def test_many_commands_at_once_do_not_lose_each_others_tokens(server: Any) -> None:
    settings = ClientSettings(server.pages_url)
    names = [f"bot{number}" for number in range(8)]
    made = await asyncio.gather(*(asyncio.to_thread(token_for, settings, name, "x") for name in names))
    assert [known_token(settings.pages, name) for name in names] == made


@pytest.mark.parametrize("content", [b"", b"two words", b"\xff\xfe", b"x" * 300])
def test_a_damaged_file_is_named_in_one_sentence(content: bytes) -> None:
    path = token_path(HERE.pages, "ada")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"ada-127\.0\.0\.1-8080") as error:
        known_token(HERE.pages, "ada")
    assert str(path) in str(error.value)


async def test_a_token_that_cannot_be_kept_is_shown_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(server: str, name: str, token: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(register, "keep", refuse)
    async with serving():
        result = await ask("register", "ada")
        assert result.status == 0
        assert f"its token is {result.out.strip()} (it could not be saved in " in result.err


def test_bots_and_servers_are_kept_apart() -> None:
    other = ClientSettings("http://127.0.0.1:8081")
    assert (
        len(
            {
                token_path(HERE.pages, "ada"),
                token_path(HERE.pages, "a-da"),
                token_path(HERE.pages, "a da"),
                token_path(other.pages, "ada"),
            }
        )
        == 4
    )
    assert token_path(HERE.pages, "ada") == token_path(ClientSettings("127.0.0.1:8080/").pages, "ADA")

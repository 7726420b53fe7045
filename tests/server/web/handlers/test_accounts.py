"""Tokens replaced and revoked by HTTP, and the operator's role."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import pytest

from tabiya.protocol.codes import CloseCode
from tests.server.local_bots import first_legal
from tests.server.web.house import House, house

OPERATOR = "the-operators-own"


@contextlib.asynccontextmanager
async def shared_house() -> AsyncIterator[House]:
    """A server for others, which asks everybody for a token."""
    async with house(host="0.0.0.0", operator_token=OPERATOR, invite_secret="tulip") as there:
        yield there


async def registered(there: House, name: str) -> str:
    """The token of a new account."""
    answer = await there.post("/api/register", {"name": name, "invite": "tulip"})
    assert answer.status == 201, answer.text
    return str(answer.json["token"])


def bearer(token: str) -> str:
    return f"Bearer {token}"


async def test_an_owner_replaces_its_token_and_the_old_one_is_good_no_more() -> None:
    async with shared_house() as there:
        old = await registered(there, "Ada/1 (v2)")
        answer = await there.post("/api/bots/ada%2F1%20(v2)/token", {}, Authorization=bearer(old))
        assert (answer.status, answer.json["name"]) == (200, "Ada/1 (v2)")
        new = answer.json["token"]
        assert (await there.get("/api/account", Authorization=bearer(old))).status == 401
        account = await there.get("/api/account", Authorization=bearer(new))
        assert account.json == {"name": "Ada/1 (v2)", "role": "bot", "shut_out": False, "connected": False}


@pytest.mark.parametrize("order", ["token", "revoke"])
async def test_a_connected_bot_is_closed_when_its_token_goes(order: str) -> None:
    async with shared_house() as there:
        token = await registered(there, "ada")
        bot = await there.bot("ada", first_legal, token=token)
        assert (await there.get("/api/account", Authorization=bearer(token))).json["connected"]
        assert (await there.post(f"/api/bots/ada/{order}", {}, Authorization=bearer(OPERATOR))).status == 200
        assert (await bot.ends())[0] == CloseCode.TOKEN_REVOKED
        assert len(there.dispatcher.sessions) == 0


async def test_another_bots_owner_changes_nothing() -> None:
    async with shared_house() as there:
        token, other = await registered(there, "ada"), await registered(there, "bob")
        for order, body in (("token", {}), ("revoke", {}), ("role", {"role": "operator"})):
            for wrong in (bearer(other), bearer("guess"), ""):
                answer = await there.post(f"/api/bots/ada/{order}", body, Authorization=wrong)
                assert answer.status == 401
        assert (await there.post("/api/bots/ada/role", {"role": "operator"}, Authorization=bearer(token))).status == 401
        assert (await there.get("/api/account", Authorization=bearer(token))).status == 200


async def test_who_is_shut_out_is_let_in_again_by_an_operator_alone() -> None:
    async with shared_house() as there:
        token = await registered(there, "ada")
        answer = await there.post("/api/bots/ada/revoke", {}, Authorization=bearer(token))
        assert (answer.status, answer.json["shut_out"]) == (200, True)
        assert (await there.post("/api/bots/ada/token", {}, Authorization=bearer(token))).status == 401
        answer = await there.post("/api/bots/ada/token", {}, Authorization=bearer(OPERATOR))
        assert (await there.get("/api/account", Authorization=bearer(answer.json["token"]))).status == 200


async def test_an_operator_makes_another_whose_token_gives_every_order() -> None:
    async with shared_house() as there:
        token = await registered(there, "ada")
        abort = "/api/matches/7/abort"
        assert (await there.post(abort, {}, Authorization=bearer(token))).status == 401
        answer = await there.post("/api/bots/ada/role", {"role": "operator"}, Authorization=bearer(OPERATOR))
        assert answer.json["role"] == "operator"
        assert (await there.post(abort, {}, Authorization=bearer(token))).status == 404
        await registered(there, "bob")
        made = await there.post("/api/bots/bob/role", {"role": "operator"}, Authorization=bearer(token))
        assert made.status == 200
        await there.post("/api/bots/ada/role", {"role": "bot"}, Authorization=bearer(OPERATOR))
        assert (await there.post(abort, {}, Authorization=bearer(token))).status == 401


async def test_the_servers_own_operator_token_is_known_as_such() -> None:
    async with shared_house() as there:
        account = await there.get("/api/account", Authorization=bearer(OPERATOR))
        assert (account.json["name"], account.json["role"]) == ("operator", "operator")
        assert (await there.get("/api/account")).status == 401


async def test_a_guest_and_an_unknown_bot_are_refused_by_name(there: House) -> None:
    await there.bot("ada", first_legal)
    for order, body in (("token", {}), ("revoke", {}), ("role", {"role": "operator"})):
        answer = await there.post(f"/api/bots/ada/{order}", body)
        assert (answer.status, answer.error) == (409, "ada plays under a free name and has no account")
        assert (await there.post(f"/api/bots/eve/{order}", body)).status == 404
    answer = await there.post("/api/bots/ada/role", {"role": "king"})
    assert (answer.status, "role" in answer.error) == (400, True)


async def test_guesses_of_tokens_are_counted_on_every_address_that_takes_one() -> None:
    async with shared_house() as there:
        token = await registered(there, "ada")
        guesses = [("POST", "/api/bots/ada/token"), ("GET", "/api/account"), ("POST", "/api/bots/ada/revoke")]
        for number in range(21):
            method, path = guesses[number % 3]
            headers = {"Authorization": f"Bearer {number}", "Content-Type": "application/json"}
            answer = await there.ask(method, path, data=b"{}" if method == "POST" else None, headers=headers)
            assert answer.status == (401 if number < 20 else 429)
        assert (await there.get("/api/account", Authorization=bearer(token))).status == 429


async def test_a_name_that_looks_like_another_is_refused_with_that_name() -> None:
    async with shared_house() as there:
        await registered(there, "paypal")
        answer = await there.post("/api/register", {"name": "pay-paI", "invite": "tulip"})
        assert (answer.status, "looks too much like 'paypal'" in answer.error) == (409, True)

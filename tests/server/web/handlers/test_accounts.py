"""Tokens replaced and revoked by HTTP, and the operator's role."""

from __future__ import annotations

import pytest

from tabiya.protocol.codes import CloseCode
from tests.server.local_bots import first_legal
from tests.server.web.web_server import OPERATOR, WebServer


async def registered(web: WebServer, name: str) -> str:
    """The token of a new account."""
    answer = await web.post("/api/v1/register", {"name": name, "invite": "tulip"})
    assert answer.status == 201, answer.text
    return str(answer.json["token"])


async def test_an_owner_replaces_its_token_and_the_old_one_is_good_no_more(shared: WebServer) -> None:
    old = await registered(shared, "Ada/1 (v2)")
    answer = await shared.post("/api/v1/bots/ada%2F1%20(v2)/token", {}, token=old)
    assert (answer.status, answer.json["name"]) == (200, "Ada/1 (v2)")
    assert (await shared.get("/api/v1/account", token=old)).status == 401
    account = await shared.get("/api/v1/account", token=answer.json["token"])
    assert account.json == {"name": "Ada/1 (v2)", "role": "bot", "shut_out": False, "connected": False}


async def test_the_name_of_a_guest_who_is_gone_can_be_registered(web: WebServer) -> None:
    guest = await web.bot("gu", first_legal)
    (await web.post("/api/v1/register", {"name": "Gu"})).assert_refused(409, "a bot without a token plays as 'gu' now")
    guest.client.cut()
    answer = await web.post("/api/v1/register", {"name": "Gu"})
    assert answer.status == 201, answer.text
    assert [bot["guest"] for bot in (await web.json("/api/v1/bots"))["bots"]] == [False]
    (await web.post("/api/v1/register", {"name": "gu"})).assert_refused(409, "taken")


@pytest.mark.parametrize("order", ["token", "revoke"])
async def test_a_connected_bot_is_closed_when_its_token_goes(shared: WebServer, order: str) -> None:
    token = await registered(shared, "ada")
    bot = await shared.bot("ada", first_legal, token=token)
    assert (await shared.get("/api/v1/account", token=token)).json["connected"]
    assert (await shared.post(f"/api/v1/bots/ada/{order}", {}, token=OPERATOR)).status == 200
    assert (await bot.ends())[0] == CloseCode.TOKEN_REVOKED
    assert len(shared.dispatcher.sessions) == 0


async def test_another_bots_owner_changes_nothing(shared: WebServer) -> None:
    token, other = await registered(shared, "ada"), await registered(shared, "bob")
    for order, body in (("token", {}), ("revoke", {}), ("role", {"role": "operator"})):
        for wrong in (other, "guess", ""):
            assert (await shared.post(f"/api/v1/bots/ada/{order}", body, token=wrong)).status == 401
    assert (await shared.post("/api/v1/bots/ada/role", {"role": "operator"}, token=token)).status == 401
    assert (await shared.get("/api/v1/account", token=token)).status == 200


async def test_only_an_operator_lets_a_bot_in_again(shared: WebServer) -> None:
    token = await registered(shared, "ada")
    answer = await shared.post("/api/v1/bots/ada/revoke", {}, token=token)
    assert (answer.status, answer.json["shut_out"]) == (200, True)
    assert (await shared.post("/api/v1/bots/ada/token", {}, token=token)).status == 401
    answer = await shared.post("/api/v1/bots/ada/token", {}, token=OPERATOR)
    assert (await shared.get("/api/v1/account", token=answer.json["token"])).status == 200


async def test_an_operator_makes_another_whose_token_gives_every_order(shared: WebServer) -> None:
    account = await shared.get("/api/v1/account", token=OPERATOR)
    assert (account.json["name"], account.json["role"]) == ("operator", "operator")
    assert (await shared.get("/api/v1/account")).status == 401
    token = await registered(shared, "ada")
    abort = "/api/v1/matches/7/abort"
    assert (await shared.post(abort, {}, token=token)).status == 401
    answer = await shared.post("/api/v1/bots/ada/role", {"role": "operator"}, token=OPERATOR)
    assert answer.json["role"] == "operator"
    assert (await shared.post(abort, {}, token=token)).status == 404
    await registered(shared, "bob")
    assert (await shared.post("/api/v1/bots/bob/role", {"role": "operator"}, token=token)).status == 200
    await shared.post("/api/v1/bots/ada/role", {"role": "bot"}, token=OPERATOR)
    assert (await shared.post(abort, {}, token=token)).status == 401


async def test_a_guest_and_an_unknown_bot_are_refused_by_name(web: WebServer) -> None:
    await web.bot("ada", first_legal)
    for order, body in (("token", {}), ("revoke", {}), ("role", {"role": "operator"})):
        answer = await web.post(f"/api/v1/bots/ada/{order}", body)
        assert (answer.status, answer.error) == (409, "ada plays without a token and has no account")
        assert (await web.post(f"/api/v1/bots/eve/{order}", body)).status == 404
    (await web.post("/api/v1/bots/ada/role", {"role": "king"})).assert_refused(400, "role")


async def test_a_name_that_looks_like_another_is_refused_with_that_name(shared: WebServer) -> None:
    await registered(shared, "paypal")
    (await shared.post("/api/v1/register", {"name": "pay-paI", "invite": "tulip"})).assert_refused(
        409, "looks too much like 'paypal'"
    )

"""Signing in on the pages: the cookie counts as the token, for this server's pages, as long as the token is good."""

from __future__ import annotations

from http.cookies import Morsel, SimpleCookie
from typing import Any

import pytest

from tabiya.server.accounts.accounts import hash_token
from tabiya.server.accounts.web_sessions import SESSION_S
from tabiya.server.web.http.auth import COOKIE
from tests.server.web.web_server import OPERATOR, Answer, WebServer

SESSION, ABORT = "/api/v1/session", "/api/v1/matches/7/abort"
HEARD = 404  # there is no match 7, but the order was heard


async def register(shared: WebServer, name: str = "ada") -> str:
    token: str = (await shared.post("/api/v1/register", {"name": name, "invite": "tulip"})).json["token"]
    return token


async def signed_in(shared: WebServer, token: str) -> tuple[Answer, dict[str, str]]:
    """The answer, and the headers of a page of this server from then on."""
    answer = await shared.post(SESSION, {"token": token})
    shared.session.cookie_jar.clear()  # each request here says itself what it shows
    secret = cookie(answer).value if answer.status == 201 else ""
    return answer, {"Cookie": f"{COOKIE}={secret}", "Origin": shared.url}


def cookie(answer: Answer) -> Morsel[str]:
    return SimpleCookie(answer.headers["Set-Cookie"])[COOKIE]


async def who(shared: WebServer, headers: dict[str, str]) -> Any:
    answer = await shared.get(SESSION, **headers)
    return answer.json["name"], answer.json["role"]


async def test_a_bots_owner_signs_in_and_gives_orders_about_its_bot_alone(shared: WebServer) -> None:
    answer, page = await signed_in(shared, await register(shared))
    assert answer.json == {"name": "ada", "role": "bot"}
    assert await who(shared, page) == ("ada", "bot")
    assert (await shared.get("/api/v1/account", **page)).json["name"] == "ada"
    await register(shared, "bob")
    (await shared.post("/api/v1/bots/bob/token", {}, **page)).assert_refused(403, "you are signed in as ada")
    (await shared.post(ABORT, {}, **page)).assert_refused(403, "this needs the operator's token")
    assert (await shared.post("/api/v1/bots/ada/token", {}, **page)).status == 200


async def test_an_operator_signs_in_and_gives_every_order(shared: WebServer) -> None:
    _, page = await signed_in(shared, OPERATOR)
    assert await who(shared, page) == ("operator", "operator")
    assert (await shared.post(ABORT, {}, **page)).status == HEARD
    token = await register(shared)
    await shared.post("/api/v1/bots/ada/role", {"role": "operator"}, **page)
    _, page = await signed_in(shared, token)
    assert (await shared.post(ABORT, {}, **page)).status == HEARD


async def test_scripts_and_other_sites_cannot_read_the_cookie_and_only_its_hash_is_stored(
    shared: WebServer,
) -> None:
    answer, _ = await signed_in(shared, await register(shared))
    sent = cookie(answer)
    assert (sent["httponly"], sent["samesite"], sent["path"], sent["domain"]) == (True, "Strict", "/", "")
    assert int(sent["max-age"]) == SESSION_S
    assert await shared.store.session(sent.value) is None
    assert await shared.store.session(hash_token(sent.value)) is not None


@pytest.mark.parametrize("origin", [{}, {"Origin": "http://evil.example"}, {"Origin": "null"}])
async def test_an_order_that_comes_from_no_page_of_this_server_is_refused(
    shared: WebServer, origin: dict[str, str]
) -> None:
    _, page = await signed_in(shared, OPERATOR)
    del page["Origin"]
    assert (await shared.post(ABORT, {}, **page, **origin)).status == 403
    assert (await shared.post("/api/v1/session/end", {}, **page, **origin)).status == 403
    assert await who(shared, page) == ("operator", "operator")


async def test_a_form_cannot_send_an_order(shared: WebServer) -> None:
    _, page = await signed_in(shared, OPERATOR)
    form = page | {"Content-Type": "application/x-www-form-urlencoded"}
    (await shared.post(ABORT, b"a=1", **form)).assert_refused(415, "the request's body must be JSON")


async def test_after_signing_out_nobody_is_signed_in(shared: WebServer) -> None:
    _, page = await signed_in(shared, await register(shared))
    ended = await shared.post("/api/v1/session/end", {}, **page)
    assert (ended.json, cookie(ended).value, cookie(ended)["max-age"]) == ({"name": "", "role": ""}, "", "0")
    assert await who(shared, page) == ("", "")
    assert (await shared.get("/api/v1/account", **page)).status == 401


async def test_a_session_ends_with_its_token(shared: WebServer) -> None:
    token = await register(shared)
    _, page = await signed_in(shared, token)
    assert (await shared.post("/api/v1/bots/ada/revoke", {}, token=token)).status == 200
    assert await who(shared, page) == ("", "")


async def test_a_session_runs_out(shared: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.server.accounts.web_sessions.SESSION_S", 0.0)
    _, page = await signed_in(shared, await register(shared))
    assert await who(shared, page) == ("", "")


async def test_a_token_that_is_shown_counts_whoever_has_signed_in(shared: WebServer) -> None:
    token = await register(shared)
    _, page = await signed_in(shared, OPERATOR)
    assert (await shared.get("/api/v1/account", token=token, **page)).json["name"] == "ada"
    assert (await shared.post(ABORT, {}, token=token, **page)).status == 401


async def test_wrong_tokens_are_counted_as_guesses(shared: WebServer) -> None:
    refused = [await signed_in(shared, f"wrong {number}") for number in range(40)]
    statuses = [answer.status for answer, _ in refused]
    assert statuses[0] == 403
    assert statuses[-1] == 429

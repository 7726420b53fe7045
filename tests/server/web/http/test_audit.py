"""Every order that an operator gives is kept: who, from where, what, how it was answered; never a secret."""

from __future__ import annotations

import re
from typing import Any

import pytest

from scripts.docs.api_page import all_routes
from tabiya.server.web.http.audit import LONGEST_LIST, LONGEST_TEXT, details_of
from tabiya.server.web.http.auth import COOKIE
from tabiya.server.web.http.route import Route
from tabiya.server.web.schemas.requests import EnterOrder, ProgramOrder, SignInOrder, WithdrawOrder
from tabiya.storage.audit_records import AuditRecord
from tabiya.storage.errors import SaveFailed
from tabiya.storage.memory import MemoryStore
from tests.server.web.handlers.test_sessions import register, signed_in
from tests.server.web.web_server import OPERATOR, WebServer

AUDIT = "/api/v1/audit"
ORDERS = [route for route in all_routes() if route.method == "POST" and route.access == "operator"]


async def kept(web: WebServer, token: str = OPERATOR) -> list[tuple[Any, ...]]:
    """Who, how, what, and the status of the answer, the oldest first."""
    answer = await web.get(AUDIT, token=token)
    assert answer.status == 200, answer.text
    return [(one["who"], one["way"], one["path"], one["status"]) for one in reversed(answer.json["orders"])]


async def test_an_order_is_kept_with_who_gave_it_from_where_and_what_came_of_it(shared: WebServer) -> None:
    await register(shared)
    order = {"name": "cup", "game": "nim", "bots": ["ada"], "start": False}
    assert (await shared.post("/api/v1/tournaments", order, token=OPERATOR)).status == 201
    (order_within_step,) = (await shared.get(AUDIT, token=OPERATOR)).json["orders"]
    assert order_within_step.pop("at") == pytest.approx(shared.server.started_at, abs=60)
    assert order_within_step == {
        "id": 1,
        "who": "operator",
        "way": "token",
        "address": "127.0.0.1",
        "path": "/tournaments",
        "details": order,
        "status": 201,
    }


async def test_it_is_kept_under_the_account_that_gave_it_however_it_showed_who_it_is(shared: WebServer) -> None:
    token = await register(shared)
    await shared.post("/api/v1/bots/ada/role", {"role": "operator"}, token=OPERATOR)
    await shared.post("/api/v1/matches/7/abort", {}, token=token)
    _, page = await signed_in(shared, token)
    await shared.post("/api/v1/matches/8/abort", {}, **page)
    assert await kept(shared) == [
        ("operator", "token", "/bots/ada/role", 200),
        ("ada", "token", "/matches/7/abort", 404),
        ("ada", "token", "/session", 201),
        ("ada", "session", "/matches/8/abort", 404),
    ]


async def test_a_request_from_the_machine_itself_is_the_operators(web: WebServer) -> None:
    await web.post("/api/matches/7/abort", {})  # at the address without a version, too
    assert await kept(web, "") == [("operator", "this machine", "/matches/7/abort", 404)]


@pytest.mark.parametrize("route", ORDERS, ids=lambda route: route.path)
async def test_every_order_of_an_operator_is_recorded_once(shared: WebServer, route: Route) -> None:
    path = re.sub(r"{[^}]+}", "7", route.path)
    answer = await shared.post(path, {"why": "this field is not known"}, token=OPERATOR)
    assert answer.status == 400
    assert [(one[2], one[3]) for one in await kept(shared)] == [(path.removeprefix("/api/v1"), 400)]


async def test_requests_of_other_people_are_not_recorded(shared: WebServer) -> None:
    token = await register(shared)
    await shared.post("/api/v1/matches/7/abort", {})
    await shared.post("/api/v1/matches/7/abort", {}, token=token)
    await shared.post("/api/v1/session", {"token": token})
    assert (await shared.post("/api/v1/bots/ada/token", {}, token=token)).status == 200  # about its own bot
    shared.session.cookie_jar.clear()
    assert await kept(shared) == []


async def test_no_secret_is_recorded(shared: WebServer) -> None:
    token = await register(shared)
    renewed = (await shared.post("/api/v1/bots/ada/token", {}, token=OPERATOR)).json["token"]
    _, page = await signed_in(shared, OPERATOR)
    orders = (await shared.get(AUDIT, **page)).text
    assert "/bots/ada/token" in orders
    assert not [
        secret for secret in (token, renewed, OPERATOR, page["Cookie"].removeprefix(f"{COOKIE}=")) if secret in orders
    ]


async def test_only_operators_read_it(shared: WebServer) -> None:
    token = await register(shared)
    _, page = await signed_in(shared, token)
    (await shared.get(AUDIT)).assert_refused(401, "the operator's token")
    (await shared.get(AUDIT, token=token)).assert_refused(401, "the operator's token")
    (await shared.get(AUDIT, **page)).assert_refused(403, "you are signed in as ada")


async def test_it_is_read_a_part_at_a_time(shared: WebServer) -> None:
    for number in (1, 2, 3):
        await shared.post(f"/api/v1/matches/{number}/abort", {}, token=OPERATOR)
    first = (await shared.get(f"{AUDIT}?limit=2", token=OPERATOR)).json
    assert [one["path"] for one in first["orders"]] == ["/matches/3/abort", "/matches/2/abort"]
    second = (await shared.get(first["next"], token=OPERATOR)).json
    assert ([one["path"] for one in second["orders"]], second["next"]) == (["/matches/1/abort"], None)


async def test_an_order_that_is_done_is_answered_as_done_though_it_cannot_be_kept(
    shared: WebServer, monkeypatch: pytest.MonkeyPatch, errors_expected: None, caplog: pytest.LogCaptureFixture
) -> None:
    async def full(store: MemoryStore, record: AuditRecord) -> None:
        raise SaveFailed("the disk is full")

    monkeypatch.setattr(MemoryStore, "append_audit", full)
    await register(shared)
    assert (await shared.post("/api/v1/bots/ada/revoke", {}, token=OPERATOR)).status == 200
    assert "/bots/ada/revoke" in caplog.text  # who looks for it finds it in the log


def test_details_are_what_was_given_shortened_without_secrets_and_files() -> None:
    assert details_of(None) == {}
    assert details_of(SignInOrder(token="abc")) == {"token": "not kept"}
    assert details_of(ProgramOrder(game="nim", file_name="bot.py", content=bytes(1234)))["content"] == "1,234 bytes"
    assert details_of(WithdrawOrder(bot="x" * 300)) == {"bot": "x" * LONGEST_TEXT + "…"}
    names = tuple(str(number) for number in range(100))
    assert details_of(EnterOrder(bots=names)) == {"bots": [*names[:LONGEST_LIST], "and 60 more"]}

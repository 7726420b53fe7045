"""What operators alone are told, and what they change of the server itself."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.docs.api_page import all_routes
from tabiya.protocol.messages import Hello
from tabiya.server.settings import CHANGEABLE
from tests.fakes.kept_programs import KeptPrograms
from tests.present import present
from tests.server.local_bots import LocalBot, first_legal
from tests.server.web.handlers.test_sessions import register, signed_in
from tests.server.web.test_grades import graded
from tests.server.web.web_server import OPERATOR, WebServer, web_server

TOLD = [route.path for route in all_routes() if route.method == "GET" and route.access == "operator"]


@pytest.mark.parametrize("path", TOLD)
async def test_only_operators_get_the_operators_data(shared: WebServer, path: str) -> None:
    shared.server.hosting = KeptPrograms(shared.store)
    number, _ = await graded(shared)
    path = path.replace("{tournament}", str(number))
    token = await register(shared)
    _, page = await signed_in(shared, token)
    answers = [await shared.get(path), await shared.get(path, token=token), await shared.get(path, **page)]
    assert [answer.status for answer in answers] == [401, 401, 403]
    assert all(b"tulip" not in answer.body for answer in answers)
    assert (await shared.get(path, token=OPERATOR)).status == 200


# --- accounts


async def test_an_operator_makes_accounts_without_the_code_and_sees_them_all(shared: WebServer) -> None:
    made = await shared.post("/api/v1/accounts", {"name": "ada"}, token=OPERATOR)
    assert (made.status, made.json["name"]) == (201, "ada")
    assert (await shared.get("/api/v1/account", token=made.json["token"])).json["name"] == "ada"
    (await shared.post("/api/v1/accounts", {"name": "Ada"}, token=OPERATOR)).assert_refused(409, "taken")
    (await shared.post("/api/v1/accounts", {"name": "x\ny"}, token=OPERATOR)).assert_refused(400, "name")
    await shared.post("/api/v1/accounts", {"name": "bob"}, token=OPERATOR)
    await shared.post("/api/v1/bots/bob/revoke", {}, token=OPERATOR)
    first = (await shared.get("/api/v1/accounts?limit=1", token=OPERATOR)).json
    assert first["accounts"] == [{"name": "ada", "role": "bot", "shut_out": False, "connected": False}]
    rest = (await shared.get(first["next"], token=OPERATOR)).json
    assert [(one["name"], one["shut_out"]) for one in rest["accounts"]] == [("bob", True)]


# --- the invite code


async def test_a_new_code_lets_in_and_the_old_one_does_not_also_after_a_restart() -> None:
    async with web_server(host="0.0.0.0", operator_token=OPERATOR) as web:
        old = (await web.get("/api/v1/invite", token=OPERATOR)).json
        assert old == {"code": web.server.accounts.invite_secret, "fixed": False, "open_registration": False}
        new = (await web.post("/api/v1/invite", {}, token=OPERATOR)).json["code"]
        assert new != old["code"]
        answers = [await web.post("/api/v1/register", {"name": "ada", "invite": code}) for code in (old["code"], new)]
        assert [answer.status for answer in answers] == [403, 201]
        assert new not in (await web.get("/api/v1/audit", token=OPERATOR)).text
        tables = web.store.tables  # type: ignore[attr-defined]
    async with web_server(host="0.0.0.0", operator_token=OPERATOR, tables=tables) as again:
        answers = [await again.post("/api/v1/register", {"name": "bob", "invite": code}) for code in (old["code"], new)]
        assert [answer.status for answer in answers] == [403, 201]


async def test_a_code_that_is_set_at_the_start_is_not_changed_here(shared: WebServer) -> None:
    (await shared.post("/api/v1/invite", {}, token=OPERATOR)).assert_refused(409, "TABIYA_INVITE_SECRET")
    answer = (await shared.get("/api/v1/invite", token=OPERATOR)).json
    assert (answer["code"], answer["fixed"]) == ("tulip", True)


# --- settings


async def change(web: WebServer, **settings: Any) -> dict[str, Any]:
    answer = await web.post("/api/v1/settings", settings)
    assert answer.status == 200, answer.text
    return by_name(answer.json)


def by_name(settings: Any) -> dict[str, Any]:
    return {one["name"]: one for one in settings["settings"]}


async def test_settings_are_shown_without_secrets_and_the_databases_address() -> None:
    async with web_server(operator_token=OPERATOR, invite_secret="tulip") as web:
        answer = await web.get("/api/v1/settings")
        found = by_name(answer.json)
        assert not {"operator_token", "invite_secret", "database_url"} & set(found)
        assert OPERATOR not in answer.text
        assert "tulip" not in answer.text
        assert [one["name"] for one in answer.json["settings"] if one["changeable"]] == list(CHANGEABLE)
        assert all(found[name]["about"] for name in CHANGEABLE)
        assert not any("`" in found[name]["about"] for name in CHANGEABLE)  # the page shows it as it is
        assert found["limit_frame_bytes"]["variable"] == "TABIYA_LIMIT_FRAME_BYTES"
        assert found["port"]["variable"] == "TABIYA_PORT"


async def test_the_usual_time_holds_for_what_begins_from_now_on(web: WebServer) -> None:
    await web.bot("ada", first_legal)
    await web.bot("bob", first_legal)
    await change(web, time_control="5+0")
    assert (await web.json("/api/v1/server"))["time_control"] == "5+0"
    order = {"name": "cup", "game": "nim", "bots": ["ada", "bob"], "start": False}
    assert (await web.post("/api/v1/tournaments", order)).json["time_control"] == "5+0"


async def test_registration_is_closed_and_opened_while_the_server_runs(web: WebServer) -> None:
    assert (await change(web, open_registration=False))["open_registration"]["value"] is False
    (await web.post("/api/v1/register", {"name": "ada"})).assert_refused(403, "invite code")
    late = LocalBot(web.network, "ada", first_legal)
    late.say(Hello(name="ada"))
    await late.until(lambda: late.closed is not None)
    await change(web, open_registration=True)
    assert (await web.post("/api/v1/register", {"name": "ada"})).status == 201


async def test_how_patient_the_server_is_holds_for_new_matches(web: WebServer) -> None:
    await change(web, abandon_ms=7_000, open_wait_ms=8_000, illegal_limit=9, lag_credit=False)
    match = await web.begin("a1")
    active = present(web.dispatcher.runner.active(match))
    policy = active.match.terms.policy
    assert (policy.absence_ms, policy.open_wait_ms, policy.lag.per_move_ms) == (7_000, 8_000, 0)
    assert (await web.record(match)).illegal_limit == 9


async def test_no_more_matches_than_are_allowed_now(web: WebServer) -> None:
    await change(web, max_matches=1)
    await web.begin("a1")
    await web.bot("carl", first_legal)
    session = present(web.dispatcher.sessions.by_name("carl"))
    assert not web.dispatcher.matchmaker.may_play(session)
    await change(web, max_matches=2)
    assert web.dispatcher.matchmaker.may_play(session)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ({"time_control": "soon"}, "time_control"),
        ({"max_matches": 0}, "max_matches"),
        ({"port": 1}, "port"),
        ({"open_registration": "yes"}, "open_registration"),
    ],
)
async def test_what_cannot_be_is_refused_and_changes_nothing(web: WebServer, order: dict[str, Any], words: str) -> None:
    before = (await web.get("/api/v1/settings")).json
    (await web.post("/api/v1/settings", order)).assert_refused(400, words)
    assert (await web.get("/api/v1/settings")).json == before


async def test_a_restart_keeps_what_was_changed_and_null_brings_back_the_start(web: WebServer) -> None:
    await change(web, time_control="5+0", max_matches=3)
    tables = web.store.tables  # type: ignore[attr-defined]
    async with web_server(tables=tables, time_control="30+1") as again:
        found = by_name((await again.get("/api/v1/settings")).json)
        assert (found["time_control"]["value"], found["time_control"]["started_with"]) == ("5+0", "30+1")
        assert again.server.config.max_matches == 3
        back = await change(again, time_control=None)
        assert (back["time_control"]["value"], back["max_matches"]["value"]) == ("30+1", 3)
        assert (await again.json("/api/v1/server"))["time_control"] == "30+1"


async def test_settings_that_nobody_can_use_any_more_do_not_keep_a_server_from_starting(web: WebServer) -> None:
    for kept in ('{"max_matches": 0}', "no JSON", '{"of_another_version": 7, "max_matches": 5}'):
        await web.store.put_setting("changed_settings", kept)
        async with web_server(tables=web.store.tables) as again:  # type: ignore[attr-defined]
            assert again.server.config.max_matches == (5 if "5" in kept else 10_000)


# --- load


async def test_the_load_is_told_sample_by_sample(web: WebServer) -> None:
    await web.play()
    web.server.load.sample()
    answer = (await web.get("/api/v1/load")).json
    assert (answer["trouble"], answer["database"], answer["hosted"]) == ("", "memory:", False)
    last = answer["samples"][-1]
    assert (last["bots"], last["matches"], last["waiting"]) == (2, 0, 0)
    assert last["moves_per_s"] > 0
    assert last["save_ms"] > 0
    assert last["memory_bytes"] > 10_000_000
    assert (await web.get(f"/api/v1/load?after={last['at']}")).json["samples"] == []


async def test_the_same_numbers_are_told_to_prometheus(web: WebServer) -> None:
    await web.play()
    numbers = (await web.get("/metrics")).text
    for name in ("save_seconds_count", "save_seconds_sum", "loop_lag_seconds_count", "memory_bytes"):
        assert f"\ntabiya_{name} " in numbers

"""Who may give orders: never a page of another site, without a token only who sits at the machine."""

from __future__ import annotations

import pytest

from tests.server.web.web_server import OPERATOR, WebServer, web_server

ABORT = "/api/v1/matches/7/abort"
DONE = 404  # there is no match 7, but the order was heard


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "localhost:8080", "[::1]:8080", "tabiya.localhost"])
async def test_a_request_from_the_machine_itself_needs_no_token(web: WebServer, host: str) -> None:
    assert (await web.post(ABORT, {}, Host=host)).status == DONE


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.2", "", "[:", "evil.example:127"],
)
@pytest.mark.parametrize("path", [ABORT, "/api/v1/register", "/api/v1/tournaments"])
async def test_a_foreign_name_that_points_here_gives_no_orders(web: WebServer, host: str, path: str) -> None:
    token = f"Bearer {web.server.accounts.operator_token}"
    (await web.post(path, {"name": "ada"}, Host=host, Authorization=token)).assert_refused(403, "this machine only")


@pytest.mark.parametrize(
    "path", ["/", "/about", "/api/v1/server", "/api/v1/matches", "/client/", "/healthz", "/readyz", "/metrics"]
)
async def test_a_foreign_name_that_points_here_reads_nothing_and_is_told_the_setting(path: str) -> None:
    for listens_on in ("127.0.0.1", "0.0.0.0"):
        async with web_server(host=listens_on, allowed_hosts="class.example") as web:
            for host in ("evil.example", "127.0.0.1.evil.example:8080"):
                answer = await web.get(path, Host=host)
                assert answer.status == 403
                assert f"TABIYA_ALLOWED_HOSTS={host.removesuffix(':8080')}" in answer.text
                assert (await web.get(path, Host=host, Origin=f"http://{host}")).status == 403
            assert (await web.get(path, Host="class.example")).status == 200
            theirs = await web.get(path, Host="class.example", Origin="http://evil.example")
            is_public = path.startswith("/api/v1/") and listens_on == "0.0.0.0"
            assert theirs.status == (200 if is_public else 403)


async def test_a_bot_at_the_address_of_the_pages_by_a_foreign_name_is_told_what_to_set_in_plain_text() -> None:
    async with web_server(host="0.0.0.0") as web:
        answer = await web.get("/", Host="tabiya.example", Upgrade="websocket")
        assert (answer.status, answer.text.startswith("this server does not go by the name")) == (403, True)


async def test_behind_a_proxy_that_keeps_the_host_name_orders_need_the_setting_and_the_token() -> None:
    async with web_server(allowed_hosts="class.example", operator_token=OPERATOR) as web:
        origin = {"Host": "class.example", "Origin": "https://class.example"}
        assert (await web.post(ABORT, {}, **origin)).status == 401
        assert (await web.post(ABORT, {}, token=OPERATOR, **origin)).status == DONE
        assert (await web.post(ABORT, {}, token=OPERATOR, Host="other.example")).status == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "https://127.0.0.1", "null", "http://127.0.0.1:1"])
@pytest.mark.parametrize("path", [ABORT, "/api/v1/register"])
async def test_a_page_of_another_site_gives_no_orders(web: WebServer, origin: str, path: str) -> None:
    (await web.post(path, {"name": "ada"}, Origin=origin)).assert_refused(403, "other sites")
    assert (await web.get("/api/v1/account", Origin=origin)).status == 403


async def test_our_own_pages_may(web: WebServer) -> None:
    own = web.url.removeprefix("http://")
    assert (await web.post(ABORT, {}, Origin=web.url, Host=own)).status == DONE


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "text/json"]
)
async def test_a_form_of_a_foreign_page_cannot_send_an_order(web: WebServer, kind: str) -> None:
    for path in (ABORT, "/api/v1/register", "/api/v1/tournaments"):
        (await web.ask("POST", path, data=b"{}", headers={"Content-Type": kind})).assert_refused(
            415, "application/json"
        )


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", "X-Forwarded-Host"])
async def test_requests_through_a_proxy_need_the_token(web: WebServer, header: str) -> None:
    answer = await web.post(ABORT, {}, **{header: "203.0.113.9"})
    assert answer.status == 401


async def test_the_configuration_can_ask_who_sits_at_the_machine_for_the_token_too() -> None:
    async with web_server(local_orders=False, operator_token=OPERATOR) as web:
        assert (await web.post(ABORT, {})).status == 401
        assert (await web.post(ABORT, {}, token=OPERATOR)).status == DONE


async def test_a_server_for_others_asks_everybody_for_the_token(shared: WebServer) -> None:
    without = await shared.post(ABORT, {})
    assert (without.status, "needs the operator's token" in without.error) == (401, True)
    assert without.headers["WWW-Authenticate"].startswith("Bearer")
    for wrong in (f"Bearer {OPERATOR}x", "Bearer ", f"Basic {OPERATOR}", OPERATOR, "Bearer é", "Bearer \udcff"):
        assert (await shared.post(ABORT, {}, Authorization=wrong)).status == 401
    for right in (f"Bearer {OPERATOR}", f"bearer {OPERATOR}", f"Bearer  {OPERATOR}"):
        assert (await shared.post(ABORT, {}, Authorization=right)).status == DONE


async def test_every_order_of_the_operator_is_guarded_and_nothing_that_is_read(shared: WebServer) -> None:
    for path in ("/api/v1/tournaments", *(f"/api/v1/tournaments/1/{word}" for word in ("start", "pause", "cancel"))):
        assert (await shared.post(path, {})).status == 401
    for word in ("abort", "adjudicate", "replay"):
        assert (await shared.post(f"/api/v1/matches/1/{word}", {})).status == 401
    for path in ("/api/v1/server", "/api/v1/matches", "/api/v1/tournaments", "/api/v1/bots", "/", "/metrics"):
        assert (await shared.get(path)).status == 200


async def test_guessing_tokens_is_slow_at_every_address_and_a_missing_token_is_no_guess(shared: WebServer) -> None:
    assert {(await shared.post(ABORT, {})).status for _ in range(25)} == {401}
    assert (await shared.post("/api/v1/register", {"name": "ada", "invite": "tulip"})).status == 201
    guesses = ["POST /api/v1/bots/ada/token", "GET /api/v1/account", f"POST {ABORT}", "POST /api/v1/bots/ada/revoke"]
    statuses = []
    for number in range(22):
        method, path = guesses[number % 4].split()
        ask = shared.post(path, {}, token=f"{number}") if method == "POST" else shared.get(path, token=f"{number}")
        statuses.append((await ask).status)
    assert statuses == [401] * 20 + [429] * 2
    assert (await shared.post(ABORT, {}, token=OPERATOR)).status == 429
    assert (await shared.get("/api/v1/account", token=OPERATOR)).status == 429
    assert (await shared.post("/api/v1/register", {"name": "bob", "invite": "tulip"})).status == 429
    shared.server.accounts.guesses._buckets.clear()
    assert (await shared.post(ABORT, {}, token=OPERATOR)).status == DONE


async def test_guessing_tokens_locks_out_no_account_at_the_same_address(shared: WebServer) -> None:
    ada, bob = [
        (await shared.post("/api/v1/register", {"name": name, "invite": "tulip"})).json["token"]
        for name in ("ada", "bob")
    ]
    assert (await shared.post("/api/v1/bots/bob/role", {"role": "operator"}, token=OPERATOR)).status == 200
    statuses = [(await shared.get("/api/v1/account", token=f"{number}")).status for number in range(200)]
    assert statuses == [401] * 20 + [429] * 180
    assert (await shared.get("/api/v1/account", token=ada)).status == 200
    assert (await shared.post(ABORT, {}, token=bob)).status == DONE
    assert (await shared.post(ABORT, {}, token=ada)).status == 429
    assert (await shared.post("/api/v1/bots/bob/token", {}, token=ada)).status == 429
    assert (await shared.post("/api/v1/bots/ada/token", {}, token=ada)).status == 200

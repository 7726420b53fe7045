"""Who may give orders: never a page of another site, without a token only who sits at the machine."""

from __future__ import annotations

import pytest

from tests.server.web.house import House, house

TOKEN = "the operator's own"
ABORT = "/api/matches/7/abort"
DONE = 404  # there is no match 7, but the order was heard


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "localhost:8080", "[::1]:8080", "tabiya.localhost"])
async def test_who_sits_at_the_machine_needs_no_token(there: House, host: str) -> None:
    assert (await there.post(ABORT, {}, Host=host)).status == DONE


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.2", "", "[:", "evil.example:127"],
)
@pytest.mark.parametrize("path", [ABORT, "/api/register", "/api/tournaments"])
async def test_a_foreign_name_that_points_here_gives_no_orders(there: House, host: str, path: str) -> None:
    token = f"Bearer {there.server.accounts.operator_token}"
    answer = await there.post(path, {"name": "ada"}, Host=host, Authorization=token)
    assert (answer.status, "this machine only" in answer.error) == (403, True)


@pytest.mark.parametrize("origin", ["http://evil.example", "https://127.0.0.1", "null", "http://127.0.0.1:1"])
@pytest.mark.parametrize("path", [ABORT, "/api/register"])
async def test_a_page_of_another_site_gives_no_orders(there: House, origin: str, path: str) -> None:
    answer = await there.post(path, {"name": "ada"}, Origin=origin)
    assert (answer.status, "other sites" in answer.error) == (403, True)


async def test_our_own_pages_may(there: House) -> None:
    own = there.url.removeprefix("http://")
    assert (await there.post(ABORT, {}, Origin=there.url, Host=own)).status == DONE


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "text/json"]
)
async def test_what_a_form_of_a_foreign_page_can_send_is_no_order(there: House, kind: str) -> None:
    for path in (ABORT, "/api/register", "/api/tournaments"):
        answer = await there.ask("POST", path, data=b"{}", headers={"Content-Type": kind})
        assert (answer.status, "application/json" in answer.error) == (415, True)


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", "X-Forwarded-Host"])
async def test_what_comes_through_a_proxy_needs_the_token_since_it_may_come_from_anywhere(
    there: House, header: str
) -> None:
    answer = await there.post(ABORT, {}, **{header: "203.0.113.9"})
    assert answer.status == 401


async def test_the_configuration_can_ask_who_sits_at_the_machine_for_the_token_too() -> None:
    async with house(local_orders=False, operator_token=TOKEN) as there:
        assert (await there.post(ABORT, {})).status == 401
        assert (await there.post(ABORT, {}, Authorization=f"Bearer {TOKEN}")).status == DONE


async def test_a_server_for_others_asks_everybody_for_the_token() -> None:
    async with house(host="0.0.0.0", operator_token=TOKEN) as there:
        without = await there.post(ABORT, {})
        assert (without.status, "needs the operator's token" in without.error) == (401, True)
        assert without.headers["WWW-Authenticate"].startswith("Bearer")
        for wrong in (f"Bearer {TOKEN}x", "Bearer ", f"Basic {TOKEN}", TOKEN, "Bearer é", "Bearer \udcff"):
            answer = await there.ask("POST", ABORT, data=b"{}", headers=_with(wrong))
            assert answer.status == 401
        for right in (f"Bearer {TOKEN}", f"bearer {TOKEN}", f"Bearer  {TOKEN}"):
            assert (await there.post(ABORT, {}, Authorization=right)).status == DONE


def _with(authorization: str) -> dict[str, str]:
    return {"Content-Type": "application/json", "Authorization": authorization}


async def test_every_order_of_the_operator_is_guarded_and_nothing_that_is_read() -> None:
    async with house(host="0.0.0.0", operator_token=TOKEN) as there:
        for path in ("/api/tournaments", *(f"/api/tournaments/1/{word}" for word in ("start", "pause", "cancel"))):
            assert (await there.post(path, {})).status == 401
        for word in ("abort", "adjudicate", "replay"):
            assert (await there.post(f"/api/matches/1/{word}", {})).status == 401
        for path in ("/api/server", "/api/matches", "/api/tournaments", "/api/bots", "/", "/metrics"):
            assert (await there.get(path)).status == 200


async def test_who_guesses_tokens_has_to_wait_and_then_may_try_again() -> None:
    async with house(host="0.0.0.0", operator_token=TOKEN) as there:
        statuses = [(await there.post(ABORT, {}, Authorization=f"Bearer {n}")).status for n in range(22)]
        assert statuses == [401] * 20 + [429] * 2
        assert (await there.post(ABORT, {}, Authorization=f"Bearer {TOKEN}")).status == 429
        there.server.accounts.guesses._buckets.clear()
        assert (await there.post(ABORT, {}, Authorization=f"Bearer {TOKEN}")).status == DONE


async def test_forgetting_the_token_is_no_guess() -> None:
    async with house(host="0.0.0.0", operator_token=TOKEN) as there:
        assert {(await there.post(ABORT, {})).status for _ in range(25)} == {401}
        assert (await there.post(ABORT, {}, Authorization=f"Bearer {TOKEN}")).status == DONE

"""Pages of other sites read what everybody may, on a server that is there for others, and nothing else."""

from __future__ import annotations

import re

import pytest

from scripts.docs.api_page import all_routes
from tests.server.local_bots import first_legal
from tests.server.web.web_server import OPERATOR, WebServer, web_server

THEIRS = "https://statistics.example"
ALLOWED = "Access-Control-Allow-Origin"


async def test_a_page_of_another_site_reads_what_is_public_with_its_errors_and_no_credentials(
    shared: WebServer,
) -> None:
    for path, status in (("/games", 200), ("/matches", 200), ("/bots/nobody", 404), ("/matches?limit=many", 400)):
        answer = await shared.get(f"/api/v1{path}", Origin=THEIRS)
        assert (answer.status, answer.headers[ALLOWED]) == (status, "*")
        assert "Link" in answer.headers["Access-Control-Expose-Headers"]
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert (await shared.get(f"/api/v1{path}")).headers[ALLOWED] == "*"  # the same for all: caches may keep it


async def test_it_can_follow_a_match(shared: WebServer) -> None:
    for name in ("ada", "bob"):
        account = await shared.post("/api/v1/register", {"name": name, "invite": "tulip"})
        await shared.bot(name, first_legal, token=account.json["token"])
    answer = await shared.get(f"/api/v1/matches/{await shared.play()}/live", Origin=THEIRS)
    assert (answer.status, answer.headers[ALLOWED]) == (200, "*")


async def test_pages_of_other_sites_read_nothing_else_and_give_no_orders(shared: WebServer) -> None:
    closed = [route for route in all_routes() if not route.is_public]
    assert {route.method for route in closed} == {"GET", "POST"}
    places = {(route.method, re.sub("{.*?}", "1", route.path)) for route in closed}
    places |= {("GET", path) for path in ("/", "/static/tabiya.css", "/api/games", "/api/v1/nothing", "/client/")}
    for method, path in places:
        headers = {"Origin": THEIRS, "Authorization": f"Bearer {OPERATOR}", "Content-Type": "application/json"}
        answer = await shared.ask(method, path, headers=headers, data=b"{}" if method == "POST" else None)
        assert (path, answer.status) == (path, 403)
        assert ALLOWED not in answer.headers
    preflight = await shared.ask("OPTIONS", "/api/v1/register", headers={"Origin": THEIRS})
    assert preflight.status == 403
    assert ALLOWED not in preflight.headers


async def test_a_foreign_name_that_points_here_still_reads_nothing() -> None:
    async with web_server(host="0.0.0.0") as web:
        answer = await web.get("/api/v1/games", Host="evil.example", Origin="http://evil.example")
        assert answer.status == 403


@pytest.mark.parametrize("origin", [THEIRS, "null", "http://127.0.0.1.evil.example", "http://192.168.1.7", ""])
async def test_pages_from_elsewhere_cannot_read_a_server_for_this_machine(web: WebServer, origin: str) -> None:
    answer = await web.get("/api/v1/games", Origin=origin)
    assert answer.status == 403
    assert ALLOWED not in answer.headers
    assert ALLOWED not in (await web.get("/api/v1/games")).headers  # from a cache it would be shown to every site


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:5173", "http://[::1]:1"])
async def test_it_is_read_by_pages_of_this_machine(web: WebServer, origin: str) -> None:
    answer = await web.get("/api/v1/games", Origin=origin)
    assert (answer.status, answer.headers[ALLOWED]) == (200, origin)
    assert answer.headers.getall("Vary") == ["Accept-Encoding", "Origin"]
    assert (await web.post("/api/v1/register", {"name": "ada"}, Origin=origin)).status == 403

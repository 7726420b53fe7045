"""A server that others reach through a proxy: what it says about itself, and what it believes of those who ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.cookies import SimpleCookie

import aiohttp
import pytest
from aiohttp import web as http

from tabiya.cli.hosting.serve import announcement
from tabiya.server.web.downloads.client_wheel import client_wheel
from tabiya.server.web.http.auth import COOKIE
from tests.server.local_bots import first_legal
from tests.server.web.browser import Browser
from tests.server.web.play_page import PLIES, TABLE, click, type_move
from tests.server.web.web_server import OPERATOR, WebServer, web_server
from tests.storage.samples import NOON, new_match

PUBLIC, HOST = "https://games.example.org", "games.example.org"
ABORT = "/api/v1/matches/7/abort"
HEARD = 404  # there is no match 7, but the order was heard
AS_ASKED = {"Host": HOST, "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}


@pytest.fixture
async def behind() -> AsyncIterator[WebServer]:
    """A server for a proxy on its own machine."""
    async with web_server(public_url=PUBLIC, operator_token=OPERATOR, invite_secret="tulip") as running:
        yield running


async def test_pages_and_what_leads_to_them_name_the_public_address_however_they_are_asked(behind: WebServer) -> None:
    bots = [await behind.store.create_bot(name, created_at=NOON) for name in ("ada", "bob")]
    match = await behind.store.create_match(new_match((bots[0], bots[1])))
    for headers in (AS_ASKED, {}, {"Host": "localhost:8080"}):
        for path in ("/", "/about", "/client/", f"/matches/{match}", "/tournaments/feed.atom", "/projector"):
            text = (await behind.get(path, **headers)).text
            assert PUBLIC in text, path
            assert "127.0.0.1" not in text, path
        assert (
            f'property="og:url" content="{PUBLIC}/matches/{match}"'
            in (await behind.get(f"/matches/{match}", **headers)).text
        )
        assert f"{PUBLIC}/client/{client_wheel().name}" in (await behind.get("/client/", **headers)).text


async def test_the_policy_for_openers_is_sent_where_a_browser_heeds_it(behind: WebServer) -> None:
    policy = "Cross-Origin-Opener-Policy"
    for headers in (AS_ASKED, {"Host": "localhost:8080"}):
        assert (await behind.get("/", **headers)).headers[policy] == "same-origin"
    async with web_server(host="0.0.0.0") as lan:
        assert policy not in (await lan.get("/", Host="192.168.1.20:8080")).headers


async def test_requests_by_the_public_name_get_its_websocket_and_others_the_port(behind: WebServer) -> None:
    public, port = f"wss://{HOST}/websocket", behind.server.port
    assert (await behind.get("/api/v1/server", **AS_ASKED)).json["websocket"] == public
    assert (await behind.get("/api/v1/server", Host="127.0.0.1:8080")).json["websocket"] == f"ws://127.0.0.1:{port}"
    for headers, websocket in ((AS_ASKED, public), ({"Host": "localhost:8080"}, f"ws://localhost:{port}")):
        page = await behind.get("/play", **headers)
        assert f'data-websocket="{websocket}"' in page.text
        assert f"connect-src 'self' {websocket};" in page.headers["Content-Security-Policy"] + ";"


@pytest.mark.parametrize(("public_url", "is_secure"), [(PUBLIC, True), (f"http://{HOST}", False), ("", False)])
async def test_the_cookie_is_sent_by_https_only_if_the_public_address_has_https(
    public_url: str, is_secure: bool
) -> None:
    async with web_server(public_url=public_url, allowed_hosts=HOST, operator_token=OPERATOR) as web:
        answer = await web.post("/api/v1/session", {"token": OPERATOR}, Origin=f"http://{HOST}", **AS_ASKED)
        assert bool(SimpleCookie(answer.headers["Set-Cookie"])[COOKIE]["secure"]) == is_secure


async def test_orders_need_the_token_and_new_names_the_code_even_if_the_proxy_sends_no_header(
    behind: WebServer,
) -> None:
    (await behind.post(ABORT, {})).assert_refused(401, "operator")
    assert (await behind.post(ABORT, {}, token=OPERATOR)).status == HEARD
    assert (await behind.post(ABORT, {}, token=OPERATOR, Origin=PUBLIC, **AS_ASKED)).status == HEARD
    assert (await behind.json("/api/v1/server"))["open_registration"] is False


async def test_a_proxy_that_loses_the_name_is_told_so(behind: WebServer) -> None:
    lost = await behind.post(ABORT, {}, Origin=PUBLIC, Host="127.0.0.1:8080")
    lost.assert_refused(403, f"the proxy of {PUBLIC} asks for '127.0.0.1:8080'")
    (await behind.post(ABORT, {}, Origin="https://evil.example", **AS_ASKED)).assert_refused(403, "other sites")


async def test_pages_of_other_sites_read_what_everybody_may(behind: WebServer) -> None:
    answer = await behind.get("/api/v1/matches", Origin="https://school.example", **AS_ASKED)
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (200, "*")


async def test_no_request_header_changes_the_answer(web: WebServer) -> None:
    claims = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}
    for path in ("/about", "/api/v1/server"):
        text = (await web.get(path, **claims)).text
        assert "evil.example" not in text
        assert "https://127" not in text
        assert "wss:" not in text


async def test_the_start_says_the_public_address_and_what_the_proxy_has_to_do(behind: WebServer) -> None:
    server = behind.server
    text = "\n".join(announcement(server, lan=False))
    assert f"bots connect to wss://{HOST}/websocket, pages are at {PUBLIC}" in text
    assert f"passes wss://{HOST}/websocket on to port {server.port}, and all else to port {server.pages_port}" in text
    assert f"operator pages:  {PUBLIC}/operator" in text


# --- a whole way through


@asynccontextmanager
async def proxy(ports: dict[str, int]) -> AsyncIterator[int]:
    """A proxy on a port of its own. ports: `websocket` and `pages` of the server, put in once it is there."""

    async def pass_on(request: http.Request) -> http.StreamResponse:
        if request.path == "/websocket":
            return await _websocket(request, ports["websocket"])
        headers = {name: value for name, value in request.headers.items() if name != "Connection"}
        url = f"http://127.0.0.1:{ports['pages']}{request.raw_path}"
        async with session.request(request.method, url, headers=headers, data=await request.read()) as found:
            answer = http.StreamResponse(status=found.status, headers=found.headers)
            await answer.prepare(request)
            async for piece in found.content.iter_any():
                await answer.write(piece)
            return answer

    async def _websocket(request: http.Request, port: int) -> http.StreamResponse:
        offered = request.headers["Sec-WebSocket-Protocol"]
        kept = {name: request.headers[name] for name in ("Host", "Origin")}
        url = f"ws://127.0.0.1:{port}{request.path}"
        async with session.ws_connect(url, headers=kept, protocols=[offered]) as inner:
            outer = http.WebSocketResponse(protocols=[offered])
            await outer.prepare(request)

            async def down() -> None:
                async for message in inner:
                    await outer.send_str(message.data)

            async with asyncio.TaskGroup() as both:
                both.create_task(down())
                async for message in outer:
                    await inner.send_str(message.data)
                await inner.close()
            return outer

    app = http.Application()
    app.router.add_route("*", "/{path:.*}", pass_on)
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        runner = http.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.5)
        await runner.setup()
        await http.TCPSite(runner, "127.0.0.1", 0).start()
        yield int(runner.addresses[0][1])
        await runner.cleanup()


@pytest.mark.slow
async def test_a_person_plays_through_a_proxy_by_the_public_name(tab: Browser) -> None:
    ports: dict[str, int] = {}
    async with proxy(ports) as port:
        public = f"http://games.localhost:{port}"
        async with web_server(public_url=public, open_registration=True) as web:
            ports |= {"websocket": web.server.port, "pages": web.server.pages_port}
            bot = await web.bot("ada", first_legal)
            bot.accepts = True
            await tab.open(f"{public}/play?game=tictactoe")
            await tab.until(
                "[...document.querySelector('[name=opponent]').options].some(({ value }) => value === 'ada')"
            )
            await tab.read("document.querySelector('[name=seat]').value = '0'")
            await tab.read("document.querySelector('[name=name]').value = 'eve'")
            await click(tab, "[name=start]")
            await tab.until(TABLE)
            await type_move(tab, "b2")
            await tab.until(f"{PLIES} === 2")
            assert tab.complaints == []


@pytest.mark.slow
@pytest.mark.parametrize(("listens_on", "name"), [("127.0.0.1", "localhost"), ("0.0.0.0", "127.0.0.1")])
async def test_without_a_proxy_too_the_page_to_play_connects_by_the_name_that_it_was_asked_by(
    tab: Browser, listens_on: str, name: str
) -> None:
    async with web_server(host=listens_on, open_registration=True) as web:
        await tab.open(f"http://{name}:{web.server.pages_port}/play")
        await tab.until("!document.getElementById('terms').hidden")
        await tab.read("document.querySelector('[name=name]').value = 'eve'")
        await click(tab, "[name=invite]")
        await tab.until("!document.getElementById('waiting').hidden")
        assert tab.complaints == []

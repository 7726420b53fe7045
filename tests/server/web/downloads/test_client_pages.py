"""The client on the server's own pages."""

from __future__ import annotations

import hashlib

import pytest

from tabiya.server.web.downloads import client_pages
from tabiya.server.web.downloads.client_wheel import NoWheelError, client_wheel
from tabiya.server.web.http import server_view
from tests.server.web.page_reader import Page
from tests.server.web.web_server import WebServer, web_server


async def test_the_page_says_what_to_type_with_the_address_that_was_asked(web: WebServer) -> None:
    for host in ("192.0.2.7:8080", "Class.Example", "[2001:db8::1]:8080"):
        async with web_server(host="0.0.0.0", allowed_hosts="class.example") as shared:
            words = Page((await shared.get("/client/", Host=host)).text).words
        address = f"http://{host.lower()}"
        assert f'pip install "tabiya[all] @ {address}/client/{client_wheel().name}"' in words
        assert f"tabiya bot my_bot.py:MyBot --server {address} --game " in words
        assert '--name "Your name" --invite CODE' in words
    words = Page((await web.get("/client/")).text).words
    assert "--invite" not in words


async def test_the_file_is_the_wheel_and_the_page_links_to_it_with_its_digest(web: WebServer) -> None:
    wheel = client_wheel()
    answer = await web.get(f"/client/{wheel.name}")
    assert (answer.status, answer.body) == (200, wheel.data)
    assert answer.headers["Content-Type"] == "application/octet-stream"
    page = await web.get("/client/")
    assert f'href="/client/{wheel.name}#sha256={hashlib.sha256(answer.body).hexdigest()}"' in page.text
    assert (await web.get("/client")).headers["Location"] == "/client/"


@pytest.mark.parametrize("name", ["tabiya.whl", "..%2fpyproject.toml", "tabiya-9.9.9-py3-none-any.whl", "server.py"])
async def test_nothing_else_lies_there(web: WebServer, name: str) -> None:
    assert (await web.get(f"/client/{name}")).status == 404


async def test_a_server_that_cannot_offer_it_says_why(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> object:
        raise NoWheelError("it runs here without being installed")

    monkeypatch.setattr(client_pages, "client_wheel", none)
    answer = await web.get("/client/")
    assert (answer.status, "without being installed" in answer.text) == (404, True)


async def test_the_page_how_to_connect_leads_there_and_tells_other_languages_how_to_register() -> None:
    async with web_server(host="0.0.0.0") as web:
        text = (await web.get("/about", Host="192.0.2.7:8080")).text
        assert 'href="/client/"' in text
        assert "curl http://192.0.2.7:8080/api/v1/register" in text


async def test_the_projector_shows_an_address_that_the_class_can_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_view, "lan_address", lambda: "192.0.2.20")
    async with web_server(host="0.0.0.0", allowed_hosts="class.example") as web:
        port = web.server.pages_port
        for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
            for path in ("/", "/about", "/client/"):
                text = (await web.get(path, Host=host)).text
                assert f"http://192.0.2.20:{port}" in text
                assert f"ws://192.0.2.20:{web.server.port}" in text
                assert "127.0.0.1" not in text
        assert "http://class.example" in (await web.get("/", Host="class.example")).text


async def test_a_server_for_this_machine_alone_shows_its_own_address(web: WebServer) -> None:
    for path in ("/", "/about", "/client/"):
        assert web.url in (await web.get(path)).text

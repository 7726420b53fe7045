from __future__ import annotations

import asyncio
import json
import socket

import pytest

from tabiya.bots.client.address import Address, error_sentence, find_websocket, is_loopback, parse_address
from tabiya.bots.client.errors import AddressError, Unreachable
from tabiya.bots.client.hooks import in_thread
from tests.bots.client.fake_server import fake_server


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("ws://host:8765", Address("ws", "host", 8765, "")),
        ("wss://host/play/", Address("wss", "host", None, "/play")),
        ("localhost:8000", Address("", "localhost", 8000, "")),
        (" 127.0.0.1:8000 ", Address("", "127.0.0.1", 8000, "")),
        ("http://[::1]:8000/", Address("http", "::1", 8000, "")),
    ],
)
def test_addresses_as_people_type_them(text: str, address: Address) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "host",
        "host:",
        "host:99999",
        "host:abc",
        "ftp://host:21",
        "ws://",
        "a b:80",
        "[::1",
        "ws://[abc]:80",
        "a\u2100:80",
    ],
)
def test_what_is_no_address_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(AddressError, match="write HOST:PORT"):
        parse_address(text)


def test_an_address_is_written_with_the_brackets_of_ipv6() -> None:
    assert parse_address("http://[::1]:8000/x").url("ws") == "ws://[::1]:8000/x"


@pytest.mark.parametrize(
    ("host", "here"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("10.0.0.1", False)]
)
def test_loopback_is_known(host: str, here: bool) -> None:
    assert is_loopback(host) is here


def test_a_websocket_address_is_taken_as_it_is() -> None:
    assert find_websocket("ws://nowhere.invalid:1") == "ws://nowhere.invalid:1"


@pytest.mark.parametrize("scheme", ["", "http://"])
async def test_the_pages_tell_the_websocket(scheme: str) -> None:
    async with fake_server() as server:
        server.pages["/api/v1/server"] = (200, json.dumps({"websocket": "ws://10.1.2.3:99", "more": 1}).encode())
        assert await in_thread(find_websocket, f"{scheme}127.0.0.1:{server.port}") == "ws://10.1.2.3:99"


async def test_a_server_on_every_interface_is_reached_where_it_was_asked() -> None:
    async with fake_server() as server:
        server.pages["/api/v1/server"] = (200, b'{"websocket": "ws://0.0.0.0:99"}')
        assert await in_thread(find_websocket, f"localhost:{server.port}") == "ws://localhost:99"


async def test_a_websocket_typed_without_its_scheme_is_tried_itself() -> None:
    async with fake_server() as server:
        address = f"127.0.0.1:{server.port}"
        assert await in_thread(find_websocket, address) == f"ws://{address}"


async def test_the_bots_own_address_given_as_that_of_the_pages_is_taken_for_what_it_is() -> None:
    async with fake_server() as server:
        address = f"127.0.0.1:{server.port}"
        assert await in_thread(find_websocket, f"http://{address}") == f"ws://{address}"


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"websocket": 7}', b"\xff", b"[" * 100_000])
async def test_pages_of_something_else_are_no_tabiya_server_and_may_have_a_websocket(body: bytes) -> None:
    async with fake_server() as server:
        server.pages["/api/v1/server"] = (200, body)
        address = f"127.0.0.1:{server.port}"
        with pytest.raises(Unreachable, match="not as a Tabiya server"):
            await in_thread(find_websocket, f"http://{address}")
        assert await in_thread(find_websocket, address) == f"ws://{address}"


async def test_an_error_page_is_no_tabiya_server() -> None:
    async with fake_server() as server:
        server.pages["/api/v1/server"] = (404, b"")
        with pytest.raises(Unreachable, match="404"):
            await in_thread(find_websocket, f"http://127.0.0.1:{server.port}")


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b'{"error": "set TABIYA_ALLOWED_HOSTS"}', "set TABIYA_ALLOWED_HOSTS"),
        (b"set\n\x1b[31mTABIYA_ALLOWED_HOSTS\xff", "set [31mTABIYA_ALLOWED_HOSTS\ufffd"),
        (b"<!doctype html><p>no", ""),
        (b"[" * 4_096, ""),
        (b'{"error":', ""),
        (b"x" * 4_096, "x" * 300),
    ],
)
async def test_what_a_server_says_with_a_refusal_is_shown(body: bytes, shown: str) -> None:
    assert error_sentence(body) == shown
    async with fake_server() as server:
        server.pages["/api/v1/server"] = server.pages["/"] = (403, body)
        with pytest.raises(Unreachable, match="not as a Tabiya server") as refused:
            await in_thread(find_websocket, f"http://127.0.0.1:{server.port}")
        assert f"403: {shown or 'Forbidden'}" in str(refused.value)


async def test_https_typed_for_http_gives_a_hint() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        address = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        with pytest.raises(Unreachable, match="it speaks no TLS: write http:// for https://"):
            await in_thread(find_websocket, address)


def test_no_server_at_the_address_gives_one_sentence() -> None:
    with socket.socket() as taken:  # bound and not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(Unreachable) as caught:
            find_websocket(address)
    assert str(caught.value) == f"no server answers at {address} (Connection refused)"

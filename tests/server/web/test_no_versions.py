"""No answer of either port tells what the server is made of: who attacks need not know which versions to try."""

from __future__ import annotations

import asyncio
import re

import pytest

from tests.server.web.web_server import WebServer

HOST = b"Host: localhost\r\n"
UPGRADE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
ASKED = {
    "a page": b"GET / HTTP/1.1\r\n" + HOST,
    "the API": b"GET /api/v1/games HTTP/1.1\r\n" + HOST,
    "nothing": b"GET /api/v1/nothing HTTP/1.1\r\n" + HOST,
    "a file": b"GET /static/tabiya.css HTTP/1.1\r\n" + HOST,
    "an order": b"POST /api/v1/register HTTP/1.1\r\nContent-Length: 0\r\n" + HOST,
    "an unknown method": b"BREW / HTTP/1.1\r\n" + HOST,
    "a foreign name": b"GET / HTTP/1.1\r\nHost: evil.example\r\n",
    "a websocket": b"GET / HTTP/1.1\r\n" + HOST + UPGRADE,
    "a foreign websocket": b"GET / HTTP/1.1\r\nHost: evil.example\r\n" + UPGRADE,
    "no HTTP": b"GET / HTTP/9.9\r\n",
    "no words": b"\xff\xfe\r\n",
}


async def head_of(port: int, asked: bytes) -> str:
    """The head of what is answered; empty if the connection is closed without a word."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(asked + b"\r\n")
        return (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return ""
    finally:
        writer.transport.abort()


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("where", ["pages", "bots"])
async def test_no_header_names_a_version(web: WebServer, where: str, asked: bytes) -> None:
    port = web.server.pages_port if where == "pages" else web.server.port
    head = await head_of(port, asked)
    assert head.startswith("HTTP/1.") or where == "bots"
    assert re.search(r"aiohttp|python|uvloop|websockets/|jinja", head, re.IGNORECASE) is None
    assert re.findall(r"(?im)^server: (.*)\r$", head) in ([], ["Tabiya"])

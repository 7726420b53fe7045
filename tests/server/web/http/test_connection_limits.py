"""The pages' port: silent connections, half requests, deaf readers and crowds are cut, and nobody else notices."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from aiohttp.web import Request

from tabiya.protocol.limits import WireLimits
from tabiya.server.web.http import connection_limits
from tabiya.server.web.http.connection_limits import HttpConnectionLimiter
from tests.live import RawLine, eventually
from tests.server.web.web_server import WebServer, web_server
from tests.virtual_time import virtual_time

ASK = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
IDLE_S = 0.2


@asynccontextmanager
async def line_to(web: WebServer) -> AsyncIterator[RawLine]:
    """A TCP connection to the pages' port."""
    reader, writer = await asyncio.open_connection("127.0.0.1", web.server.pages_port)
    try:
        yield RawLine(reader, writer)
    finally:
        writer.transport.abort()


async def test_a_bot_at_the_address_of_the_pages_is_told_the_other_one() -> None:
    async with web_server() as web, line_to(web) as line:
        assert b" 421 " in await line.upgrade()
        where = web.server.websocket_url.replace("127.0.0.1", "localhost").encode()
        printed = await line.reader.readuntil(b"\n")
        assert printed.startswith(b"This is the address of the pages")
        assert where in printed or web.server.websocket_url.encode() in printed


@pytest.mark.slow
@pytest.mark.parametrize(
    "data", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: loc", ASK], ids=["nothing", "a word", "half", "a request"]
)
async def test_an_idle_connection_is_closed(data: bytes) -> None:
    loop = asyncio.get_running_loop()
    async with web_server(limits=WireLimits(pages_idle_s=IDLE_S)) as web:
        began = loop.time()
        async with line_to(web) as line:
            line.writer.write(data)
            await line.end()
            assert loop.time() - began > IDLE_S / 2
        assert web.server.web.connection_limiter.counts["idle"] == 1
        await eventually(lambda: len(web.server.web.connection_limiter) == 0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="uvloop has no Windows")
def test_the_limits_hold_on_the_loop_that_a_server_runs_on() -> None:
    import uvloop

    async def ask_and_wait() -> None:
        limits = WireLimits(pages_idle_s=1.0, pages_connections=1)  # time enough for the second to come meanwhile
        async with web_server(limits=limits) as web, line_to(web) as line:
            assert b" 200 " in await line.request("GET /healthz HTTP/1.1", "Host: localhost")
            async with line_to(web) as second:
                assert b" 503 " in await second.end()
            await line.end()
            assert web.server.web.connection_limiter.counts == {"turned_away": 1, "idle": 1}

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(ask_and_wait())


@pytest.mark.slow
async def test_a_request_head_sent_byte_by_byte_does_not_keep_the_connection_open() -> None:
    async with web_server(limits=WireLimits(pages_idle_s=IDLE_S)) as web, line_to(web) as line:
        end = asyncio.ensure_future(line.end())
        for byte in ASK * 10:
            line.writer.write(bytes([byte]) if byte != 10 else b"")
            await asyncio.sleep(0.01)
            if end.done():
                break
        assert end.done()
        await end


@pytest.mark.slow
async def test_an_incomplete_order_is_refused_in_time() -> None:
    async with web_server(limits=WireLimits(pages_body_s=0.1)) as web, line_to(web) as line:
        head = await line.request(
            "POST /api/v1/register HTTP/1.1", "Host: localhost", "Content-Type: application/json", "Content-Length: 100"
        )
        assert b" 408 " in head
        assert (await web.get("/healthz")).status == 200


async def test_more_connections_than_allowed_get_503_until_one_goes() -> None:
    async with web_server(limits=WireLimits(pages_connections=2)) as web:
        async with line_to(web) as one, line_to(web) as two, line_to(web) as three:
            assert b" 503 " in await three.end()
            for line in (one, two):
                line.writer.write(ASK)
                assert b" 200 " in await line.reader.readuntil(b"\r\n\r\n")
        async with line_to(web) as line:
            assert b" 200 " in await line.request("GET /healthz HTTP/1.1", "Host: localhost")
        assert web.server.web.connection_limiter.counts["turned_away"] == 1


async def test_one_address_gets_no_more_connections_than_its_own_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "is_loopback", lambda address: False)
    async with (
        web_server(limits=WireLimits(pages_connections_per_address=1)) as web,
        line_to(web) as one,
        line_to(web) as two,
    ):
        assert b" 503 " in await two.end()
        assert b" 200 " in await one.request("GET /healthz HTTP/1.1", "Host: localhost")


async def test_this_machine_is_exempt_from_the_limits_by_address() -> None:
    limits = WireLimits(pages_connections_per_address=1, pages_requests_per_second=1)
    async with web_server(limits=limits) as web, line_to(web), line_to(web):
        assert {(await web.get("/healthz")).status for _ in range(20)} == {200}


async def test_too_many_requests_are_told_when_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "is_loopback", lambda address: False)
    async with web_server(limits=WireLimits(pages_requests_per_second=1)) as web:
        answers = [await web.get("/api/v1/games") for _ in range(6)]
        assert [answer.status for answer in answers] == [200] * 4 + [429] * 2
        assert answers[-1].headers["Retry-After"] == "1"
        assert "too many requests" in answers[-1].error


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / \r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 2_000 + b"\r\n",
        b"\x16\x03\x01" * 9 + b"\r\n\r\n",
    ],
    ids=["version", "none", "headers", "tls"],
)
async def test_bytes_that_are_not_http_get_400_and_no_error_in_the_log(
    data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with web_server() as web, line_to(web) as line:
        line.writer.write(data)
        head = await line.reader.readuntil(b"\r\n\r\n")
        assert b" 400 " in head
        assert b"\r\nServer: Tabiya\r\n" in head  # and neither Python nor aiohttp
        assert b"\r\nContent-Type: application/problem+json\r\n" in head
        assert b'"detail":"this cannot be read as HTTP' in await line.reader.readuntil(b"}")
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


class FakeTransport:
    """Takes nothing of what is written unless told."""

    def __init__(self) -> None:
        self.waiting, self.aborted = 0, False

    def get_extra_info(self, name: str) -> Any:
        return ("192.0.2.1", 1)

    def set_protocol(self, protocol: object) -> None: ...

    def is_closing(self) -> bool:
        return self.aborted

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def abort(self) -> None:
        self.aborted = True


class FakeHandler(asyncio.Protocol):
    """Stands for aiohttp's."""


@virtual_time
async def test_a_client_that_does_not_read_is_cut_and_a_slow_one_is_not() -> None:
    limiter = HttpConnectionLimiter(WireLimits(pages_idle_s=30)).open(FakeHandler)
    deaf, slow = FakeTransport(), FakeTransport()
    for transport in (deaf, slow):
        limiter.accept(cast("asyncio.Transport", transport))
        transport.waiting = 50_000
    for _ in range(10):
        await asyncio.sleep(20)
        slow.waiting -= 1
    assert (deaf.aborted, slow.aborted) == (True, False)
    assert len(limiter) == 1
    limiter.close()


@virtual_time
async def test_an_answer_may_take_as_long_as_it_takes() -> None:
    limiter = HttpConnectionLimiter(WireLimits(pages_idle_s=30)).open(FakeHandler)
    transport = FakeTransport()
    limiter.accept(cast("asyncio.Transport", transport))
    (handler,) = limiter._connections
    request = cast("Request", type("Asking", (), {"protocol": handler, "remote": "127.0.0.1"}))
    limiter.request_started(request)
    await asyncio.sleep(1_000)
    assert len(limiter) == 1
    limiter.request_finished(request)
    await asyncio.sleep(40)
    assert (len(limiter), transport.aborted) == (0, True)
    limiter.close()

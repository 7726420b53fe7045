"""A standby that waits answers at the address of its pages: it lives, and another one serves."""

from __future__ import annotations

import socket

import aiohttp
import pytest

from tabiya.server.standby_status import standby_status
from tests.ports import free_port


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/healthz", 200, '"ok"'),
        ("/readyz", 503, '"waiting"'),
        ("/metrics", 200, "tabiya_standby_waiting 1"),
        ("/api/v1/server", 503, "ask that one"),
        ("/", 503, "ask that one"),
    ],
)
async def test_it_lives_and_is_not_ready(path: str, status: int, words: str) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}{path}"
    async with standby_status("127.0.0.1", port), aiohttp.ClientSession() as session, session.get(url) as answer:
        assert (answer.status, words in await answer.text()) == (status, True)


async def test_its_port_is_free_for_the_pages_afterwards_with_a_connection_still_open() -> None:
    port = free_port()
    async with aiohttp.ClientSession() as session:
        async with standby_status("127.0.0.1", port), session.get(f"http://127.0.0.1:{port}/healthz") as answer:
            assert answer.status == 200
        async with standby_status("127.0.0.1", port), session.get(f"http://127.0.0.1:{port}/healthz") as answer:
            assert answer.status == 200


async def test_where_another_program_has_the_port_the_standby_waits_all_the_same() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        async with standby_status("127.0.0.1", taken.getsockname()[1]):
            pass
    async with standby_status("127.0.0.1", 0):
        pass

"""Before it serves, a server answers at the address of its pages: it lives, and why it is not ready."""

from __future__ import annotations

import socket

import aiohttp
import pytest

from tabiya.server.start_status import STARTING, WAITING, StartStatus
from tests.ports import free_port


@pytest.mark.parametrize(
    ("state", "path", "code", "words"),
    [
        (STARTING, "/healthz", 200, '"ok"'),
        (STARTING, "/readyz", 503, '"starting"'),
        (STARTING, "/metrics", 200, "tabiya_standby_waiting 0"),
        (STARTING, "/", 503, "is starting"),
        (WAITING, "/healthz", 200, '"ok"'),
        (WAITING, "/readyz", 503, '"waiting"'),
        (WAITING, "/metrics", 200, "tabiya_standby_waiting 1"),
        (WAITING, "/api/v1/server", 503, "ask that one"),
        (WAITING, "/", 503, "ask that one"),
    ],
)
async def test_it_lives_and_is_not_ready(state: str, path: str, code: int, words: str) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}{path}"
    async with StartStatus("127.0.0.1", port) as status, aiohttp.ClientSession() as session:
        status.status = state
        async with session.get(url) as answer:
            assert (answer.status, words in await answer.text()) == (code, True)


async def test_a_person_reads_a_page_that_looks_again_by_itself() -> None:
    port = free_port()
    address, wanted = f"http://127.0.0.1:{port}/projector", {"Accept": "text/html,*/*"}
    async with (
        StartStatus("127.0.0.1", port),
        aiohttp.ClientSession() as session,
        session.get(address, headers=wanted) as answer,
    ):
        text = await answer.text()
        assert (answer.status, answer.content_type) == (503, "text/html")
    assert "<p>This server is starting; the first time" in text
    assert '<meta http-equiv="refresh" content="5">' in text


async def test_its_port_is_free_for_the_pages_afterwards_with_a_connection_still_open() -> None:
    port = free_port()
    async with aiohttp.ClientSession() as session:
        async with StartStatus("127.0.0.1", port), session.get(f"http://127.0.0.1:{port}/healthz") as answer:
            assert answer.status == 200
        async with StartStatus("127.0.0.1", port), session.get(f"http://127.0.0.1:{port}/healthz") as answer:
            assert answer.status == 200


async def test_where_another_program_has_the_port_the_start_goes_on_all_the_same() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        async with StartStatus("127.0.0.1", taken.getsockname()[1]):
            pass
    async with StartStatus("127.0.0.1", 0):
        pass

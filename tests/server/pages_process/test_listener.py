"""What is heard from a server: every event in order, and the next address when something is wrong."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence

import msgspec
import pytest
from aiohttp import web

from tabiya.server.pages_process import listener
from tabiya.server.pages_process.listener import ServerListener
from tabiya.server.pages_process.mirror import MirroredServer
from tabiya.server.web.live.streams import CLOSING, sse_event
from tabiya.server.web.schemas.live_server import LiveServer
from tests.live import eventually
from tests.server.pages_process.test_mirror import mirror, moves, news

ALL = LiveServer(snapshot_complete=True)


def event(number: int, reported: LiveServer) -> bytes:
    """As a server writes it."""
    return sse_event("news", number, msgspec.json.encode(reported))


@contextlib.asynccontextmanager
async def answering(*answers: Sequence[bytes] | int) -> AsyncIterator[str]:
    """A server that answers with one of these after the other: parts of a stream, or a status; its address."""
    waiting, over = iter(answers), asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        now = next(waiting, 503)
        if isinstance(now, int):
            return web.json_response({"error": "not by this name"}, status=now)
        response = web.StreamResponse()
        await response.prepare(request)
        for part in now:
            await response.write(part)
        if now[-1] != CLOSING:
            await over.wait()
        return response

    app = web.Application()
    app.router.add_get("/live", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        over.set()
        await runner.cleanup()


@contextlib.asynccontextmanager
async def listening(*addresses: str) -> AsyncIterator[MirroredServer]:
    """What is told by who listens to these."""
    mirrored = mirror()
    task = asyncio.create_task(ServerListener(addresses, mirrored).run())
    try:
        yield mirrored
    finally:
        task.cancel()
        await asyncio.wait([task])


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that says nothing is left after a moment, and the next try comes at once."""
    monkeypatch.setattr(listener, "SILENT_S", 0.2)
    monkeypatch.setattr(listener, "RETRY_S", 0.01)


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (404, "does not answer: status 404 (not by this name)"),
        ([event(1, ALL), event(3, LiveServer(matches=(news(1, 1),)))], "does not answer: an event was missed"),
        ([event(1, ALL), b"event: news\nid: 2\ndata: {]\n\n"], "cannot be read; is it of this version?"),
        ([event(1, ALL), b"id: x\ndata: {}\n\n"], "cannot be read; is it of this version?"),
        ([event(1, ALL)], "does not answer: "),  # and says nothing more
        ([event(1, ALL), CLOSING], "has closed"),
    ],
)
async def test_whatever_goes_wrong_the_next_address_is_tried(
    first: list[bytes] | int, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "tabiya.pages")
    begins = LiveServer(matches=(news(1, 2),))
    goes_on = [event(7, begins), event(7, ALL), event(8, LiveServer(matches=(news(1, 3, after=2),)))]
    async with answering(first) as one, answering(goes_on) as other, listening(one, other) as mirrored:
        await eventually(lambda: len(moves(mirrored, 1) or ()) == 3)
        assert (mirrored.server_url, mirrored.trouble) == (other, "")
        assert any(one in printed and words in printed for printed in caplog.messages)


async def test_of_several_addresses_that_answer_nothing_each_is_logged_once_until_one_is_heard(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "tabiya.pages")
    async with (
        answering(404, 404, 404) as one,
        answering(404, [event(1, ALL), CLOSING], 404) as other,
        listening(one, other),
    ):
        await eventually(lambda: sum("status 503" in printed for printed in caplog.messages) == 2)
    lost = "does not answer: status 404 (not by this name)"
    assert caplog.messages[:6] == [
        *(f"{one} {lost}", f"{other} {lost}"),
        *(f"{other} answers", f"{other} has closed"),
        *(f"{one} {lost}", f"{other} {lost}"),
    ]


async def test_after_an_error_of_ours_it_listens_on(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_take = MirroredServer.take

    def take(mirrored: MirroredServer, news: LiveServer) -> None:
        monkeypatch.setattr(MirroredServer, "take", real_take)
        raise KeyError("of ours")

    caplog.set_level(logging.INFO, "tabiya.pages")
    monkeypatch.setattr(MirroredServer, "take", take)
    async with answering([event(1, ALL)], [event(1, ALL)]) as address, listening(address) as mirrored:
        await eventually(lambda: not mirrored.trouble)
    assert "KeyError: 'of ours'" in caplog.messages[0]


async def test_an_event_of_a_megabyte_is_read() -> None:
    many = LiveServer(present=dict.fromkeys(range(50000), ("tictactoe",)), snapshot_complete=True)
    assert len(event(1, many)) > 2**20
    async with answering([event(1, many)]) as address, listening(address) as mirrored:
        await eventually(lambda: len(mirrored.present()) == 50_000)

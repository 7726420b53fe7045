"""Following a page: what changes is told with its numbers; who has missed something is told to load it again."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator

import pytest

from tabiya.server.web.http.json_responses import HttpError
from tabiya.server.web.live import pages as live_pages
from tabiya.server.web.live import streams
from tabiya.server.web.live.pages import MAX_CHANGES, PageState
from tabiya.server.web.live.parts import parts_of
from tabiya.server.web.pages import pages
from tests.server.local_bots import first_legal
from tests.server.web.live.event_reader import Event, events_of
from tests.server.web.web_server import GAME, LINE, WebServer, web_server
from tests.waiting import WITHIN_S, until

PATH = "/standings/tictactoe"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No page is shared for a time, and those that are followed are looked at often."""
    monkeypatch.setattr(pages, "PAGE_CACHE_S", 0.0)
    for name in ("PACE_S", "IDLE_REFRESH_S", "REFRESH_FACTOR"):
        monkeypatch.setattr(live_pages, name, 0.001)


@contextlib.asynccontextmanager
async def followed(web: WebServer, path: str, number: object, **headers: str) -> AsyncIterator[AsyncIterator[Event]]:
    """The events of a page from the state with this number on."""
    address = f"{web.url}{path}{'&' if '?' in path else '?'}after={number}"

    async with (
        asyncio.timeout(WITHIN_S),
        web.session.get(address, headers={"Accept": "text/event-stream"} | headers) as answer,
    ):
        assert answer.status == 200, await answer.text()
        yield events_of(answer)


async def numbered(web: WebServer, path: str = PATH) -> int:
    """The number of the state that the page shows."""
    found = re.search(r'<body data-live="(\d+)"', (await web.get(path)).text)
    assert found
    return int(found[1])


async def test_a_result_changes_the_page_of_all_who_follow_it_by_the_same_event(web: WebServer) -> None:
    await web.play(LINE)
    number = await numbered(web)
    async with followed(web, PATH, number) as one, followed(web, PATH, number) as other:
        await web.play(LINE, bots=("ada", "eve"))
        (name, to, change), same = await anext(one), await anext(other)
        assert (name, to, change) == same
        assert (name, change["from"]) == ("change", number)
        assert "eve" in str(change["parts"]["standings"])
        assert int(to) == await numbered(web) > number
    async with followed(web, PATH, number) as later:  # it has missed that one, and is told now
        assert await anext(later) == same
    async with followed(web, PATH, number, **{"Last-Event-ID": to}) as up_to_date:
        await web.play(LINE, bots=("tim", "eve"))
        assert (await anext(up_to_date))[2]["from"] == int(to)


@pytest.mark.parametrize("path", ["/tournaments/1", "/embed/tournaments/1"])
async def test_a_followed_tournament_shows_its_end_and_then_says_that_nothing_changes_any_more(
    web: WebServer, path: str
) -> None:
    for name in ("ada", "bob"):
        await web.bot(name, first_legal)
    order = {"name": "cup", "game": GAME, "bots": ["ada", "bob"], "start": False}
    await web.post("/api/v1/tournaments", order)
    number = await numbered(web, path)
    async with followed(web, path, number) as events:
        await web.post("/api/v1/tournaments/1/start", {})
        reported = [event async for event in events]
    assert {event.name for event in reported[:-1]} == {"change"}
    assert "ended" in str(reported[-2].data)
    assert reported[-1].name == "over"
    assert "data-live" not in (await web.get(path)).text
    async with followed(web, path, reported[-2].data["from"]) as late:
        assert [event.name async for event in late] == ["change", "over"]


@pytest.mark.parametrize("number", [1, "", "x", "9" * 30, -1])
async def test_a_page_of_another_state_is_told_to_reload(web: WebServer, number: object) -> None:
    async with followed(web, PATH, number) as events:
        assert [event[0] async for event in events] == ["reload"]


async def test_a_page_that_cannot_be_rendered_is_said_to_be_out_of_date_until_it_can(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = type(web.server.standings)
    number = await numbered(web)
    async with followed(web, PATH, number) as events:
        with monkeypatch.context() as broken:

            async def away(*_: object) -> None:
                raise HttpError(503, "the database is away")

            broken.setattr(cache, "standings", away)
            assert (await anext(events))[0] == "stale"
        assert (await anext(events))[0] == "fresh"


async def test_a_quiet_page_is_heard_to_beat_and_is_not_looked_at_when_everybody_has_left(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.001)
    async with followed(web, PATH, await numbered(web)) as events:
        assert (await anext(events))[0] == "beat"
    await until(lambda: not any("_keep_fresh" in str(task) for task in asyncio.all_tasks()))


async def test_a_server_that_stops_renders_no_page_any_more() -> None:
    async with web_server() as web:
        number = await numbered(web, "/bots")
        async with followed(web, "/bots", number) as events:
            await web.server.stop()
            assert (await anext(events))[0] == "closing"
        assert [task for task in asyncio.all_tasks() if "_keep_fresh" in str(task) or "make()" in str(task)] == []


async def test_what_cannot_be_followed_says_so(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    accept = {"Accept": "text/event-stream"}
    assert (await web.get("/matches/77", **accept)).status == 404
    assert (await web.get("/about", **accept)).status == 406
    monkeypatch.setattr(live_pages, "MAX_PAGES", 1)
    async with followed(web, PATH, await numbered(web)) as _:
        assert (await web.get("/bots", **accept)).status == 503


async def test_a_page_that_cannot_be_cut_into_parts_is_shown_and_not_followed(
    web: WebServer, monkeypatch: pytest.MonkeyPatch, errors_expected: None
) -> None:
    monkeypatch.setattr(live_pages, "parts_of", lambda page: parts_of(page + "<p>"))
    page = await web.get(PATH)
    assert page.status == 200
    assert "data-live" not in page.text


async def test_states_are_remembered_for_a_while_and_their_numbers_only_rise() -> None:
    page = PageState()
    numbers = [page.take({}, {"rows": [(0, 1, (str(i),))]} if i else None) for i in range(MAX_CHANGES + 2)]
    assert numbers == sorted(set(numbers))
    assert page.take({}, {}) == numbers[-1]
    assert len(page.since(numbers[1])) == MAX_CHANGES
    assert page.since(numbers[0]) == page.since(5) == []
    page.take({}, None)
    assert page.since(numbers[-1]) == []  # a page with other parts is no change of this one

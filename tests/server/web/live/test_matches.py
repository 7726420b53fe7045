"""Following a match: every follower sees the present state, and the last one for certain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import Move
from tabiya.server.web.live import streams
from tests.server.web.live.event_reader import events_of
from tests.server.web.web_server import LINE, WebServer, web_server
from tests.waiting import until


async def states(web: WebServer, match: int) -> AsyncIterator[dict[str, Any]]:
    """The states of a stream until it ends, or an empty one for the word that the server closes."""
    async with web.session.get(f"{web.url}/api/v1/matches/{match}/live") as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"] == "text/event-stream"
        assert answer.headers["Cache-Control"] == "no-store"
        async for event in events_of(answer):
            assert event.name in ("state", "closing")
            assert event.number == str(event.data.get("ply", ""))
            yield event.data


async def test_a_match_is_followed_to_its_end_by_many_and_has_one_state_afterwards(web: WebServer) -> None:
    match = await web.begin("a1 a2 b1 b2")
    await web.at_ply(match, 4)
    followers = 5
    seen: list[list[dict[str, Any]]] = [[] for _ in range(followers)]

    async def follow(mine: list[dict[str, Any]]) -> None:
        async for state in states(web, match):
            mine.append(state)
            if [len(each) for each in seen] == [1] * followers:
                web.bots["ada"].say(Move(match=match, ply=4, move="c1"))

    await asyncio.gather(*map(follow, seen))
    for first, *_, last in seen:
        assert (first["status"], first["ply"], first["to_move"], first["result"]) == ("running", 4, 0, None)
        assert first["clock_ms"][0] > 50_000
        assert (last["status"], last["ply"], last["to_move"]) == ("ended", 5, None)
        assert last["moves"] == last["readable"] == LINE.split()
        assert last["result"]["sentence"] == "ada completed a line against bob"
        assert last["position"] == "3x3x3 XXXOO---- O"
    assert web.dispatcher.runner.spectators.watchers(match) == 0
    [state] = [state async for state in states(web, match)]
    assert (state["status"], state["ply"], state["result"]["result"]) == ("ended", 5, "1-0")


async def test_a_match_that_freezes_ends_the_stream(web: WebServer, errors_expected: None) -> None:
    match = await web.begin("a1 a2")
    await web.at_ply(match, 2)
    seen: list[str] = []
    async for state in states(web, match):
        if not seen:
            await web.freeze(match)
        seen.append(state["status"])
    assert (seen[0], seen[-1]) == ("running", "frozen")
    [state] = [state async for state in states(web, match)]
    assert (state["status"], state["moves"]) == ("frozen", ["a1", "a2"])


async def test_a_quiet_match_is_heard_to_beat(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.001)
    match = await web.begin("")
    async with web.session.get(f"{web.url}/api/v1/matches/{match}/live") as answer:
        async for line in answer.content:
            if line == b": beat\n":
                return
    pytest.fail("the stream ended without a beat")


async def test_a_closed_stream_ends_watching(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.001)
    match = await web.begin("")
    async for _ in states(web, match):
        assert web.dispatcher.runner.spectators.watchers(match) == 1
        break
    await until(lambda: not web.dispatcher.runner.spectators.watchers(match))


async def test_the_last_word_of_a_stream_is_that_the_server_closes() -> None:
    async with web_server() as web:
        match = await web.begin("")
        seen = []
        async for state in states(web, match):
            seen.append(state.get("status"))
            if len(seen) == 1:
                await web.server.stop()
        assert seen == ["running", None]


@pytest.mark.parametrize(
    ("limits", "words"),
    [(WireLimits(spectators_per_match=1), "watchers"), (WireLimits(connections=1), "too many")],
    ids=["a match", "the server"],
)
async def test_spectators_of_a_match_and_of_the_server_are_limited(limits: WireLimits, words: str) -> None:
    async with web_server(limits=limits) as web:
        match = await web.begin("")
        async for _ in states(web, match):
            (await web.get(f"/api/v1/matches/{match}/live")).assert_refused(503, words)
            break

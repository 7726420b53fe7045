"""Following a match: every follower sees the present state, and the last one for certain."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import Move
from tabiya.server.web import live
from tests.server.web.house import LINE, House, house


async def states(there: House, match: int) -> AsyncIterator[dict[str, Any]]:
    """The states of a stream until it ends, or an empty one for the word that the server closes."""
    async with there.session.get(f"{there.url}/api/matches/{match}/live") as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"] == "text/event-stream"
        assert answer.headers["Cache-Control"] == "no-store"
        event: dict[str, str] = {}
        async for line in answer.content:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                event[name] = value
            elif "data" in event:
                assert event["event"] in ("state", "closing")
                state = json.loads(event["data"])
                assert event.get("id", "None") == str(state.get("ply"))
                yield state
                event = {}


async def test_a_match_is_followed_to_its_end(there: House) -> None:
    match = await there.begin("a1 a2 b1 b2")
    await there.at_ply(match, 4)
    seen = []
    async for state in states(there, match):
        seen.append(state)
        if len(seen) == 1:
            there.bots["ada"].say(Move(match=match, ply=4, move="c1"))
    first, last = seen[0], seen[-1]
    assert (first["status"], first["ply"], first["to_move"], first["result"]) == ("running", 4, 0, None)
    assert first["clock_ms"][0] > 50_000
    assert (last["status"], last["ply"], last["to_move"]) == ("ended", 5, None)
    assert last["moves"] == last["readable"] == LINE.split()
    assert last["result"]["sentence"] == "ada completed a line against bob"
    assert last["position"] == "3x3x3 XXXOO---- O"


async def test_many_followers_see_the_same_end(there: House) -> None:
    match = await there.begin("a1 a2 b1 b2")
    await there.at_ply(match, 4)

    async def ending() -> list[dict[str, Any]]:
        return [state async for state in states(there, match)]

    followers = [asyncio.create_task(ending()) for _ in range(5)]
    while there.dispatcher.runner.spectators.watchers(match) < 5:  # noqa: ASYNC110  (they come by the network)
        await asyncio.sleep(0)
    there.bots["ada"].say(Move(match=match, ply=4, move="c1"))
    ends = [(await follower)[-1] for follower in followers]
    assert {state["result"]["result"] for state in ends} == {"1-0"}
    assert there.dispatcher.runner.spectators.watchers(match) == 0


async def test_a_match_that_has_ended_is_one_event(there: House) -> None:
    match = await there.play(LINE)
    [state] = [state async for state in states(there, match)]
    assert (state["status"], state["ply"], state["result"]["result"]) == ("ended", 5, "1-0")


async def test_a_match_that_freezes_ends_the_stream(there: House, errors_expected: None) -> None:
    match = await there.begin("a1 a2")
    await there.at_ply(match, 2)
    seen: list[str] = []
    async for state in states(there, match):
        if not seen:
            await there.freeze(match)
        seen.append(state["status"])
    assert (seen[0], seen[-1]) == ("running", "frozen")
    [state] = [state async for state in states(there, match)]
    assert (state["status"], state["moves"]) == ("frozen", ["a1", "a2"])


async def test_a_quiet_match_is_heard_to_beat(there: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "HEARTBEAT_S", 0.001)
    match = await there.begin("")
    async with there.session.get(f"{there.url}/api/matches/{match}/live") as answer:
        async for line in answer.content:
            if line == b": beat\n":
                return
    pytest.fail("the stream ended without a beat")


async def test_who_goes_away_watches_no_more(there: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "HEARTBEAT_S", 0.001)
    match = await there.begin("")
    async for _ in states(there, match):
        assert there.dispatcher.runner.spectators.watchers(match) == 1
        break
    async with asyncio.timeout(20):
        while there.dispatcher.runner.spectators.watchers(match):  # noqa: ASYNC110  (the network tells it)
            await asyncio.sleep(0)


async def test_the_last_word_of_a_stream_is_that_the_server_closes() -> None:
    async with house() as there:
        match = await there.begin("")
        seen = []
        async for state in states(there, match):
            seen.append(state.get("status"))
            if len(seen) == 1:
                await there.server.stop()
        assert seen == ["running", None]


async def test_a_match_has_as_many_watchers_as_are_allowed() -> None:
    async with house(limits=WireLimits(spectators_per_match=1)) as there:
        match = await there.begin("")
        async for _ in states(there, match):
            answer = await there.get(f"/api/matches/{match}/live")
            assert (answer.status, "watchers" in answer.error) == (503, True)
            break


async def test_the_server_holds_as_many_streams_as_are_allowed() -> None:
    async with house(limits=WireLimits(connections=1)) as there:
        match = await there.begin("")
        async for _ in states(there, match):
            answer = await there.get(f"/api/matches/{match}/live")
            assert (answer.status, "too many" in answer.error) == (503, True)
            break

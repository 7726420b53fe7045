"""The stream by which other processes know what goes on: all that runs, then what is new, once for all readers."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator

import msgspec
import pytest

from tabiya.protocol.messages import Move
from tabiya.server.web.live import server_news
from tabiya.server.web.schemas.live_server import LiveServer, MatchNews
from tests.live import eventually
from tests.server.local_bots import first_legal
from tests.server.web.live.event_reader import events_of
from tests.server.web.web_server import WebServer


async def news_events(web: WebServer) -> AsyncIterator[tuple[int, LiveServer]]:
    """The events of the stream with their numbers."""
    async with web.session.get(f"{web.url}/live") as answer:
        assert answer.status == 200
        async for event in events_of(answer):
            if event.name == "news":
                yield int(event.number), msgspec.convert(event.data, LiveServer, strict=False)


async def matches_until(web: WebServer, match: int, moves: int) -> list[MatchNews]:
    """What is told of a match until it has so many moves or has ended."""
    found: list[MatchNews] = []
    async for _, event in news_events(web):
        found += [news for news in event.matches if news.state.match == match]
        if found and (found[-1].state.ply >= moves or found[-1].state.result):
            break
    return found


async def test_a_reader_is_told_what_runs_and_then_every_move_once(web: WebServer) -> None:
    match = await web.begin("a1 a2 b1 b2")
    await web.at_ply(match, 4)
    numbers, found, is_begun = [], list[MatchNews](), False
    async for number, event in news_events(web):
        numbers.append(number)
        found += event.matches
        if event.snapshot_complete:
            is_begun = True
            web.bots["ada"].say(Move(match=match, ply=4, move="c1"))
        if found and found[-1].state.result:
            break
    assert is_begun
    assert numbers == sorted(numbers)
    assert all(later - earlier <= 1 for earlier, later in itertools.pairwise(numbers))
    assert (found[0].state.moves, found[0].after, found[0].thinking) == (("a1", "a2", "b1", "b2"), 0, True)
    assert (found[-1].state.result, found[-1].state.ply, found[-1].state.moves[-1]) == ("1-0", 5, "c1")
    await eventually(lambda: web.dispatcher.runner.spectators.on_change is None)  # nobody reads any more
    assert "server news" not in {task.get_name() for task in asyncio.all_tasks() if not task.cancelling()}


async def test_moves_that_a_reader_has_are_not_told_again(web: WebServer) -> None:
    match = await web.begin("a1 a2 b1")
    await web.at_ply(match, 3)
    found = list[MatchNews]()
    async for _, event in news_events(web):
        found += event.matches
        if event.snapshot_complete:
            web.bots["bob"].say(Move(match=match, ply=3, move="b2"))
        if len(found) == 2:
            web.bots["ada"].say(Move(match=match, ply=4, move="c2"))
        if found and found[-1].state.ply == 5:
            break
    assert [news.after for news in found[:3]] == [0, 0, 4]  # once whole for all readers, then what is new
    assert found[-1].state.moves == ("c2",)


@pytest.mark.slow
@pytest.mark.usefixtures("errors_expected")
async def test_bots_that_come_and_go_and_frozen_matches_are_told(web: WebServer) -> None:
    match = await web.begin("a1 a2")
    await web.at_ply(match, 2)
    come, left, frozen, is_left = set[int](), set[int](), False, False
    async for _, event in news_events(web):
        come |= {bot for bot, games in event.present.items() if games is not None}
        left |= {bot for bot, games in event.present.items() if games is None}
        frozen |= any(news.frozen for news in event.matches)
        if event.snapshot_complete:
            await web.bot("eve", first_legal)
        if len(come) == 3 and not is_left:
            is_left = True
            web.bots["eve"].client.cut()
            await web.freeze(match)
        if left and frozen:
            break
    assert left == come - set(web.server.web._view.present())


async def test_a_reader_that_does_not_read_is_cut(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_news, "MOST_UNREAD", 2)
    reader = server_news._Reader()
    for number in range(4):
        reader.take(b"%d" % number)
    assert reader.is_lost
    assert await reader.next() == b"01"


async def test_two_readers_are_told_the_same(web: WebServer) -> None:
    match = await web.begin("a1 a2 b1 b2")
    await web.at_ply(match, 4)
    reading = asyncio.gather(matches_until(web, match, 5), matches_until(web, match, 5))
    await eventually(lambda: web.dispatcher.runner.spectators.on_change is not None)
    web.bots["ada"].say(Move(match=match, ply=4, move="c1"))
    first, second = await reading
    assert json.loads(msgspec.json.encode(first[-1].state)) == json.loads(msgspec.json.encode(second[-1].state))
    assert first[-1].state.result == "1-0"

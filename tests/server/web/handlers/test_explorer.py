"""Questions about searches through the API: passed on as they were asked, answered as the explorer answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

import pytest

from tabiya.explorer.explorer import Explorer
from tabiya.server.explorer import ExplorerBusy, NoAnswer
from tabiya.storage.records import ReviewRecord
from tests.server.web.web_server import WebServer
from tests.waiting import WITHIN_S

SEARCH = "/api/v1/explorer/search"


class Scripted:
    """An explorer that answers what it was told to."""

    def __init__(self, *parts: int | bytes | Exception) -> None:
        self.parts, self.asked, self.left = parts, list[Mapping[str, Any]](), asyncio.Event()
        self.reviews: list[int | ReviewRecord | Exception | asyncio.Event] = []  # each time; at an event it waits

    async def search(self, question: Mapping[str, Any]) -> AsyncGenerator[int | bytes]:
        self.asked.append(question)
        try:
            for part in self.parts:
                if isinstance(part, Exception):
                    raise part
                yield part
            while not isinstance(self.parts[-1], bytes):
                await asyncio.sleep(0.01)
                yield 1
        finally:
            self.left.set()

    async def calls(self, question: Mapping[str, Any], visit: int) -> bytes:
        raise NoAnswer(f"there is no visit {visit}")

    async def difference(self, question: Mapping[str, Any], other: Mapping[str, Any]) -> bytes:
        self.asked += [question, other]
        return b"{}"

    def listings(self) -> bytes:
        return b'{"listings": []}'

    def examples(self) -> bytes:
        return b'{"examples": []}'

    async def exercises(self, asked: Mapping[str, Any]) -> bytes:
        self.asked.append(asked)
        if "kinds" in asked:
            raise NoAnswer("there is no such kind")
        return b'{"exercises": []}'

    async def review(self, game: str, start: str, moves: Sequence[str]) -> AsyncGenerator[int | ReviewRecord]:
        self.asked.append({"game": game, "start": start, "moves": moves})
        for part in self.reviews:
            if isinstance(part, Exception):
                raise part
            if isinstance(part, asyncio.Event):
                await part.wait()
            else:
                yield part

    async def close(self) -> None: ...


async def test_a_search_is_told_as_it_goes_on_and_then_whole(web: WebServer) -> None:
    web.server.explorer = scripted = Scripted(0, 2048, b'{"visits":1}\nbytes')
    answer = await web.get(f"{SEARCH}?tree=001&depth=2&min_begins=true&alpha=-3&order=none")
    assert answer.body == b'{"nodes": 0}\n{"nodes": 2048}\n{"visits":1}\nbytes'
    assert scripted.asked == [{"tree": "001", "depth": 2, "min_begins": True, "alpha": -3}]


async def test_a_search_that_fails_on_the_way_says_so_at_its_end(web: WebServer) -> None:
    web.server.explorer = Scripted(0, NoAnswer("it has taken too long"))
    answer = await web.get(f"{SEARCH}?tree=001")
    assert (answer.status, answer.body) == (200, b'{"nodes": 0}\n{"problem": "it has taken too long"}\n')


@pytest.mark.parametrize(
    ("error", "status"), [(ValueError("no"), 400), (NoAnswer("no"), 400), (ExplorerBusy("no"), 503)]
)
async def test_a_search_that_does_not_begin_is_refused(web: WebServer, error: Exception, status: int) -> None:
    web.server.explorer = Scripted(error)
    answer = await web.get(f"{SEARCH}?tree=001")
    answer.assert_refused(status, "no")
    assert ("Retry-After" in answer.headers) == (status == 503)


@pytest.mark.parametrize(
    "query", ["depth=65", "alpha=1000001", "min_begins=perhaps", "ply=1", "position=" + "8" * 1001]
)
async def test_a_question_out_of_bounds_is_refused(web: WebServer, query: str) -> None:
    web.server.explorer = scripted = Scripted(b"")
    (await web.get(f"{SEARCH}?{query}")).assert_refused(400, "a value in the address is not allowed")
    assert scripted.asked == []


async def test_a_search_ends_when_its_client_goes_away(web: WebServer) -> None:
    web.server.explorer = scripted = Scripted(0)
    async with web.session.get(web.url + SEARCH, params={"tree": "001"}) as answer:
        assert await answer.content.readline() == b'{"nodes": 0}\n'
        answer.close()
    async with asyncio.timeout(WITHIN_S):
        await scripted.left.wait()


async def test_a_server_without_an_explorer_says_so(web: WebServer) -> None:
    for address in ("search", "calls", "listings", "examples", "exercises"):
        (await web.get(f"/api/v1/explorer/{address}")).assert_refused(503, "without a search explorer")


async def test_impossible_questions_about_a_visit_are_refused(web: WebServer) -> None:
    web.server.explorer = Scripted(0)
    (await web.get("/api/v1/explorer/calls?tree=001&visit=7")).assert_refused(400, "there is no visit 7")
    assert await web.json("/api/v1/explorer/listings") == {"listings": []}
    assert await web.json("/api/v1/explorer/examples") == {"examples": []}


async def test_the_other_search_is_as_the_first_where_nothing_else_is_said(web: WebServer) -> None:
    web.server.explorer = scripted = Scripted(0)
    await web.json("/api/v1/explorer/difference?tree=001&order=perfect&other_order=none&other_algorithm=minimax")
    assert scripted.asked == [
        {"tree": "001", "order": "perfect"}, {"tree": "001", "order": "none", "algorithm": "minimax"},
    ]  # fmt: skip


async def test_a_sheet_of_exercises_is_asked_for_as_the_address_says(web: WebServer) -> None:
    web.server.explorer = scripted = Scripted(0)
    assert await web.json("/api/v1/explorer/exercises?seed=0&count=24&level=0") == {"exercises": []}
    (await web.get("/api/v1/explorer/exercises?kinds=chess")).assert_refused(400, "there is no such kind")
    assert scripted.asked == [{"seed": 0, "count": 24}, {"kinds": "chess"}]
    for query in ("count=0", "count=25", "level=4", "seed=-1", "kind=cuts"):
        (await web.get(f"/api/v1/explorer/exercises?{query}")).assert_refused(400, "a value in the address is")


@pytest.mark.slow
async def test_the_real_one_searches_and_shows_its_lines(web: WebServer) -> None:
    web.server.explorer = Explorer(processes=1)
    query = "game=reversi&depth=2&algorithm=pvs-failhard"
    lines = (await web.get(f"{SEARCH}?{query}")).body.split(b"\n")
    head = next(json.loads(line) for line in lines if line.startswith(b'{"question"'))
    assert head["report"]["depth"] == 2
    calls = (await web.json(f"/api/v1/explorer/calls?{query}&visit=2"))["calls"]
    assert [call["function"] for call in calls] == ["alphabetapvs"] * 3
    (await web.get(f"{SEARCH}?tree=[[1,2]")).assert_refused(400, "a tree is nested lists")
    sheet = await web.json("/api/v1/explorer/exercises?seed=3&count=2&kinds=cuts")
    assert [exercise["kind"] for exercise in sheet["exercises"]] == ["cuts", "cuts"]

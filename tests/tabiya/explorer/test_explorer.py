"""Searches in processes: shared, kept, stopped, and bounded."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.cli.players.game_sources import FoundGame
from tabiya.cli.players.review_cache import ReviewCache
from tabiya.explorer.explorer import Explorer
from tabiya.games.registry import load_game, names
from tabiya.review.judge import judge
from tabiya.review.judged_by import USUAL_NODES
from tabiya.server.archive.reviews import decoded
from tabiya.server.explorer import ExplorerBusy, NoAnswer
from tabiya.storage.records import ReviewRecord

LONG: dict[str, Any] = {"game": "tictactoe", "depth": 8, "algorithm": "minimax"}


@pytest.fixture
async def explorer() -> AsyncIterator[Explorer]:
    opened = Explorer(processes=1)
    yield opened
    await opened.close()


async def answer(explorer: Explorer, **question: Any) -> dict[str, Any]:
    """The head of a recorded search."""
    async for part in explorer.search(question):
        if isinstance(part, bytes):
            found: dict[str, Any] = json.loads(part.partition(b"\n")[0])
            return found
    raise AssertionError("no answer")


async def under_way(explorer: Explorer, **question: Any) -> Any:
    """A search that has visited nodes."""
    parts = explorer.search(question)
    async for part in parts:
        assert isinstance(part, int)
        if part:
            return parts
    raise AssertionError("it has ended")


@pytest.mark.slow
async def test_a_process_answers_and_is_asked_again(explorer: Explorer) -> None:
    assert (await answer(explorer, tree="001"))["report"]["nodes"] == 11
    (process,) = explorer._free
    assert json.loads(await explorer.calls({"tree": "001"}, 9))["calls"][1]["visit"] == 9
    with pytest.raises(NoAnswer, match="visits 0 to 10, not 11"):
        await explorer.calls({"tree": "001"}, 11)
    with pytest.raises(ValueError, match="give one of game and tree"):
        await answer(explorer)
    assert explorer._free == [process]
    assert os.getpriority(os.PRIO_PROCESS, process.pid) > os.getpriority(os.PRIO_PROCESS, 0)  # matches go first
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(NoAnswer, match="has ended; try again"):
        await answer(explorer, tree="002")
    assert (await answer(explorer, tree="002"))["report"]["nodes"] == 4
    assert explorer._free[0].pid != process.pid


@pytest.mark.slow
async def test_a_search_ends_with_its_last_client(explorer: Explorer) -> None:
    first = await under_way(explorer, **LONG)
    second = await under_way(explorer, **LONG)
    await first.aclose()
    assert len(explorer._searches) == 1
    await second.aclose()
    async with asyncio.timeout(20):
        assert (await answer(explorer, tree="001"))["report"]["value"] == 0  # by the same process
    assert len(explorer._free) == 1


async def test_what_was_searched_is_kept_and_the_oldest_forgotten(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    async def run(key: str, question: dict[str, Any]) -> bytes:
        asked.append(question["question"]["tree"])
        explorer._keep(key, bytes(10))
        del explorer._searches[key]
        return bytes(10)

    monkeypatch.setattr(explorer, "_run", run)
    monkeypatch.setattr("tabiya.explorer.explorer.MOST_KEPT", 20)
    for tree in ("000", "001", "000", "002", "000", "001"):
        assert [part async for part in explorer.search({"tree": tree, "algorithm": "000-alphabeta"})] == [bytes(10)]
    assert asked == ["000", "001", "002", "001"]


async def test_too_many_questions_are_told_to_come_again(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.explorer.explorer.MOST_WAITING", 1)
    monkeypatch.setattr(explorer, "_run", lambda key, question: asyncio.sleep(60, b""))
    async with contextlib.aclosing(explorer.search({"tree": "001"})) as parts:
        assert await anext(parts) == 0
        with pytest.raises(ExplorerBusy, match="1 searches are already waiting"):
            await answer(explorer, tree="002")


def a_game(name: str, seed: int = 5) -> tuple[str, list[str]]:
    """Its start, and moves at random, of a long game the first ones."""
    position, moves, chosen = load_game(name).start(), list[str](), random.Random(seed)
    start = position.text()
    while position.outcome() is None and len(moves) < 12:
        moves.append(chosen.choice(position.legal_moves()))
        position = position.play(moves[-1])
    return start, moves


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_game_of_each_is_judged_as_tabiya_review_does_it(explorer: Explorer) -> None:
    for game in names():
        start, moves = a_game(game)
        parts = [part async for part in explorer.review(game, start, moves)]
        *progress, made = parts
        assert isinstance(made, ReviewRecord)
        assert [part for part in progress if not isinstance(part, int) or not 0 <= part <= len(moves)] == []
        assert decoded(made.judged) == tuple(judge(load_game(game), start, moves, USUAL_NODES))
        found = FoundGame(1, game, ("ada", "bob"), "1-0", start, tuple(moves))
        assert made.judged_by == ReviewCache(None, USUAL_NODES).judged_by(found)  # which then reads it and judges not


@pytest.mark.slow
async def test_a_game_that_cannot_be_judged_has_a_sentence(explorer: Explorer) -> None:
    with pytest.raises(NoAnswer, match="a9"):
        [part async for part in explorer.review("nim", "1,3,7 normal 1", ["a9"])]


def test_each_listing_has_its_lines_from_the_first_function_on_and_those_of_its_book(explorer: Explorer) -> None:
    listings = {listing["name"]: listing for listing in json.loads(explorer.listings())["listings"]}
    assert len(listings) == 24
    shown = listings["000-alphabeta"]
    assert shown["lines"][0].startswith("def BlueValue(b: Node")
    with open(shown["path"], encoding="utf-8") as file:  # noqa: PTH123 - in a checkout, from its root
        assert file.read().split("\n")[shown["first_line"] - 1] == shown["lines"][0]
    assert (shown["family"], shown["text"], shown["fail"]) == ("", "000", "fail-soft")
    assert shown["printed"][1:3] == [
        ["    if (GameOver(b) or depth > MaxDepth)", [14]],
        ["        return Analysis(b)", [15]],
    ]


async def test_each_example_is_a_question_that_can_be_asked(explorer: Explorer) -> None:
    examples = json.loads(explorer.examples())["examples"]
    assert len({example["name"] for example in examples}) == len(examples) > 50
    for example in examples:
        given = {name: value for name, value in example["address"].items() if not name.startswith("other_")}
        other = {name.removeprefix("other_"): value for name, value in example["address"].items() if name not in given}
        for question in (given, given | other):
            SearchQuestion(**question).checked()

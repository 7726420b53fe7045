"""What the explorer's modules make of recordings: the same as in Python, step by step; an outline for drawing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tabiya.bots.textbook.catalogue import LISTINGS
from tabiya.bots.textbook.recording.recording import Recording
from tests.bots.textbook.boards import DEPTHS, positions
from tests.bots.textbook.trees import even_trees, uneven_trees
from tests.server.web.browser import Browser
from tests.server.web.pages.explore_page import exploring, read_in_page, recorded

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

TELL, FAULTS = (
    Path(__file__).with_name(f"explore_{name}.js").read_text(encoding="utf-8") for name in ("told", "faults")
)
CUTS = """(recording) => [...Array(recording.steps).keys()].map((step) =>
    [recording.nextCut(step), recording.cutBefore(step)])"""

MOST = 800


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(browser_address: str) -> AsyncIterator[Browser]:
    """A tab in which the modules can be loaded."""
    async with exploring(browser_address) as (_, tab):
        yield tab


def described(recording: Recording, about: dict[str, Any]) -> dict[str, Any]:
    visits = [
        [
            recording.entered(visit), recording.finished(visit), recording.sizes[visit], recording.path(visit),
            list(recording.below(visit)), recording.move_of(visit), recording.left(visit), recording.is_again(visit),
            list(recording.seen_by(visit)), list(recording.seen_by(visit, mover=True)),
        ]
        for visit in range(len(recording))
    ]  # fmt: skip
    return {
        "at": [list(recording.at(step)) for step in range(recording.steps)],
        "counts": [list(recording.counts(step)) for step in range(recording.steps)],
        "visits": visits,
        "line": list(about["report"]["line"]) if len(recording) > 1 else [],  # 004-greedy's is no visit
    }


def searches() -> list[tuple[str, dict[str, Any]]]:
    """A name and a question: every listing on trees with either side to begin, and on a game."""
    found = []
    trees = [tree for tree in (*even_trees(3), *uneven_trees(3)) if tree.size() < 150]
    for listing in LISTINGS:
        if listing.looks.value not in ("one ply", "at the moves themselves") and not listing.precludes:
            for number, tree in enumerate(trees):
                begins: dict[str, Any] = {"min_begins": tree.seat == 1}
                found.append((f"{listing.name} {number}", {"algorithm": listing.name, "tree": str(tree)} | begins))
        [position, *_] = positions("reversi")
        given = {"algorithm": listing.name, "game": "reversi", "position": position.text(), "depth": 2}
        found.append((f"{listing.name} reversi", given))
    return found


async def test_it_tells_the_same_as_in_python(page: Browser) -> None:
    for name, given in searches():
        recording, about = recorded(**given)
        assert await read_in_page(page, recording, about, TELL) == described(recording, about), name


async def test_it_tells_the_same_of_every_game(page: Browser) -> None:
    for game, depth in DEPTHS.items():
        for position in positions(game)[:2]:
            given = {"game": game, "position": position.text(), "depth": min(2, depth), "near": game == "connect5"}
            recording, about = recorded(algorithm="pvs-failhard", **given)
            assert await read_in_page(page, recording, about, TELL) == described(recording, about), (game, position)


async def test_the_next_cut_and_the_one_before_are_found_from_every_step(page: Browser) -> None:
    recording, about = recorded(game="reversi", depth=4, algorithm="pvs-failhard")
    cuts = sorted(recording.finished(visit) for visit in range(len(recording)) if recording.left_count[visit])
    expected = [
        [next((cut for cut in cuts if cut > step), None), next((cut for cut in reversed(cuts) if cut < step), None)]
        for step in range(recording.steps)
    ]
    assert len(cuts) > 20
    assert await read_in_page(page, recording, about, CUTS) == expected


async def test_what_is_not_whole_and_what_cannot_be_searched_is_said(page: Browser) -> None:
    failing = """import("/static/explore_recording.js").then(({ readRecording }) =>
        readRecording(new Response(TEXT))).catch(({ message }) => message)"""
    for text, says in (
        ('\'{"nodes":5}\\n{"problem":"it is too big"}\\n\'', "it is too big"),
        ("'{\"nodes\":5}\\n'", "the server's answer is incomplete"),
    ):
        assert await page.read(failing.replace("TEXT", text)) == says


SEARCHES: list[dict[str, Any]] = [
    {"game": "reversi", "depth": 5, "algorithm": "pvs-failhard"},
    {"game": "connect5", "depth": 2, "algorithm": "alphabeta-failsoft"},
    {"game": "chess", "depth": 3, "algorithm": "alphabeta-failhard"},
    {"tree": f"[{','.join(map(str, range(2_000)))}]", "algorithm": "minimax"},
    *({"tree": str(tree), "algorithm": "004-alphabeta-printed"} for tree in uneven_trees(6)),
]


@pytest.mark.parametrize("given", SEARCHES, ids=lambda given: f"{given.get('game', given.get('tree'))}"[:30])
async def test_some_hundreds_of_items_are_drawn_with_the_way_to_the_current_one(
    page: Browser, given: dict[str, Any]
) -> None:
    recording, about = recorded(**given)
    most, faults = await read_in_page(page, recording, about, FAULTS)
    assert faults == []
    assert most < MOST

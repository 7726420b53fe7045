"""What is searched, said in a browser: an example by a word, a position on the board; how all of it fits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tabiya.bots.textbook.recording.scenes import SCENES
from tests.server.web.browser import Browser
from tests.server.web.pages.explore_page import exploring, open_search
from tests.server.web.pages.measures import AXE, EVERY_RULE, axe, shown
from tests.server.web.play_page import click
from tests.server.web.web_server import WebServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

Page = tuple[WebServer, Browser]
STEP = "document.getElementById('slider').valueAsNumber"
SENTENCE = "document.querySelector('[data-of=sentence]').textContent"
FOUND = "[...document.querySelectorAll('[name=example] option')].map(({ textContent }) => textContent)"
PLAYED = "[...document.querySelectorAll('#setup .played li')].map(({ textContent }) => textContent).join(' ')"
OPEN = "document.getElementById('setup-box').open = true"
OUTSIDE = """(() => {
  const frame = document.querySelector(".tree").getBoundingClientRect();
  const isInside = ({ left, right, top, bottom }) =>
    left >= frame.left && right <= frame.right && top >= frame.top && bottom <= frame.bottom;
  const boxes = [...document.querySelectorAll(".item > rect")].filter((box) => box.getAttribute("width") > 0);
  return [boxes.length, boxes.filter((box) => !isInside(box.getBoundingClientRect())).length];
})()"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(browser_address: str) -> AsyncIterator[Page]:
    """A server that searches, and a tab."""
    async with exploring(browser_address) as found:
        yield found


async def find(tab: Browser, words: str) -> list[str]:
    """What is listed for these words."""
    await tab.read("document.querySelector('[name=find]').select()")
    await tab.tell("Input.insertText", text=words)
    return list(await tab.read(FOUND))


async def test_an_example_is_found_by_a_word_and_opened_by_enter(page: Page) -> None:
    web, tab = page
    await open_search(web, tab)
    await tab.read(OPEN)
    assert len(await tab.read(FOUND)) == len(SCENES)
    assert await find(tab, "deep cut") == ["Deep cut off: pruning can occur many levels deep in the tree"]
    assert await tab.read("document.getElementById('examples-found').textContent") == f"1 of {len(SCENES)}"
    await tab.read(f"{AXE}; 0")
    assert await tab.read(axe(EVERY_RULE)) == []
    await tab.press("Enter")
    await tab.until("document.getElementById('example-says').textContent.includes('many levels deep')")
    assert await tab.read("document.querySelector('[name=what]:checked').value") == "example"
    assert await find(tab, "no such thing") == []
    nim = await find(tab, "nim")
    assert 0 < len(nim) < 10  # and not those that have minimax


@pytest.mark.parametrize(
    "given",
    [
        {"game": "chess", "depth": 3, "algorithm": "alphabeta-failhard"},
        {"game": "reversi", "depth": 4, "algorithm": "pvs-failhard"},
        {"game": "connect5", "depth": 2, "algorithm": "alphabeta-failsoft", "near": "true"},
        {"tree": "[[[3,12,8],[2,4,6],[14,5,2]],[[3,12,8],[2,4,6],[14,5,2]],[[3,12,8],[2,4,6],[14,5,2]]]"},
    ],
    ids=lambda given: str(given.get("game", "tree")),
)
async def test_all_that_is_drawn_is_seen_at_the_start_and_at_the_end(page: Page, given: dict[str, Any]) -> None:
    web, tab = page
    await shown(tab, 1440)
    await open_search(web, tab, **given)
    for key in ("Home", "End"):
        await tab.press(key)
        drawn, outside = await tab.read(OUTSIDE)
        assert drawn > 8
        assert outside == 0


async def test_the_board_follows_the_steps_and_a_move_on_it_is_searched_from_there(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, game="chess", moves="e4", depth=1, algorithm="000-minimax")
    await tab.read(OPEN)
    await tab.until(f"{PLAYED} === 'e4'")
    await tab.press("ArrowRight")
    await tab.until(f"{PLAYED} === 'e4 Na6'")
    assert "moves=e4" in await tab.read("location.search")
    await tab.press("Home")
    await tab.until(f"{PLAYED} === 'e4'")
    await tab.press("ArrowRight")
    await tab.until(f"{PLAYED} === 'e4 Na6'")
    await click(tab, "#setup [data-place=g1]")
    await click(tab, "#setup [data-place=f3]")
    await tab.until("location.search.includes('moves=e2e4+b8a6+g1f3')")
    assert await tab.read(STEP) == 0
    assert await tab.read(PLAYED) == "e4 Na6 Nf3"
    assert await tab.read(SENTENCE) == "The root, where Black is to move, is searched."


async def test_a_wrong_question_is_corrected_in_the_form(page: Page) -> None:
    web, tab = page
    await tab.open(f"{web.url}/explore?tree=[[1,2]")
    await tab.until("document.getElementById('status').textContent.includes('a tree is nested lists')")
    tab.complaints.clear()  # the browser's own word about the answer
    await tab.read(OPEN)
    await tab.read("document.querySelector('#question [name=tree]').select()")
    await tab.tell("Input.insertText", text="[[1,2],3]")
    await tab.read("document.getElementById('question').requestSubmit()")
    await tab.until("document.querySelectorAll('.item').length === 5")
    assert await tab.read("document.getElementById('status').textContent") == ""

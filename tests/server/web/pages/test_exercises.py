"""The page of a sheet of exercises: the same for the same seed, solutions shown when asked for and on paper."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
import pytest_asyncio

from tabiya.explorer.exercises import shown_sheet
from tests.server.web.browser import Browser
from tests.server.web.handlers.test_explorer import Scripted
from tests.server.web.pages.explore_page import READY, exploring
from tests.server.web.pages.measures import shown
from tests.server.web.web_server import WebServer

PAGE = "/explore/exercises"
VISIBLE = "[...document.querySelectorAll('.solution')].filter((one) => one.checkVisibility()).map((one) => one.id)"


class Sheets(Scripted):
    """An explorer that makes sheets, in this process."""

    async def exercises(self, asked: Mapping[str, Any]) -> bytes:
        self.asked.append(asked)
        return shown_sheet(**asked)


@pytest.fixture
def sheets(web: WebServer) -> Sheets:
    web.server.explorer = made = Sheets()
    return made


def titles(text: str) -> list[str]:
    """Of the exercises and then of the solutions, with their numbers."""
    return [html.unescape(title) for title in re.findall(r"<h[23]>(\d+\. [^<]+?)\s*<", text)]


async def test_the_same_seed_is_the_same_sheet_and_the_next_link_another(web: WebServer, sheets: Sheets) -> None:
    first, again = [(await web.get(f"{PAGE}?seed=7&count=2")).text for _ in range(2)]
    assert first == again
    assert titles(first) == 2 * ["1. Minimax values", "2. What alpha-beta never looks at"]
    (following,) = re.findall(r'rel="next" href="([^"]+)"', first)
    assert html.unescape(following) == f"{PAGE}?seed=8&count=2"
    other = (await web.get(html.unescape(following))).text
    assert titles(other) == titles(first)
    assert set(re.findall("<svg.*?</svg>", first, re.DOTALL)).isdisjoint(re.findall("<svg.*?</svg>", other, re.DOTALL))


async def test_the_form_asks_for_kinds_level_and_number(web: WebServer, sheets: Sheets) -> None:
    text = (await web.get(f"{PAGE}?kinds=cuts&kinds=again&level=3&count=3&seed=9")).text
    assert sheets.asked == [{"kinds": "cuts,again", "level": 3, "count": 3, "seed": 9}]
    assert titles(text)[:3] == [
        "1. What alpha-beta never looks at", "2. Searched again", "3. What alpha-beta never looks at",
    ]  # fmt: skip
    assert re.findall(r'value="(\w+)" checked', text) == ["cuts", "again"]
    assert re.findall(r'value="(\d)" selected', text) == ["3"]
    assert f'href="{PAGE}?seed=10&amp;count=3&amp;level=3&amp;kinds=cuts,again"' in text
    assert (await web.get(f"{PAGE}?kinds=cuts,again&level=3&count=3&seed=9")).text.count("<svg") == text.count("<svg")


async def test_a_solution_links_to_the_explorer_at_its_end(web: WebServer, sheets: Sheets) -> None:
    text = (await web.get(f"{PAGE}?seed=7&kinds=narrow&count=1")).text
    (link,) = re.findall(r'href="(/explore\?[^"]+)"', text)
    assert re.fullmatch(
        r"/explore\?algorithm=alphabeta-failsoft&tree=[][,\d-]+(&\w+=-?\d+){1,2}"
        r"&other_algorithm=alphabeta-failhard&step=\d+&other_step=\d+",
        html.unescape(link),
    )


async def test_what_cannot_be_made_is_said(web: WebServer) -> None:
    assert (await web.get(PAGE)).status == 503
    web.server.explorer = Sheets()
    for query in ("count=99", "seed=one", "other=1"):
        answer = await web.get(f"{PAGE}?{query}")
        assert (answer.status, "value in the address is not allowed" in answer.text) == (400, True)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(browser_address: str) -> AsyncIterator[tuple[WebServer, Browser]]:
    """A server that has an explorer, and a tab."""
    async with exploring(browser_address) as found:
        yield found


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.asyncio(loop_scope="module")
async def test_solutions_are_shown_when_asked_for_and_on_paper_from_a_new_page_on(
    page: tuple[WebServer, Browser],
) -> None:
    web, tab = page
    await shown(tab, 1440)
    await tab.open(f"{web.url}{PAGE}?seed=7&count=3")
    assert await tab.read(VISIBLE) == []
    press = "document.querySelector('a[href=\"LINK\"]').click()"
    for link, visible in (("#solution-2", ["2"]), ("#exercise-2", []), ("#solutions", ["1", "2", "3"])):
        await tab.read(press.replace("LINK", link))
        assert await tab.read(VISIBLE) == [f"solution-{number}" for number in visible]
    await tab.read(press.replace("LINK", "#exercises"))
    assert await tab.read(VISIBLE) == []
    await shown(tab, 703, media="print")
    assert len(await tab.read(VISIBLE)) == 3
    before = "getComputedStyle(document.querySelector('.solutions')).breakBefore"
    assert await tab.read(before) == "page"
    await shown(tab, 1440)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.asyncio(loop_scope="module")
async def test_the_link_of_a_solution_shows_its_answers_in_the_explorer(page: tuple[WebServer, Browser]) -> None:
    web, tab = page
    for exercise in (await web.json("/api/v1/explorer/exercises?seed=3&count=6"))["exercises"]:
        await tab.open(f"{web.url}{PAGE}?seed=3&count=1&kinds={exercise['kind']}#solutions")
        await tab.open(await tab.read("document.querySelector('#solution-1 a').href"))
        await tab.until(READY)
        at = await tab.read("document.getElementById('at').textContent")
        assert len(set(re.findall(r"\d+", at))) == 1, at  # at its last step
        shown_values = await tab.read("[...document.querySelectorAll('.item .value')].map((one) => one.textContent)")
        if exercise["kind"] == "values":
            answers = [part["answer"] for part in exercise["parts"]][:-1]
            assert set(answers) <= set(shown_values)
        assert await tab.read("document.querySelectorAll('.side').length") == len(exercise["solutions"])

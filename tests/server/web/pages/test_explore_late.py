"""The search explorer where answers come late, or not at all."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.server.web.browser import Browser
from tests.server.web.late_answers import come, hold, until_held
from tests.server.web.pages.explore_page import exploring, open_search
from tests.server.web.web_server import WebServer

pytestmark = pytest.mark.slow

Page = tuple[WebServer, Browser]
SEARCH = {"tree": "001", "algorithm": "001-alphabeta"}
DIFFERENCES = "document.getElementById('differences')"
AWAY = """{
    const fetched = window.fetch;
    const isAway = (address) => String(address).includes("/examples");
    window.fetch = (...asked) => isAway(asked[0]) ? Promise.reject(new TypeError()) : fetched(...asked);
}"""


@pytest.fixture
async def page(browser_address: str) -> AsyncIterator[Page]:
    """A server that searches, and a tab."""
    async with exploring(browser_address) as found:
        yield found


async def test_differences_of_another_pair_are_not_added_to_those_that_are_shown(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, **SEARCH)
    await hold(tab, "/difference[?]")
    await tab.read("document.getElementById('compare').click()")
    await until_held(tab)
    form = "document.getElementById('other')"
    await tab.read(f"{form}.elements.algorithm.value = '000-alphabeta'; {form}.dispatchEvent(new Event('change'))")
    await until_held(tab, 2)
    for number in (1, 0):
        await come(tab, number)
    assert await tab.read(f"{DIFFERENCES}.querySelectorAll('p, ul').length") == 2


async def test_a_server_that_is_away_at_first_is_said_to_be(page: Page) -> None:
    web, tab = page
    await tab.tell("Page.addScriptToEvaluateOnNewDocument", source=AWAY)
    await tab.open(f"{web.url}/explore")
    await tab.until("document.getElementById('status').textContent === 'The server does not answer; try again.'")

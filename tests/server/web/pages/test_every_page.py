"""Every page of the application in a browser: what axe finds, at every width, whatever strangers are called.

One server and one browser for all; a new route without an address in tour.py fails the first test.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest
import pytest_asyncio

from tabiya.explorer.explorer import Explorer
from tests.fakes.kept_programs import KeptPrograms
from tests.server.web.browser import Browser, new_tab
from tests.server.web.pages.measures import MEASURE, WIDTHS, faults, shown
from tests.server.web.pages.tour import STRANGERS, forgotten, tour
from tests.server.web.web_server import WebServer, web_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.asyncio(loop_scope="module")]

PAPER = 703  # pixels between the margins of a sheet of A4
CUT_OR_PRESSED = """[...document.querySelectorAll("body *")].filter((e) => e.checkVisibility()).filter((e) => {
    if (e.matches("button, .button, input, select, summary, nav")) return true;
    const { overflowX, textOverflow } = getComputedStyle(e);
    const cuts = overflowX !== "visible" && textOverflow !== "ellipsis" && !e.closest("svg");
    return cuts && e.scrollWidth > e.clientWidth + 1;
}).map((e) => e.outerHTML.slice(0, 160))"""
EDGE = "(e) => getComputedStyle(document.querySelector(e)).borderTopWidth"
MISSING = "Failed to load resource: the server responded with a status of 40"


class Visited(NamedTuple):
    """A server with something of everything, a tab, and what was found at an address of every page."""

    web: WebServer
    tab: Browser
    addresses: list[str]
    on_screens: dict[str, list[str]]
    on_paper: dict[str, list[str]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visited(browser_address: str) -> AsyncIterator[Visited]:
    """Every page is loaded once, at the least width, and looked at in all ways: loading is half of the work."""
    async with web_server() as web, new_tab(browser_address) as tab:
        web.server.explorer = Explorer(processes=1)
        web.server.hosting = KeptPrograms(web.store)
        seen = Visited(web, tab, await tour(web), {}, {})
        for address in seen.addresses:
            await shown(tab, WIDTHS[0])
            await tab.open(web.url + address)
            seen.on_screens[address] = await faults(tab, strangers=STRANGERS)
            await shown(tab, PAPER, media="print")
            seen.on_paper[address] = await tab.read(CUT_OR_PRESSED)
        yield seen


def report(found: dict[str, list[str]]) -> str:
    """What was found, below the address of its page."""
    return "\n".join(f"{address}\n    " + "\n    ".join(findings) for address, findings in found.items() if findings)


async def test_no_page_is_forgotten(visited: Visited) -> None:
    assert await forgotten(visited.web, visited.addresses) == set()


async def test_axe_finds_nothing_serious_and_every_page_holds_at_every_width_whatever_strangers_are_called(
    visited: Visited,
) -> None:
    assert report(visited.on_screens) == ""
    assert [one for one in visited.tab.complaints if not one.startswith(MISSING)] == []


async def test_on_paper_nothing_is_cut_off_and_nothing_waits_to_be_pressed(visited: Visited) -> None:
    for_screens = ("/embed/", "/projector")
    assert report({page: found for page, found in visited.on_paper.items() if not page.startswith(for_screens)}) == ""


async def test_in_colours_of_the_system_an_edge_says_where_one_is_and_who_is_to_move(visited: Visited) -> None:
    tab = visited.tab
    _, running, _ = [address for address in visited.addresses if address.startswith("/matches/")]
    await shown(tab, 1440, forced="active")
    await tab.open(visited.web.url + running)
    await tab.until("document.querySelector('.clock.runs')")
    current, other = [await tab.read(f"({EDGE})('.top nav {which}')") for which in ("[aria-current]", "a:first-child")]
    assert float(current.removesuffix("px")) > float(other.removesuffix("px"))
    assert await tab.read("getComputedStyle(document.querySelector('.clock.runs')).outlineStyle") == "solid"


async def test_the_measure_finds_what_it_looks_for(visited: Visited) -> None:
    tab = visited.tab
    await shown(tab, 390)
    await tab.open(f"{visited.web.url}/about")
    assert await tab.read(f"({MEASURE})([])") == []
    await tab.read(
        f"main.insertAdjacentHTML('beforeend', {json.dumps(SPOILED)}); main.lastChild.style.marginTop = '-2rem'"
    )
    output = "\n".join(await tab.read(f"({MEASURE})([])"))
    for fault in ("scrolls sideways", "turns what follows it", "lies on", "2 h1", "cut without its whole text"):
        assert fault in output


W = "W" * 90
SPOILED = f"<h1>{W}</h1><p>\u05d0\u05d1 1-0</p><p class=clip>{W}</p><table><tr><td>{W}</table><p>on it</p>"

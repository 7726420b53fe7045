"""The page of the search explorer in a browser: stepping, what it shows at each step, keyboard, links, every width."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.server.web.browser import Browser, browser, new_tab
from tests.server.web.pages.explore_page import READY, exploring, open_search, recorded
from tests.server.web.pages.measures import AXE, EVERY_RULE, MEASURE, WIDTHS, axe, shown
from tests.server.web.play_page import click
from tests.server.web.web_server import WebServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

Page = tuple[WebServer, Browser]
STEPS = """(() => {
  const number = ({ textContent }) => Number(textContent.replaceAll(",", ""));
  const cells = () => [...document.querySelectorAll("[data-count]")];
  const counted = () => Object.fromEntries(cells().map((cell) => [cell.dataset.count, number(cell)]));
  const at = () => [document.getElementById("slider").valueAsNumber, counted()], found = [at()];
  for (let step = 0; step < COUNT; step++) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "KEY", bubbles: true }));
    found.push(at());
  }
  return found;
})()"""
STEP = "document.getElementById('slider').valueAsNumber"
SENTENCE = "document.querySelector('[data-of=sentence]').textContent"
STRUCK = "[...document.querySelectorAll('.item.struck .label')].map((label) => label.textContent)"
AT_LINE = "document.querySelector('.listing .at')?.textContent.trim()"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(browser_address: str) -> AsyncIterator[Page]:
    """A server that searches, and a tab."""
    async with exploring(browser_address) as (web, tab):
        await tab.open(f"{web.url}/about")
        yield web, tab
        assert tab.complaints == []


def steps(count: int, key: str) -> str:
    """JavaScript that presses a key so often: the step and all counts before, and after each press."""
    return STEPS.replace("COUNT", str(count)).replace("KEY", key)


def counts(given: dict[str, Any]) -> list[dict[str, int]]:
    """What is counted at each step."""
    recording, _ = recorded(**given)
    found = [recording.counts(step)._asdict() for step in range(recording.steps)]
    return found if found[-1]["researches"] else [{k: v for k, v in one.items() if k != "researches"} for one in found]


@pytest.mark.parametrize(
    "given",
    [
        {"tree": "000", "algorithm": "000-alphabeta"},
        {"tree": "[[5,6],[7,8]]", "algorithm": "001-alphabetapvs"},
        {"game": "nim", "position": "1,2 normal 1", "depth": 3, "algorithm": "002-negamax", "wins": "one"},
    ],
    ids=lambda given: str(given["algorithm"]),
)
async def test_every_step_to_the_end_and_back_counts_as_the_recording(page: Page, given: dict[str, Any]) -> None:
    web, tab = page
    expected = counts(given)
    await open_search(web, tab, **given)
    last = len(expected) - 1
    there = [[step, counted] for step, counted in enumerate(expected)]
    assert await tab.read(steps(last, "ArrowRight")) == there
    assert await tab.read(steps(last, "PageUp")) == there[::-1]


async def test_a_cut_is_struck_out_said_and_gone_to(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="000", algorithm="000-alphabeta")
    assert await tab.read(STRUCK) == []
    await tab.press("c")
    assert await tab.read(STRUCK) == ["F", "G"]
    assert await tab.read(SENTENCE) == (
        "Cut: \u03b1 = 6 is not below \u03b2 = 4, so F and G are not looked at."
        " C returns at most 4. Nothing changes for A."
    )
    await tab.press("c")
    assert await tab.read(STRUCK) == ["F", "G", "#12"]
    await tab.press("C")
    assert await tab.read(STRUCK) == ["F", "G"]


async def test_the_listing_is_at_its_line_and_goes_on_line_by_line(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="000", algorithm="000-alphabeta", step=14)
    await tab.until(f"{AT_LINE} === 'return beta'")
    variables = "document.querySelector('[data-of=variables]').textContent"
    assert "returns4" in await tab.read(variables)
    for line in ("if x > max:", "if x > alpha:", "if alpha >= beta:", "for m in b.moves():", "c = b.play(m)"):
        await tab.press(".")
        await tab.until(f"{AT_LINE} === '{line}'")
    assert await tab.read(STEP) == 14
    assert "x4" in await tab.read(variables)
    await tab.press(",")
    await tab.until(f"{AT_LINE} === 'for m in b.moves():'")


async def test_a_link_shows_the_same_step_and_view_in_another_browser(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, game="reversi", depth=3, algorithm="pvs-failhard")
    for press in ("c", "c", "c", "+", "+", "f", "."):
        await tab.press(press)
    await tab.read("document.getElementById('view').value = 'mover'")
    await tab.read("document.getElementById('view').dispatchEvent(new Event('change'))")
    moved, items = (
        "document.querySelector('.stage').getAttribute('transform')",
        "document.querySelectorAll('.item').length",
    )
    seen = f"[{STEP}, {SENTENCE}, {moved}, {items}, {AT_LINE}]"
    await tab.until(f"location.search.includes('line=1') && {AT_LINE}")
    address = await tab.read("location.href")
    with browser() as other_address:
        async with new_tab(other_address) as other:
            size = {"width": 1200, "height": 900, "deviceScaleFactor": 1}
            for each in (tab, other):
                await each.tell("Emulation.setDeviceMetricsOverride", **size, mobile=False)
            await other.open(address)
            await other.until(f"{READY} && {AT_LINE}")
            assert await other.read(seen) == await tab.read(seen)
            assert other.complaints == []


async def test_a_node_is_chosen_by_a_press_and_by_the_lists(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="000", algorithm="000-alphabeta")
    await click(tab, '.item[data-key="4"] > rect')
    said = await tab.read(SENTENCE)
    assert said.startswith("C, where Min is to move")
    await tab.read("document.querySelector('.path button').click()")
    assert await tab.read(STEP) == 0
    await tab.read("document.querySelector('.below button:last-child').click()")
    assert await tab.read(SENTENCE) == "B, where Min is to move, is searched with the window [\u2212∞, ∞]."


async def test_what_cannot_be_searched_is_said(page: Page) -> None:
    web, tab = page
    await tab.open(f"{web.url}/explore?tree=[[1,2]")
    await tab.until("document.getElementById('status').textContent.includes('a tree is nested lists')")
    tab.complaints.clear()  # the browser's own word about the answer


async def test_a_position_set_up_on_the_board_is_searched_and_another_game_begins_at_its_start(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, game="chess", moves="e4 e5", depth=1, algorithm="000-minimax")
    assert await tab.read("document.querySelector('#setup svg')") is None
    await click(tab, "#setup-box summary")
    await tab.until("document.querySelectorAll('#setup .played li').length === 2")
    assert "moves=e4+e5" in await tab.read("location.search")  # the same line is not searched again
    await click(tab, "#setup [data-place=g1]")
    step = await tab.read(STEP)
    await tab.press("ArrowRight")  # on the board, not in the search
    assert await tab.read(STEP) == step
    await click(tab, "#setup [data-place=f3]")
    await tab.until("location.search.includes('moves=e2e4+e7e5+g1f3')")
    await tab.until("document.querySelector('#setup .played li:nth-child(3)')")
    await click(tab, "[name=mode][value=place]")
    await tab.until("document.querySelector('.pieces').checkVisibility()")
    for press in (".pieces [value=k]", "#setup [data-place=e8]"):  # taken away
        await click(tab, press)
    await tab.until("document.querySelector('#setup .problem')")
    assert "g1f3" in await tab.read("location.search")  # what is no position is not searched
    await tab.read(f"{AXE}; 0")
    assert await tab.read(axe(EVERY_RULE)) == []
    for width in WIDTHS:
        await shown(tab, width)
        assert await tab.read(f"({MEASURE})([])") == [], width
    await tab.read("document.querySelector('[name=game]').value = 'tictactoe'")
    await tab.read("document.querySelector('[name=game]').dispatchEvent(new Event('change', { bubbles: true }))")
    await tab.until("document.querySelectorAll('#setup [role=gridcell]').length === 9")
    await tab.until("location.search.includes('game=tictactoe') && !location.search.includes('moves')")


async def test_branches_fold_and_open(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="001", algorithm="001-minimax")
    items = "document.querySelectorAll('.item').length"
    assert await tab.read(items) == 13
    fold = "document.querySelector('.item[data-key=\"1\"] .fold')"
    await tab.read(f"{fold}.dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))")
    assert await tab.read(items) == 10
    assert await tab.read("document.querySelector('.item[data-key=\"1\"] .fold text').textContent") == "+3"
    assert "folded=1" in await tab.read("location.search")
    await tab.press("End")
    assert await tab.read(items) == 10
    for _ in range(3):
        await tab.press("ArrowLeft")  # into what is folded by other means: the way to the current node is open
    assert await tab.read("document.querySelector('.item.current') !== null")

"""The page of the search explorer in a browser: stepping, what it shows at each step, keyboard, links, every width."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from xml.etree import ElementTree

import pytest
import pytest_asyncio

from tabiya.bots.textbook.recording.scenes import SCENES
from tests.server.web.browser import Browser, browser, new_tab
from tests.server.web.pages.explore_page import READY, exploring, open_search, recorded
from tests.server.web.pages.measures import faults, shown
from tests.server.web.play_page import click
from tests.server.web.web_server import LINE, WebServer

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
    async with exploring(browser_address) as found:
        yield found


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


async def test_a_second_search_of_a_move_is_drawn_when_it_begins(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="[[5,6],[7,8]]", algorithm="001-alphabetapvs", step=12)
    again = "document.querySelector('.item.again .label')"
    assert await tab.read(f"getComputedStyle({again}).visibility") == "hidden"
    await tab.press("ArrowRight")
    assert await tab.read(f"[{again}.textContent, getComputedStyle({again}).visibility]") == ["#4 again", "visible"]
    text = "#4 is searched again with the window [5, \u221e]: the narrow window has shown only that it is better."
    assert await tab.read(SENTENCE) == text


async def test_the_listing_is_at_its_line_and_goes_on_line_by_line(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="000", algorithm="000-alphabeta", step=14, form="ours")
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
    size = {"width": 1200, "height": 900, "deviceScaleFactor": 1}
    await tab.tell("Emulation.setDeviceMetricsOverride", **size, mobile=False)
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
    await tab.until(f"['line=1', 'view=mover'].every((part) => location.search.includes(part)) && {AT_LINE}")
    address = await tab.read("location.href")
    with browser() as other_address:
        async with new_tab(other_address) as other:
            await other.tell("Emulation.setDeviceMetricsOverride", **size, mobile=False)
            await other.open(address)
            await other.until(f"{READY} && {AT_LINE}")
            assert await other.read(seen) == await tab.read(seen)
            assert other.complaints == []


async def test_a_node_is_chosen_by_a_press_and_by_the_lists(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="000", algorithm="000-alphabeta")
    await click(tab, '.item[data-key="4"] > rect')
    output = await tab.read(SENTENCE)
    assert output.startswith("C, where Min is to move")
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
    assert await faults(tab) == []
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
    await tab.until("location.search.includes('folded=1')")
    await tab.press("End")
    assert await tab.read(items) == 10
    for _ in range(3):
        await tab.press("ArrowLeft")  # into what is folded by other means: the way to the current node is open
    assert await tab.read("document.querySelector('.item.current') !== null")


async def test_a_leaf_is_changed_where_it_is_drawn_and_the_cut_moves_and_moves_back(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="001", algorithm="001-alphabeta", step=21)
    assert await tab.read(STRUCK) == ["#11", "#12"]
    await click(tab, "#edit")
    await click(tab, '.item[data-key="10"] > rect')
    await tab.read("document.querySelector('.node-edit input').value = '7'")
    await click(tab, ".node-edit [name=set]")
    await tab.until(f"{STRUCK}.length === 0")
    assert await tab.read(SENTENCE) == "#0 returns 2. The search is done."
    await tab.until("location.search.includes('tree=[[-4,5,-8],[4,0,9],[7,6,2]]')")
    await click(tab, "#undo")
    await tab.until(f"{STRUCK}.length === 2")
    assert await tab.read("document.getElementById('undo').hidden")


async def test_nodes_are_added_and_removed_by_keyboard(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="[[1,2],3]", algorithm="minimax")
    await tab.press("e")
    assert await tab.read("document.activeElement.name") == "add"
    await tab.read("document.activeElement.click()")
    await tab.until("location.search.includes('tree=[[1,2],3,0]')")
    await tab.press("ArrowRight")
    await tab.press("e")
    await tab.read("document.querySelector('.node-edit [name=remove]').click()")
    await tab.until("location.search.includes('tree=[3,0]')")


LINES = "[...document.querySelectorAll('#differences li')].map((line) => line.textContent)"


async def test_two_searches_are_stepped_together_with_what_only_one_has_visited(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="001", algorithm="001-alphabeta")
    await click(tab, "#compare")
    await tab.until(f"{LINES}.length === 2")
    assert (await tab.read(LINES))[0].startswith("#11 1 node, 000-negamax alone: 001-alphabeta cut at 3 after 1")
    titles = "[...document.querySelectorAll('.item:is(.only) .label')].map((label) => label.textContent)"
    assert await tab.read(titles) == ["\u25c6 #11", "\u25c6 #12"]
    await tab.press("End")
    script = "[...document.querySelectorAll('[data-of=sentence]')].map((one) => one.textContent)"
    assert await tab.read(script) == ["#0 returns 0. The search is done."] * 2
    await tab.press("c")
    await tab.press("Home")
    await tab.press("c")
    assert [one.split(" ")[0] for one in await tab.read(script)] == ["Cut:", "#9"]
    await tab.read("document.querySelector('#differences button').click()")
    assert (await tab.read(script))[1] == "#11 is worth 6. #9 keeps \u22123."
    assert (await tab.read(script))[0].startswith("Cut:")
    await click(tab, "[name=together]")
    await tab.press("Home")
    assert (await tab.read(script))[0].startswith("Cut:")
    await tab.until("location.search.includes('apart=true')")
    await click(tab, "#compare")
    await tab.until("document.querySelectorAll('.side').length === 1")


async def test_an_order_that_turns_the_tree_around_is_stepped_at_the_same_nodes(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="001", algorithm="001-alphabeta", other_order="perfect")
    assert await tab.read("document.querySelectorAll('.side').length") == 2
    values = "[...document.querySelectorAll('.item.current .value')].map((value) => value.textContent)"
    for _ in range(21):
        await tab.press("ArrowRight")
        one, other = await tab.read(values)
        assert {one, other} <= {one, ""} or "\u2264" in other or "\u2026" in other


ASKED = "document.querySelector('.ask').textContent"
GIVE = "document.querySelector('.ask [name=answer]').value = '{}'; document.querySelector('.ask form').requestSubmit()"
TICK = """document.querySelectorAll('.ask [type=checkbox]').forEach((box) => { box.checked = true; });
document.querySelector('.ask form').requestSubmit()"""
GO_ON = "document.querySelector('.ask .primary').click()"


async def test_question_mode_hides_asks_checks_counts_and_explains(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="000", algorithm="000-alphabeta", step=12, ask=1)
    hidden = "[...document.querySelectorAll('.window')].map((text) => text.textContent).includes('[ ? ]')"
    assert "?" in await tab.read("document.querySelector('[data-of=counts]').textContent")
    await tab.press("ArrowRight")
    assert "Which value does E return?" in await tab.read(ASKED)
    assert await tab.read(STEP) == 12
    await tab.read(GIVE.format("5"))
    assert "No, 4. E returns at most 4." in await tab.read(ASKED)
    await tab.read(GO_ON)
    assert await tab.read(STEP) == 13
    assert await tab.read(hidden)
    await tab.press("ArrowRight")
    assert "What is \u03b2 at C now?" in await tab.read(ASKED)
    await tab.read(GIVE.format("4"))
    assert "Right. At C \u03b2 falls from \u221e to 4." in await tab.read(ASKED)
    assert not await tab.read(hidden)
    await tab.read(GO_ON)
    assert "Which moves are cut at C now?" in await tab.read(ASKED)
    await tab.read(TICK)
    assert "so F and G are not looked at." in await tab.read(ASKED)
    assert await tab.read(STRUCK) == []
    await tab.read(GO_ON)
    await tab.read(GIVE.format("4"))
    assert "3 right, 1 wrong" in await tab.read(ASKED)
    await tab.read(GO_ON)
    assert await tab.read(STRUCK) == ["F", "G"]


@pytest.mark.parametrize(
    "given",
    [
        {"tree": "000", "algorithm": "000-alphabeta", "step": 14},
        {"tree": "001", "algorithm": "001-alphabeta", "other_algorithm": "minimax", "step": 9},
        {"tree": "000", "algorithm": "000-alphabeta", "step": 13, "ask": 1, "size": "large"},
        {"game": "chess", "depth": 2, "step": 300, "algorithm": "alphabeta-failsoft"},
    ],
)
async def test_it_is_accessible_and_fits_at_every_width_in_the_light_and_in_the_dark(
    page: Page, given: dict[str, Any]
) -> None:
    web, tab = page
    await shown(tab, 1440)
    await open_search(web, tab, **given)
    await tab.press("ArrowRight")
    await tab.read("for (const box of document.querySelectorAll('details')) box.open = true")
    await tab.until("document.querySelector('.variables dt') || document.querySelector('.ask form')")
    assert await faults(tab) == []
    await shown(tab, 1440)


async def test_the_picture_is_a_document_of_its_own(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="000", algorithm="000-alphabeta", step=19)
    await tab.read("URL.createObjectURL = (blob) => { window.saved = blob; return '#'; }")
    await click(tab, "#svg")
    root = ElementTree.fromstring(await tab.read("saved.text()"))
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"A", "6", "\u2264 4", "[6, \u221e]", "\u2264 5"} <= set(texts)
    assert "\u2212" not in texts  # the handles that fold
    assert all("class" not in part.attrib for part in root.iter())


async def test_another_site_shows_it_in_a_frame(page: Page) -> None:
    web, tab = page
    await tab.open(f"{web.url}/embed/explore?tree=000&algorithm=000-alphabeta&step=14&theme=dark")
    await tab.until(READY)
    assert await tab.read(STRUCK) == ["F", "G"]
    await tab.press("c")
    assert await tab.read(STRUCK) == ["F", "G", "#12"]
    await tab.until("document.getElementById('whole').getAttribute('href').includes('step=18')")


async def test_a_match_leads_to_a_search_of_the_position_that_is_shown(page: Page) -> None:
    web, tab = page
    match = await web.play(LINE)
    await tab.open(f"{web.url}/matches/{match}?ply=2")
    await tab.until("!document.getElementById('explore').hidden")
    await click(tab, "#explore")
    await tab.until(READY)
    await tab.until("document.querySelector('[data-of=board] title')?.textContent")
    recording, _ = recorded(game="tictactoe", moves="a1 a2")
    assert await tab.read("document.getElementById('slider').max") == str(recording.steps - 1)


async def test_an_example_is_opened_by_its_name_with_what_the_book_says_and_compares(page: Page) -> None:
    web, tab = page
    await open_search(web, tab)
    assert await tab.read("document.querySelector('[name=what]:checked').value") == "example"
    assert "F and G are never visited" in await tab.read("document.getElementById('example-says').textContent")
    examples = "document.querySelector('[name=example]')"
    option = f"[...{examples}.options].find((option) => option.textContent.startsWith('Equal bounds'))"
    await tab.read(f"{option}.selected = true; {examples}.dispatchEvent(new Event('change', {{ bubbles: true }}))")
    await tab.until("document.querySelectorAll('.side').length === 2")
    titles = "[...document.querySelectorAll('.side h2')].map((title) => title.textContent)"
    assert await tab.read(titles) == ["000-negamax-alphabeta", "000-alphabeta-strict"]
    await tab.until("location.search.includes('other_algorithm=alphabeta-strict')")
    await click(tab, "#compare")
    await tab.until("document.querySelectorAll('.side').length === 1")


async def test_every_example_of_the_books_opens(page: Page) -> None:
    web, tab = page
    failed = {}
    for name, scene in SCENES.items():
        await open_search(web, tab, **scene.given())
        line = await tab.read("document.querySelector('.sentence').textContent")
        sides = await tab.read("document.querySelectorAll('.side').length")
        if not line or sides != len(scene.questions):
            failed[name] = line
    assert failed == {}

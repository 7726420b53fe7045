"""The search explorer before a class: by keyboard alone, on a projector, on a phone, on paper, in a frame."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.server.web.browser import Browser
from tests.server.web.pages.explore_page import READY, exploring, open_search
from tests.server.web.pages.measures import AXE, COLOURS, EVERY_RULE, MEASURE, axe, faults, shown
from tests.server.web.play_page import click
from tests.server.web.web_server import WebServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

Page = tuple[WebServer, Browser]
STEP = "document.getElementById('slider').valueAsNumber"
STRUCK = "[...document.querySelectorAll('.item.struck .label')].map((label) => label.textContent)"
FOCUSED = "document.activeElement.id || document.activeElement.name"
LETTER = "parseFloat(getComputedStyle(document.querySelector('[data-of=sentence]')).fontSize)"
ABOVE = """[...document.querySelectorAll(".top, .explore-head, #setup-box, .example-says")]
    .filter((part) => part.checkVisibility() && part.textContent.trim())
    .filter((part) => part.getBoundingClientRect().top < document.querySelector(".tree").getBoundingClientRect().top)
    .map(({ id, className }) => id || className)"""
TITLE = "document.querySelector('#keys[open] h2')?.textContent"
EXAMPLE: dict[str, Any] = {"tree": "000", "algorithm": "000-alphabeta"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(browser_address: str) -> AsyncIterator[Page]:
    """A server that searches, and a tab."""
    async with exploring(browser_address) as found:
        yield found


async def tab_to(tab: Browser, wanted: str) -> None:
    """Press Tab until this has the focus."""
    for _ in range(60):
        if await tab.read(FOCUSED) == wanted:
            return
        await tab.tell("Input.dispatchKeyEvent", type="rawKeyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        await tab.tell("Input.dispatchKeyEvent", type="keyUp", key="Tab", code="Tab", windowsVirtualKeyCode=9)
    raise AssertionError(f"Tab does not lead to {wanted}")


async def type_key(tab: Browser, key: str, number: int, text: str) -> None:
    """A key that the browser itself does something with."""
    event = {"key": key, "code": key, "windowsVirtualKeyCode": number}
    await tab.tell("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
    await tab.tell("Input.dispatchKeyEvent", type="keyUp", **event)


async def press_enter(tab: Browser) -> None:
    await type_key(tab, "Enter", 13, "\r")


async def test_all_is_done_by_keyboard_alone(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="001", algorithm="001-alphabeta", step=21)
    assert await tab.read(STRUCK) == ["#11", "#12"]
    for key in ("ArrowLeft", "ArrowLeft", "e"):  # at the last leaf that was looked at
        await tab.press(key)
    assert await tab.read(FOCUSED) == "value"
    await tab.tell("Input.insertText", text="7")
    await press_enter(tab)
    await tab.until(f"{STRUCK}.length === 0")
    await tab.until("document.activeElement === document.querySelector('.tree')")
    await tab.press("End")
    await tab.tell("Input.dispatchKeyEvent", type="keyDown", key="z", code="KeyZ", modifiers=2)
    await tab.until(f"{STRUCK}.length === 2")
    await tab.read("document.querySelector('h1').focus(), document.activeElement.blur()")
    await tab_to(tab, "compare")
    await press_enter(tab)
    await tab.until("document.querySelectorAll('.side').length === 2")
    await tab_to(tab, "ask-mode")
    await press_enter(tab)
    await tab.until("document.querySelectorAll('.side').length === 1 && !document.querySelector('.ask').hidden")
    await tab.press("Home")
    for _ in range(5):
        await tab.press("PageDown")
    assert await tab.read(FOCUSED) == "answer"


async def test_a_question_mark_shows_signs_and_keys_and_takes_them_away(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, **EXAMPLE, step=3)
    await tab.press("?")
    assert await tab.read(TITLE) == "Signs and keys"
    await tab.press("ArrowRight")
    assert await tab.read(STEP) == 3
    await tab.read(f"{AXE}; 0")
    assert await tab.read(axe(EVERY_RULE)) == []
    await tab.press("?")
    assert await tab.read(TITLE) is None
    await tab.press("ArrowRight")
    assert await tab.read(STEP) == 4
    await click(tab, "#show-keys")
    assert await tab.read(TITLE) == "Signs and keys"
    await click(tab, "#keys button")
    assert await tab.read(TITLE) is None


async def test_a_projector_has_larger_letters_and_only_what_a_class_looks_at(page: Page) -> None:
    web, tab = page
    await shown(tab, 1920)
    await open_search(web, tab, **EXAMPLE, step=14)
    before = await tab.read(LETTER)
    assert len(await tab.read(ABOVE)) == 4
    await tab.press("p")
    assert await tab.read(LETTER) > 1.4 * before
    assert await tab.read(ABOVE) == []
    await tab.until("location.search.includes('size=large')")
    bottom = "document.querySelector('.tree').getBoundingClientRect().bottom"
    assert await tab.read(bottom) <= await tab.read("document.getElementById('controls').getBoundingClientRect().top")
    await tab.press("p")
    assert await tab.read(LETTER) == before
    await tab.until("!location.search.includes('size=large')")
    await shown(tab, 1440)


async def test_paper_has_the_whole_drawing_what_is_searched_the_step_and_the_address(page: Page) -> None:
    web, tab = page
    await open_search(web, tab, tree="001", algorithm="001-alphabeta", other_algorithm="000-negamax", step=9)
    await tab.press("+")
    moved = await tab.read("document.querySelector('.stage').getAttribute('transform')")
    await tab.read("addEventListener('beforeprint', () => { window.printed = document.body.innerText; })")
    drawn = "document.querySelector('.tree').getAttribute('viewBox')"
    await tab.read(f"addEventListener('beforeprint', () => {{ window.drawn = {drawn}; }})")
    await tab.tell("Page.printToPDF")
    output = await tab.read("document.getElementById('printed').textContent")
    assert output.startswith("001-alphabeta on tree 001, 2 plies deep; step 9 of 21. http://127.0.0.1:")
    assert "step=9" in output
    assert (await tab.read("drawn")).startswith("0 0 ")
    assert await tab.read(drawn) is None
    assert await tab.read("document.querySelector('.stage').getAttribute('transform')") == moved
    await shown(tab, 1024, media="print")
    seen = "[...document.querySelectorAll('button, .controls, .top')].filter((part) => part.checkVisibility())"
    assert await tab.read(f"{seen}.map(({{ textContent }}) => textContent)") == ["#11", "#12"]
    await shown(tab, 1440)


EDITED = "document.getElementById('edit').click(); document.querySelector('.item rect').dispatchEvent(PRESS)"
PRESS = "new MouseEvent('click', { bubbles: true })"
ASKED = "document.querySelector('[data-go=on]').click()"
MODES: dict[str, tuple[dict[str, Any], str]] = {
    "edit": (EXAMPLE, EDITED.replace("PRESS", PRESS)),
    "keys": (EXAMPLE, "document.getElementById('show-keys').click()"),
    "asked": (EXAMPLE | {"step": 13, "ask": 1}, ASKED),
    "asked on a projector": (EXAMPLE | {"step": 13, "ask": 1, "size": "large"}, ASKED),
    "compared on a projector": (
        {"tree": "001", "algorithm": "001-alphabeta", "other_order": "worst", "size": "large"},
        "0",
    ),
    "form": ({"game": "nim", "depth": 2}, "document.getElementById('setup-box').open = true"),
}


@pytest.mark.parametrize("mode", MODES)
async def test_each_mode_is_accessible_and_fits_at_every_width_in_the_light_and_in_the_dark(
    page: Page, mode: str
) -> None:
    web, tab = page
    given, does = MODES[mode]
    await open_search(web, tab, **given)
    await tab.read(does)
    found = await faults(tab)
    await shown(tab, 1920, "dark")
    found += [f"dark: {fault}" for fault in await tab.read(axe(COLOURS))]
    await shown(tab, 1440)
    assert found == []


async def test_a_frame_of_another_site_is_accessible_and_fits_at_its_usual_sizes(page: Page) -> None:
    web, tab = page
    for theme in ("light", "dark"):
        await tab.open(f"{web.url}/embed/explore?tree=000&algorithm=000-alphabeta&step=14&theme={theme}")
        await tab.until(READY)
        await tab.press("?")  # has no such box there
        await tab.press("p")
        await tab.read(f"{AXE}; 0")
        assert await tab.read(axe(EVERY_RULE)) == []
        for width in (320, 640, 1200):
            await tab.tell(
                "Emulation.setDeviceMetricsOverride", width=width, height=600, deviceScaleFactor=1, mobile=False
            )
            assert await tab.read(f"({MEASURE})([])") == []
    await shown(tab, 1440)

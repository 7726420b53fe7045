"""What the scripts of the long tables do in a real browser."""

from __future__ import annotations

import pytest

from tests.server.web.browser import Browser
from tests.server.web.stored_tournaments import stored_tournament
from tests.server.web.web_server import LINE, WebServer

ROWS = "document.querySelectorAll('[data-part=standings] tr').length"
AGAINST_BOB = "document.querySelector('[data-bot=ada]').parentElement.querySelector('.against').textContent"
WHOLE = "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)"  # nothing is cut off at the side
BOTS = ("Deep Blue Whale", "Corner Hunter", "Three Plies", "Two Plies", "Grasshopper", "Magpie", "Second", "Coin Toss")
REASON = """(() => {
    const box = document.querySelector('.why:focus + .reason')?.getBoundingClientRect();
    const mark = document.activeElement.getBoundingClientRect();
    return box && [box.right - mark.right, Math.min(Math.abs(box.top - mark.bottom), Math.abs(box.bottom - mark.top))];
})()"""
pytestmark = pytest.mark.slow


async def test_the_standings_keep_themselves_fresh_and_are_searched_as_one_types(web: WebServer, tab: Browser) -> None:
    await web.play(LINE)
    await tab.open(f"{web.url}/standings/tictactoe")
    assert await tab.read(ROWS) == 2
    await web.play(LINE, bots=("ada", "eve"))
    await tab.until(f"{ROWS} === 3")
    await tab.read("document.querySelector('[type=search]').focus()")
    await tab.tell("Input.insertText", text="EV")
    await tab.until(f"{ROWS} === 1")
    await tab.until("location.search === '?search=EV'")
    assert await tab.read("document.querySelector('[data-part=standings]').textContent.includes('eve')")
    await tab.tell("Emulation.setDeviceMetricsOverride", width=1280, height=800, deviceScaleFactor=1, mobile=False)
    await stored_tournament(web.store, "round_robin", BOTS)
    await tab.open(f"{web.url}/standings/tictactoe?against=ada&version=1.0")
    assert await tab.read(f"{WHOLE}(document.querySelector('.standings').parentElement)")
    assert tab.complaints == []


async def test_names_in_a_table_are_whole_on_a_phone_where_a_version_takes_their_room(
    web: WebServer, tab: Browser
) -> None:
    await tab.tell("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=False)
    cup = await stored_tournament(web.store, "round_robin", BOTS[4:])
    await tab.open(f"{web.url}/tournaments/{cup}")
    names = "[...document.querySelectorAll('.entrants .named')]"
    assert await tab.read(f"{names}.length") == 4
    for name in await tab.read(f"{names}.map(({{ innerHTML }}) => innerHTML)"):
        assert "version" in name
    whole = f"{names}.every((name) => {WHOLE}(name.querySelector('.bot')))"
    assert await tab.read(whole)
    word = '<span class="version">withdrawn</span>'
    await tab.read(f"{names}.forEach((name) => name.insertAdjacentHTML('beforeend', ' {word}'))")
    assert await tab.read(whole)  # beside a word of the page's own, too


async def test_a_bracket_is_whole_at_1280_pixels_and_a_tie_break_is_explained_at_its_row_by_keyboard_too(
    web: WebServer, tab: Browser
) -> None:
    await tab.tell("Emulation.setDeviceMetricsOverride", width=1280, height=800, deviceScaleFactor=1, mobile=False)
    await tab.tell("Emulation.setFocusEmulationEnabled", enabled=True)
    cup = await stored_tournament(web.store, "knockout", BOTS)
    await tab.open(f"{web.url}/tournaments/{cup}")
    assert await tab.read("document.querySelectorAll('a.remark').length")  # with meetings that were replayed
    for part in (".bracket", ".bracket .third", ".bracket .slot"):
        assert await tab.read(f"[...document.querySelectorAll('{part}')].every({WHOLE})"), part
    swiss = await stored_tournament(web.store, "swiss", BOTS, name="Swiss")
    await tab.open(f"{web.url}/tournaments/{swiss}")
    for row in (0, len(BOTS) - 1):
        await tab.read(f"document.querySelectorAll('.why')[{row}].focus()")
        beside, apart = await tab.read(REASON)
        assert abs(beside) < 2
        assert apart < 12
    # by keyboard alone: from the last mark on, nothing is shown; a frame that is too narrow is scrolled
    await tab.press("Tab")
    assert await tab.read("[...document.querySelectorAll('.reason')].some((box) => box.checkVisibility())") is False
    await tab.tell("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=False)
    await tab.read("document.querySelector('[aria-label=Standings]').focus()")
    await tab.tell("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", windowsVirtualKeyCode=39)
    await tab.until("document.activeElement.scrollLeft > 0")
    place = "document.querySelector('tbody .place').getBoundingClientRect().left"
    assert await tab.read(place) == await tab.read("document.activeElement.getBoundingClientRect().left + 1")
    assert tab.complaints == []


async def test_pointing_at_a_row_and_reaching_it_by_keyboard_show_what_all_others_should_score_against_it(
    web: WebServer, tab: Browser
) -> None:
    await web.play(LINE)
    await tab.open(f"{web.url}/standings/tictactoe?pooled=true")
    assert await tab.read(AGAINST_BOB) == ""
    where = "document.querySelector('.mark[data-bot=bob]').getBoundingClientRect()"
    at = await tab.read(f"(() => {{ const at = {where}; return [at.x + 5, at.y + 5]; }})()")
    await tab.tell("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
    await tab.until(f"{AGAINST_BOB}.includes('%')")
    [expected] = (await web.json("/api/v1/standings/tictactoe/expected?bot=bob&pooled=true"))["rows"]
    assert (await tab.read(AGAINST_BOB)).startswith(f"{round(100 * expected['score'])}\u202f%")
    await tab.tell("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    await tab.until(f"{AGAINST_BOB} === ''")
    await tab.tell("Emulation.setFocusEmulationEnabled", enabled=True)
    await tab.read("document.querySelector('.mark[data-bot=bob]').focus()")
    await tab.until(f"{AGAINST_BOB}.includes('%')")
    assert tab.complaints == []

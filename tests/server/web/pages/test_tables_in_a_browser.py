"""What the scripts of the long tables do in a real browser."""

from __future__ import annotations

import pytest

from tests.server.web.browser import Browser
from tests.server.web.web_server import LINE, WebServer

ROWS = "document.querySelectorAll('[data-part=standings] tr').length"
AGAINST_BOB = "document.querySelector('[data-bot=ada]').parentElement.querySelector('.against').textContent"
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

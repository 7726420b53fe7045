"""Pages by keyboard alone: all is reached in its order and seen, keys do what a press does, and nothing is lost."""

from __future__ import annotations

import pytest

from tabiya.protocol.messages import Move, Turn
from tests.server.local_bots import first_legal, silent
from tests.server.web.browser import Browser
from tests.server.web.stored_tournaments import stored_tournament
from tests.server.web.web_server import GAME, WebServer

pytestmark = pytest.mark.slow

BOTS = ("Deep Blue Whale", "Corner Hunter", "Three Plies", "Two Plies", "Grasshopper", "Magpie", "Second", "Coin Toss")
FORMS = ("round_robin", "knockout", "swiss")
ALL = """[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
    .filter((e) => !e.disabled && (e.checkVisibility() || e.matches(".skip")))"""
STOP = f"""(() => {{
    const e = document.activeElement, {{ width, top, bottom }} = e.getBoundingClientRect();
    const {{ outlineStyle, outlineWidth }} = getComputedStyle(e);
    const isSeen = width > 0 && bottom > 0 && top < innerHeight;
    const name = e.ariaLabel || e.textContent.trim() || e.title || e.labels?.[0]?.textContent;
    return {{
        at: {ALL}.indexOf(e), html: e.outerHTML.slice(0, 120),
        fine: Boolean(isSeen && name && outlineStyle !== "none" && parseFloat(outlineWidth) > 0),
    }};
}})()"""
POINTS = "[...document.querySelectorAll('[data-part=table] tr')].map((row) => row.querySelector('.strong').textContent)"


async def enter(tab: Browser) -> None:
    """Press Enter, as a keyboard does."""
    key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
    await tab.tell("Input.dispatchKeyEvent", type="keyDown", **key)
    await tab.tell("Input.dispatchKeyEvent", type="keyUp", **key)


@pytest.mark.parametrize("form", FORMS)
async def test_tab_leads_through_a_whole_tournament_in_its_order_and_shows_where_one_is(
    web: WebServer, tab: Browser, form: str
) -> None:
    await tab.tell("Emulation.setFocusEmulationEnabled", enabled=True)
    cup = await stored_tournament(web.store, form, BOTS)
    await tab.open(f"{web.url}/tournaments/{cup}")
    count = await tab.read(f"{ALL}.length")
    assert count > 40
    stops = []
    for _ in range(count):
        await tab.press("Tab")
        stops.append(await tab.read(STOP))
    assert [stop["html"] for stop in stops if not stop["fine"]] == []
    assert [stop["at"] for stop in stops] == list(range(count))
    assert tab.complaints == []


async def test_enter_opens_the_games_of_two_and_what_can_be_unfolded(web: WebServer, tab: Browser) -> None:
    await tab.tell("Emulation.setFocusEmulationEnabled", enabled=True)
    cup = await stored_tournament(web.store, "round_robin", BOTS)
    await tab.open(f"{web.url}/tournaments/{cup}")
    await tab.press("Tab")
    await enter(tab)  # skips the menu
    await tab.press("Tab")
    assert await tab.read("document.querySelector('main').contains(document.activeElement)")
    await tab.read("document.querySelector('.crosstable .cell a').focus()")
    await enter(tab)
    await tab.until("location.search.includes('of=') && document.readyState === 'complete'")
    assert await tab.read("document.querySelector('#games h2').textContent.startsWith('Games of ')")
    await tab.press("Tab")  # goes on from the games
    assert await tab.read("document.activeElement.textContent") == "All games"
    await tab.read("document.querySelector('summary').focus()")
    await enter(tab)
    assert await tab.read("document.querySelector('summary').parentElement.open")
    assert tab.complaints == []


async def test_results_that_arrive_leave_the_keyboard_where_it_is(web: WebServer, tab: Browser) -> None:
    await tab.tell("Emulation.setFocusEmulationEnabled", enabled=True)
    for name in ("ada", "bob"):
        await web.bot(name, silent)
    order = {"name": "cup", "game": GAME, "bots": ["ada", "bob"], "seed": 4, "concurrency": 1}
    cup = (await web.post("/api/v1/tournaments", order)).json["id"]
    await web.bots["ada"].until(lambda: any(bot.received(Turn) for bot in web.bots.values()))
    [(white, turn)] = [(bot, turn) for bot in web.bots.values() for turn in bot.received(Turn)]
    await tab.open(f"{web.url}/tournaments/{cup}")
    await tab.read("document.querySelector('[data-part=table] tr:nth-child(2) a').focus()")
    before = await tab.read(POINTS)
    for bot in web.bots.values():
        bot.choose = first_legal
    white.say(Move(match=turn.match, ply=turn.ply, move=first_legal(turn)))
    await web.tournament_ends()
    await tab.until(f"{POINTS}.join() !== '{','.join(before)}'")
    assert await tab.read("document.activeElement.matches('[data-part=table] tr:nth-child(2) a')")
    assert tab.complaints == []

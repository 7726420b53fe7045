"""A person plays in a real browser: by mouse, by keyboard, by typing, against bots and against another person."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

import pytest

from tabiya.games.registry import names
from tabiya.protocol.codes import CloseCode, close_text
from tabiya.protocol.messages import MatchEnded, Turn
from tests.server.local_bots import Choose, LocalBot, at_random, first_legal
from tests.server.web.browser import Browser, new_tab
from tests.server.web.web_server import WebServer

pytestmark = pytest.mark.slow

STATUS = "document.getElementById('status').textContent"
PLIES = "document.querySelectorAll('#list li').length"
OVER = "!document.getElementById('rematch').hidden"
TO_PRESS = "#board rect.target, #board rect.free, #choices button"
# What a person plays, by her seat, and what is played against it; else both play the first that can be played.
MATES = (("e2e4", "f1c4", "d1h5", "h5f7"), ("e7e5", "d8h4"))
AGAINST_MATES = (("f2f3", "g2g4"), ("e7e5", "b8c6", "g8f6"))
FIVE = ("d9", "e9", "f9", "g9", "h9")
PLANS = {"chess": MATES, "connect5": (FIVE, FIVE)}


async def opponent(web: WebServer, choose: Choose = first_legal) -> LocalBot:
    """A bot that accepts every challenge."""
    bot = await web.bot("ada", choose)
    bot.accepts = True
    return bot


async def begin(tab: Browser, web: WebServer, game: str, more: str = "") -> None:
    """Fill the form in and start. more: to be run in the page before."""
    await tab.open(f"{web.url}/play")
    await tab.until("[...document.querySelector('[name=opponent]').options].some(({ value }) => value === 'ada')")
    for field, value in {"game": game, "name": "eve", "time": "none"}.items():
        await tab.read(f"document.querySelector('[name={field}]').value = '{value}'")
    await tab.read(more or "0")
    await click(tab, "[name=start]")
    await tab.until("!document.getElementById('table').hidden && document.querySelector('#board svg')")


async def click(tab: Browser, selector: str) -> None:
    """Press the mouse in the middle of the first element that is found."""
    found = f"document.querySelector('{selector}')"
    await tab.read(f"{found}.scrollIntoView({{ block: 'nearest' }})")
    box = await tab.read(
        f"(({{ x, y, width, height }}) => [x + width / 2, y + height / 2])({found}.getBoundingClientRect())"
    )
    for kind in ("mousePressed", "mouseReleased"):
        await tab.tell("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)


async def until_over(tab: Browser, make_move: Callable[[int], Awaitable[None]]) -> str:
    """Play on until the match is over; what the page says then."""
    for number in range(100):
        await tab.until(f"document.querySelector('{TO_PRESS}') || {OVER}")
        if await tab.read(OVER):
            return str(await tab.read(STATUS))
        before = await tab.read(PLIES)
        await make_move(number)
        await tab.until(f"{PLIES} > {before} || {OVER}")
    raise AssertionError("the match does not end")


@pytest.mark.parametrize("game", names())
async def test_a_whole_game_is_played_with_the_mouse(web: WebServer, tab: Browser, game: str) -> None:
    plan = PLANS.get(game)
    against = AGAINST_MATES if plan is MATES else None
    by_chance = at_random(7)
    bot = await opponent(web, lambda turn: against[turn.seat][turn.ply // 2] if against else by_chance(turn))
    await begin(tab, web, game)
    seats: list[int] = []

    async def make_move(number: int) -> None:
        seats.append(await tab.read(f"{PLIES} % 2"))
        places = re.findall("[a-z][0-9]+", plan[seats[0]][number]) if plan else []
        for place in places:
            await click(tab, f"rect[data-place={place}]")
        if not plan:
            await click(tab, TO_PRESS)

    said = await until_over(tab, make_move)
    assert said.startswith("You have won" if plan else ("You have won", "You have lost", "A draw")), said
    assert len(bot.heard(MatchEnded)) == 1
    assert tab.complaints == []


async def test_a_whole_game_is_played_by_keyboard(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web)
    await begin(tab, web, "tictactoe")

    async def make_move(number: int) -> None:
        await tab.read("document.querySelector('#board rect.free').focus()")
        for key in ("ArrowRight", "ArrowDown", "Enter"):
            await tab.press(key)

    assert (await until_over(tab, make_move)).startswith(("You have", "A draw"))
    assert len(bot.heard(MatchEnded)) == 1


async def test_moves_are_typed_a_wrong_one_is_explained_and_a_game_resigned_and_played_again(
    web: WebServer, tab: Browser
) -> None:
    bot = await opponent(web)
    await begin(tab, web, "nim")
    await tab.until("document.querySelector('#board rect.free')")
    before = await tab.read(PLIES)
    for move, then in (
        ("z9", f"{STATUS}.startsWith('z9 is no move here. There are: a1')"),
        ("A1", f"{PLIES} > {before}"),
    ):
        await tab.read(f"document.querySelector('[name=move]').value = '{move}'")
        await click(tab, "#typed button")
        await tab.until(then)
    await click(tab, "#resign")
    await tab.until(OVER)
    assert (await tab.read(STATUS)).startswith("You have lost: resignation")
    seats = [bot.heard(Turn)[-1].seat]
    await click(tab, "#rematch")
    await tab.until(f"!({OVER}) && document.querySelector('#board rect.free')")
    await click(tab, "#board rect.free")
    await bot.until(lambda: len({turn.match for turn in bot.heard(Turn)}) == 2)
    assert bot.heard(Turn)[-1].seat == 1 - seats[0]
    assert tab.complaints == []


async def test_two_persons_play_each_other_by_a_link(web: WebServer, tab: Browser, browser_address: str) -> None:
    await tab.open(f"{web.url}/play")
    await tab.read("document.querySelector('[name=name]').value = 'eve'")
    await click(tab, "[name=wait]")
    await tab.until(f"{STATUS}.startsWith('You are here as eve')")
    [link] = re.findall(r"http\S+(?= can)", await tab.read(STATUS))
    async with new_tab(browser_address) as other:
        await other.open(link)
        await other.until("document.querySelector('[name=opponent]').value === 'eve'")
        await other.read("document.querySelector('[name=name]').value = 'dan'")
        await click(other, "[name=start]")
        await tab.until("!document.getElementById('asked').hidden")
        assert "dan wants to play" in await tab.read("document.getElementById('question').textContent")
        await click(tab, "#accept")
        for one in (tab, other):
            await one.until("document.querySelector('#board svg')")
        await click(tab, "#resign")
        await other.until(f"{STATUS}.startsWith('You have won')")
        assert other.complaints == tab.complaints == []


async def test_only_the_page_to_play_may_connect_where_bots_do(web: WebServer) -> None:
    websocket = f"ws://127.0.0.1:{web.server.port}"
    policies = {path: (await web.get(path)).headers["Content-Security-Policy"] for path in ("/play", "/")}
    first = await web.get("/play")
    again = await web.get("/play", If_None_Match=first.headers["ETag"])
    assert (again.status, again.headers["Content-Security-Policy"]) == (304, policies["/play"])
    assert f"connect-src 'self' {websocket};" in policies["/play"]
    assert websocket not in policies["/"]


async def test_after_which_codes_the_page_stays_away_is_what_the_protocol_says(web: WebServer) -> None:
    [listed] = re.findall(r"FINAL = \[([0-9, ]+)\]", (await web.get("/static/play.js")).text)
    assert set(map(int, listed.split(","))) == {code for code in CloseCode if not close_text(code).reconnect}


async def test_a_name_that_plays_in_two_tabs_stays_with_the_newer_one(
    web: WebServer, tab: Browser, browser_address: str
) -> None:
    token = (await web.post("/api/v1/register", {"name": "eve"})).json["token"]
    await opponent(web)
    with_token = f"document.querySelector('[name=token]').value = '{token}'"
    await begin(tab, web, "nim", with_token)
    async with new_tab(browser_address) as newer:
        await newer.open(f"{web.url}/play")
        await newer.read(f"{with_token}; document.querySelector('[name=name]').value = 'eve'")
        await click(newer, "[name=wait]")
        await newer.until("document.querySelector('#board rect.free')")
        await tab.until(f"{STATUS}.startsWith('The server has closed the connection')")

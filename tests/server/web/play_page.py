"""The page to play in a browser, as tests handle it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial
from urllib.parse import urlsplit

from tabiya.games.openings import Opening
from tabiya.games.registry import load_game
from tabiya.protocol.messages import (
    Move,
    Turn,
)
from tabiya.server.matches.factory import MatchTerms
from tabiya.storage.records import SeatRecord
from tests.present import present
from tests.server.local_bots import Choose, LocalBot, first_legal, silent
from tests.server.web.browser import Browser
from tests.server.web.web_server import WebServer

STATUS = "document.getElementById('status').textContent"
PLIES = "document.querySelectorAll('#list li').length"
OVER = "!document.getElementById('rematch').hidden"
MINE = "document.querySelector('#board rect.free, #choices button')"
TO_PRESS = "#board rect.target, #board rect.free, #choices button"
MEETS = """((begins, selector, x, y) => {
    window.meeting?.abort();
    window.meeting = new AbortController();
    window.met = true;
    let pressed;
    const heard = { capture: true, once: true, signal: window.meeting.signal };
    addEventListener(begins, ({ target }) => {
        const at = document.querySelector(selector)?.getBoundingClientRect();
        window.met = !at || (at.left <= x && x <= at.right && at.top <= y && y <= at.bottom);
        pressed = target;
    }, heard);
    addEventListener('mouseup', ({ target }) => { window.met &&= target === pressed; }, heard);
})"""  # notes whether the element is still where it is pressed, and not drawn again before it is let go
TABLE = "!document.getElementById('table').hidden && document.querySelector('#board svg')"


def first_move(turn: Turn, move: str) -> Move:
    """This move as the answer to a turn."""
    return Move(match=turn.match, ply=turn.ply, move=move)


async def opponent(web: WebServer, choose: Choose = first_legal, **hello: object) -> LocalBot:
    """A bot that accepts every challenge."""
    bot = await web.bot("ada", choose, **hello)
    bot.accepts = True
    return bot


async def begin(tab: Browser, web: WebServer, game: str, seat: str = "0", more: str = "", time: str = "none") -> None:
    """Fill the form in and start. more: to be run in the page before."""
    await tab.open(f"{web.url}/play?game={game}")
    await tab.until("[...document.querySelector('[name=opponent]').options].some(({ value }) => value === 'ada')")
    for field, value in {"seat": seat, "name": "eve", "time": time}.items():
        await tab.read(f"document.querySelector('[name={field}]').value = '{value}'")
    await tab.read(more or "0")
    await click(tab, "[name=start]")
    await tab.until(TABLE)


async def click(tab: Browser, selector: str, count: int = 1) -> None:
    """Press the mouse in the middle of the first element that is found. count: 2 for the second press of two."""

    async def send(x: float, y: float) -> None:
        mouse = partial(tab.tell, "Input.dispatchMouseEvent", x=x, y=y, button="left", clickCount=count)
        await asyncio.gather(mouse(type="mousePressed"), mouse(type="mouseReleased"))

    await _meet(tab, selector, "mousedown", send)


async def type_move(tab: Browser, text: str) -> None:
    """Type a move where moves are typed, once it is hers."""
    await tab.until(MINE)
    await tab.read(f"document.querySelector('[name=move]').value = '{text}'")
    await click(tab, "#typed button")


async def touch(tab: Browser, selector: str) -> None:
    """Put a finger there and lift it."""

    async def send(x: float, y: float) -> None:
        finger = partial(tab.tell, "Input.dispatchTouchEvent")
        await asyncio.gather(
            finger(type="touchStart", touchPoints=[{"x": x, "y": y}]), finger(type="touchEnd", touchPoints=[])
        )

    await _meet(tab, selector, "touchstart", send)


async def _meet(tab: Browser, selector: str, begins: str, send: Callable[[float, float], Awaitable[None]]) -> None:
    """Press, and again where the page moved the element or drew it again meanwhile. begins: the page's first event."""
    met = False
    while not met:
        x, y = await middle(tab, selector)
        await tab.read(f"{MEETS}({json.dumps(begins)}, {json.dumps(selector)}, {x}, {y})")
        await send(x, y)
        try:
            met = await tab.read("window.met ?? true")  # another page has come by the press
        except AssertionError as error:
            if "navigated" not in str(error):
                raise
            met = True


async def resign(tab: Browser) -> None:
    """Press twice, as who is sure; however slow the machine is, the page does not take its question back meanwhile."""
    await tab.read("window.later = setTimeout, window.setTimeout = () => 0")
    await click(tab, "#resign")
    await tab.read("window.setTimeout = window.later, 0")
    assert await tab.read("document.getElementById('resign').textContent") == "Really resign?"
    await click(tab, "#resign")


async def middle(tab: Browser, selector: str) -> tuple[float, float]:
    """Where the middle of the first element is that is found; it is brought into view."""
    found = f"document.querySelector('{selector}')"
    await tab.read(f"{found}.scrollIntoView({{ block: 'nearest' }})")
    x, y = await tab.read(
        f"(({{ x, y, width, height }}) => [x + width / 2, y + height / 2])({found}.getBoundingClientRect())"
    )
    return x, y


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


async def asked_elsewhere(tab: Browser, web: WebServer) -> list[str]:
    """Addresses that the page has asked beside this server's own."""
    asked = await tab.read("performance.getEntriesByType('resource').map(({ name }) => name)")
    own = {urlsplit(web.url).netloc}
    return [address for address in asked if urlsplit(address).netloc not in own]


async def seated(tab: Browser, web: WebServer, game: str, opening: str, seat: int = 0, time: str = "none") -> LocalBot:
    """The person comes into a match that begins with these moves; who she plays."""
    bot = await web.bot("ada", silent)
    await tab.open(f"{web.url}/play")
    await tab.until("!document.getElementById('terms').hidden")
    await tab.read("document.querySelector('[name=name]').value = 'eve'")
    await click(tab, "[name=invite]")
    await tab.until("!document.getElementById('waiting').hidden")
    sessions = [present(web.dispatcher.sessions.by_name(name)) for name in ("eve", "ada")]
    seats = [SeatRecord(bot_id=one.bot.id, bot=one.name) for one in sessions]
    terms = MatchTerms(game, time, load_game(game).read_options(), rated=False)
    start = Opening(load_game(game).start().text(), tuple(opening.split()))
    factory = web.dispatcher.match_factory
    await factory.create(factory.plan(terms, (seats[seat], seats[1 - seat]), start))
    await tab.until(TABLE)
    return bot

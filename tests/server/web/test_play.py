"""A person plays in a real browser: by mouse, keyboard, touch, typing, against bots and against another person."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import pytest

from tabiya.games.registry import names
from tabiya.protocol.codes import CloseCode, close_text
from tabiya.protocol.messages import (
    Challenge,
    Challenged,
    DrawOffer,
    MatchEnded,
    MatchStarted,
    Move,
    Resign,
    TakeBack,
    TakeBackAsked,
    Turn,
)
from tabiya.storage.memory import MemoryStore
from tests.server.local_bots import Choose, LocalBot, at_random, first_legal, silent
from tests.server.web.browser import Browser, new_tab
from tests.server.web.web_server import WebServer, web_server

pytestmark = pytest.mark.slow

STATUS = "document.getElementById('status').textContent"
PLIES = "document.querySelectorAll('#list li').length"
OVER = "!document.getElementById('rematch').hidden"
MINE = "document.querySelector('#board rect.free, #choices button')"
TO_PRESS = "#board rect.target, #board rect.free, #choices button"
TABLE = "!document.getElementById('table').hidden && document.querySelector('#board svg')"
# What a person plays, by her seat, and what is played against it; else both play the first that can be played.
MATES = (("e2e4", "f1c4", "d1h5", "h5f7"), ("e7e5", "d8h4"))
AGAINST_MATES = (("f2f3", "g2g4"), ("e7e5", "b8c6", "g8f6"))
FIVE = ("d9", "e9", "f9", "g9", "h9")
PLANS = {"chess": MATES, "connect5": (FIVE, FIVE)}


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


async def click(tab: Browser, selector: str) -> None:
    """Press the mouse in the middle of the first element that is found."""
    x, y = await middle(tab, selector)
    for kind in ("mousePressed", "mouseReleased"):
        await tab.tell("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


async def touch(tab: Browser, selector: str) -> None:
    """Put a finger there and lift it."""
    x, y = await middle(tab, selector)
    await tab.tell("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    await tab.tell("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])


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


@pytest.mark.parametrize(("number", "game"), list(enumerate(names())))
async def test_a_whole_game_is_played_with_the_mouse(web: WebServer, tab: Browser, number: int, game: str) -> None:
    plan, seat = PLANS.get(game), number % 2
    against = AGAINST_MATES if plan is MATES else None
    by_chance = at_random(7)
    bot = await opponent(web, lambda turn: against[turn.seat][turn.ply // 2] if against else by_chance(turn))
    await begin(tab, web, game, str(seat))

    async def make_move(number: int) -> None:
        places = re.findall("[a-z][0-9]+", plan[seat][number]) if plan else []
        for place in places:
            await click(tab, f"rect[data-place={place}]")
        if not plan:
            await click(tab, TO_PRESS)

    said = await until_over(tab, make_move)
    assert said.startswith("You have won" if plan else ("You have won", "You have lost", "A draw")), said
    assert len(bot.heard(MatchEnded)) == 1
    assert bot.heard(MatchStarted)[0].seat == 1 - seat
    assert tab.complaints == []
    assert await asked_elsewhere(tab, web) == []


async def test_a_whole_game_is_played_by_keyboard_alone_and_every_square_says_what_stands_there(
    web: WebServer, tab: Browser
) -> None:
    bot = await opponent(web)
    await begin(tab, web, "tictactoe")
    label = "document.activeElement.getAttribute('aria-label')"

    async def make_move(number: int) -> None:
        await tab.read("document.querySelector('#board [tabindex=\"0\"]').focus()")
        for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowDown"):
            await tab.press(key)
        for step in range(9):
            if "can be played" in await tab.read(label):
                break
            for key in ("ArrowRight",) if step % 3 < 2 else ("ArrowUp", "ArrowLeft", "ArrowLeft"):
                await tab.press(key)
        await tab.press("Enter")

    assert (await until_over(tab, make_move)).startswith(("You have", "A draw"))
    assert len(bot.heard(MatchEnded)) == 1
    said = await tab.read("[...document.querySelectorAll('#board [role=row]')].map((row) => row.children.length)")
    assert said == [3, 3, 3]
    labels = await tab.read("[...document.querySelectorAll('#board [role=gridcell]')].map((one) => one.ariaLabel)")
    assert len(labels) == 9
    assert all(re.fullmatch("[abc][123], (cross|ring|empty)", label) for label in labels), labels


async def test_a_whole_game_is_played_by_touch_on_a_phone(web: WebServer, tab: Browser) -> None:
    await tab.tell("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
    await tab.tell("Emulation.setTouchEmulationEnabled", enabled=True)
    await opponent(web)
    await begin(tab, web, "tictactoe")

    async def make_move(number: int) -> None:
        await touch(tab, "#board rect.free")

    assert (await until_over(tab, make_move)).startswith(("You have", "A draw"))
    assert await tab.read("document.documentElement.scrollWidth") <= 390
    assert tab.complaints == []


async def test_moves_are_typed_a_wrong_one_is_explained_and_a_game_resigned_and_played_again(
    web: WebServer, tab: Browser
) -> None:
    bot = await opponent(web)
    await begin(tab, web, "nim")
    await tab.until(MINE)
    before = await tab.read(PLIES)
    for move, then in (
        ("z9", f"{STATUS}.startsWith('z9 is no move here. There are: a1')"),
        ("A1", f"{PLIES} > {before}"),
    ):
        await tab.read(f"document.querySelector('[name=move]').value = '{move}'")
        await click(tab, "#typed button")
        await tab.until(then)
    await click(tab, "#resign")
    assert not await tab.read(OVER)
    await click(tab, "#resign")  # "Really resign?"
    await tab.until(OVER)
    assert (await tab.read(STATUS)).startswith("You have lost: resignation")
    await click(tab, "#rematch")
    await tab.until(f"!({OVER}) && {MINE}")
    assert [started.seat for started in bot.heard(MatchStarted)] == [1, 0]
    assert tab.complaints == []


async def test_nothing_is_pressed_or_kept_while_the_opponent_thinks(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web, silent)
    await begin(tab, web, "tictactoe", seat="1")
    await tab.until(f"{STATUS} === 'ada is thinking.'")
    for place in ("a1", "b2"):
        await click(tab, f"rect[data-place={place}]")
    bot.say(first_move(await bot.hears(Turn), "a1"))
    await tab.until(f"{PLIES} === 1 && {MINE}")
    assert await tab.read("document.querySelector('#board rect.chosen, #board rect.target')") is None
    assert (
        len(await tab.read("[...document.querySelectorAll('#board rect.free')].map(({ dataset }) => dataset.place)"))
        == 8
    )


# --- two people


async def test_two_persons_play_each_other_by_a_link_which_is_stale_afterwards(
    web: WebServer, tab: Browser, browser_address: str
) -> None:
    await tab.open(f"{web.url}/play?game=chess&seat=1")
    await tab.until("!document.getElementById('terms').hidden")
    await tab.read("document.querySelector('[name=name]').value = 'eve'")
    await click(tab, "[name=invite]")
    await tab.until("!document.getElementById('waiting').hidden")
    link = await tab.read("document.getElementById('link').value")
    await tab.open(f"{web.url}/play")  # the link stays good when who waits reloads the page
    await tab.until(f"{STATUS}.startsWith('You wait as eve: Chess')")
    assert await tab.read("document.getElementById('link').value") == link
    async with new_tab(browser_address) as other:
        await other.open(link)
        await other.until(f"{STATUS}.startsWith('eve invites you: Chess')")
        assert "you play White" in await other.read(STATUS)
        await other.read("document.querySelector('[name=name]').value = 'dan'")
        await click(other, "[name=start]")
        for one in (tab, other):
            await one.until(TABLE)
        for place in ("e2", "e4"):
            await click(other, f"rect[data-place={place}]")
        await tab.until(f"{PLIES} === 1 && {MINE}")
        assert (await tab.read("document.querySelector('[data-place=e4]').ariaLabel")).startswith("e4, white pawn")
        await click(tab, "#draw")
        for place in ("e7", "e5"):
            await click(tab, f"rect[data-place={place}]")
        await other.until("!document.getElementById('question').hidden")
        await click(other, "#yes")
        await tab.until(f"{STATUS}.startsWith('A draw')")
        await other.open(link)
        await other.until(f"{STATUS}.startsWith('This link is no longer good')")
        assert [one for one in other.complaints if "404" not in one] == tab.complaints == []


async def test_who_waits_by_a_link_can_withdraw_it(web: WebServer, tab: Browser) -> None:
    await tab.open(f"{web.url}/play")
    await tab.until("!document.getElementById('terms').hidden")
    await tab.read("document.querySelector('[name=name]').value = 'eve'")
    await click(tab, "[name=invite]")
    await tab.until("!document.getElementById('waiting').hidden")
    code = (await tab.read("document.getElementById('link').value")).partition("challenge=")[2]
    assert (await web.get(f"/api/v1/challenges/{code}")).status == 200
    await click(tab, "#withdraw")
    await tab.until("!document.getElementById('terms').hidden")
    assert (await web.get(f"/api/v1/challenges/{code}")).status == 404


async def test_a_bot_challenges_a_person_who_accepts(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web)
    await begin(tab, web, "nim")
    for _ in range(2):
        await click(tab, "#resign")
    await tab.until(OVER)
    bot.say(Challenge(opponent="eve", game="nim", time="none", rated=False, opening=False, seat=0))
    await bot.hears(Challenged, 2)
    await tab.until("!document.getElementById('question').hidden")
    assert "ada wants to play: Nim" in await tab.read("document.getElementById('question-text').textContent")
    await click(tab, "#yes")
    await bot.hears(MatchStarted, 2)


# --- coming back


async def test_a_reload_in_the_middle_of_a_game_shows_the_board_the_moves_and_the_clocks_that_run(
    web: WebServer, tab: Browser
) -> None:
    bot = await opponent(web)
    await begin(tab, web, "chess", time="300+5")
    await tab.until(MINE)
    for place in ("e2", "e4"):
        await click(tab, f"rect[data-place={place}]")
    await tab.until(f"{PLIES} === 2 && {MINE}")
    await tab.open(f"{web.url}/play")
    await tab.until(f"{TABLE} && {PLIES} === 2 && {MINE}")
    assert (await tab.read("document.querySelector('[data-place=e4]').ariaLabel")).startswith("e4, white pawn")
    near, far = await tab.read(
        "['near', 'far'].map((one) => document.querySelector(`[data-clock=${one}]`).textContent)"
    )
    assert re.fullmatch("[345]:[0-9]{2}", near), near
    assert re.fullmatch("5:0[0-5]", far), far
    assert await tab.read("document.querySelector('[data-clock=near]').classList.contains('runs')")
    assert "eve" in await tab.read("document.querySelector('[data-who=near]').textContent")
    await click(tab, "rect[data-place=d2]")
    await click(tab, "rect[data-place=d4]")
    await bot.until(lambda: bot.heard(Turn)[-1].ply == 3)
    assert tab.complaints == []


async def test_a_game_whose_tab_was_closed_is_offered_to_the_next_tab(
    web: WebServer, tab: Browser, browser_address: str
) -> None:
    await opponent(web)
    async with new_tab(browser_address) as closed:
        await begin(closed, web, "tictactoe")
        await closed.until(MINE)
        await click(closed, "rect[data-place=a1]")
        await closed.until(f"{PLIES} === 2")
    await tab.open(f"{web.url}/play")
    await tab.until("!document.getElementById('question').hidden")
    await click(tab, "#yes")
    await tab.until(f"{TABLE} && {PLIES} === 2 && {MINE}")


async def test_a_person_is_back_in_the_game_when_the_server_has_started_anew(tab: Browser) -> None:
    async with web_server() as before:
        await opponent(before)
        await begin(tab, before, "tictactoe")
        await tab.until(MINE)
        await click(tab, "rect[data-place=a1]")
        await tab.until(f"{PLIES} === 2 && {MINE}")
        port, pages_port = before.server.port, before.server.pages_port
        assert isinstance(before.store, MemoryStore)
        tables = before.store.tables
    await tab.until(f"{STATUS}.startsWith('The connection is lost')")
    async with web_server(tables=tables, port=port, pages_port=pages_port) as after:
        bot = await opponent(after)
        await tab.until(MINE)
        await click(tab, "rect[data-place=b2]")
        await bot.hears(Turn)
        await tab.until(f"{PLIES} === 4 && {MINE}")


async def test_a_game_that_ended_while_the_person_was_away_is_said_to_be_over(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web, silent)
    await begin(tab, web, "tictactoe", seat="1")
    await tab.open("about:blank")
    bot.say(Resign(match=bot.heard(Turn)[-1].match))
    await bot.hears(MatchEnded)
    await tab.open(f"{web.url}/play")
    await tab.until(f"{STATUS}.startsWith('Your match ended while you were away:')")
    assert "resign" in await tab.read(STATUS)


# --- taking back, and what else is agreed


async def test_a_move_is_taken_back_when_the_opponent_agrees_and_played_otherwise(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web)
    await begin(tab, web, "tictactoe")
    await tab.until(MINE)
    await click(tab, "rect[data-place=c3]")
    await tab.until(f"{PLIES} === 2 && {MINE}")
    await click(tab, "#take-back")
    asked = await bot.hears(TakeBackAsked)
    bot.say(TakeBack(match=asked.match, ply=asked.ply, agree=True))
    await tab.until(f"{PLIES} === 0 && document.querySelectorAll('#board rect.free').length === 9")
    assert await tab.read("document.getElementById('take-back').disabled")
    await click(tab, "rect[data-place=b2]")
    await tab.until(f"{PLIES} === 2 && {MINE}")
    assert "took its last move back" in (await web.json("/api/v1/matches/1"))["result"]["reason"]
    assert tab.complaints == []


async def test_a_draw_that_a_bot_offers_is_a_question_with_two_answers(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web, silent)
    await begin(tab, web, "chess", seat="1")
    turn = await bot.hears(Turn)
    bot.say(DrawOffer(match=turn.match, ply=0))
    bot.say(first_move(turn, "e2e4"))
    await tab.until("!document.getElementById('question').hidden")
    assert await tab.read("document.getElementById('question-text').textContent") == "ada offers a draw."
    await click(tab, "#yes")
    await tab.until(f"{STATUS}.startsWith('A draw: draw agreed')")


async def test_the_servers_own_players_are_listed_with_their_levels_and_where_there_are_none_it_says_how(
    web: WebServer, tab: Browser
) -> None:
    await opponent(web)
    web.server.house_bots = {"ada": {"nim": "sees three plies"}}
    await tab.open(f"{web.url}/play?game=nim")
    await tab.until("document.querySelector('optgroup')?.label === 'Built in'")
    assert await tab.read("document.querySelector('optgroup option').text") == "ada, sees three plies"
    assert await tab.read("document.getElementById('no-house').hidden")
    web.server.house_bots = {}
    await tab.open(f"{web.url}/play?game=nim")
    await tab.until("document.querySelector('optgroup')?.label === 'Others that are here'")
    assert "tabiya serve --house-bot" in await tab.read("document.getElementById('no-house').innerText")


# --- what the page may do


async def test_only_the_page_to_play_may_connect_where_bots_do(web: WebServer) -> None:
    websocket = f"ws://127.0.0.1:{web.server.port}"
    policies = {path: (await web.get(path)).headers["Content-Security-Policy"] for path in ("/play", "/")}
    first = await web.get("/play")
    again = await web.get("/play", If_None_Match=first.headers["ETag"])
    assert (again.status, again.headers["Content-Security-Policy"]) == (304, policies["/play"])
    assert f"connect-src 'self' {websocket};" in policies["/play"]
    assert websocket not in policies["/"]


async def test_after_which_codes_the_page_stays_away_is_what_the_protocol_says(web: WebServer) -> None:
    [listed] = re.findall(r"FINAL = \[([0-9, ]+)\]", (await web.get("/static/play_connection.js")).text)
    assert set(map(int, listed.split(","))) == {code for code in CloseCode if not close_text(code).reconnect}


async def test_a_name_that_plays_in_two_tabs_stays_with_the_newer_one(
    web: WebServer, tab: Browser, browser_address: str
) -> None:
    token = (await web.post("/api/v1/register", {"name": "eve"})).json["token"]
    await opponent(web)
    with_token = f"document.querySelector('[name=token]').value = '{token}'"
    await begin(tab, web, "nim", more=with_token)
    async with new_tab(browser_address) as newer:
        await newer.open(f"{web.url}/play")
        await newer.until("!document.getElementById('terms').hidden")
        await newer.read(f"{with_token}; document.querySelector('[name=name]').value = 'eve'")
        await click(newer, "[name=invite]")
        await newer.until(MINE)
        await tab.until("document.getElementById('question-text').textContent.includes('another tab')")

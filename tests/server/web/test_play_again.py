"""A person comes back into a game: after a reload, a closed tab, a restart of the server."""

from __future__ import annotations

import re
from functools import partial

import pytest

from tabiya.protocol.messages import (
    MatchEnded,
    Resign,
    Turn,
)
from tabiya.storage.memory import MemoryStore
from tests.server.local_bots import LocalBot, silent
from tests.server.web.browser import Browser, new_tab
from tests.server.web.pages.measures import faults
from tests.server.web.play_page import (
    MINE,
    PLIES,
    STATUS,
    TABLE,
    begin,
    click,
    opponent,
    type_move,
)
from tests.server.web.web_server import WebServer, web_server

pytestmark = pytest.mark.slow


def has_turn(bot: LocalBot, ply: int) -> bool:
    return bot.received(Turn)[-1].ply == ply


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
    assert await faults(tab, (390, 1440)) == []
    listed = "[...document.querySelectorAll('#list li')].map(({ textContent }) => textContent)"
    assert await tab.read(listed) == ["e4", "Na6"]  # as people write them
    assert "ada has played Na6." in await tab.read(STATUS)
    for move, ply in (("Nf3", 3), ("f1c4", 5), ("0-0", 7)):  # typed as written, as on the wire, as the game reads it
        await type_move(tab, move)
        await bot.until(partial(has_turn, bot, ply))
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
        await bot.receives(Turn)
        await tab.until(f"{PLIES} === 4 && {MINE}")


async def test_a_game_that_ended_while_the_person_was_away_is_said_to_be_over(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web, silent)
    await begin(tab, web, "tictactoe", seat="1")
    await tab.open("about:blank")
    bot.say(Resign(match=(await bot.receives(Turn)).match))
    await bot.receives(MatchEnded)
    await tab.open(f"{web.url}/play")
    await tab.until(f"{STATUS}.startsWith('Your match ended while you were away:')")
    assert "resign" in await tab.read(STATUS)


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

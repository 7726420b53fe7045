"""Boards that come late, in another order or not at once: of a match, in a frame of another site, of who plays."""

from __future__ import annotations

import json

import pytest

from tabiya.games.openings import Opening
from tabiya.games.registry import load_game
from tabiya.protocol.messages import Challenged, ChallengeEnded, Move
from tabiya.server.matches.factory import MatchTerms
from tabiya.storage.records import SeatRecord
from tests.present import present
from tests.server.local_bots import silent
from tests.server.web.browser import Browser
from tests.server.web.late_answers import HOLD, come, hold, settle, until_held
from tests.server.web.play_page import OVER, TABLE, begin, opponent
from tests.server.web.web_server import GAME, LINE, WebServer

pytestmark = pytest.mark.slow

AT = "document.getElementById('at').textContent"
SHOWN = "Number(document.getElementById('board').dataset.shown)"
SEQUENCE = "document.getElementById('board').dataset.sequence"
TURNED = "document.querySelector('[data-go=turn]').ariaPressed"
AWAY_AT_FIRST = """{
    const fetched = window.fetch;
    let isAway = true;
    window.fetch = async (address) => {
        if (!isAway || !String(address).includes("/boards")) return fetched(address);
        isAway = false;
        throw new TypeError();
    };
}"""
STREAMS = """{
    window.streams = [];
    window.EventSource = class extends EventTarget {
        static CLOSED = 2;
        constructor() {
            super();
            this.readyState = 1;
            window.streams.push(this);
        }
        close() {}
    };
}"""
HEARD = """{
    window.heard = [];
    window.WebSocket = class extends WebSocket {
        constructor(...given) {
            super(...given);
            this.addEventListener('message', ({ data }) => window.heard.push(JSON.parse(data).type));
        }
    };
}"""


async def before_each_page(tab: Browser, script: str) -> None:
    """A script that runs in every page before its own."""
    await tab.tell("Page.enable")
    await tab.tell("Page.addScriptToEvaluateOnNewDocument", source=script)


async def test_boards_are_those_of_the_side_that_was_asked_for_last(web: WebServer, tab: Browser) -> None:
    match = await web.play("f2f3 e7e5 g2g4 d8h4", game="chess")
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until(SEQUENCE)
    drawn = "document.querySelector('#board > svg').innerHTML"
    before = await tab.read(drawn)
    await hold(tab, "/boards[?]")
    for count in (1, 2):
        await tab.press("f")
        await until_held(tab, count)
    for number in (1, 0):
        await come(tab, number)
        assert (await tab.read(drawn), await tab.read(TURNED)) == (before, "false")


async def test_a_move_that_is_made_while_the_board_is_turned_is_shown(web: WebServer, tab: Browser) -> None:
    match = await web.begin("f2f3 e7e5", game="chess")
    await web.at_ply(match, 2)
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until(f"{SEQUENCE} && {AT} === '2 / 2'")
    await hold(tab, "/boards[?]")
    await tab.press("f")
    await until_held(tab)
    web.bots["ada"].say(Move(match=match, ply=2, move="g2g4"))
    await tab.until(f"{AT} === '3 / 3'")
    await come(tab)
    await until_held(tab, 2)  # the first has come without that move
    await come(tab, 1)
    assert (await tab.read(SEQUENCE), await tab.read(SHOWN)) == ("1", 3)
    assert tab.complaints == []


async def test_a_match_is_followed_though_its_boards_did_not_come_at_first(web: WebServer, tab: Browser) -> None:
    await before_each_page(tab, AWAY_AT_FIRST)
    match = await web.begin("a1 a2")
    await web.at_ply(match, 2)
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until(SEQUENCE)
    web.bots["ada"].say(Move(match=match, ply=2, move="b1"))
    await tab.until(f"{AT} === '3 / 3' && {SHOWN} === 3")


async def test_a_frame_whose_stream_is_refused_stops_its_clocks_and_comes_back(web: WebServer, tab: Browser) -> None:
    await before_each_page(tab, STREAMS)
    match = await web.begin("a1 a2")
    await web.at_ply(match, 2)
    await tab.open(f"{web.url}/embed/matches/{match}")
    await tab.until("window.streams.length === 1")
    event = {"after": 2, "moves": [], "status": "running", "clock_ms": [60_000, 60_000], "to_move": 0, "thinking_ms": 0}
    message = f"new MessageEvent('moves', {{ data: {json.dumps(json.dumps(event))} }})"
    await tab.read(f"window.streams[0].dispatchEvent({message})")
    clock = "document.querySelector('[data-clock=\"0\"]').textContent"
    await tab.until(f"{clock}.includes('.')")  # below a minute
    await tab.read("window.streams[0].readyState = 2, window.streams[0].dispatchEvent(new Event('error'))")
    await tab.read(f"{clock} = 'still'")
    await tab.until("window.streams.length === 2")
    assert await tab.read(clock) == "still"


# --- where a person plays


async def test_a_rematch_that_is_pressed_twice_is_asked_for_once(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web, silent)
    await begin(tab, web, GAME)
    await tab.read("[1, 2].forEach(() => document.getElementById('resign').click())")
    await tab.until(OVER)
    await tab.read("[1, 2].forEach(() => document.getElementById('rematch').click())")
    await tab.until(f"{TABLE} && !({OVER})")
    await settle(tab)
    assert len(bot.received(Challenged)) == 2  # that of the first match, and one


async def test_asking_another_opponent_withdraws_the_earlier_challenge(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web, silent)
    other = await web.bot("bob", silent)
    await before_each_page(tab, HEARD)
    await tab.open(f"{web.url}/play?game={GAME}&opponent=bob")
    await tab.until("document.querySelector('[name=opponent]').value === 'bob'")
    await tab.read("document.querySelector('[name=name]').value = 'eve'")
    await tab.read("document.querySelector('[name=start]').click()")
    await other.receives(Challenged)
    assert await tab.read("document.getElementById('status').textContent") == "bob has been asked."
    await tab.until("window.heard.includes('challenged')")
    await tab.read("document.querySelector('[name=opponent]').value = 'ada'")
    await tab.read("document.querySelector('[name=start]').click()")
    assert (await other.receives(ChallengeEnded)).outcome == "withdrawn"
    await tab.until(TABLE)
    assert len(bot.received(Challenged)) == 1


async def test_a_list_of_opponents_that_is_open_stays_where_nothing_has_changed(web: WebServer, tab: Browser) -> None:
    await web.bot("ada", silent)
    await tab.open(f"{web.url}/play?game={GAME}")
    await tab.until("document.querySelector('[name=opponent]').value === 'ada'")
    await tab.read("window.before = document.querySelector('[name=opponent] option')")
    await tab.read("document.querySelector('[name=game]').dispatchEvent(new Event('change'))")
    await settle(tab)
    assert await tab.read("window.before.isConnected")


async def test_resigning_asks_again_in_the_next_match(web: WebServer, tab: Browser) -> None:
    await opponent(web, silent)
    await begin(tab, web, GAME)
    await tab.read("[1, 2].forEach(() => document.getElementById('resign').click())")
    await tab.until(OVER)
    await tab.read("document.getElementById('rematch').click()")
    await tab.until(f"{TABLE} && !({OVER})")
    assert await tab.read("document.getElementById('resign').textContent") == "Resign"
    await tab.read("document.getElementById('resign').click()")
    await settle(tab)
    assert await tab.read(f"!({OVER}) && document.getElementById('resign').textContent") == "Really resign?"


async def test_what_is_told_late_of_an_old_match_does_not_end_the_one_that_has_begun(
    web: WebServer, tab: Browser
) -> None:
    old = await web.play(LINE)
    known = json.dumps(json.dumps({"name": "eve", "token": "", "resume": "", "match": old}))
    await before_each_page(tab, f"sessionStorage.setItem('tabiya-play', {known}); {HOLD}('/matches/[0-9]+$')")
    await tab.open(f"{web.url}/play")
    await until_held(tab)
    sessions = [present(web.dispatcher.sessions.by_name(name)) for name in ("eve", "ada")]
    seats = [SeatRecord(bot_id=one.bot.id, bot=one.name) for one in sessions]
    rules, factory = load_game(GAME), web.dispatcher.match_factory
    terms = MatchTerms(GAME, "none", rules.read_options(), rated=False)
    await factory.create(factory.plan(terms, (seats[0], seats[1]), Opening(rules.start().text(), ())))
    await tab.until(TABLE)
    await come(tab)
    assert not await tab.read(OVER)

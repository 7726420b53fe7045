"""Two people by a link, challenges, offers, moves taken back, and whom the page offers to play."""

from __future__ import annotations

import pytest

from tabiya.protocol.messages import (
    Challenge,
    Challenged,
    DrawOffer,
    MatchStarted,
    TakeBack,
    TakeBackAsked,
    Turn,
)
from tests.server.local_bots import first_legal, silent
from tests.server.web.browser import Browser, new_tab
from tests.server.web.play_page import (
    MINE,
    OVER,
    PLIES,
    STATUS,
    TABLE,
    begin,
    click,
    first_move,
    opponent,
    resign,
    seated,
)
from tests.server.web.web_server import OPERATOR, WebServer, web_server

pytestmark = pytest.mark.slow


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
        await other.until(MINE)
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
        await other.until(f"{STATUS}.startsWith('This link is no longer valid')")
        assert [one for one in other.complaints if "404" not in one] == tab.complaints == []


async def invite(web: WebServer, tab: Browser, heaps: str) -> None:
    """Eve asks for a link to a match of Nim with these heaps."""
    await tab.open(f"{web.url}/play?game=nim")
    await tab.until("!document.getElementById('terms').hidden")
    for name, value in (("name", "eve"), ("option-heaps", heaps)):
        await tab.read(f"document.querySelector('[name={name}]').value = '{value}'")
    await click(tab, "[name=invite]")


async def test_a_link_says_what_of_the_game_is_not_as_usual(web: WebServer, tab: Browser, browser_address: str) -> None:
    await invite(web, tab, heaps="1,2")
    await tab.until(f"{STATUS}.startsWith('You wait as eve: Nim, heaps 1,2, ')")
    async with new_tab(browser_address) as other:
        await other.open(await tab.read("document.getElementById('link').value"))
        await other.until(f"{STATUS}.startsWith('eve invites you: Nim, heaps 1,2, ')")
        assert await other.read("document.querySelector('#options input').offsetParent") is None


async def test_a_link_whose_options_are_refused_is_not_kept(web: WebServer, tab: Browser) -> None:
    await invite(web, tab, heaps="many")
    await tab.until(f"{STATUS}.includes('heaps')")
    await tab.open(f"{web.url}/play")
    await tab.until("!document.getElementById('terms').hidden")
    assert await tab.read(STATUS) == ""


async def test_a_link_is_said_to_be_copied_only_if_the_browser_has_let_the_page(web: WebServer, tab: Browser) -> None:
    await invite(web, tab, heaps="1,2")
    await tab.until("!document.getElementById('waiting').hidden")
    await tab.read("Object.defineProperty(navigator, 'clipboard', {value: {writeText: () => Promise.reject('no')}})")
    for lets, says in (("false", "The browser does not let this page copy."), ("true", "The link is copied.")):
        await tab.read(f"document.execCommand = () => {lets}")
        await click(tab, "#copy")
        await tab.until(f"{STATUS}.startsWith('{says}')")
        link = await tab.read("document.getElementById('link').value")
        assert await tab.read("String(getSelection())") == link
    assert tab.complaints == []


async def test_an_invitation_by_a_link_can_be_withdrawn(web: WebServer, tab: Browser) -> None:
    await tab.open(f"{web.url}/play")
    await tab.until("!document.getElementById('terms').hidden")
    await tab.read("document.querySelector('[name=name]').value = 'eve'")
    await click(tab, "[name=invite]")
    await tab.until("!document.getElementById('waiting').hidden")
    code = (await tab.read("document.getElementById('link').value")).partition("challenge=")[2]
    assert (await web.get(f"/api/v1/challenges/{code}")).status == 200
    await click(tab, "#withdraw")
    await tab.until("!document.getElementById('terms').hidden")
    while (gone := await web.get(f"/api/v1/challenges/{code}")).status == 200:
        pass  # the page does not wait for the server to hear it
    assert gone.status == 404


async def test_a_bot_challenges_a_person_who_accepts(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web)
    await begin(tab, web, "nim")
    await resign(tab)
    await tab.until(OVER)
    bot.say(Challenge(opponent="eve", game="nim", time="none", rated=False, opening=False, seat=0))
    await bot.receives(Challenged, 2)
    await tab.until("!document.getElementById('question').hidden")
    assert "ada wants to play: Nim" in await tab.read("document.getElementById('question-text').textContent")
    await click(tab, "#yes")
    await bot.receives(MatchStarted, 2)


async def test_a_move_is_taken_back_when_the_opponent_agrees_and_played_otherwise(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web)
    await begin(tab, web, "tictactoe")
    await tab.until(MINE)
    await click(tab, "rect[data-place=c3]")
    await tab.until(f"{PLIES} === 2 && {MINE}")
    await click(tab, "#take-back")
    asked = await bot.receives(TakeBackAsked)
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
    turn = await bot.receives(Turn)
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
    await tab.until("document.querySelector('optgroup')?.label === 'Others online'")
    assert "tabiya serve --house-bot" in await tab.read("document.getElementById('no-house').innerText")


async def test_where_only_registered_names_play_a_new_one_is_registered_with_the_invite_code_on_the_page(
    tab: Browser,
) -> None:
    async with web_server(host="0.0.0.0", operator_token=OPERATOR, invite_secret="tulip") as web:
        made = (await web.post("/api/v1/accounts", {"name": "ada"}, token=OPERATOR)).json
        bot = await web.bot("ada", first_legal, token=made["token"])
        bot.accepts = True
        await tab.open(f"{web.url}/play?game=nim")
        await tab.until("document.querySelector('[name=opponent]').value === 'ada'")
        await tab.read("document.querySelector('[name=name]').value = 'eve'")
        await click(tab, "[name=start]")
        await tab.until(f"{STATUS}.startsWith('This server admits only registered names.')")
        await tab.read("document.querySelector('[name=code]').value = 'rose'")
        await click(tab, "[name=start]")
        await tab.until(f"{STATUS}.includes('invite code')")
        await tab.read("document.querySelector('[name=code]').value = 'tulip'")
        await click(tab, "[name=start]")
        await tab.until(TABLE)
        token = await tab.read("document.getElementById('new-token').value")
        assert (await web.get("/api/v1/account", token=token)).json["name"] == "eve"
        await click(tab, "#token-kept")
        await resign(tab)
        await tab.until(OVER)
        await click(tab, "#rematch")  # without being asked again
        await tab.until(f"!({OVER})")


async def test_while_the_servers_own_players_are_prepared_it_is_said_and_then_they_appear_by_themselves(
    web: WebServer, tab: Browser
) -> None:
    web.server.house_bots, web.server.starting_house_bots = {"ada": {}}, ["ada"]
    await tab.open(f"{web.url}/play?game=nim")
    words = "document.getElementById('preparing').innerText"
    await tab.until(f"{words}.includes('still preparing its players: ada.')")
    assert await tab.read("document.getElementById('no-house').hidden")
    assert await tab.read("document.querySelector('[name=start]').disabled")
    await opponent(web)
    await tab.until("document.querySelector('[name=opponent]').value === 'ada'")
    assert await tab.read(f"{words} === '' && !document.querySelector('[name=start]').disabled")


async def test_a_person_lets_the_opponent_take_a_move_back(web: WebServer, tab: Browser) -> None:
    bot = await seated(tab, web, "tictactoe", "", seat=1)
    bot.say(first_move(await bot.receives(Turn), "a1"))
    await tab.until(f"{PLIES} === 1 && {MINE}")
    bot.say(TakeBack(match=bot.received(Turn)[0].match, ply=1))
    await tab.until("!document.getElementById('question').hidden")
    await click(tab, "#yes")
    assert (await bot.receives(Turn, 2)).ply == 0
    await tab.until(f"{PLIES} === 0 && {STATUS} === 'ada is thinking.'")

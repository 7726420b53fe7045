"""The pages in a real browser: what only its scripts and its content policy can show."""

from __future__ import annotations

import pytest

from tabiya.protocol.messages import Move
from tabiya.server.archive.reviews import encoded
from tabiya.storage.records import MatchId
from tests.server.archive.test_reviews import judged_move
from tests.server.local_bots import at_random
from tests.server.web.browser import Browser
from tests.server.web.web_server import LINE, WebServer

SHOWN = "new URL(document.getElementById('board').src).pathname"
AT = "document.getElementById('at').textContent"
SEEN = "document.getElementById('board').complete && document.getElementById('board').naturalWidth > 0"


pytestmark = pytest.mark.slow


async def test_a_match_is_replayed_by_keys_buttons_rows_and_slider(web: WebServer, tab: Browser) -> None:
    match = await web.play(LINE)
    pictures = f"/api/v1/matches/{match}/picture"
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until(SEEN)
    assert (await tab.read(AT), await tab.read(SHOWN)) == ("5 / 5", f"{pictures}/5.svg")
    await tab.press("ArrowLeft")
    assert (await tab.read(AT), await tab.read(SHOWN)) == ("4 / 5", f"{pictures}/4.svg")
    assert await tab.read("location.search") == "?ply=4"
    assert await tab.read("document.querySelector('#moves tr.at .move').textContent") == "b2"
    account = await tab.read("document.getElementById('account').textContent")
    for figure in ("The server's own share", "Turn handed out", "Move read"):
        assert figure in account
    await tab.press("Home")
    assert await tab.read(SHOWN) == f"{pictures}/0.svg"
    await tab.read("document.querySelector('[data-go=on]').click()")
    assert await tab.read(AT) == "1 / 5"
    await tab.read("document.querySelector('#moves tr[data-ply=\"3\"] .move').click()")
    assert await tab.read(AT) == "3 / 5"
    await tab.read("slider.value = 2; slider.dispatchEvent(new Event('input'))")
    assert await tab.read(AT) == "2 / 5"
    await tab.press(" ", "Space")
    await tab.until(f"{AT} === '5 / 5'")
    await tab.until(SEEN)
    assert tab.complaints == []


async def test_a_review_leads_to_its_moves(web: WebServer, tab: Browser) -> None:
    match = await web.play(LINE)
    judged = [judged_move(ply, ply % 2, 0.5 * (ply == 1), 0.1 * ply, best="b2") for ply in range(5)]
    await web.store.keep_review(MatchId(match), "an engine", encoded(judged))
    await tab.open(f"{web.url}/matches/{match}")
    assert await tab.read("document.querySelector('polyline').getBoundingClientRect().width > 20")
    await tab.read("document.querySelector('.costly a').click()")
    assert await tab.read(AT) == "2 / 5"
    await tab.read("document.querySelectorAll('.costly a')[1].click()")
    assert await tab.read(AT) == "1 / 5"
    assert await tab.read("document.querySelectorAll('.chart rect.at').length") == 2  # in both charts
    column = "document.querySelector('.chart rect.column[data-ply=\"3\"]')"
    await tab.read(f"{column}.dispatchEvent(new Event('click', {{bubbles: true}}))")
    assert await tab.read(AT) == "3 / 5"
    assert tab.complaints == []


async def test_a_running_match_is_followed_to_its_result(web: WebServer, tab: Browser) -> None:
    match = await web.begin("a1 a2 b1 b2")
    await web.at_ply(match, 4)
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until("document.querySelector('[data-clock=\"0\"]').classList.contains('runs')")
    assert await tab.read(AT) == "4 / 4"
    web.bots["ada"].say(Move(match=match, ply=4, move="c1"))
    await tab.until(f"{AT} === '5 / 5'")
    await tab.until("document.querySelector('.banner')?.textContent.includes('ada completed a line against bob')")
    await tab.until("document.querySelectorAll('#moves tr[data-ply]').length === 5")
    assert await tab.read("document.querySelector('.runs')") is None
    assert tab.complaints == []


async def test_the_policy_stops_what_a_page_of_ours_never_does(web: WebServer, tab: Browser) -> None:
    await tab.open(f"{web.url}/about")
    await tab.read("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.broken = 1\">')")
    assert await tab.read("window.broken === undefined")
    await tab.read("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))")
    assert await tab.read("window.ran === undefined")
    assert any("Content Security Policy" in complaint for complaint in tab.complaints)


AGREE = """(() => {
    window.frames_seen = [];
    function look() {
        const board = document.getElementById("board"), rows = document.querySelectorAll("#moves tr[data-ply]");
        const ply = Number(new URL(board.src).pathname.match(/(\\d+)\\.svg/)[1]);
        window.frames_seen.push([ply, rows.length, parseInt(document.getElementById("at").textContent)]);
        requestAnimationFrame(look);
    }
    look();
})()"""


async def test_board_list_and_counter_agree_at_every_frame_of_a_quick_match(web: WebServer, tab: Browser) -> None:
    quick = await web.bot("ada", at_random(7)), await web.bot("bob", at_random(8))
    for bot in quick:
        bot.think_s = 0.05
    match = await web.begin("", game="connect5")
    for number, bot in enumerate(quick):
        bot.choose = at_random(number)
    await tab.open(f"{web.url}/matches/{match}")
    await tab.read(AGREE)
    web.bots["ada"].say(Move(match=match, ply=0, move="h8"))
    await tab.until(f"parseInt({AT}) > 60")
    seen = await tab.read("window.frames_seen")
    assert len({ply for ply, _, _ in seen}) > 5  # as many as the machine can show
    assert [frame for frame in seen if len(set(frame)) > 1] == []
    assert tab.complaints == []


async def test_the_board_of_chess_is_turned_with_its_players(web: WebServer, tab: Browser) -> None:
    match = await web.play("f2f3 e7e5 g2g4 d8h4", game="chess")
    await tab.open(f"{web.url}/matches/{match}")
    upper = "document.querySelector('.player-bar[data-seat=\"0\"]').getBoundingClientRect().y < board.y"
    assert await tab.read(f"!({upper})")
    await tab.press("f", "KeyF")
    assert await tab.read("new URL(board.src).searchParams.get('seat')") == "1"
    assert await tab.read(upper)
    await tab.press("ArrowLeft")
    assert await tab.read("new URL(board.src).searchParams.get('seat')") == "1"
    await tab.until(SEEN)
    assert tab.complaints == []
    await tab.open(f"{web.url}/matches/{await web.play(LINE)}")
    assert await tab.read("document.querySelector('[data-go=turn]')") is None

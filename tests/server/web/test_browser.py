"""The pages in a real browser: what only its scripts and its content policy can show."""

from __future__ import annotations

import pytest

from tabiya.protocol.messages import Move, MoveInfo
from tabiya.server.archive.reviews import encoded
from tabiya.storage.records import MatchId
from tests.server.archive.test_reviews import judged_move
from tests.server.local_bots import at_random, silent
from tests.server.web.browser import Browser
from tests.server.web.pages.measures import faults
from tests.server.web.web_server import GAME, LINE, WebServer

SHOWN = "Number(document.getElementById('board').dataset.shown)"
AT = "document.getElementById('at').textContent"
LOADED = "document.getElementById('board').dataset.sequence"
SEEN = "document.querySelector('#board > svg > title')?.textContent"

FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"

pytestmark = pytest.mark.slow


async def test_a_match_is_replayed_by_keys_buttons_rows_and_slider(web: WebServer, tab: Browser) -> None:
    match = await web.play(LINE)
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until(LOADED)
    assert (await tab.read(AT), await tab.read(SHOWN)) == ("5 / 5", 5)
    assert "3 crosses" in await tab.read(SEEN)
    await tab.press("ArrowLeft")
    assert (await tab.read(AT), await tab.read(SHOWN)) == ("4 / 5", 4)
    assert "2 crosses" in await tab.read(SEEN)
    assert await tab.read("document.getElementById('picture').href.includes('/picture/4.svg?v=')")
    assert await tab.read("location.search") == "?ply=4"
    assert await tab.read("document.querySelector('#moves tr.at .move').textContent") == "b2"
    account = await tab.read("document.getElementById('account').textContent")
    for figure in ("The server's own share", "Turn handed out", "Move read"):
        assert figure in account
    await tab.press("Home")
    assert await tab.read(SHOWN) == 0
    await tab.read("document.querySelector('[data-go=on]').click()")
    assert await tab.read(AT) == "1 / 5"
    await tab.read("document.querySelector('#moves tr[data-ply=\"3\"] .move').click()")
    assert await tab.read(AT) == "3 / 5"
    await tab.read("slider.value = 2; slider.dispatchEvent(new Event('input'))")
    assert await tab.read(AT) == "2 / 5"
    await tab.press(" ", "Space")
    await tab.until(f"{AT} === '5 / 5'")
    assert tab.complaints == []


async def test_stepping_through_a_match_downloads_nothing(web: WebServer, tab: Browser) -> None:
    match = await web.play(FOOLS_MATE, game="chess")
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until(LOADED)
    but_the_tabs_icon = "!name.includes('/icon.svg')"  # which the browser asks for when it likes
    names = "performance.getEntriesByType('resource').map((entry) => entry.name)"
    loads = f"{names}.filter((name) => {but_the_tabs_icon})"
    before = await tab.read(loads)
    for _ in range(5):
        for key in ("Home", "ArrowRight", "ArrowRight", "ArrowLeft", "End"):
            await tab.press(key)
    assert (await tab.read(AT), await tab.read(SHOWN)) == ("4 / 4", 4)
    assert await tab.read(loads) == before
    assert tab.complaints == []


async def test_a_page_shows_every_ply_as_the_server_draws_it(web: WebServer, tab: Browser) -> None:
    match = await web.play(FOOLS_MATE, game="chess")
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until(LOADED)
    drawn = "[...document.querySelector('#board > svg').children].map((part) => part.outerHTML).join('')"
    for ply in (0, 3, 4):
        await tab.press("Home")
        for _ in range(ply):
            await tab.press("ArrowRight")
        asked = f"fetch('/api/v1/matches/{match}/picture/{ply}.svg').then((answer) => answer.text())"
        parsed = f"{asked}.then((text) => new DOMParser().parseFromString(text, 'image/svg+xml').documentElement)"
        parts = "[...document.importNode(svg, true).children].map((part) => part.outerHTML).join('')"
        expected = await tab.read(f"{parsed}.then((svg) => {parts})")
        assert await tab.read(drawn) == expected
    assert tab.complaints == []


async def test_an_expected_line_is_marked_played_through_and_left(web: WebServer, tab: Browser) -> None:
    match = await web.begin("", game="chess")
    line = MoveInfo(score=20, depth=3, nodes=12_000, pv=("e2e4", "e7e5", "g1f3"))
    web.bots["ada"].say(Move(match=match, ply=0, move="e2e4", info=line))
    await web.at_ply(match, 1)
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until(LOADED)
    words = "document.getElementById('line').textContent"
    assert await tab.read(words) == "White expects: e5Nf3"
    assert await tab.read("document.querySelectorAll('#board path.expected').length") == 2
    await tab.press("ArrowDown")
    await tab.press("ArrowDown")
    await tab.until(f"{words}.includes('not played')")
    await tab.until("document.querySelector('#line [aria-current]')?.textContent === 'Nf3'")
    assert "N f3" in await tab.read(SEEN)
    assert await tab.read("document.getElementById('board').classList.contains('imagined')")
    assert await tab.read(AT) == "1 / 1"
    await tab.press("Escape")
    assert "N f3" not in await tab.read(SEEN)
    assert not await tab.read("document.getElementById('board').classList.contains('imagined')")
    await tab.press("a")
    assert await tab.read("document.querySelectorAll('#board .expected').length") == 0
    assert tab.complaints == []


async def test_a_swipe_steps_and_a_key_copies_the_position(web: WebServer, tab: Browser) -> None:
    match = await web.play(LINE)
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until(LOADED)
    touch = "new Touch({{identifier: 1, target: board, clientX: {x}, clientY: 9}})"
    start, end = (touch.format(x=x) for x in (20, 90))
    await tab.read(f"board.dispatchEvent(new TouchEvent('touchstart', {{touches: [{start}]}}))")
    await tab.read(f"board.dispatchEvent(new TouchEvent('touchend', {{changedTouches: [{end}]}}))")
    assert await tab.read(AT) == "4 / 5"
    await tab.read("document.addEventListener('copy', () => { window.copied_text = String(getSelection()); })")
    await tab.read("navigator.clipboard.writeText = async (text) => { window.copied_text = text; }")
    await tab.press("c")
    await tab.until("window.copied_text === '3x3x3 XX-OO---- X'")
    assert tab.complaints == []


async def test_the_page_leads_from_one_move_that_cost_much_to_the_next(web: WebServer, tab: Browser) -> None:
    match = await web.play(LINE)
    judged = [judged_move(ply, ply % 2, 0.5 * (ply in (1, 3)), 0.1 * ply, best="b2") for ply in range(5)]
    await web.store.keep_review(MatchId(match), "an engine", encoded(judged))
    await tab.open(f"{web.url}/matches/{match}?ply=0")
    await tab.until(LOADED)
    for key, at in (("n", 2), ("n", 4), ("n", 2), ("N", 4)):
        await tab.press(key)
        assert await tab.read(AT) == f"{at} / 5"
    assert tab.complaints == []


async def test_a_review_leads_to_its_moves(web: WebServer, tab: Browser) -> None:
    match = await web.play(LINE)
    judged = [judged_move(ply, ply % 2, 0.5 * (ply == 1), 0.1 * ply, best="b2") for ply in range(5)]
    await web.store.keep_review(MatchId(match), "an engine", encoded(judged))
    await tab.open(f"{web.url}/matches/{match}")
    assert await tab.read("document.querySelector('polyline.judged').getBoundingClientRect().width > 20")
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


async def test_a_match_that_is_lost_on_time_shows_an_empty_clock_at_its_end_also_when_it_is_opened_later(
    web: WebServer, tab: Browser
) -> None:
    match = await web.begin("a1 a2", control="2+0")
    clocks = "[...document.querySelectorAll('[data-clock]')].map((one) => one.textContent)"
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until("document.querySelector('.banner')?.textContent.includes('ada ran out of time')")
    await tab.until(f"{clocks}.includes('0.0')")
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until(f"{LOADED} && {clocks}.includes('0.0')")


async def test_without_any_game_every_page_says_what_to_do_next(web: WebServer, tab: Browser) -> None:
    lists = (f"/standings/{GAME}", "/tournaments", "/matches", "/bots", "/head-to-head")
    for path in ("/", *lists, "/play", "/about", "/client/", "/docs/"):
        await tab.open(web.url + path)
        assert await faults(tab, (390, 1440)) == [], path
        onward = await tab.read(
            "[...document.querySelectorAll('main .empty a, main .card a, main pre, main form')]"
            ".filter((one) => one.checkVisibility()).length"
        )
        assert onward, path
    assert tab.complaints == []


async def test_a_printed_page_has_the_day_beside_a_time_of_today(web: WebServer, tab: Browser) -> None:
    for name in ("ada", "bob"):
        await web.bot(name, silent)
    await web.post("/api/v1/tournaments", {"name": "Cup", "game": GAME, "bots": ["ada", "bob"]})
    await tab.open(f"{web.url}/tournaments/1")
    before = "getComputedStyle(document.querySelector('main time'), '::before').content"
    await tab.until("document.querySelector('main time').dataset.day")
    assert await tab.read(before) == "none"
    await tab.tell("Emulation.setEmulatedMedia", media="print")
    assert await tab.read(f"{before}.includes(new Date().toLocaleDateString())")


async def test_the_policy_stops_what_a_page_of_ours_never_does(web: WebServer, tab: Browser) -> None:
    await tab.open(f"{web.url}/about")
    await tab.read("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.broken = 1\">')")
    assert await tab.read("window.broken === undefined")
    await tab.read("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))")
    assert await tab.read("window.ran === undefined")
    assert any("Content Security Policy" in complaint for complaint in tab.complaints)


AGREE = """(() => {
    window.frames_seen = [];
    const board = document.getElementById("board"), at = document.getElementById("at");
    function look() {
        const rows = document.querySelectorAll("#moves tr[data-ply]");
        const graph = document.querySelectorAll(".bars rect");
        const clock = document.querySelector("[data-clock].runs")?.dataset.clock ?? null;
        const counts = [Number(board.dataset.shown), rows.length, parseInt(at.textContent), graph.length];
        window.frames_seen.push([...counts, clock]);
        requestAnimationFrame(look);
    }
    look();
})()"""


async def test_board_list_graph_and_clock_agree_at_every_frame_of_a_bullet_game(web: WebServer, tab: Browser) -> None:
    quick = await web.bot("ada", at_random(7)), await web.bot("bob", at_random(8))
    for bot in quick:
        bot.think_s = 0.04
    match = await web.begin("", game="chess", control="60+1")
    for number, bot in enumerate(quick):
        bot.choose = at_random(number)
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until(LOADED)
    await tab.read(AGREE)
    loads = "performance.getEntriesByType('resource').filter((entry) => !entry.name.endsWith('/live')).length"
    before = await tab.read(loads)
    web.bots["ada"].say(Move(match=match, ply=0, move="e2e4"))
    await tab.until(f"parseInt({AT}) >= 200 || document.querySelector('.banner')")
    assert await tab.read(f"parseInt({AT})") >= 200
    seen = await tab.read("window.frames_seen")
    assert len({ply for ply, *_ in seen}) > 5  # as many as the machine can show
    assert [frame for frame in seen if len(set(frame[:4])) > 1] == []
    assert [frame for frame in seen if frame[4] not in (None, str(frame[0] % 2))] == []
    assert await tab.read(loads) - before <= 1  # the stream
    assert tab.complaints == []


DROP_ONE = """
    const add = EventSource.prototype.addEventListener;
    window.dropped = 0;
    EventSource.prototype.addEventListener = function (name, hear) {
        add.call(this, name, (event) => {
            const is_lost = name === "moves" && JSON.parse(event.data).moves.length && !dropped++;
            if (!is_lost) hear(event);
        });
    };
"""


async def test_a_page_that_has_missed_an_event_asks_for_what_it_lacks(web: WebServer, tab: Browser) -> None:
    match = await web.begin("a1 a2")
    await web.at_ply(match, 2)
    await tab.tell("Page.enable")
    await tab.tell("Page.addScriptToEvaluateOnNewDocument", source=DROP_ONE)
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until("document.querySelector('.runs')")
    web.bots["ada"].say(Move(match=match, ply=2, move="b1"))
    await tab.until("window.dropped")
    assert await tab.read(AT) == "2 / 2"
    web.bots["bob"].say(Move(match=match, ply=3, move="b2"))
    await tab.until(f"{AT} === '4 / 4'")
    texts = "[...document.querySelectorAll('#moves .move')].map((move) => move.textContent).join(' ')"
    assert (await tab.read(texts), await tab.read(SHOWN)) == ("a1 a2 b1 b2", 4)
    assert await tab.read("document.getElementById('stale').hidden")
    assert tab.complaints == []


async def test_the_board_of_chess_is_turned_with_its_players(web: WebServer, tab: Browser) -> None:
    match = await web.play(FOOLS_MATE, game="chess")
    await tab.open(f"{web.url}/matches/{match}")
    await tab.until(LOADED)
    top = "getBoundingClientRect().y"
    upper = f"document.querySelector('.player-bar[data-seat=\"0\"]').{top} < board.{top}"
    corner = "document.querySelector('#board use').getAttribute('href')"
    assert not await tab.read(upper)
    assert await tab.read(corner) == "#r"
    await tab.press("f", "KeyF")
    await tab.until(upper)  # once its boards are there
    await tab.until(
        f"{corner} === '#r' && document.querySelector('#board use').getAttribute('transform').includes('(75')"
    )
    assert await tab.read("document.getElementById('picture').href.includes('seat=1')")
    await tab.press("ArrowLeft")
    assert await tab.read(AT) == "3 / 4"
    assert tab.complaints == []
    await tab.open(f"{web.url}/matches/{await web.play(LINE)}")
    assert await tab.read("document.querySelector('[data-go=turn]')") is None

"""The projector's page: what it shows, and in a real browser that it fits its screen, lives, and obeys its keys."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tabiya.protocol.messages import Notice
from tabiya.server.standings.models import StandingsRow
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.pages import pages, projector, shown_games
from tests.live import eventually
from tests.present import present
from tests.server.local_bots import at_random, first_legal, silent
from tests.server.web.browser import Browser, new_tab
from tests.server.web.page_reader import Page
from tests.server.web.pages.measures import faults
from tests.server.web.stored_tournaments import stored_tournament
from tests.server.web.web_server import LINE, WebServer

CUP = {"name": "class <b>cup</b> \u05dd", "game": "reversi", "seed": 4, "concurrency": 8, "time_control": "60+0.5"}
WIDE, RIGHT_TO_LEFT = "W" * 40, "\u05dd" * 40
NAMES = (WIDE, RIGHT_TO_LEFT, "a'(b)!/@", "Team 7", *(f"bot {number}" for number in range(12)))
SIZES = ((1920, 1080), (3840, 2160))
BOARDS = "[...document.querySelectorAll('.game')]"
HELD = "!document.getElementById('held').hidden"
STEP = "Number(document.getElementById('shown').dataset.step)"
FITS = """[document.documentElement, ...document.querySelectorAll('main, main > *, .game, .player, .pair, footer')]
    .filter((e) => e.scrollHeight > e.clientHeight + 2 || e.scrollWidth > e.clientWidth + 2).map((e) => e.className)"""
CUT = """[...document.querySelectorAll('.name')].filter((e) => {
    const range = document.createRange();
    range.selectNodeContents(e);
    const [is, room] = [range.getBoundingClientRect(), e.getBoundingClientRect()];
    return is.width > room.width + 0.1 || is.height > room.height + 6;
}).map((e) => e.textContent)"""


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No page is shared, so that every one shows this very moment."""
    monkeypatch.setattr(pages, "PAGE_CACHE_S", 0.0)


async def tournament(web: WebServer, names: tuple[str, ...], think_s: float = 0.05, **plan: object) -> int:
    for number, name in enumerate(names):
        bot = await web.bot(name, at_random(number), max_matches=5)
        bot.think_s = think_s
    made = await web.post("/api/v1/tournaments", CUP | {"bots": names} | plan)
    assert made.status == 201, made.text
    return int(made.json["id"])


async def page(web: WebServer, query: str = "") -> Page:
    answer = await web.get(f"/projector{query}")
    assert answer.status == 200, answer.text
    read = Page(answer.text)
    read.addresses("/projector")
    assert read.faults == []
    return read


def boards(read: Page) -> set[str]:
    """The matches on its boards."""
    return {link.split("/")[4] for link in read.links if "/picture/" in link}


async def test_with_nothing_running_it_says_how_to_connect_and_what_was_last_won(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown_games, "LINGER_S", 0.0)
    assert web.url in (await page(web)).words
    for name in ("ada", "bob"):
        await web.bot(name, first_legal, max_matches=2)
    await web.post("/api/v1/tournaments", {"name": "cup", "game": "nim", "bots": ["ada", "bob"]})
    await web.tournament_ends()
    for number in range(4):  # made later, and not ended later
        await stored_tournament(web.store, "round_robin", ("ada", "bob"), name=f"old {number}", status="ended")
    trial = {"name": "trial", "game": "nim", "bots": ["ada", "bob"], "format": "sprt", "games": 2}
    assert (await web.post("/api/v1/tournaments", trial)).status == 201
    received = web.bots["ada"]
    await received.until(lambda: sum(notice.kind == "tournament_ended" for notice in received.received(Notice)) == 2)
    words = (await page(web)).words
    assert "won cup with" in words
    assert "won trial" not in words
    assert web.url in words


async def test_a_tournament_shows_games_table_progress_and_who_is_next(web: WebServer) -> None:
    number = await tournament(web, NAMES[3:10], think_s=60.0, concurrency=2)
    for query in ("", f"?tournament={number}"):
        read = await page(web, query)
        assert len(boards(read)) == 2
        for words in ("class <b>cup</b>", "0 of 42 games, 2 running", "Standings", "Next", "Team 7"):
            assert words in read.words


async def test_a_game_of_a_tournament_is_larger_than_others(web: WebServer) -> None:
    for number in range(2):
        await web.begin("", bots=(f"a{number}", f"b{number}"))
    assert len(boards(await page(web, "?step=7"))) == 2
    await tournament(web, ("ada", "bob"), think_s=60.0)
    shown = [link.split("/")[4] for link in (await page(web, "?step=8")).links if "/picture/" in link]
    assert len(set(shown)) == 3
    first = await web.json(f"/api/v1/matches/{shown[0]}")
    assert first["place"] is not None


async def test_each_screen_shows_games_that_no_other_shows_and_the_last_one_the_table_alone(web: WebServer) -> None:
    await tournament(web, NAMES, think_s=60.0)
    first, second, third = [await page(web, f"?step=7&screen={screen}") for screen in (1, 2, 3)]
    assert (len(boards(first)), len(boards(second)), boards(third)) == (6, 2, set())
    assert not boards(first) & boards(second)
    assert all(name in third.words for name in NAMES)
    later = await page(web, "?step=8")
    assert len(boards(later) & boards(first)) < 6
    assert boards(await page(web, "?step=7")) == boards(first)


async def test_only_what_is_asked_for_is_shown(web: WebServer) -> None:
    first = await tournament(web, ("ada", "bob"), think_s=60.0)
    second = await tournament(web, ("eve", "tim"), think_s=60.0, name="second cup")
    both = [(await page(web, f"?step=8&screen={screen}")).words for screen in (1, 2)]
    assert sorted("second cup" in words for words in both) == [False, True]
    assert "second cup" not in (await page(web, f"?tournament={first}")).words
    assert boards(await page(web, f"?tournament={first}")).isdisjoint(boards(await page(web, f"?tournament={second}")))
    await web.post(f"/api/v1/tournaments/{second}/pause", {})
    assert not any(["second cup" in (await page(web, f"?step={step}")).words for step in (8, 9)])
    assert "paused" in (await page(web, f"?tournament={second}")).words
    assert (await web.get("/projector?tournament=99")).status == 404
    assert (await web.get("/projector?screen=0")).status == 400


async def test_it_says_why_a_game_is_interesting(web: WebServer) -> None:
    number = await tournament(web, ("ada", "bob", "eve", "tim"), think_s=60.0, format="knockout")
    assert "decisive" in (await page(web, f"?tournament={number}")).words
    assert "decisive" not in (await page(web, f"?tournament={await tournament(web, NAMES[4:8], 60.0)}")).words


async def test_a_game_that_has_just_ended_stays_with_its_result(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown_games, "LINGER_S", 600.0)  # the machine may be slow
    await web.play(LINE)
    await web.begin("a1 a2", bots=("ada", "eve"))
    words = (await page(web)).words
    assert "1-0" in words
    assert "line" in words
    assert "✓" in words


async def test_the_ratings_of_the_game_are_shown_where_there_is_no_tournament(web: WebServer) -> None:
    await web.play(LINE)
    await web.begin("a1 a2", bots=("ada", "bob"))
    assert "Tic-tac-toe, ratings" in (await page(web)).words


def test_a_bot_stands_once_among_the_ratings_with_its_best_version() -> None:
    rows = [
        StandingsRow(rank=rank, bot=bot, version=version, rating=rating, plus_minus=9.0, games=8, wins=4, draws=0,
                     losses=4, score=0.5, lost_by={}, pool=pool)
        for rank, bot, version, rating, pool in (
            (1, "ada", "2", 1700.0, 1), (2, "ada", "1", 1600.0, 1),
            (3, "bob", "1", 1500.0, 1), (1, "eve", "1", 1500.0, 2),
        )
    ]  # fmt: skip
    shown = [(row.rank, row.bot, row.points) for row in projector.best_versions(rows)]
    assert shown == [(1, "ada", "1700"), (2, "bob", "1500"), (1, "eve", "1500")]


def test_pages_take_turns_and_none_is_empty() -> None:
    for number in range(1, 60):
        items = list(range(number))
        pages_of = [projector.page_in_turn(items, turn, 7) for turn in range(-(-number // 7))]
        assert [item for each in pages_of for item in each] == items
        assert all(1 <= len(each) <= 7 for each in pages_of)
    assert projector.page_in_turn((), 3, 7) == ()


# --- in a browser


@pytest.fixture
async def tab(browser_address: str) -> AsyncIterator[Browser]:
    """A tab that nobody has used."""
    async with new_tab(browser_address) as opened:
        await opened.tell("Page.bringToFront")
        yield opened


async def sized(tab: Browser, width: int, height: int) -> None:
    await tab.tell("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), SIZES)
async def test_games_live_on_their_boards_and_nothing_is_cut_or_scrolls(
    web: WebServer, tab: Browser, width: int, height: int
) -> None:
    await tournament(web, NAMES, think_s=0.2)
    await sized(tab, width, height)
    await tab.open(f"{web.url}/projector")
    await tab.until(f"{BOARDS}.length === 6")
    await tab.until(f"{BOARDS}.every((game) => game.querySelector('img').naturalWidth > 0)")
    shown = "document.querySelector('.game img').src"
    before = await tab.read(shown)
    await tab.until(f"{shown} !== '{before}'")
    assert await tab.read(FITS) == []
    assert [name for name in await tab.read(CUT) if name.strip() not in (WIDE, RIGHT_TO_LEFT)] == []
    assert await tab.read(f"{BOARDS}.every((game) => game.querySelector('img').clientHeight > innerHeight / 5)")
    assert await tab.read("document.querySelectorAll('[style], b > b, nav').length") == 0
    await tab.open(f"{web.url}/projector?screen=3")
    assert await tab.read(FITS) == []
    assert tab.complaints == []


@pytest.mark.slow
async def test_the_result_of_a_draw_has_room_between_the_names(web: WebServer, tab: Browser) -> None:
    await tournament(web, ("ada", "bob"), think_s=60.0)
    await sized(tab, 1920, 1080)
    await tab.open(f"{web.url}/projector")
    row = "<p class=pair><span class=name>ada</span><b>1/2-1/2</b><span class=name>bob</span></p>"
    where = "document.querySelector('.coming, .results, .places').parentElement"
    await tab.read(f"{where}.insertAdjacentHTML('beforeend', '<section class=results>{row}</section>')")
    result = "document.querySelector('.results .pair b')"
    assert await tab.read(f"{result}.scrollWidth <= {result}.clientWidth")


@pytest.mark.slow
async def test_space_holds_a_step_and_arrows_go_on_from_there(web: WebServer, tab: Browser) -> None:
    await tournament(web, NAMES, think_s=60.0)
    await tab.open(f"{web.url}/projector")
    assert not await tab.read(HELD)
    await tab.press(" ", "Space")
    assert await tab.read(HELD)
    step = await tab.read(STEP)
    await tab.press("ArrowRight")
    await tab.until(f"{STEP} === {step + 1}")
    await tab.press("ArrowLeft")
    await tab.press("ArrowLeft")
    await tab.until(f"{STEP} === {step - 1}")
    await tab.press(" ", "Space")
    await tab.until(f"{STEP} >= {step}")
    assert not await tab.read(HELD)
    await tab.press("f", "KeyF")  # which a browser without a screen may refuse
    assert tab.complaints == []


@pytest.mark.slow
async def test_without_an_answer_it_says_so_and_goes_on_by_itself(web: WebServer, tab: Browser) -> None:
    await tournament(web, ("ada", "bob"), think_s=0.2)
    await tab.open(f"{web.url}/projector")
    await tab.tell("Network.enable")
    line = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    streams = present(web.server.web.streams)
    await eventually(lambda: len(streams) > 0)
    await tab.tell("Network.emulateNetworkConditions", offline=True, **line)
    await streams.stop()  # a connection that is open goes on
    await tab.until("document.getElementById('stale').textContent.includes('No answer from the server since')")
    assert await tab.read("document.body.classList.contains('out-of-date')")
    await tab.tell("Network.emulateNetworkConditions", offline=False, **line)
    await tab.until("document.getElementById('stale').hidden")
    assert not await tab.read("document.body.classList.contains('out-of-date')")


@pytest.mark.slow
async def test_without_games_it_says_where_to_play_and_trouble_of_the_server_while_it_lasts(
    web: WebServer, tab: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tab.open(f"{web.url}/projector")
    assert await tab.read("document.querySelector('main.idle h1').textContent") == "Play here"
    assert await tab.read("document.querySelector('.big').textContent") == web.url
    assert await faults(tab, (1280, *(width for width, _ in SIZES))) == []
    assert (await tab.read(FITS), await tab.read(CUT)) == ([], [])
    monkeypatch.setattr(ServerFacade, "trouble", "nothing can be saved")
    await tab.until("document.querySelector('.trouble')?.textContent === 'nothing can be saved'")
    monkeypatch.setattr(ServerFacade, "trouble", "")
    await tab.until("!document.querySelector('.trouble')")


@pytest.mark.slow
async def test_nothing_fades_for_those_who_want_no_motion(web: WebServer, tab: Browser) -> None:
    await web.bot("ada", silent)
    await web.begin("a1 a2", bots=("ada", "bob"))
    motion = "getComputedStyle(document.querySelector('.game')).animationName"
    for wanted, name in (("reduce", "none"), ("no-preference", "appear")):
        feature = {"name": "prefers-reduced-motion", "value": wanted}
        await tab.tell("Emulation.setEmulatedMedia", features=[feature])
        await tab.open(f"{web.url}/projector")
        assert await tab.read(motion) == name

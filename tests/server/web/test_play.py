"""A person plays in a real browser, in every game: by mouse, keyboard, touch and typing."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from tabiya.games.errors import OptionError, PositionError
from tabiya.games.registry import load_game, names
from tabiya.protocol.codes import CloseCode, close_text
from tabiya.protocol.messages import (
    MatchEnded,
    MatchStarted,
    Turn,
)
from tests.server.local_bots import at_random, silent
from tests.server.web.browser import Browser
from tests.server.web.pages.measures import faults
from tests.server.web.play_page import (
    MINE,
    OVER,
    PLIES,
    STATUS,
    TO_PRESS,
    asked_elsewhere,
    begin,
    click,
    first_move,
    opponent,
    resign,
    seated,
    touch,
    type_move,
    until_over,
)
from tests.server.web.web_server import WebServer

pytestmark = pytest.mark.slow

# What a person plays, by her seat, and what is played against it; else both play the first that can be played.
MATES = (("e2e4", "f1c4", "d1h5", "h5f7"), ("e7e5", "d8h4"))
AGAINST_MATES = (("f2f3", "g2g4"), ("e7e5", "b8c6", "g8f6"))
FIVE = ("d9", "e9", "f9", "g9", "h9")
PLANS = {"chess": MATES, "chess960": MATES, "connect5": (FIVE, FIVE)}
PROMOTES = "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 b8c6"


def passes() -> str:
    """Moves of reversi after which the first player can only pass."""
    game = load_game("reversi")
    for seed in range(1_000):
        draw, position = Random(seed), game.start()
        while position.outcome() is None:
            if position.legal_moves() == ("pass",) and position.to_move == 0:
                return " ".join(position.moves)
            position = position.play(draw.choice(position.legal_moves()))
    raise AssertionError("nobody has to pass")


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

    printed = await until_over(tab, make_move)
    assert printed.startswith("You have won" if plan else ("You have won", "You have lost", "A draw")), printed
    assert len(bot.received(MatchEnded)) == 1
    assert bot.received(MatchStarted)[0].seat == 1 - seat
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
    assert len(bot.received(MatchEnded)) == 1
    output = await tab.read("[...document.querySelectorAll('#board [role=row]')].map((row) => row.children.length)")
    assert output == [3, 3, 3]
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
        ("", f"{STATUS}.startsWith('Type a move. Legal moves: a1')"),
        ("z9", f"{STATUS}.startsWith('z9 is not a legal move. Legal moves: a1')"),
        ("A1", f"{PLIES} > {before}"),
    ):
        await type_move(tab, move)
        await tab.until(then)
    await resign(tab)
    await tab.until(OVER)
    assert (await tab.read(STATUS)).startswith("You have lost: resignation")
    await click(tab, "#rematch")
    await tab.until(f"!({OVER}) && {MINE}")
    assert [started.seat for started in bot.received(MatchStarted)] == [1, 0]
    [asked] = tab.complaints  # whether the game can read the wrong one
    assert "status of 400" in asked


async def test_the_options_of_the_game_are_filled_in_and_kept_for_the_rematch(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web)
    fill = "document.querySelector('[name=option-heaps]').value = '1,2'"
    await begin(tab, web, "nim", more=f"{fill}; document.querySelector('[name=option-misere]').click()")
    await tab.until(MINE)
    chosen = {"heaps": "1,2", "misere": True}
    assert bot.received(MatchStarted)[0].options == chosen
    await tab.open(f"{web.url}/play")  # they are known after a reload, too
    await tab.until(MINE)
    for _ in range(2):
        await click(tab, "#resign")
    await tab.until(OVER)
    await click(tab, "#rematch")
    assert (await bot.receives(MatchStarted, 2)).options == chosen
    assert tab.complaints == []


async def test_an_option_that_is_wrong_is_refused_in_the_words_of_the_game(web: WebServer, tab: Browser) -> None:
    await opponent(web)
    await tab.open(f"{web.url}/play?game=nim")
    await tab.until("!document.querySelector('[name=start]').disabled && !document.getElementById('terms').hidden")
    for name, value in (("name", "eve"), ("option-heaps", "many")):
        await tab.read(f"document.querySelector('[name={name}]').value = '{value}'")
    await click(tab, "[name=start]")
    with pytest.raises(OptionError) as refused:
        load_game("nim").start({"heaps": "many", "misere": False})
    await tab.until(f"{STATUS} === {json.dumps(str(refused.value))}")
    assert not await tab.read("document.getElementById('terms').hidden")


MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
OPEN_SETUP = "document.getElementById('setup-box').open = true"
SET_UP = "document.querySelector('#setup .typed [name=position]')"


async def test_a_match_begins_from_a_position_set_up_on_the_page_and_so_does_its_rematch(
    web: WebServer, tab: Browser
) -> None:
    bot = await opponent(web, silent)
    await tab.open(f"{web.url}/play?game=chess&opponent=ada&seat=0")
    await tab.until("!document.querySelector('[name=start]').disabled && !document.getElementById('terms').hidden")
    await tab.read(f"document.querySelector('[name=name]').value = 'eve'; {OPEN_SETUP}")
    await tab.until(f"{SET_UP}?.value")
    await tab.read(f"{SET_UP}.value = '{MATE_IN_ONE}'; {SET_UP}.form.requestSubmit()")
    await tab.until(f"document.getElementById('begins').textContent === '{MATE_IN_ONE}'")
    await click(tab, "[name=start]")
    await type_move(tab, "Rd8#")
    await tab.until(f"{STATUS}.startsWith('You have won: checkmate')")
    assert await tab.read("document.getElementById('setup-box').hidden")
    await click(tab, "#rematch")
    assert (await bot.receives(MatchStarted, 2)).seat == 0
    assert [one.position for one in bot.received(MatchStarted)] == [MATE_IN_ONE] * 2
    assert tab.complaints == []


async def test_a_link_to_the_page_names_a_position_and_a_wrong_one_is_refused_with_what_is_wrong(
    web: WebServer, tab: Browser
) -> None:
    await opponent(web)
    await tab.open(f"{web.url}/play?game=nim&position=3,4 sideways 1")
    await tab.until("!document.querySelector('[name=start]').disabled && !document.getElementById('terms').hidden")
    assert await tab.read("document.getElementById('begins').textContent") == "3,4 sideways 1"
    assert await tab.read("document.querySelector('#options input').offsetParent") is None
    await tab.read("document.querySelector('[name=name]').value = 'eve'")
    await click(tab, "[name=start]")
    with pytest.raises(PositionError) as refused:
        load_game("nim").parse("3,4 sideways 1")
    await tab.until(f"{STATUS} === {json.dumps(str(refused.value))}")
    await tab.read("document.querySelector('[name=game]').value = 'chess'")
    await tab.read("document.querySelector('[name=game]').dispatchEvent(new Event('change'))")
    assert await tab.read("document.getElementById('begins').textContent") == "as usual"


@pytest.mark.parametrize("game", names())
async def test_the_form_with_the_options_of_a_game_holds_on_a_phone_and_on_a_screen(
    web: WebServer, tab: Browser, game: str
) -> None:
    await tab.open(f"{web.url}/play?game={game}")
    await tab.until("!document.getElementById('terms').hidden")
    shown = await tab.read("[...document.querySelectorAll('#options input')].map(({ name }) => name)")
    assert shown == [f"option-{option.name}" for option in load_game(game).options]
    assert await faults(tab, (320, 1440)) == []
    await tab.read(OPEN_SETUP)
    await tab.until(f"{SET_UP}?.value")
    assert await faults(tab, (320, 1440)) == []


async def test_nothing_is_pressed_or_kept_while_the_opponent_thinks(web: WebServer, tab: Browser) -> None:
    bot = await opponent(web, silent)
    await begin(tab, web, "tictactoe", seat="1")
    await tab.until(f"{STATUS} === 'ada is thinking.'")
    for place in ("a1", "b2"):
        await click(tab, f"rect[data-place={place}]")
    bot.say(first_move(await bot.receives(Turn), "a1"))
    await tab.until(f"{PLIES} === 1 && {MINE}")
    assert await tab.read("document.querySelector('#board rect.chosen, #board rect.target')") is None
    assert (
        len(await tab.read("[...document.querySelectorAll('#board rect.free')].map(({ dataset }) => dataset.place)"))
        == 8
    )


async def test_the_piece_of_a_promotion_is_chosen_by_its_name(web: WebServer, tab: Browser) -> None:
    bot = await seated(tab, web, "chess", PROMOTES)
    await tab.until(MINE)
    for place in ("b7", "a8"):
        await click(tab, f"rect[data-place={place}]")
    names_of = "[...document.querySelectorAll('#choices button')].map(({ textContent }) => textContent)"
    assert sorted(await tab.read(names_of)) == ["bishop", "knight", "queen", "rook"]
    await tab.read(
        "[...document.querySelectorAll('#choices button')].find((one) => one.textContent === 'knight').click()"
    )
    assert (await bot.receives(Turn)).last_move == "b7a8n"


async def test_a_pass_is_said_and_has_a_button(web: WebServer, tab: Browser) -> None:
    bot = await seated(tab, web, "reversi", passes())
    await tab.until(f"{STATUS}.includes('You can only play pass.')")
    await click(tab, "#choices button")
    assert (await bot.receives(Turn)).last_move == "pass"


async def test_little_time_left_is_announced_in_words(web: WebServer, tab: Browser) -> None:
    await seated(tab, web, "tictactoe", "", time="10.5+0")
    await tab.until("document.getElementById('clock-news').textContent === '10 seconds left.'")


@pytest.mark.parametrize(
    ("seat", "sentence"), [(0, "You have lost: your time ran out."), (1, "You have won: ada ran out of time.")]
)
async def test_a_game_that_ends_on_time_is_told_in_words_for_people(
    tab: Browser, web: WebServer, seat: int, sentence: str
) -> None:
    await seated(tab, web, "tictactoe", "", seat=seat, time="0.5+0")
    await tab.until(f"{STATUS} === {sentence!r}")


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


@pytest.mark.parametrize("game", names())
async def test_in_the_middle_of_a_game_nothing_is_cut_off_or_hard_to_see(
    web: WebServer, tab: Browser, game: str
) -> None:
    bot = await opponent(web, at_random(7))
    await begin(tab, web, game, time="300+5")
    await tab.until(MINE)
    await _press_a_move(tab)
    await tab.until(f"{PLIES} === 2 && {MINE}")
    assert await faults(tab, (320, 1440)) == [], "on turn"
    bot.choose = silent
    await _press_a_move(tab)
    await tab.until(f"{PLIES} === 3")
    assert await faults(tab, (320, 1440)) == [], "while the opponent thinks"
    assert tab.complaints == []


async def _press_a_move(tab: Browser) -> None:
    """The first that can be pressed; in chess the first of what the man can do who is taken."""
    plies = await tab.read(PLIES)
    await click(tab, TO_PRESS)
    if not await tab.read(f"{PLIES} > {plies}"):
        await tab.until(f"{PLIES} > {plies} || document.querySelector('#board rect.target')")
    if await tab.read(f"{PLIES} === {plies}"):
        await click(tab, "#board rect.target")

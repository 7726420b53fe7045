"""A person sets up a position in a real browser: by moves, piece by piece, by keyboard, by a text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tabiya.games.picture import EMPTY
from tabiya.games.registry import load_game, names
from tests.server.web.browser import Browser
from tests.server.web.pages.measures import faults
from tests.server.web.play_page import asked_elsewhere, click
from tests.server.web.web_server import WebServer

pytestmark = pytest.mark.slow

PAGE = """(async () => {
  const sheet = { rel: "stylesheet", href: "/static/setup_board.css" };
  document.head.append(Object.assign(document.createElement("link"), sheet));
  document.querySelector("main").innerHTML = "<h1>Set up</h1><div id=setup></div>";
  const { SetupBoard } = await import("/static/setup_board.js");
  [window.told, window.clicks] = [[], 0];
  addEventListener("click", () => clicks += 1);
  window.setup = new SetupBoard(document.getElementById("setup"), { changed: (what) => told.push(what), ...GIVEN });
  await setup.done;
})()"""
STATUS = "document.querySelector('#setup [role=status]').textContent"
FIELD = "document.querySelector('[name=position]')"
MOVES = "document.querySelector('#setup [name=moves]')"
FAULT = "document.querySelector('#setup [role=alert]')"
PLACING = "[name=mode][value=place]"
FOCUSED = "document.activeElement.getAttribute('aria-label')"


async def set_up(tab: Browser, web: WebServer, game: str, **given: str) -> None:
    """A page with nothing but a board to set up."""
    await tab.open(f"{web.url}/about")
    await tab.read(PAGE.replace("GIVEN", json.dumps({"game": game, **given})))


async def press(tab: Browser, *selectors: str) -> None:
    """Click there, and wait for the answer, which may draw again what is clicked next."""
    for selector in selectors:
        before = await tab.read("clicks")
        await click(tab, selector)
        await tab.until(f"clicks > {before}")
        await tab.read("setup.done")


async def press_button(tab: Browser, text: str) -> None:
    """Press the button with this text that is to be seen; wait for the answer."""
    seen = f"(one) => one.checkVisibility() && one.textContent === '{text}'"
    await tab.read(f"[...document.querySelectorAll('#setup button')].find({seen}).click()")
    await tab.read("setup.done")


async def board_state(tab: Browser) -> Any:
    """What was told last."""
    return await tab.read("told.at(-1)")


def line(position: str = "", moves: str = "", problem: str | None = None, *, opened: bool = False) -> dict[str, Any]:
    """What is told of this position."""
    return {"position": position, "moves": moves, "problem": problem, "isOpened": opened}


async def test_in_every_game_moves_are_played_and_taken_back_and_pieces_placed_with_the_mouse(
    web: WebServer, tab: Browser
) -> None:
    for name in names():
        game = load_game(name)
        start = game.start()
        await set_up(tab, web, name)
        assert await board_state(tab) == line(opened=True)
        await press(tab, "#setup rect.free")
        if await tab.read("Boolean(document.querySelector('#setup rect.target'))"):
            await press(tab, "#setup rect.target")
        moved = (await board_state(tab))["moves"]
        assert moved in start.legal_moves()
        script = "[...document.querySelectorAll('#setup .played li')].map(({ textContent }) => textContent)"
        assert await tab.read(script) == [game.readable_move(start, moved)]
        await press_button(tab, "Take back")
        assert (await board_state(tab))["moves"] == ""
        await press(tab, PLACING)
        await press_button(tab, "Clear the board")
        empty = game.emptied(start.text())
        place = game.places(game.setup(empty))[0].name
        for piece in game.pieces:
            await press(tab, f".pieces [value={piece}]", f"#setup rect[data-place={place}]")
            assert (await board_state(tab))["position"] == game.placed(empty, place, piece)
        await press(tab, f"#setup rect[data-place={place}]")
        empty = game.placed(game.placed(empty, place, piece), place, EMPTY)
        assert await tab.read(f"{FIELD}.value") == empty
        await tab.read("document.querySelector('#setup select').selectedIndex = 1")
        await tab.read("document.querySelector('#setup select').dispatchEvent(new Event('change')); setup.done")
        assert await tab.read(f"{FIELD}.value") == game.with_mover(empty, 1)
        await press_button(tab, "Start position")
        assert await board_state(tab) == line()
    assert tab.complaints == []
    assert await asked_elsewhere(tab, web) == []


async def test_a_position_is_put_together_by_keyboard_alone(web: WebServer, tab: Browser) -> None:
    await set_up(tab, web, "chess", position="4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    await tab.read("document.querySelector('[name=mode]').focus()")
    await tab.press("ArrowRight")  # the other way to press
    await tab.read("setup.done")
    await tab.read("document.querySelector('[name=piece]').focus()")
    await tab.press("ArrowRight")
    assert await tab.read(FOCUSED) == "white queen"
    await tab.read("document.querySelector('#setup rect[tabindex=\"0\"]').focus()")
    assert await tab.read(FOCUSED) == "a1, empty"
    await tab.press("ArrowRight")
    for key, wanted in (
        ("Enter", "b1, white queen"),
        ("Delete", "b1, empty"),
        ("r", "b1, black rook"),
        ("R", "b1, white rook"),
    ):
        await tab.press(key)
        await tab.read("setup.done")
        assert await tab.read(FOCUSED) == wanted
    assert (await board_state(tab))["position"] == "4k3/8/8/8/8/8/8/1R2K3 w - - 0 1"
    assert await tab.read(STATUS) == "White to move; White + rook."
    assert tab.complaints == []


async def test_castling_is_taken_away_and_a_heap_with_its_first_object_by_the_mouse(
    web: WebServer, tab: Browser
) -> None:
    await set_up(tab, web, "chess")
    await press(tab, PLACING, "[name=switch-K]", "[name=switch-q]")
    assert (await board_state(tab))["position"].endswith(" w Qk - 0 1")
    assert await tab.read("document.activeElement.name") == "switch-q"
    await press(tab, ".pieces [value=empty]", "#setup rect[data-place=a1]")
    switches = "[...document.querySelectorAll('.switches label')].map(({ textContent }) => textContent.trim())"
    left = ["White may castle short", "Black may castle short", "Black may castle long"]
    assert await tab.read(switches) == left
    await set_up(tab, web, "nim", position="3,5,7 normal 1")
    await press(tab, PLACING, "#setup rect[data-place=b1]")
    assert (await board_state(tab))["position"] == "3,7 normal 1"
    await press(tab, "[name=switch-misere]")
    assert (await board_state(tab))["position"] == "3,7 misere 1"
    assert tab.complaints == []


async def test_presses_faster_than_the_answers_are_all_done(web: WebServer, tab: Browser) -> None:
    await set_up(tab, web, "tictactoe")
    await tab.read(f"document.querySelector('{PLACING}').click(); setup.done")
    cell = "document.querySelector(`rect[data-place=${place}]`)"
    await tab.read(f"for (const place of ['a1', 'b2', 'c3']) {cell}.dispatchEvent(new MouseEvent('click')); setup.done")
    assert (await board_state(tab))["position"] == "3x3x3 X---X---X X"


async def test_a_board_that_is_no_position_says_so_and_takes_no_moves_until_it_is_one(
    web: WebServer, tab: Browser
) -> None:
    await set_up(tab, web, "chess", moves="e4 e5")
    await press(tab, PLACING, ".pieces [value=empty]", "rect[data-place=e1]")
    without = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQ1BNR w kq - 0 2"
    assert await board_state(tab) == line(without, problem="each side has exactly one king; White has 0")
    await press(tab, "[name=mode][value=play]")
    assert await tab.read(STATUS) == "Not a position yet: each side has exactly one king; White has 0."
    assert await tab.read("document.querySelector('#setup rect.free')") is None
    await press(tab, PLACING, ".pieces [value=K]", "rect[data-place=e1]", "[name=mode][value=play]")
    assert await tab.read(STATUS) == "White to move."
    assert await tab.read("document.querySelectorAll('#setup rect.free').length") > 5


async def test_a_pasted_text_is_shown_or_what_is_wrong_with_it_beside_it(web: WebServer, tab: Browser) -> None:
    await set_up(tab, web, "nim", position="3,99 normal 1", moves="")
    assert "a number from 0 to 63" in await tab.read(f"{FAULT}.textContent")
    assert await tab.read(f"{FIELD}.value") == "3,99 normal 1"
    assert await board_state(tab) == line(opened=True)
    for text, fault, status in (
        (" 1,0,2 misere 2 ", "", "Second to move."),
        ("no", "three words", "Second to move."),
        ("0,0 normal 1", "", "Over: the last object is taken and Second wins against First."),
    ):
        await tab.read(f"{FIELD}.value = {json.dumps(text)}")
        await press_button(tab, "Set")
        assert fault in await tab.read(f"{FAULT}.textContent")
        assert await tab.read(f"{FAULT}.hidden") == (not fault)
        assert await tab.read(f"{FIELD}.ariaInvalid") == ("true" if fault else "false")
        assert await tab.read(STATUS) == status
    await tab.read(f"{FIELD}.value = '3,5 normal 1'; {MOVES}.value = 'b2 a1 z1'")
    await press_button(tab, "Set")
    assert await tab.read(f"[{FIELD}.ariaInvalid, {MOVES}.ariaInvalid]") == ["false", "true"]
    await tab.read(f"{MOVES}.value = 'b2 a1'")
    await press_button(tab, "Set")
    assert await board_state(tab) == line("3,5 normal 1", "b2 a1")
    await tab.read(f"{FIELD}.value = '1 normal 1'")  # whose moves are those of the line before
    await press_button(tab, "Set")
    assert await board_state(tab) == line("1 normal 1")
    await tab.read("document.querySelector('#setup details').open = true")
    await tab.read("document.querySelector('[name=heaps]').value = '2, 2'")
    await press(tab, "[name=misere]")
    await press_button(tab, "Start with these")
    assert (await board_state(tab))["position"] == "2,2 misere 1"


async def test_what_the_server_cannot_be_asked_is_said_and_done_later(web: WebServer, tab: Browser) -> None:
    await set_up(tab, web, "tictactoe")
    await tab.tell("Network.enable")
    away = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    await tab.tell("Network.emulateNetworkConditions", **away)
    await press(tab, "rect[data-place=b2]")
    assert await tab.read(f"{FAULT}.textContent") == "The server cannot be reached; try again."
    await tab.tell("Network.emulateNetworkConditions", **away | {"offline": False})
    await press(tab, "rect[data-place=b2]")
    assert (await board_state(tab))["moves"] == "b2"
    assert await tab.read(f"{FAULT}.hidden")
    await tab.open(f"{web.url}/about")
    await tab.read("import('/static/setup_board.js').then((module) => { window.module = module; })")
    await tab.tell("Network.emulateNetworkConditions", **away)
    await tab.read(PAGE.replace("GIVEN", '{"game": "nim"}').replace('await import("/static/setup_board.js")', "module"))
    assert await tab.read(f"{FAULT}.textContent") == "The server cannot be reached; try again."
    await tab.tell("Network.emulateNetworkConditions", **away | {"offline": False})
    await tab.read("setup.open({ game: 'nim' })")
    assert await board_state(tab) == line(opened=True)


async def test_axe_finds_nothing_and_nothing_is_cut_at_any_width(web: WebServer, tab: Browser) -> None:
    await set_up(tab, web, "chess", moves="e4 e5")
    found = []
    for mode in ("play", "place"):
        await press(tab, f"[name=mode][value={mode}]")
        found += [f"{mode} {fault}" for fault in await faults(tab)]
    assert found == []

"""Answers that come late, twice, in another order or not at all, on the pages of a student and of operators."""

from __future__ import annotations

import base64

import pytest

from tabiya.storage.program_records import ProgramRecord
from tabiya.storage.records import BotRecord
from tests.fakes.kept_programs import KeptPrograms
from tests.server.local_bots import silent
from tests.server.web.browser import Browser
from tests.server.web.handlers.test_programs import packed
from tests.server.web.late_answers import LOOK, come, fail, hold, settle, until_held
from tests.server.web.play_page import click
from tests.server.web.test_failure import failed
from tests.server.web.test_my_bot import (
    GOOD,
    ROWS,
    SIGNED_IN,
    STATUS,
    TEXT,
    drop,
    enter,
    fill,
    kept,
    press,
    with_bob,
    write,
)
from tests.server.web.test_operator_pages import INSIDE, OUTSIDE, go, row_with, sign_in
from tests.server.web.web_server import OPERATOR, WebServer

__all__ = ["kept"]  # a fixture
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

EDITING = "document.getElementById('editing').textContent"
WRITES = "document.getElementById('text').focus(); document.getElementById('text').setSelectionRange(0, 0)"
JSON = '{ "Content-Type": "application/json" }'
SIGNS_OUT = f"fetch('/api/v1/session/end', {{ method: 'POST', body: '{{}}', headers: {JSON} }}).then(() => true)"
ENTRANCE = "!document.getElementById('entrance').hidden"
PROGRAMS = "/programs$"
SOURCE = "/source$"


class Zipping(KeptPrograms):
    """Keeps a lone Python file as the server does."""

    async def hand_in(self, bot: BotRecord, game: str, file_name: str, data: bytes) -> ProgramRecord:
        return await super().hand_in(bot, game, file_name, packed(bot=data))


async def hand_in(web: WebServer, name: str, *, versions: int = 1) -> str:
    """A bot of somebody else with programs; its token."""
    token: str = (await web.post("/api/v1/register", {"name": name, "invite": "tulip"})).json["token"]
    for number in range(versions):
        content = base64.b64encode(GOOD.encode() + b"\n" * number).decode()
        handed = {"game": "nim", "file_name": "bot.py", "content": content}
        assert (await web.post(f"/api/v1/bots/{name}/programs", handed, token=token)).status == 201
    return token


async def test_what_she_writes_while_a_version_is_on_its_way_stays(kept: WebServer, tab: Browser) -> None:
    kept.server.hosting = Zipping(kept.store)
    await enter(kept, tab)
    await hold(tab, SOURCE)
    await write(tab, GOOD)
    await until_held(tab)
    await tab.read(WRITES)
    await tab.tell("Input.insertText", text="# more\n")
    await come(tab)
    assert await tab.read(TEXT) == "# more\n" + GOOD
    assert await tab.read(EDITING) == "Version 1, with your changes since."
    await tab.read("window.confirm = () => true")
    await press(tab, "#versions button")
    await until_held(tab, 2)
    await tab.read(WRITES)
    await tab.tell("Input.insertText", text="# still more\n")
    await come(tab, 1)
    assert await tab.read(TEXT) == "# still more\n# more\n" + GOOD
    assert "is not loaded, because you have changed the editor meanwhile" in await tab.read(STATUS)


async def test_what_is_handed_in_while_another_thing_is_under_way_is_not_lost_without_a_word(
    kept: WebServer, tab: Browser
) -> None:
    await enter(kept, tab)
    await hold(tab, SOURCE)
    await drop(tab, "one.py", GOOD.encode())
    await until_held(tab)
    await drop(tab, "two.py", GOOD.encode() + b"\n")
    await tab.until(f"({STATUS}).includes('still running; try again')")
    await come(tab)
    assert await tab.read(STATUS) == ""
    await drop(tab, "two.py", GOOD.encode() + b"\n")
    await until_held(tab, 2)
    assert await tab.read(ROWS) == 2


async def test_an_older_list_does_not_take_the_place_of_a_newer_one(kept: WebServer, tab: Browser) -> None:
    await enter(kept, tab)
    await hold(tab, PROGRAMS)
    await tab.read(LOOK)
    await until_held(tab)
    await drop(tab, "mine.py", GOOD.encode())
    for number in (1, 2):  # it is kept; what is there now
        await until_held(tab, number + 1)
        await come(tab, number)
    assert await tab.read(ROWS) == 1
    await come(tab, 0)
    assert await tab.read(ROWS) == 1


async def test_no_row_of_one_bot_is_left_where_a_teacher_opens_another(kept: WebServer, tab: Browser) -> None:
    await hand_in(kept, "ada", versions=2)
    await hand_in(kept, "bob")
    await tab.open(f"{kept.url}/my-bot")
    await tab.until(ENTRANCE)
    await fill(tab, "sign-in", token=OPERATOR)
    await tab.until("document.querySelectorAll('#bots tbody tr').length === 2")
    await press(tab, '#bots [data-key="open ada"]')
    await tab.until(f"{ROWS} === 2")
    await hold(tab, "bob/programs$")
    await press(tab, '#bots [data-key="open bob"]')
    await until_held(tab)
    assert await tab.read(ROWS) == 0
    await fail(tab)  # and none comes back
    assert await tab.read(ROWS) == 0


async def test_a_record_that_comes_after_she_has_signed_out_is_not_shown(kept: WebServer, tab: Browser) -> None:
    await enter(kept, tab)
    await hold(tab, "^/bots/ada")
    await drop(tab, "mine.py", GOOD.encode())
    await until_held(tab)
    await tab.read("document.getElementById('sign-out').click()")
    await tab.until(ENTRANCE)
    await come(tab)
    assert await tab.read("document.querySelector('#results [data-from=figures]').textContent") == ""


async def test_that_the_server_is_silent_is_said_only_as_long_as_it_is(kept: WebServer, tab: Browser) -> None:
    await enter(kept, tab)
    await hold(tab, PROGRAMS)
    await tab.read(LOOK)
    await until_held(tab)
    await fail(tab)
    assert await tab.read(STATUS) == "The server does not answer; try again."
    await tab.read(LOOK)
    await until_held(tab, 2)
    await come(tab, 1)
    assert await tab.read(STATUS) == ""


async def test_signing_out_in_another_tab_signs_out_here(kept: WebServer, tab: Browser) -> None:
    await enter(kept, tab)
    await drop(tab, "mine.py", GOOD.encode())
    await tab.until(f"{ROWS} === 1")
    await tab.read(SIGNS_OUT)
    await tab.read(LOOK)
    await tab.until(ENTRANCE)
    assert await tab.read(f"!({SIGNED_IN}) && {ROWS} === 0")


async def test_a_name_is_registered_once_and_its_token_is_shown_whatever_happens_then(
    kept: WebServer, tab: Browser
) -> None:
    await tab.open(f"{kept.url}/my-bot")
    await tab.until(ENTRANCE)
    await hold(tab, "/session$")
    for _ in range(2):
        await fill(tab, "register", name="ada", invite="tulip")
    await until_held(tab)
    await fail(tab)
    assert await tab.read(STATUS) == "The server does not answer; try again."
    assert await tab.read("document.getElementById('token-card').checkVisibility()")
    token = await tab.read("document.getElementById('token').value")
    await fill(tab, "sign-in", token=token)
    await until_held(tab, 2)
    await come(tab, 1)
    assert await tab.read(SIGNED_IN)


async def test_a_position_that_could_not_be_had_is_asked_for_again(kept: WebServer, tab: Browser) -> None:
    await with_bob(kept, tab)
    await failed(kept, "bot.py, line 6: KeyError: 'e2'")
    await tab.open(f"{kept.url}/my-bot")
    await tab.until("document.querySelector('#failed summary')")
    await hold(tab, "/matches/[0-9]+$")
    await press(tab, "#failed summary")
    await until_held(tab)
    await fail(tab)
    assert "The server does not answer; try again." in await tab.read("document.querySelector('#failed').textContent")
    for _ in range(2):
        await press(tab, "#failed summary")
    await until_held(tab, 2)
    await come(tab, 1)
    await tab.until("document.querySelector('#failed img')?.naturalWidth")


# --- of operators


async def test_an_older_list_does_not_undo_what_a_teacher_has_switched(kept: WebServer, tab: Browser) -> None:
    await hand_in(kept, "ada")
    await tab.open(f"{kept.url}/my-bot")
    await tab.until(ENTRANCE)
    await fill(tab, "sign-in", token=OPERATOR)
    switch = '#bots [data-key="switch ada"]'
    await tab.until(f"document.querySelector('{switch}')")
    await hold(tab, "v1/programs$")
    await tab.read(LOOK)
    await until_held(tab)
    await press(tab, switch)
    await until_held(tab, 2)
    for number in (1, 0):
        await come(tab, number)
        assert await tab.read(f"document.querySelector('{switch}').textContent") == "Enable"


async def test_what_is_answered_after_an_operator_has_signed_out_is_not_told(shared: WebServer, tab: Browser) -> None:
    await go(tab, shared, "/bots")
    await sign_in(tab, OPERATOR)
    await tab.until(INSIDE)
    await hold(tab, "/accounts")
    await tab.read("document.dispatchEvent(new Event('ordered'))")
    await until_held(tab)
    await tab.read("document.getElementById('sign-out').click()")
    await tab.until(f"{OUTSIDE} && document.readyState === 'complete'")
    await tab.read("window.held?.forEach(({ comes }) => comes())")
    await settle(tab)
    assert await tab.read(f"{OUTSIDE} && {STATUS} === ''")
    assert [one for one in tab.complaints if "401" not in one] == []


async def test_the_second_press_of_two_does_not_pause_what_the_first_has_started(web: WebServer, tab: Browser) -> None:
    for name in ("ada", "bob"):
        await web.bot(name, silent)
    made = await web.post("/api/v1/tournaments", {"name": "cup", "game": "nim", "bots": ["ada", "bob"], "start": False})
    await go(tab, web, "/tournaments")
    button = "#tournaments button"
    await tab.until(f"document.querySelector('{button}')?.textContent === 'Start'")
    for count in (1, 2):
        await click(tab, button, count)
        await tab.until(f"({row_with('cup')}).includes('Pause')")
    await settle(tab)
    assert (await web.json(f"/api/v1/tournaments/{made.json['id']}"))["status"] == "running"


async def test_a_form_that_is_sent_twice_is_sent_once(web: WebServer, tab: Browser) -> None:
    await go(tab, web, "/bots")
    await tab.until(INSIDE)
    await tab.read("document.querySelector('#make [name=names]').value = 'ada'")
    await tab.read("[1, 2].forEach(() => document.querySelector('#make button').click())")
    await tab.until("document.getElementById('secret').open")
    await settle(tab)
    assert await tab.read(STATUS) == ""


async def test_older_orders_are_listed_once(web: WebServer, tab: Browser) -> None:
    for _ in range(60):
        assert (await web.post("/api/v1/settings", {"max_matches": 50})).status == 200
    await go(tab, web, "/orders")
    await tab.until("!document.getElementById('older').hidden")
    await tab.read("[1, 2].forEach(() => document.getElementById('older').click())")
    await tab.until("document.getElementById('older').hidden")
    await settle(tab)
    assert await tab.read("document.querySelectorAll('#orders tr').length") == 60


async def test_the_matches_that_were_asked_for_last_are_shown(web: WebServer, tab: Browser) -> None:
    await web.play()
    await web.bot("zoe", silent)
    await go(tab, web, "/matches?status=ended")
    await tab.until("document.querySelectorAll('#matches tr').length === 1")
    await hold(tab, "[?&]bot=")
    for name in ("ada", "zoe"):
        field = "document.querySelector('#filter [name=bot]')"
        await tab.read(f"{field}.value = '{name}'; {field}.dispatchEvent(new Event('input', {{ bubbles: true }}))")
        await tab.until(f"window.held.some(({{ address }}) => address.includes('{name}'))")
    shown = "document.querySelectorAll('#matches tr').length"
    await tab.read("window.held.filter(({ address }) => address.includes('zoe')).forEach(({ comes }) => comes())")
    await settle(tab)
    assert await tab.read(shown) == 0
    await tab.read("window.held.filter(({ address }) => address.includes('ada')).forEach(({ comes }) => comes())")
    await settle(tab)
    assert await tab.read(shown) == 0


async def test_silence_of_the_server_is_said_to_operators_only_as_long_as_it_lasts(
    web: WebServer, tab: Browser
) -> None:
    await go(tab, web, "/matches")
    await tab.until(INSIDE)
    await hold(tab, "/matches[?]")
    await until_held(tab)  # it is asked again and again
    await fail(tab)
    assert await tab.read(STATUS) == "The server does not answer; try again."
    await until_held(tab, 2)
    await come(tab, 1)
    assert await tab.read(STATUS) == ""

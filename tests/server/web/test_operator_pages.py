"""A teacher's day in a real browser, from an empty server to the points, without a terminal."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tabiya.games.registry import names
from tests.fakes.kept_programs import KeptPrograms
from tests.present import present
from tests.server.local_bots import first_legal, silent
from tests.server.web.browser import Browser
from tests.server.web.handlers.test_sessions import register
from tests.server.web.pages.measures import faults
from tests.server.web.web_server import OPERATOR, WebServer, web_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CLASS = ("Ada", "Bob", "Eve")
GAME = names()[1]
WIDTHS = (390, 1440)
INSIDE = "!document.getElementById('inside').hidden"
OUTSIDE = "!document.getElementById('sign-in').hidden"
STATUS = "document.getElementById('status').textContent"
MENU = "!document.getElementById('operator-link').hidden"


async def go(tab: Browser, web: WebServer, part: str = "") -> None:
    """Open a part of the operators' pages, and wait until it is asked who is there."""
    await tab.open(f"{web.url}/operator{part}")
    await tab.until(f"{INSIDE} || {OUTSIDE}")


async def sign_in(tab: Browser, token: str) -> None:
    await fill(tab, "#sign-in [name=token]", token)
    await press(tab, "#sign-in button")


async def fill(tab: Browser, selector: str, text: str) -> None:
    """Type into a field, as far as its page can tell."""
    field = f"document.querySelector({json.dumps(selector)})"
    await tab.until(field)
    await tab.read(f"{field}.value = {json.dumps(text)}")
    for event in ("input", "change"):
        await tab.read(f"{field}.dispatchEvent(new Event('{event}', {{ bubbles: true }}))")


async def press(tab: Browser, selector: str) -> None:
    await tab.until(f"document.querySelector({json.dumps(selector)})")
    await tab.read(f"document.querySelector({json.dumps(selector)}).click()")


async def order(tab: Browser, text: str, row: str = "") -> None:
    """Press the button that gives an order, in the row that has this text."""
    button = f"""[...document.querySelectorAll("tr, section, form")]
        .filter((e) => e.textContent.includes({json.dumps(row)}))
        .flatMap((e) => [...e.querySelectorAll("button[data-path]")])
        .find((e) => e.textContent === {json.dumps(text)})"""
    await tab.until(button)
    await tab.read(f"({button}).click()")


async def confirm(tab: Browser, choice: str = "") -> None:
    """Go on in the question that is asked."""
    await tab.until("document.getElementById('question').open")
    if choice:
        labels = "[...document.querySelectorAll('#question-choices label')]"
        await tab.read(f"{labels}.find((e) => e.textContent.trim() === {json.dumps(choice)}).firstChild.click()")
    await press(tab, "#question-yes")


def row_with(text: str) -> str:
    rows = "[...document.querySelectorAll('tbody tr')]"
    return f"({rows}.find((e) => e.textContent.includes({json.dumps(text)}))?.textContent ?? '')"


async def join(web: WebServer, code: str) -> None:
    """The class registers with the code on the board, and connects; nobody moves yet."""
    for name in CLASS:
        answer = await web.post("/api/v1/register", {"name": name, "invite": code})
        assert answer.status == 201, answer.text
        await web.bot(name, silent, token=answer.json["token"], max_matches=1)


async def test_a_teachers_day_from_an_empty_server_to_the_points(tab: Browser) -> None:
    async with web_server(host="0.0.0.0", operator_token=OPERATOR) as web:
        await go(tab, web)
        await sign_in(tab, "a wrong one")
        await tab.until(f"{STATUS}.includes('no account has this token')")
        await sign_in(tab, OPERATOR)
        await tab.until(INSIDE)
        await tab.until("document.getElementById('attention').textContent.includes('everything goes on by itself')")

        await go(tab, web, "/bots")
        await tab.until("document.getElementById('code').textContent.includes('-')")
        await join(web, await tab.read("document.getElementById('code').textContent"))

        await go(tab, web, "/tournaments")
        await fill(tab, "#create [name=name]", "Friday")
        await fill(tab, "#create [name=game]", GAME)
        await press(tab, "#create [name=who][value=chosen]")
        await tab.until("document.querySelectorAll('#candidates li').length === 3")
        await fill(tab, "#search", "a")
        assert await tab.read("document.querySelectorAll('#candidates li').length") == 1
        await fill(tab, "#search", "")
        await press(tab, "#choose-shown")
        await press(tab, "#create [name=wait]")
        await press(tab, "#create .primary")
        await tab.until(f"{STATUS}.includes('is created: 6 games')")
        await order(tab, "Start", "Friday")
        await tab.until(f"{row_with('Friday')}.includes('running')")

        await order(tab, "Pause", "Friday")
        await tab.until(f"{row_with('Friday')}.includes('paused')")
        await go(tab, web, "/matches?tournament=1")
        while running := (await web.json("/api/v1/matches?status=running"))["matches"]:
            number = str(running[0]["id"])
            await order(tab, "Decide it", number)
            await confirm(tab, f"\u2068{running[0]['seats'][0]['bot']}\u2069 wins")
            await tab.until(f"{STATUS}.includes('Match {number} is decided.')")
        await go(tab, web)
        await tab.until("document.getElementById('attention').textContent.includes('is paused.')")

        for name in CLASS:
            web.bots[name].choose = first_legal
        await go(tab, web, "/tournaments")
        await order(tab, "Go on", "Friday")
        await tab.until(f"{row_with('Friday')}.includes('ended')")
        address = await tab.read("document.querySelector('a[download=\"tournament-1.csv\"]').getAttribute('href')")
        rows = list(csv.DictReader(io.StringIO(await tab.read(f"fetch({json.dumps(address)}).then((a) => a.text())"))))
        assert {row["bot"].rpartition(". ")[2] for row in rows} == set(CLASS)
        assert sum(float(row["points"]) for row in rows) == 6.0

        await go(tab, web, "/orders")
        await tab.until(f"{row_with('/tournaments/1/pause')}.includes('(session)')")
        assert "winner: 0" in await tab.read(row_with("/adjudicate"))
        assert [one for one in tab.complaints if "status of 40" not in one] == []


async def test_what_an_operator_makes_and_changes(tab: Browser) -> None:
    async with web_server(host="0.0.0.0", operator_token=OPERATOR) as web:
        await go(tab, web, "/bots")
        await sign_in(tab, OPERATOR)
        await tab.until(INSIDE)
        await fill(tab, "#make [name=name]", "Zoe")
        await press(tab, "#make button")
        await tab.until("document.getElementById('secret').open")
        token = await tab.read("document.getElementById('secret-value').value")
        assert (await web.get("/api/v1/account", token=token)).json["name"] == "Zoe"
        await press(tab, "#secret form button")
        await order(tab, "Make operator", "Zoe")
        await confirm(tab)
        await tab.until(f"{row_with('Zoe')}.includes('No operator')")
        assert (await web.get("/api/v1/account", token=token)).json["role"] == "operator"
        await order(tab, "Shut out", "Zoe")
        await confirm(tab)
        await tab.until(f"{row_with('Zoe')}.includes('shut out')")
        assert (await web.get("/api/v1/account", token=token)).status == 401
        before = await tab.read("document.getElementById('code').textContent")
        await order(tab, "Make another")
        await confirm(tab)
        await tab.until(f"document.getElementById('code').textContent !== {json.dumps(before)}")

        await go(tab, web, "/settings")
        await fill(tab, "#settings [name=time_control]", "7+0")
        await press(tab, "#settings .primary")
        await tab.until(f"{STATUS}.includes('Saved: time control.')")
        assert (await web.json("/api/v1/server"))["time_control"] == "7+0"
        await order(tab, "Back to it", "time control")
        await tab.until(f"{STATUS}.includes('as the server was started')")
        assert (await web.json("/api/v1/server"))["time_control"] == "60+0.5"
        await fill(tab, "#settings [name=time_control]", "soon")
        await press(tab, "#settings .primary")
        await tab.until(f"{STATUS}.includes('time_control')")


async def test_programs_that_were_set_aside_need_the_operator_and_seasons_begin_and_end(
    tab: Browser, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.server.hosting = hosting = KeptPrograms(web.store)
    for name in ("Yan", "Zoe"):
        await web.post("/api/v1/accounts", {"name": name})
        bot = present(await web.store.bot_by_name(name))
        await web.store.use_program(bot.id, (await hosting.hand_in(bot, GAME, "bot.py", b"a zip")).id)
    monkeypatch.setattr(KeptPrograms, "doing", lambda *_: "set aside after 3 failures: an IndexError")
    await go(tab, web)
    await tab.until("document.getElementById('attention').textContent.includes('Zoe was set aside after 3 failures')")
    await tab.until("!document.getElementById('no-workers').hidden")
    await go(tab, web, "/tournaments")
    await tab.until("!document.getElementById('no-seasons').hidden")
    await fill(tab, "#begin-season [name=game]", GAME)
    await fill(tab, "#begin-season [name=name]", "Autumn")
    await press(tab, "#begin-season button")
    await tab.until(f"{row_with('Autumn')}.includes('running')")
    await order(tab, "End the season", "Autumn")
    await confirm(tab)
    await tab.until(f"{row_with('Autumn')}.includes('ended')")


async def test_who_is_no_operator_sees_nothing_and_has_no_menu_entry(tab: Browser, shared: WebServer) -> None:
    token = await register(shared)
    await tab.open(f"{shared.url}/")
    assert not await tab.read(MENU)
    await go(tab, shared, "/bots")
    await sign_in(tab, token)
    await tab.until("document.getElementById('not-an-operator').textContent.includes('You are signed in as ada')")
    assert not await tab.read(INSIDE)
    assert "tulip" not in await tab.read("document.documentElement.outerHTML")
    await sign_in(tab, OPERATOR)
    await tab.until(INSIDE)
    await tab.open(f"{shared.url}/")
    assert await tab.read(MENU)
    await go(tab, shared)
    await press(tab, "#sign-out")
    await tab.until(OUTSIDE)
    assert await tab.read("document.getElementById('inside').textContent") == ""
    await tab.open(f"{shared.url}/")
    assert not await tab.read(MENU)


@pytest.mark.parametrize("part", ["", "/tournaments", "/matches", "/bots", "/settings", "/orders"])
async def test_every_part_holds_on_a_phone_and_on_a_screen_in_the_light_and_in_the_dark(
    tab: Browser, web: WebServer, part: str
) -> None:
    await web.begin("a1")
    await web.post("/api/v1/accounts", {"name": "W" * 40})
    await web.post("/api/v1/tournaments", {"name": "W" * 64, "game": GAME, "bots": ["ada", "bob"], "start": False})
    await go(tab, web, part)
    if part not in ("", "/settings"):
        await tab.until("document.querySelector('tbody tr')")
    assert await faults(tab, WIDTHS) == []
    if part == "/bots":
        await order(tab, "Shut out", "W" * 40)
        await tab.until("document.getElementById('question').open")
        assert await faults(tab, WIDTHS) == []

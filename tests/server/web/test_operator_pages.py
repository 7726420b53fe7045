"""A teacher's day in a real browser, from an empty server to the exported grades, without a terminal."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tabiya.games.registry import names
from tabiya.storage.records import TournamentId
from tests.fakes.kept_programs import KeptPrograms
from tests.present import present
from tests.server.local_bots import at_random, first_legal, silent
from tests.server.web.browser import Browser
from tests.server.web.handlers.test_sessions import register
from tests.server.web.pages.measures import faults
from tests.server.web.web_server import OPERATOR, WebServer, web_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CLASS = ("Ada", "Bob", "Eve")
GUARD = "guard"
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


async def graded_gauntlet(tab: Browser) -> None:
    """Everybody who is there plays the player of the house, and is graded against it."""
    await fill(tab, "#create [name=name]", "Exam")
    await fill(tab, "#create [name=game]", GAME)
    assert await tab.read("document.getElementById('grading').hidden")
    await fill(tab, "#create [name=format]", "gauntlet")
    await press(tab, "#add-staff")
    await tab.until(f"document.querySelector('#staff select').value === {json.dumps(GUARD)}")
    assert await tab.read("document.querySelector('#staff optgroup').label") == "Built in"
    for of, value in (("points", "4"), ("nothing_to", "10"), ("all_from", "90")):
        await fill(tab, f"#staff [data-of={of}]", value)
    await tab.until("document.querySelector('#create [name=challengers]').closest('label').hidden")
    await press(tab, "#create .primary")
    await tab.until(f"{STATUS}.includes('is running')")


async def graded_by_hand(web: WebServer) -> dict[str, float]:
    """What everybody has earned, from the stored games: 4 points, nothing up to 10 %, everything from 90 %."""
    points = dict.fromkeys(CLASS, 0.0)
    matches = await web.store.tournament_matches(TournamentId(2))
    assert len(matches) == 2 * len(CLASS)
    for match in matches:
        (seat,) = [number for number, one in enumerate(match.seats) if one.bot != GUARD]
        winner = present(match.result).winner
        points[match.seats[seat].bot] += 0.5 if winner is None else winner == seat
    return {name: round(4 * min(max(made / 2 - 0.1, 0) / 0.8, 1), 2) for name, made in points.items()}


async def grades_are_those_of_the_games(tab: Browser, web: WebServer) -> None:
    """From the row of the tournament to its grades, which are shown, and taken along as files."""
    await press(tab, "a[href='/operator/grades?tournament=2']")
    await tab.until(f"document.querySelectorAll('#grades tr').length === {len(CLASS)}")
    expected = await graded_by_hand(web)
    read = "(e) => [e.dataset.key, Number(e.querySelector('b').textContent)]"
    shown = await tab.read(f"[...document.querySelectorAll('#grades tr')].map({read})")
    assert dict(shown) == expected
    rows = await downloaded(tab, "as-csv")
    assert {row["bot"]: float(row["grade"]) for row in rows} == expected
    assert {row[f"games against {GUARD}"] for row in rows} == {"2"}
    await fill(tab, "#which [name=assignment]", "Nim & more")
    rows = await downloaded(tab, "as-moodle")
    assert {row["Username"]: float(row["Nim & more"]) for row in rows} == expected
    await press(tab, "#as-canvas")
    await tab.until(f"{STATUS}.includes('tournament-2-canvas.csv is saved.')")
    await fill(tab, "#which [name=assignment]", "Section")
    await press(tab, "#as-canvas")
    await tab.until(f"{STATUS}.includes('another column')")


async def downloaded(tab: Browser, link: str) -> list[dict[str, str]]:
    """The rows of the file to which a link leads."""
    text = await tab.read(f"fetch(document.getElementById('{link}').href).then((a) => a.text())")
    return list(csv.DictReader(io.StringIO(text)))


async def test_a_teachers_day_from_an_empty_server_to_the_exported_grades(tab: Browser) -> None:
    async with web_server(host="0.0.0.0", operator_token=OPERATOR) as web:
        await go(tab, web)
        await sign_in(tab, "a wrong one")
        await tab.until(f"{STATUS}.includes('no account has this token')")
        await sign_in(tab, OPERATOR)
        await tab.until(INSIDE)
        await tab.until("document.getElementById('attention').textContent.includes('Nothing needs you now')")

        await go(tab, web, "/bots")
        await tab.until("document.getElementById('code').textContent.includes('-')")
        code = await tab.read("document.getElementById('code').textContent")
        await join(web, code)

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
        await order(tab, "Resume", "Friday")
        await tab.until(f"{row_with('Friday')}.includes('ended')")
        games = "document.querySelector('#tournaments a[href*=\"/operator/matches\"]').getAttribute('href')"
        assert await tab.read(games) == "/operator/matches?tournament=1&status=ended"
        address = await tab.read("document.querySelector('a[download=\"tournament-1.csv\"]').getAttribute('href')")
        rows = list(csv.DictReader(io.StringIO(await tab.read(f"fetch({json.dumps(address)}).then((a) => a.text())"))))
        assert {row["bot"].rpartition(". ")[2] for row in rows} == set(CLASS)
        assert sum(float(row["points"]) for row in rows) == 6.0

        web.server.house_bots = {GUARD: {}}
        answer = await web.post("/api/v1/register", {"name": GUARD, "invite": code})
        await web.bot(GUARD, at_random(7), token=answer.json["token"], max_matches=4)
        await go(tab, web, "/tournaments")
        await graded_gauntlet(tab)
        await tab.until(f"{row_with('Exam')}.includes('ended')")
        assert sum((await graded_by_hand(web)).values()) > 0
        await grades_are_those_of_the_games(tab, web)

        await go(tab, web, "/orders")
        await tab.until(f"{row_with('/tournaments/1/pause')}.includes('(session)')")
        assert "winner: 0" in await tab.read(row_with("/adjudicate"))
        assert "grading: " in await tab.read(row_with("Exam"))
        assert [one for one in tab.complaints if "status of 40" not in one] == []


async def test_creating_and_entering_warn_of_bots_that_could_not_play_now(tab: Browser, web: WebServer) -> None:
    await web.bot("ada", silent, games=("chess",))
    await web.post("/api/v1/accounts", {"name": "Zoe"})
    await go(tab, web, "/tournaments")
    await fill(tab, "#create [name=name]", "Cup")
    await fill(tab, "#create [name=game]", GAME)
    await press(tab, "#create [name=who][value=chosen]")
    await press(tab, "#candidates [data-bot=Zoe]")
    await press(tab, "#create [name=wait]")
    await press(tab, "#create .primary")
    away = "cannot play now: not connected. A bot that is away for 60 s is withdrawn."
    await tab.until(f"{STATUS}.endsWith('is created: 1 bot. Zoe {away}')")
    await order(tab, "Enter a bot", "Cup")
    await tab.until("document.getElementById('question').open")
    await fill(tab, "#question [name=bots]", "ada")
    await press(tab, "#question-yes")
    await tab.until(f"{STATUS}.startsWith('It is entered. ada cannot play now: connected, but not for {GAME}. ')")


async def test_the_form_says_which_of_all_bots_are_the_servers_own(tab: Browser, web: WebServer) -> None:
    web.server.house_bots = {"ada": {}}
    for name in ("ada", "bob"):
        await web.bot(name, silent)
    await go(tab, web, "/tournaments")
    await tab.until("!document.getElementById('no-tournaments').hidden")
    words = "2 bots play it. The server's own player is one of them: ada. “Only these bots” leaves it out."
    await tab.until(f"document.getElementById('ready').textContent === {json.dumps(words)}")


async def test_a_swiss_is_changed_and_gives_a_bye(tab: Browser, web: WebServer) -> None:
    for name in CLASS:
        await web.bot(name, silent)
    options = {"heaps": "2,4", "misere": True}
    plan = {"name": "Cpu", "game": names()[0], "format": "swiss", "rounds": 2, "options": options, "bots": CLASS}
    await web.post("/api/v1/tournaments", plan | {"start": False})
    await go(tab, web, "/tournaments")
    await order(tab, "Change it", "Cpu")
    await tab.until("document.getElementById('question').open")
    read = "[...document.querySelectorAll('#question-fields input')].map((e) => [e.name, e.value])"
    assert await tab.read(read) == [["name", "Cpu"], ["time_control", "60+0.5"], ["rounds", "2"], ["concurrency", ""]]
    await fill(tab, "#question [name=name]", "Cup")
    await fill(tab, "#question [name=concurrency]", "7")
    await press(tab, "#question-yes")
    await tab.until(f"{STATUS} === 'Tournament 1 is changed.'")
    changed = await web.json("/api/v1/tournaments/1")
    assert (changed["name"], changed["settings"]["concurrency"], changed["rounds"]) == ("Cup", 7, 2)
    await order(tab, "Give a bye", "Cup")
    await tab.until("document.getElementById('question').open")
    assert sorted(await tab.read("[...document.querySelectorAll('#bot-names option')].map((e) => e.value)")) == sorted(
        CLASS
    )
    await fill(tab, "#question [name=bot]", CLASS[0])
    await press(tab, "#question-yes")
    await tab.until(f"{STATUS} === 'It has a bye in the next round.'")
    assert (await web.json("/api/v1/tournaments/1"))["byes"][0]["bot"] == CLASS[0]
    await press(tab, "[data-again='1']")
    await tab.until("document.querySelector('#create [name=name]').value === 'Cup'")
    await fill(tab, "#create [name=format]", "round_robin")
    await press(tab, "#create .primary")
    await tab.until(f"{STATUS}.includes('is running')")
    another = await web.json("/api/v1/tournaments/2")
    assert (another["format"], another["settings"]["concurrency"], another["rounds"]) == ("round_robin", 7, 2)
    assert (another["game"], another["settings"]["options"]) == (plan["game"], options)
    assert sorted(line["bot"] for line in another["lines"]) == sorted(CLASS)


async def test_what_has_ended_goes_on_with_a_late_bot_or_more_rounds_and_what_is_cancelled_comes_last(
    tab: Browser, web: WebServer
) -> None:
    for name in CLASS:
        await web.bot(name, first_legal)
    for name, form in (("Friday", "round_robin"), ("Monday", "swiss")):
        await web.post("/api/v1/tournaments", {"name": name, "game": GAME, "format": form, "bots": CLASS[:2]})
    await web.post("/api/v1/tournaments", {"name": "Mistake", "game": GAME, "bots": CLASS[:2], "start": False})
    await web.post("/api/v1/tournaments/3/cancel", {})
    await go(tab, web, "/tournaments")
    for name, status in (("Mistake", "cancelled"), ("Friday", "ended"), ("Monday", "ended")):
        await tab.until(f"{row_with(name)}.includes('{status}')")
    first_cells = "[...document.querySelectorAll('#tournaments tr')].map((e) => e.firstChild.textContent)"
    assert await tab.read(first_cells) == ["2", "1", "3"]
    await order(tab, "Enter a bot", "Friday")
    await tab.until("document.getElementById('question-text').textContent.includes('The tournament goes on')")
    await fill(tab, "#question [name=bots]", CLASS[2])
    await press(tab, "#question-yes")
    await tab.until(f"{row_with('Friday')}.includes('6 of 6 games')")
    await order(tab, "More rounds", "Monday")
    await tab.until("document.getElementById('question-fields').textContent.includes('Rounds')")
    await fill(tab, "#question [name=rounds]", "2")
    await press(tab, "#question-yes")
    await tab.until(f"{STATUS}.includes('has ended, and this would leave nothing to play in it')")


async def test_accounts_of_a_class_are_created_together_and_their_tokens_shown_once(
    tab: Browser, web: WebServer
) -> None:
    await web.post("/api/v1/accounts", {"name": "Eve"})
    await go(tab, web, "/bots")
    await fill(tab, "#make [name=names]", "Ada\n Bob \n\nEve\nAda")
    await press(tab, "#make button")
    await tab.until("document.getElementById('secret').open")
    shown = csv.DictReader(io.StringIO(await tab.read("document.getElementById('secret-value').value")))
    tokens = {row["bot"]: row["token"] for row in shown}
    assert list(tokens) == ["Ada", "Bob"]
    account = await web.get("/api/v1/account", token=tokens["Bob"])
    assert account.json["name"] == "Bob"
    await tab.until(f"{STATUS}.includes('\u2068Eve\u2069: the name')")
    assert await tab.read("document.querySelector('#make [name=names]').value") == "Eve"
    await press(tab, "#secret .primary")
    await tab.until("document.getElementById('secret-value').value === ''")


async def test_what_an_operator_makes_and_changes(tab: Browser) -> None:
    async with web_server(host="0.0.0.0", operator_token=OPERATOR) as web:
        await go(tab, web, "/bots")
        await sign_in(tab, OPERATOR)
        await tab.until(INSIDE)
        await fill(tab, "#make [name=names]", "Zoe")
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
        await order(tab, "Reset", "time control")
        await tab.until(f"{STATUS}.includes('from the server')")
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


async def test_others_than_operators_see_nothing_and_have_no_menu_entry(tab: Browser, shared: WebServer) -> None:
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
    await go(tab, shared, "/bots")
    await tab.until("document.getElementById('code').textContent === 'tulip'")
    await press(tab, "#sign-out")
    await tab.until(OUTSIDE)
    assert "tulip" not in await tab.read("document.documentElement.outerHTML")
    await tab.open(f"{shared.url}/")
    assert not await tab.read(MENU)


@pytest.mark.parametrize("part", ["", "/tournaments", "/grades", "/matches", "/bots", "/settings", "/orders"])
async def test_every_part_holds_on_a_phone_and_on_a_screen_in_the_light_and_in_the_dark(
    tab: Browser, web: WebServer, part: str
) -> None:
    await web.begin("a1")
    await web.post("/api/v1/accounts", {"name": "W" * 40})
    await web.post("/api/v1/tournaments", {"name": "W" * 64, "game": GAME, "bots": ["ada", "bob"], "start": False})
    grading = [{"bot": "ada", "points": 1}]
    gauntlet = {"name": "W" * 64, "game": GAME, "format": "gauntlet", "bots": ["ada", "W" * 40], "grading": grading}
    await web.post("/api/v1/tournaments", gauntlet | {"start": False})
    await go(tab, web, part)
    if part == "/tournaments":
        await fill(tab, "#create [name=format]", "gauntlet")
        await press(tab, "#add-staff")
    if part not in ("", "/settings"):
        await tab.until("document.querySelector('tbody tr')")
    assert await faults(tab, WIDTHS) == []
    if part == "/bots":
        await order(tab, "Shut out", "W" * 40)
        await tab.until("document.getElementById('question').open")
        assert await faults(tab, WIDTHS) == []

"""A student hands in programs in a real browser, sees what is wrong at her own line, mends it, sees it play."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tabiya.check.grade import CheckReport
from tabiya.check.run import Progress
from tabiya.classroom import check_submissions
from tabiya.classroom.record import Entry, ResourceUsage, Rules
from tabiya.explorer.explorer import Explorer
from tabiya.hosting import worker
from tabiya.hosting.hosting import ProgramHosting
from tabiya.server.archive.reviews import costliest, decoded, encoded
from tabiya.server.explorer import ExplorerBusy
from tabiya.server.web.http.auth import COOKIE
from tabiya.storage.program_records import Usage
from tabiya.storage.records import MatchId, ReviewRecord
from tests.fakes.kept_programs import KeptPrograms
from tests.fakes.workers import a_worker, at_work
from tests.present import present
from tests.server.archive.test_reviews import judged_move
from tests.server.local_bots import silent
from tests.server.web.browser import Browser
from tests.server.web.handlers.test_explorer import Scripted
from tests.server.web.handlers.test_programs import packed
from tests.server.web.pages.measures import faults
from tests.server.web.play_page import click
from tests.server.web.test_failure import failed
from tests.server.web.web_server import GAME, LINE, OPERATOR, WebServer, web_server
from tests.tabiya.classroom.test_submissions import why

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

WIDTHS = (390, 1440)
PATIENCE_S = 120.0
STATUS, TEXT = "document.getElementById('status').textContent", "document.getElementById('text').value"
ROWS = "document.querySelectorAll('#versions tbody tr').length"
FIRST = "document.querySelector('#versions tbody tr')?.textContent ?? ''"
REPORT = "document.getElementById('report').textContent"
MARKED = "document.querySelectorAll('.editor-lines .bad').length"
MARKS = "[...document.querySelectorAll('#marks li')].map((e) => e.textContent)"
SIGNED_IN = "!document.getElementById('own').hidden"
GOOD = """from tabiya import Bot


class Mine(Bot):
    def choose(self, turn):
        return turn.legal_moves[0]
"""
BUG = GOOD.replace("legal_moves[0]", "legal_moves[0] + 1")
DROP = """((name, packed) => {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0)), dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
})"""

# The file of a version is told only when the test wants it.
HELD_BACK = """(() => {
    const fetched = window.fetch;
    window.answers = [];
    window.fetch = async (...asked) => {
        const answer = await fetched(...asked);
        if (String(asked[0]).endsWith("/source")) await new Promise((done) => window.answers.push(done));
        return answer;
    };
})()"""


async def examined(
    entry: Entry, rules: Rules, into: Path, progress: Progress, *, connection: bool, usage: ResourceUsage
) -> CheckReport | None:
    """What is without a bug passes at once."""
    if (into / entry.folder / "bot.py").read_text() == BUG:
        return await check_submissions.examine(entry, rules, into, progress, connection=connection, usage=usage)
    entry.grade = 97
    return None


@pytest.fixture
async def hosted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WebServer]:
    """A server for others that runs programs, as `tabiya serve --lan --hosted` does."""
    monkeypatch.setattr(worker, "examine", examined)
    async with web_server(
        host="0.0.0.0", operator_token=OPERATOR, invite_secret="tulip", time_control="10+1"
    ) as running:
        hosting = ProgramHosting("none", start=GOOD, heartbeat_s=0.5)
        await hosting.serve(running.server)
        running.server.hosting = hosting
        async with at_work(a_worker(running.server, tmp_path / "worker", "lab-1")):
            yield running


@pytest.fixture
async def kept(shared: WebServer) -> WebServer:
    """A server that keeps programs and runs none."""
    shared.server.hosting = KeptPrograms(shared.store)
    return shared


async def until(tab: Browser, expression: str) -> None:
    """Wait for what other processes do, which takes long where many run."""
    async with asyncio.timeout(PATIENCE_S):
        while not await tab.read(f"Boolean({expression})"):  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def fill(tab: Browser, form: str, **fields: str) -> None:
    """Fill a form in and send it."""
    for name, value in fields.items():
        await tab.read(f"document.querySelector('#{form} [name={name}]').value = {json.dumps(value)}")
    await click(tab, f"#{form} button")


async def enter(web: WebServer, tab: Browser, name: str = "ada") -> str:
    """Make a bot on the page; its token."""
    await tab.open(f"{web.url}/my-bot")
    await tab.until("!document.getElementById('entrance').hidden")
    await fill(tab, "register", name=name, invite="tulip")
    await tab.until(f"{SIGNED_IN} && document.getElementById('token').value")
    token: str = await tab.read("document.getElementById('token').value")
    return token


async def press(tab: Browser, selector: str) -> None:
    """Press what may be out of sight."""
    await tab.read(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{ block: 'center' }})")
    await click(tab, selector)


async def write(tab: Browser, text: str, game: str = "nim") -> None:
    """Put a program into the editor, as if pasted, and hand it in."""
    await tab.read(f"document.getElementById('game').value = '{game}'")
    await tab.read("document.getElementById('text').focus(); document.getElementById('text').select()")
    await tab.tell("Input.insertText", text=text)
    await press(tab, "#save")


async def test_a_bug_is_shown_at_her_own_line_mended_in_the_page_and_the_program_plays(
    hosted: WebServer, tab: Browser
) -> None:
    token = (await hosted.post("/api/v1/register", {"name": "bob", "invite": "tulip"})).json["token"]
    order = {"game": "nim", "file_name": "bot.py", "content": base64.b64encode(GOOD.encode()).decode()}
    assert (await hosted.post("/api/v1/bots/bob/programs", order, token=token)).status == 201
    await enter(hosted, tab)
    assert await tab.read(TEXT) == GOOD  # the start
    await write(tab, BUG)
    await until(tab, f"({FIRST}).includes('refused')")
    await tab.until(f"{MARKED} === 1")  # once the version is in the editor, too
    assert "It does not play" in await tab.read(REPORT)
    assert "bot.py, line 6, in choose" in await tab.read(REPORT)
    assert await tab.read(MARKS) == ['! line 6 TypeError: can only concatenate str (not "int") to str']
    await press(tab, "#marks button")
    selected = "((e) => e.value.slice(e.selectionStart, e.selectionEnd))(document.activeElement)"
    assert await tab.read(selected) == "        return turn.legal_moves[0] + 1"
    assert await faults(tab, WIDTHS) == []
    await write(tab, GOOD)
    await until(tab, f"{ROWS} === 2 && ({FIRST}).includes('passed')")
    await tab.until(f"{MARKS}.length === 0")
    await until(tab, "document.getElementById('now-text').textContent === 'Version 2 plays.'")
    async with asyncio.timeout(PATIENCE_S):
        while not (await hosted.json("/api/v1/matches?bot=ada&status=ended"))["matches"]:  # noqa: ASYNC110
            await asyncio.sleep(0.2)
    assert await faults(tab, WIDTHS) == []
    assert [one for one in tab.complaints if "401" not in one] == []


async def test_files_are_dropped_or_chosen_and_what_cannot_be_taken_is_said(hosted: WebServer, tab: Browser) -> None:
    await enter(hosted, tab)
    await drop(tab, "bot.exe", b"MZ")
    await tab.until(f"({STATUS}).includes('a Python file (.py) or a zip of its folder (.zip)')")
    await drop(tab, "bot.zip", b"no zip")
    await tab.until(f"({STATUS}).includes('the zip cannot be read')")
    await drop(tab, "large.py", bytes(1_000_001))
    await tab.until(f"({STATUS}).includes('a program has at most 1000 kB')")
    assert await tab.read(ROWS) == 0
    await drop(tab, "mine.py", GOOD.encode())
    await tab.until(f"{ROWS} === 1 && ({FIRST}).includes('mine.py')")


async def drop(tab: Browser, name: str, content: bytes) -> None:
    """Drop a file on the page."""
    await tab.read(f"{DROP}({json.dumps(name)}, {json.dumps(base64.b64encode(content).decode())})")


async def test_what_is_answered_after_she_has_signed_out_is_not_shown(kept: WebServer, tab: Browser) -> None:
    await enter(kept, tab)
    await tab.read(HELD_BACK)
    await write(tab, GOOD)
    await tab.until("window.answers.length === 1")
    await press(tab, "#sign-out")
    await tab.until("!document.getElementById('entrance').hidden")
    await tab.read("window.answers[0]()")
    await tab.read("new Promise((done) => setTimeout(done, 0))")
    assert await tab.read(TEXT) == KeptPrograms.start


async def test_after_signing_out_only_the_token_shows_the_programs_again(kept: WebServer, tab: Browser) -> None:
    token = await enter(kept, tab)
    await write(tab, GOOD)
    await tab.until(f"{ROWS} === 1")
    await press(tab, "#sign-out")
    await tab.until("!document.getElementById('entrance').hidden")
    assert await tab.read(f"document.body.innerText.includes({json.dumps(token)})") is False
    assert await tab.read(TEXT) == KeptPrograms.start
    assert await faults(tab, WIDTHS) == []
    await enter(kept, tab, "bob")
    assert await tab.read(ROWS) == 0
    answer = "fetch('/api/v1/bots/ada/programs/1/source').then((answer) => answer.status)"
    assert await tab.read(answer) == 403
    await press(tab, "#sign-out")
    await tab.until("!document.getElementById('entrance').hidden")
    await fill(tab, "sign-in", token="a guess")
    await tab.until(f"({STATUS}).includes('no account has this token')")
    await fill(tab, "sign-in", token=token)
    await tab.until(f"{ROWS} === 1")
    assert COOKIE not in await tab.read("document.cookie")


async def test_a_server_that_runs_no_programs_says_how_it_would(shared: WebServer, tab: Browser) -> None:
    await tab.open(f"{shared.url}/my-bot")
    assert "tabiya serve --hosted" in await tab.read("document.querySelector('main').textContent")
    assert tab.complaints == []


async def with_bob(kept: WebServer, tab: Browser, game: str = "") -> str:
    """A version of ada's is handed in on the page, and both are connected; bob's token. game: another than offered."""
    token = await enter(kept, tab)
    if game:
        await tab.read(f"document.getElementById('game').value = '{game}'")
    program = packed(bot=GOOD.encode())
    await drop(tab, "mine.zip", program)
    await tab.until(f"{ROWS} === 1")
    bob = str((await kept.post("/api/v1/register", {"name": "bob", "invite": "tulip"})).json["token"])
    await kept.bot("ada", silent, token=token, version=str(len(program)))
    await kept.bot("bob", silent, token=bob)
    return bob


async def test_a_lost_match_is_shown_with_its_position_and_at_the_line_of_the_version_that_played(
    kept: WebServer, tab: Browser
) -> None:
    bob = await with_bob(kept, tab)
    match = await failed(kept, "bot.py, line 6: KeyError: 'e2'")
    await tab.open(f"{kept.url}/my-bot")
    await tab.until(f"{MARKED} === 1")
    assert await tab.read(MARKS) == ["! line 6 KeyError: 'e2'"]
    assert f"Match {match}, version 1: bot.py, line 6" in await tab.read(
        "document.getElementById('failed').textContent"
    )
    await press(tab, "#failed summary")
    await tab.until("document.querySelector('#failed img')?.naturalWidth")
    await tab.until("document.querySelector('#results [data-from=matches]').textContent.includes('bob')")
    assert await faults(tab, WIDTHS) == []
    await enter_with(tab, bob)
    await tab.until("document.getElementById('now-text').textContent === 'Nothing is handed in yet.'")
    assert "KeyError" not in await tab.read("document.body.textContent")


SEEN = "document.querySelector('#results [data-from=lost]').textContent"


async def lost(kept: WebServer, tab: Browser) -> int:
    """A match that the bot of the page has lost to bob, shown there."""
    await with_bob(kept, tab, GAME)
    match = await kept.play(LINE, bots=("bob", "ada"))
    await tab.open(f"{kept.url}/my-bot")
    await tab.until("document.querySelector('#results [data-from=lost] button')")
    return match


async def test_a_student_has_a_lost_match_reviewed_and_sees_the_costly_move_here_and_on_its_page(
    kept: WebServer, tab: Browser
) -> None:
    kept.server.explorer = Explorer(processes=1)
    match = await lost(kept, tab)
    assert await faults(tab, WIDTHS) == []
    await press(tab, "#results [data-review] button")
    await until(tab, f"({SEEN}).includes('better ')")
    judged = present(decoded(present(await kept.store.review(MatchId(match))).judged))
    (worst,) = costliest(judged, 1, most=1)
    line = f"move {worst.ply + 1}, {worst.move}: cost {worst.cost:.2f}, better {worst.best}"
    assert line in await tab.read(SEEN)
    assert await tab.read("document.querySelector('#results [data-from=lost] button')") is None
    assert await faults(tab, WIDTHS) == []
    await tab.open(await tab.read("document.querySelector('#results [data-from=lost] td:last-child a').href"))
    assert await tab.read("document.getElementById('at').textContent") == f"{worst.ply + 1} / 5"
    await tab.open(f"{kept.url}/my-bot")  # now the list has it as it comes
    await tab.until(f"({SEEN}).includes({json.dumps(line)})")
    assert [one for one in tab.complaints if "401" not in one] == []


async def test_a_match_is_reviewed_on_its_page_for_its_players_and_for_others_the_page_is_as_it_was(
    kept: WebServer, tab: Browser
) -> None:
    kept.server.explorer = explorer = Scripted()
    judged = [judged_move(ply, ply % 2, 0.5 * (ply == 1), best="b2") for ply in range(5)]
    goes_on = asyncio.Event()
    explorer.reviews = [3, goes_on, ReviewRecord(judged_by="an engine", judged=encoded(judged))]
    tokens = {}
    for name in ("bob", "eve"):
        tokens[name] = (await kept.post("/api/v1/register", {"name": name, "invite": "tulip"})).json["token"]
        await kept.bot(name, silent, token=tokens[name], version="1.0")
    button, page = "#order-review button", f"{kept.url}/matches/{await kept.play(LINE, bots=('bob', 'eve'))}"
    await tab.open(page)
    await tab.read("import(document.querySelector('script[src*=match_review]').src)")
    asked = "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/session'))"
    assert not await tab.read(asked)  # nobody has signed in here
    await enter(kept, tab, "ada")
    await tab.open(page)
    await tab.read("import(document.querySelector('script[src*=match_review]').src)")  # its script is through
    assert await tab.read(asked)
    assert not await tab.read(f"document.querySelector('{button}').checkVisibility()")
    await tab.open(f"{kept.url}/my-bot")
    await tab.until(SIGNED_IN)
    await enter_with(tab, tokens["eve"])
    await tab.open(page)
    await tab.until(f"document.querySelector('{button}').checkVisibility()")
    assert await faults(tab, WIDTHS) == []
    await press(tab, button)
    await tab.until("document.querySelector('#order-review [role=status]').textContent === '3 of 5 moves are judged.'")
    goes_on.set()
    await tab.loads()
    assert await tab.read("document.querySelector('.costly .number + td + td + td').textContent") == "0.50"
    assert await tab.read("document.querySelector('#order-review')") is None
    assert await tab.read("document.querySelector('polyline.judged') !== null")
    assert [one for one in tab.complaints if "401" not in one] == []


async def test_a_review_that_cannot_be_made_is_said_where_it_was_ordered(kept: WebServer, tab: Browser) -> None:
    kept.server.explorer = explorer = Scripted()
    explorer.reviews = [ExplorerBusy("60 searches are already waiting; try again in a moment")]
    await lost(kept, tab)
    await press(tab, "#results [data-review] button")
    await tab.until(f"({SEEN}).includes('60 searches are already waiting')")
    assert await tab.read("document.querySelector('#results [data-from=lost] button').disabled") is False


async def enter_with(tab: Browser, token: str, seen: str = SIGNED_IN) -> None:
    """Sign in as somebody else. seen: what is true then."""
    await press(tab, "#sign-out")
    await tab.until("!document.getElementById('entrance').hidden")
    await fill(tab, "sign-in", token=token)
    await tab.until(seen)


async def test_a_teacher_sees_all_programs_sets_a_deadline_and_disables_one(kept: WebServer, tab: Browser) -> None:
    token = await enter(kept, tab)
    await drop(tab, "mine.zip", packed(bot=GOOD.encode()))
    await tab.until(f"{ROWS} === 1")
    await enter_with(tab, OPERATOR, "!document.getElementById('class').hidden")
    await tab.until("document.querySelectorAll('#bots tbody tr').length === 1")
    assert await faults(tab, WIDTHS) == []
    (program,) = await kept.store.programs(present(await kept.store.bot_by_name("ada")).id)
    await kept.store.keep_examination(program.id, "refused", json.dumps({"problem": f"bot.py is empty{500 * '.'}"}))
    files = (
        "fetch(document.querySelector('#class a[download]').href).then((answer) => answer.headers.get('Content-Type'))"
    )
    assert await tab.read(files) == "application/zip"
    await tab.read("document.querySelector('#deadline [name=at]').value = '2001-02-03T04:05'")
    await press(tab, "#deadline button")
    await tab.until("document.getElementById('deadline-now').textContent.startsWith('No new versions since')")
    await press(tab, '#bots [data-key="switch ada"]')
    await tab.until("document.querySelector('#bots [data-key=\"switch ada\"]').textContent === 'Enable'")
    assert str(await tab.read("document.querySelector('#bots .reason').textContent")).startswith("bot.py is empty..")
    assert await tab.read("document.querySelector('#bots .reason').textContent.length") == 201
    assert await faults(tab, WIDTHS) == []
    await press(tab, '#bots [data-key="open ada"]')
    await tab.until(f"{ROWS} === 1 && document.getElementById('save').disabled")
    assert await faults(tab, WIDTHS) == []
    await press(tab, '#bots [data-key="switch ada"]')
    await tab.until("document.querySelector('#bots [data-key=\"switch ada\"]').textContent === 'Disable'")
    await enter_with(tab, token)
    closed = "document.getElementById('closed').textContent"
    await tab.until(f"{closed}.startsWith('No new versions since')")
    assert await tab.read("document.getElementById('save').disabled && document.getElementById('class').hidden")
    later = time.time() + 2 * 3600 + 5 * 60 + 30
    assert (await kept.post("/api/v1/programs/deadline", {"at": later}, token=OPERATOR)).status == 200
    await tab.until(f"{closed}.includes('2 hours 5 minutes left')")
    assert await tab.read("document.getElementById('save').disabled") is False
    assert [one for one in tab.complaints if "40" not in one] == []


async def test_games_against_somebody_are_asked_for(kept: WebServer, tab: Browser) -> None:
    await enter(kept, tab)
    assert await tab.read("document.getElementById('wish').hidden")
    await drop(tab, "mine.zip", packed(bot=GOOD.encode()))
    await tab.until(f"{ROWS} === 1")
    ada = present(await kept.store.bot_by_name("ada"))
    (program,) = await kept.store.programs(ada.id)
    await kept.store.keep_examination(program.id, "good", '{"grade":97}')
    await kept.store.use_program(ada.id, program.id)
    await kept.server.accounts.register("bob", "", by_operator=True)
    await tab.until("!document.getElementById('wish').hidden")
    lease = present(await kept.store.grant_lease([(program.id, "play")], "lab-1", "", now=1.0, expires_at=2.0))
    await kept.store.end_lease(program.id, lease.fence, "played", "", now=1.0, used=Usage(1.84, 601.4))
    await tab.until(f"({FIRST}).includes('1.8 s a turn, 601 of 640 MB: near the limit')")
    for name, reported in (("Bob", "2 games against bob will be played when both can; 18 more"), ("zoe", "zoe")):
        await tab.read(f"document.querySelector('#wish [name=opponent]').value = '{name}'")
        await press(tab, "#wish button")
        await tab.until(f"document.getElementById('status').textContent.includes('{reported}')")
    wishes = "document.getElementById('wishes')"
    await tab.until(f"{wishes}.textContent.includes('2 games wait, against bob')")
    assert await faults(tab, WIDTHS) == []
    await press(tab, "#wishes button")
    await tab.until(f"{wishes}.hidden")
    assert await kept.store.wishes() == ()


async def test_on_the_servers_machine_all_programs_are_shown_without_signing_in(web: WebServer, tab: Browser) -> None:
    web.server.hosting = KeptPrograms(web.store)
    await tab.open(f"{web.url}/my-bot")
    await tab.until("document.getElementById('bots').textContent === 'Nobody has handed a program in yet.'")
    await fill(tab, "register", name="ada")
    await tab.until(f"{SIGNED_IN} && document.getElementById('class').hidden")


async def test_the_keys_of_the_editor_indent_and_let_out_again(kept: WebServer, tab: Browser) -> None:
    await enter(kept, tab)
    await tab.read("document.getElementById('text').focus(); document.getElementById('text').select()")
    await tab.tell("Input.insertText", text="class Mine(Bot):")
    for key in ("Enter", "x", "Tab"):
        await press_key(tab, key)
    assert await tab.read(TEXT) == "class Mine(Bot):\n    x    "
    assert await tab.read("document.querySelectorAll('.editor-lines span').length") == 2
    for key in ("Escape", "Tab"):
        await press_key(tab, key)
    assert await tab.read("document.activeElement.id") == "save"


async def press_key(tab: Browser, key: str) -> None:
    """A key as it is pressed, with what the browser does by itself."""
    codes = {"Enter": 13, "Tab": 9, "Escape": 27}
    text = {"Enter": "\r", "x": "x"}.get(key, "")
    kind = "keyDown" if text else "rawKeyDown"
    await tab.tell(
        "Input.dispatchKeyEvent", type=kind, key=key, code=key, text=text, windowsVirtualKeyCode=codes.get(key, 88)
    )
    await tab.tell("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)


async def test_lines_are_found_in_all_that_a_program_and_its_examination_say(
    kept: WebServer, tab: Browser, tmp_path: Path
) -> None:
    await tab.open(f"{kept.url}/my-bot")
    printed = """tabiya: loading bot.py failed:
  bot.py, line 4, in <module>
    def choose(self, turn)
  tables.py, line 2, in <module>
    x = 1 / 0
ZeroDivisionError: division by zero"""
    (tmp_path / "bot.py").write_text("\n\n\nclass Mine(Bot)\n")
    texts = [why(tmp_path), printed, "bot.py, line 6: KeyError: 'e2'", "it ended"]
    found = f"import('/static/program_marks.js').then(({{ linesIn }}) => linesIn({json.dumps(texts)}.join('\\n')))"
    assert await tab.read(found) == [
        {"file": "bot.py", "line": 4, "text": "expected ':'"},
        {"file": "tables.py", "line": 2, "text": "ZeroDivisionError: division by zero"},
        {"file": "bot.py", "line": 6, "text": "KeyError: 'e2'"},
    ]

"""Programs that are handed in through the API: whose they are, what is refused, what is told of them."""

from __future__ import annotations

import base64
import io
import time
import zipfile
from typing import Any

import pytest

from tabiya.server.program_rules import SETTING, ProgramRules
from tabiya.storage.program_records import WishId
from tests.fakes.kept_programs import KeptPrograms
from tests.present import present
from tests.server.local_bots import silent
from tests.server.web.handlers.test_sessions import signed_in
from tests.server.web.test_failure import SECRET, failed
from tests.server.web.web_server import OPERATOR, WebServer

PROGRAMS = "/api/v1/bots/ada/programs"
BOT = b"class Mine(Bot): ..."


@pytest.fixture
async def tokens(shared: WebServer) -> dict[str, str]:
    """Of two bots on a server that runs programs."""
    shared.server.hosting = KeptPrograms(shared.store)
    found = {}
    for name in ("ada", "bob"):
        found[name] = (await shared.post("/api/v1/register", {"name": name, "invite": "tulip"})).json["token"]
    return found


def order(content: bytes = BOT, **more: Any) -> dict[str, Any]:
    return {"game": "nim", "file_name": "bot.py", "content": base64.b64encode(content).decode(), **more}


async def test_a_program_is_handed_in_shown_chosen_and_stopped_by_its_owner(
    shared: WebServer, tokens: dict[str, str]
) -> None:
    answers = [await shared.post(PROGRAMS, order(content), token=tokens["ada"]) for content in (BOT, BOT + b"# better")]
    assert [answer.status for answer in answers] == [201, 201]
    program = answers[-1].json
    assert (program["number"], program["game"], program["file_name"], program["state"]) == (2, "nim", "bot.py", "new")
    assert (program["examination"], program["in_use"], program["doing"]) == (None, False, "waits")
    use = f"{PROGRAMS}/1/use"
    (await shared.post(use, {}, token=tokens["ada"])).assert_refused(409, "has not passed the check")
    bot = await shared.store.bot_by_name("ada")
    assert bot is not None
    first = (await shared.store.programs(bot.id))[-1]
    await shared.store.keep_examination(first.id, "good", '{"grade":97,"lost":["was slow"],"problem":""}')
    shown = (await shared.post(use, {}, token=tokens["ada"])).json
    assert [(each["number"], each["in_use"], each["doing"]) for each in shown["programs"]] == [
        (2, False, "waits"), (1, True, "plays"),
    ]  # fmt: skip
    assert shown["programs"][1]["examination"] == {
        "grade": 97, "lost": ["was slow"], "problem": "", "printed": [],
    }  # fmt: skip
    assert (await shared.get(PROGRAMS, token=tokens["ada"])).json == shown
    stopped = (await shared.post(f"{PROGRAMS}/stop", {}, token=tokens["ada"])).json
    assert [each["in_use"] for each in stopped["programs"]] == [False, False]


async def test_only_owner_and_operators_see_a_program(shared: WebServer, tokens: dict[str, str]) -> None:
    await shared.post(PROGRAMS, order(), token=tokens["ada"])
    for path in (PROGRAMS, f"{PROGRAMS}/1/files", f"{PROGRAMS}/1/source", "/api/v1/bots/ada/failures"):
        assert (await shared.get(path)).status == 401
        assert (await shared.get(path, token=tokens["bob"])).status == 401
        # what is kept here is no zip, of which a file could be shown
        assert (await shared.get(path, token=OPERATOR)).status == (404 if path.endswith("source") else 200)
    for path in (PROGRAMS, f"{PROGRAMS}/1/use", f"{PROGRAMS}/stop"):
        body = order() if path == PROGRAMS else {}
        assert (await shared.post(path, body, token=tokens["bob"])).status == 401
    files = await shared.get(f"{PROGRAMS}/1/files", token=tokens["ada"])
    assert (files.body, files.headers["Content-Type"]) == (BOT, "application/zip")
    assert 'filename="version-1.zip"' in files.headers["Content-Disposition"]


@pytest.mark.parametrize(
    ("given", "status", "words"),
    [
        (order(b""), 400, "the zip has no files"),
        (order(game="go"), 404, "no game"),
        (order(content=b""), 400, "the zip has no files"),
        (order() | {"content": "no base64!"}, 400, "content"),
        (order() | {"file_name": "x" * 201}, 400, "file_name"),
        ({"game": "nim"}, 400, "is missing"),
        (order(bytes(1_000_001)), 400, "at most 1,000,000 bytes"),
        (order(bytes(1_100_000)), 413, "at most 1,400,000 bytes"),
    ],
)
async def test_what_cannot_be_taken_is_refused_with_a_sentence(
    shared: WebServer, tokens: dict[str, str], given: dict[str, Any], status: int, words: str
) -> None:
    (await shared.post(PROGRAMS, given, token=tokens["ada"])).assert_refused(status, words)


async def test_beyond_so_many_versions_none_is_taken_and_the_older_ones_stay(
    shared: WebServer, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KeptPrograms, "most", 1)
    assert (await shared.post(PROGRAMS, order(), token=tokens["ada"])).status == 201
    (await shared.post(PROGRAMS, order(BOT * 2), token=tokens["ada"])).assert_refused(409, "at most 1 versions")
    assert len((await shared.get(PROGRAMS, token=tokens["ada"])).json["programs"]) == 1


async def test_a_version_that_is_not_there_is_said(shared: WebServer, tokens: dict[str, str]) -> None:
    assert (await shared.get(f"{PROGRAMS}/7/files", token=tokens["ada"])).status == 404
    assert (await shared.post(f"{PROGRAMS}/x/use", {}, token=tokens["ada"])).status == 404


async def test_a_server_that_runs_no_programs_says_so(shared: WebServer, tokens: dict[str, str]) -> None:
    shared.server.hosting = None
    (await shared.post(PROGRAMS, order(), token=tokens["ada"])).assert_refused(503, "started with --hosted")


async def test_an_owner_asks_for_games(shared: WebServer, tokens: dict[str, str]) -> None:
    address, asked = f"{PROGRAMS}/games", {"opponent": "BOB", "games": 4}
    (await shared.post(address, asked, token=tokens["ada"])).assert_refused(409, "no version of ada plays")
    await shared.post(PROGRAMS, order(), token=tokens["ada"])
    ada = present(await shared.store.bot_by_name("ada"))
    (program,) = await shared.store.programs(ada.id)
    await shared.store.keep_examination(program.id, "good", "")
    await shared.store.use_program(ada.id, program.id)
    answer = (await shared.post(address, asked, token=tokens["ada"])).json
    assert answer == {"bot": "ada", "opponent": "bob", "game": "nim", "games": 4, "left": 16}
    (waits,) = (await shared.get(PROGRAMS, token=tokens["ada"])).json["asked_for"]
    assert waits == {"number": waits["number"], "opponent": "bob", "game": "nim", "games": 4, "asked_at": 1.0}
    back = f"{address}/{waits['number']}/take-back"
    assert (await shared.post(back, {}, token=tokens["bob"])).status == 401
    of_bob = back.replace("ada", "bob")
    (await shared.post(of_bob, {}, token=tokens["bob"])).assert_refused(404, "no wish of bob")
    await shared.store.begin_wished_game(WishId(waits["number"]))
    (waits,) = (await shared.get(PROGRAMS, token=tokens["ada"])).json["asked_for"]
    assert waits["games"] == 3
    assert (await shared.post(back, {}, token=tokens["ada"])).json["asked_for"] == []
    (await shared.post(address, {"opponent": "ada"}, token=tokens["ada"])).assert_refused(400, "against itself")
    (await shared.post(address, {"opponent": "eve"}, token=tokens["ada"])).assert_refused(404, "eve")
    assert (await shared.post(address, asked, token=tokens["bob"])).status == 401
    shared.server.hosting = None
    (await shared.post(address, asked, token=tokens["ada"])).assert_refused(503, "started with --hosted")


async def test_other_orders_stay_small(shared: WebServer) -> None:
    big = {"name": "x" * 100_000, "invite": "tulip"}
    (await shared.post("/api/v1/register", big)).assert_refused(413, "at most 65,536 bytes")


def packed(**files: bytes) -> bytes:
    """A zip of Python files."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.py", content)
    return into.getvalue()


async def test_a_zip_of_a_page_comes_back_as_it_was_kept(shared: WebServer, tokens: dict[str, str]) -> None:
    await shared.post(PROGRAMS, order(packed(bot=BOT), file_name="mine.zip"), token=tokens["ada"])
    files = await shared.get(f"{PROGRAMS}/1/files", token=tokens["ada"])
    with zipfile.ZipFile(io.BytesIO(files.body)) as archive:
        assert archive.read("bot.py") == BOT


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        ({"bot": b"\xef\xbb\xbf" + BOT}, ("bot.py", BOT.decode(), True)),
        ({"mine": BOT}, ("mine.py", BOT.decode(), True)),
        ({"bot": BOT, "tables": b"TABLE = {}"}, ("bot.py", BOT.decode(), False)),
        ({"one": BOT, "two": BOT}, None),
        ({"bot": bytes(1_000_001)}, None),
    ],
)
async def test_the_file_that_has_the_bot_is_shown_as_text(
    shared: WebServer, tokens: dict[str, str], files: dict[str, bytes], shown: tuple[str, str, bool] | None
) -> None:
    await shared.post(PROGRAMS, order(packed(**files), file_name="mine.zip"), token=tokens["ada"])
    answer = await shared.get(f"{PROGRAMS}/1/source", token=tokens["ada"])
    if shown is None:
        answer.assert_refused(404, "no one Python file to be shown in version")
    else:
        assert (answer.json["file_name"], answer.json["text"], answer.json["alone"]) == shown


async def test_the_matches_that_a_program_failed_in_are_listed_for_its_owner(
    shared: WebServer, tokens: dict[str, str]
) -> None:
    for name, token in tokens.items():
        await shared.bot(name, silent, token=token, version="1f")
    match = await failed(shared)
    listed = (await shared.get("/api/v1/bots/ada/failures", token=tokens["ada"])).json
    assert listed == {"bot": "ada", "failures": [{"match": match, "version": "1f", "text": SECRET}]}
    assert (await shared.get("/api/v1/bots/bob/failures", token=tokens["bob"])).json["failures"] == []


# --- what operators do


async def test_after_a_deadline_no_version_is_taken_and_its_owner_sees_it_before(
    shared: WebServer, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "CET-1")  # where the server is
    time.tzset()
    await shared.post(PROGRAMS, order(), token=tokens["ada"])
    (await shared.post("/api/v1/programs/deadline", {"at": 1.0}, token=tokens["ada"])).assert_refused(401, "operator")
    for at, taken in ((4e9, 201), (1.0, 409), (None, 201)):
        program = (await shared.post("/api/v1/programs/deadline", {"at": at}, token=OPERATOR)).json
        assert program["deadline"] == at
        assert (await shared.get(PROGRAMS, token=tokens["ada"])).json["deadline"] == at
        answer = await shared.post(PROGRAMS, order(BOT + str(at).encode()), token=tokens["ada"])
        assert answer.status == taken
        if taken == 409:
            answer.assert_refused(409, "uploads ended at 1970-01-01 01:00 CET")
    (await shared.post("/api/v1/programs/deadline", {"at": -1}, token=OPERATOR)).assert_refused(400, "at")
    monkeypatch.undo()
    time.tzset()


async def test_the_programs_of_a_bot_that_is_disabled_neither_change_nor_play_until_it_is_enabled(
    shared: WebServer, tokens: dict[str, str]
) -> None:
    await shared.post(PROGRAMS, order(), token=tokens["ada"])
    bot = present(await shared.store.bot_by_name("ada"))
    (program,) = await shared.store.programs(bot.id)
    await shared.store.keep_examination(program.id, "good", "")
    await shared.post(f"{PROGRAMS}/1/use", {}, token=tokens["ada"])
    for way in ("disable", "enable"):
        (await shared.post(f"{PROGRAMS}/{way}", {}, token=tokens["ada"])).assert_refused(401, "operator")
    answer = (await shared.post(f"{PROGRAMS}/disable", {}, token=OPERATOR)).json
    assert (answer["disabled"], answer["programs"][0]["doing"]) == (True, "is disabled")
    for path, body in ((PROGRAMS, order(BOT + b"#")), (f"{PROGRAMS}/1/use", {})):
        (await shared.post(path, body, token=tokens["ada"])).assert_refused(403, "the programs of ada are disabled")
    assert (await shared.post("/api/v1/bots/bob/programs", order(), token=tokens["bob"])).status == 201
    answer = (await shared.post(f"{PROGRAMS}/enable", {}, token=OPERATOR)).json
    assert (answer["disabled"], answer["programs"][0]["doing"]) == (False, "plays")


async def test_operators_see_all_bots_with_programs_and_take_them_along(
    shared: WebServer, tokens: dict[str, str]
) -> None:
    for content in (BOT, BOT + b"# better"):
        packed_in = order(packed(bot=content), file_name="mine.zip")
        assert (await shared.post(PROGRAMS, packed_in, token=tokens["ada"])).status == 201
    await shared.post("/api/v1/bots/bob/programs", order(), token=tokens["bob"])  # kept as it is, which is no zip
    bot = present(await shared.store.bot_by_name("ada"))
    first = (await shared.store.programs(bot.id))[-1]
    await shared.store.use_program(bot.id, first.id)
    for path in ("/api/v1/programs", "/api/v1/programs/files"):
        assert (await shared.get(path, token=tokens["ada"])).status == 401
    program = (await shared.get("/api/v1/programs", token=OPERATOR)).json
    assert [(each["bot"], each["versions"], each["newest"]["number"]) for each in program["bots"]] == [
        ("ada", 2, 2), ("bob", 1, 1),
    ]  # fmt: skip
    assert (program["bots"][0]["used"]["number"], program["bots"][1]["used"]) == (1, None)
    answer = await shared.get("/api/v1/programs/files", token=OPERATOR)
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        digests = {each.number: each.digest for each in await shared.store.programs(bot.id)}
        assert archive.read("playing/ada/bot.py") == BOT
        assert archive.read(f"versions/ada/002-{digests[2]}/bot.py") == BOT + b"# better"
        assert archive.read(f"versions/bob/001-{len(BOT)}/DAMAGED") == BOT
        rows = archive.read("programs.csv").decode().splitlines()
        assert rows[0].startswith("bot,folder,version")
        assert [row.split(",")[0] for row in rows[1:]] == ["ada", "ada", "bob"]


async def test_deadline_and_disabled_bots_are_kept_over_a_restart(shared: WebServer) -> None:
    await shared.post("/api/v1/register", {"name": "ada", "invite": "tulip"})
    await shared.post(f"{PROGRAMS}/disable", {}, token=OPERATOR)
    await shared.post("/api/v1/programs/deadline", {"at": 7.5}, token=OPERATOR)
    later = ProgramRules(shared.store)
    await later.load()
    assert later.deadline == 7.5
    assert later.is_disabled(present(await shared.store.bot_by_name("ada")).id)
    await shared.store.put_setting(SETTING, "no JSON")
    await later.load()  # said in the log; the server starts


async def test_a_signed_in_page_controls_its_own_bot_and_other_sites_cannot(
    shared: WebServer, tokens: dict[str, str]
) -> None:
    await shared.post(PROGRAMS, order(packed(bot=BOT), file_name="mine.zip"), token=tokens["ada"])
    pages = {name: (await signed_in(shared, token))[1] for name, token in tokens.items()}
    assert (await shared.get(f"{PROGRAMS}/1/source", **pages["ada"])).status == 200
    for path in ("1/source", "1/files"):
        (await shared.get(f"{PROGRAMS}/{path}", **pages["bob"])).assert_refused(403, "you are signed in as bob")
    (await shared.post(PROGRAMS, order(), **pages["bob"])).assert_refused(403, "you are signed in as bob")
    foreign = pages["ada"] | {"Origin": "http://evil.example"}
    for path, body in ((PROGRAMS, order()), (f"{PROGRAMS}/stop", {})):
        assert (await shared.post(path, body, **foreign)).status == 403
        nowhere = {"Cookie": foreign["Cookie"]}
        (await shared.post(path, body, **nowhere)).assert_refused(403, "which names the page that sent it")
    assert len((await shared.get(PROGRAMS, **pages["ada"])).json["programs"]) == 1

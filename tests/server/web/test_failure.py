"""The error of a program that failed is for the bot's owner and the operator; no other way out of the server has it."""

from __future__ import annotations

import logging

import pytest

from tabiya.protocol.messages import Hello, Resign, Watch, Watching, Welcome
from tabiya.server.archive.verify import verify
from tabiya.storage.records import MatchId
from tests.server.local_bots import LocalBot, silent
from tests.server.web.handlers.test_accounts import registered
from tests.server.web.web_server import OPERATOR, WebServer

SECRET = "KeyError: /home/ada/secret.py"


async def failed(web: WebServer, text: str = SECRET) -> int:
    """A match in which the program of ada, in seat 0, has failed."""
    match = await web.begin("")
    web.bots["ada"].say(Resign(match=match, failure=text))
    await web.ends(match)
    return match


async def test_the_owner_and_operators_read_the_error_and_nobody_else(shared: WebServer) -> None:
    ada, bob = await registered(shared, "ada"), await registered(shared, "bob")
    for name, token in (("ada", ada), ("bob", bob)):
        await shared.bot(name, silent, token=token)
    path = f"/api/v1/matches/{await failed(shared)}/failure"
    for token in (ada, OPERATOR):
        answer = await shared.get(path, token=token)
        assert answer.json == {"match": 1, "seat": 0, "bot": "ada", "text": SECRET}
    for token in (bob, "guess", ""):
        answer = await shared.get(path, token=token)
        answer.assert_refused(401, "the token of ada or an operator's")
        assert "KeyError" not in answer.text
    assert (await shared.post("/api/v1/bots/bob/role", {"role": "operator"}, token=OPERATOR)).status == 200
    assert (await shared.get(path, token=bob)).json["text"] == SECRET


async def test_a_match_without_a_failure_has_none_for_anybody(web: WebServer) -> None:
    match = await web.begin("")
    web.bots["ada"].say(Resign(match=match))
    await web.ends(match)
    (await web.get(f"/api/v1/matches/{match}/failure")).assert_refused(404, "no failure of a program kept of match 1")
    (await web.get("/api/v1/matches/77/failure")).assert_refused(404, "there is no match 77")


async def test_no_page_answer_export_or_message_has_the_error(
    shared: WebServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "tabiya")
    for name in ("ada", "bob"):
        await shared.bot(name, silent, token=await registered(shared, name))
    match = await shared.begin("")
    watcher = LocalBot(shared.network, "eve", silent)
    watcher.say(Hello(name="eve", token=await registered(shared, "eve")))
    await watcher.receives(Welcome)
    watcher.say(Watch(match=match))
    await watcher.receives(Watching)
    async with shared.session.get(f"{shared.url}/api/v1/matches/{match}/live") as live:
        shared.bots["ada"].say(Resign(match=match, failure=SECRET))
        await shared.ends(match)
        await watcher.until(lambda: watcher.received(Watching)[-1].result is not None)
        streamed = await live.text()
    paths = [
        *(f"/api/v1/matches/{match}{end}" for end in ("", "/live", "/transcript", "/picture/0.svg")),
        *(
            "/api/v1/matches",
            "/api/v1/bots/ada",
            "/api/v1/bots",
            "/api/v1/server",
            "/metrics",
            "/api/v1/standings/tictactoe",
        ),
        *("/api/v1/export?format=jsonl", "/api/v1/export?format=pgn"),
        *(f"/matches/{match}", "/matches", "/bots/ada", "/", "/standings/tictactoe"),
    ]
    shown = [streamed, repr(watcher.inbox), repr(shared.bots["bob"].inbox), repr(shared.bots["ada"].inbox)]
    for path in paths:
        answer = await shared.get(path)
        assert answer.status == 200, path
        shown.append(answer.text)
    assert not [text for text in shown if "KeyError" in text or "secret.py" in text]
    assert sum("its program failed" in text for text in shown) >= 9  # they do tell of this match
    assert [record.getMessage() for record in caplog.records if SECRET in record.getMessage()]


async def test_lists_of_matches_tell_a_failed_program_from_a_player_who_resigned(web: WebServer) -> None:
    match = await failed(web)
    for path in ("/matches", "/bots/ada", f"/matches/{match}"):
        assert "program failed</" in (await web.get(path)).text, path


async def test_what_cannot_be_printed_is_kept_as_escapes_and_not_at_any_length(web: WebServer) -> None:
    match = await failed(web, "\0\x1b[2J\n" + "\U0010ffff" * 400)
    text = (await web.json(f"/api/v1/matches/{match}/failure"))["text"]
    assert text.startswith(r"\x00\x1b[2J\n\U0010ffff")
    assert len(text) == 500


async def test_the_failure_changes_nothing_for_verify(web: WebServer) -> None:
    match = await failed(web)
    found = await verify(web.store)
    assert (found.matches, found.faults) == (1, ())
    assert (await web.store.failure(MatchId(match))) is not None

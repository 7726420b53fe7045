"""The log on standard error: one line for one event, whatever strangers have put into it."""

from __future__ import annotations

import ast
import json
import logging
import re
import sys
from pathlib import Path

import pytest

from tabiya.protocol.messages import MatchEnded, Resign
from tabiya.server.logs import FIELDS, JsonLines, PlainLines
from tests.live import served, welcomed
from tests.server.test_database_trouble import CHESS, begun
from tests.source_rules.sources import ROOT, python_files

FORGED = (
    "\n12:00:00 ERROR    all is lost",
    "\r\n\x1b[2J\x1b[31m",
    "\u2028\u2029\x85\x0b\x0c",
    "\u202eadnec\x00",
    "\ud800",
)


def record(text: str, error: Exception | None = None) -> logging.LogRecord:
    """What the server logs about a text of a peer, with an error of that text if there is one."""
    cause = (type(error), error, error.__traceback__) if error is not None else None
    return logging.LogRecord("tabiya.dispatcher", logging.INFO, "x.py", 1, "c7: %s is here", (text,), cause)


@pytest.mark.parametrize("text", FORGED)
def test_no_message_of_a_peer_can_forge_a_log_line(text: str) -> None:
    try:
        raise ValueError(text)
    except ValueError:
        error = sys.exception()
        assert isinstance(error, ValueError)
    first, *below = PlainLines().format(record(text, error)).split("\n")
    assert "c7: " in first
    assert all(line.startswith("  ") for line in below)
    assert all(line.isprintable() for line in (first, *below))
    assert PlainLines().format(record(text)).count("\n") == 0


@pytest.mark.parametrize("text", FORGED)
def test_a_json_line_is_one_line_with_the_text_as_it_was(text: str) -> None:
    line = JsonLines().format(record(text, ValueError(text)))
    assert "\n" not in line
    shown = text.replace("\ud800", r"\ud800")  # half a character cannot be written
    assert json.loads(line)["message"] == f"c7: {shown} is here"


NAMED = re.compile(r"(match|tournament|program) %d|(connection|record|self|stored\.match)\.id\b|session\.name|match_id")


def without_fields(source: str) -> list[str]:
    """Calls of a logger that name a match, a tournament, a program, a bot or a connection in their text alone."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    written = (ast.unparse(call) for call in calls)
    return [call for call in written if re.match(r"log\.\w+\(", call) and NAMED.search(call) and "extra=" not in call]


def test_every_line_of_the_server_that_names_what_it_is_about_has_it_as_a_field() -> None:
    files = [*python_files("server"), *python_files("tabiya/hosting")]
    assert files
    assert {str(file): found for file in files if (found := without_fields((ROOT / file).read_text("utf-8")))} == {}


def test_a_line_that_has_no_field_is_noticed() -> None:
    lines = 'log.info("match %d: begins", 7)\nlog.warning("%s: cut", self.id)\nlog.info("closed")\n'
    assert len(without_fields(lines + 'log.info("match %d: ends", 7, extra=fields)')) == 2


def test_a_field_that_no_line_may_have_is_not_written() -> None:
    line = record("x")
    line.__dict__ |= {"match": 7, "token": "secret"}
    answer = json.loads(JsonLines().format(line))
    assert set(answer) - set(FIELDS) == {"at", "level", "part", "message"}
    assert answer["match"] == 7


@pytest.mark.slow
async def test_the_log_of_a_match_is_found_by_its_number_and_by_its_bots(tmp_path: Path) -> None:
    async with served(tmp_path / "games.db", "--log-json") as server:
        async with welcomed(server.url, "ada") as ada, welcomed(server.url, "bob") as bob:
            white, black, turn = await begun(ada, bob)
            await white.say(Resign(match=turn.match, failure="no more ideas"))
            await black.receives(MatchEnded)
        _, log = await server.end()
    lines = [json.loads(line) for line in log.splitlines()]
    of_match = [line for line in lines if line.get("match") == turn.match]
    assert [line["message"].split()[2] for line in of_match] == [CHESS, "the", CHESS]
    assert all(set(line["bots"]) == {"ada", "bob"} and line["game"] == CHESS for line in of_match)
    comes_and_goes = [line["message"] for line in lines if line.get("bot") == "ada" and "match" not in line]
    assert len(comes_and_goes) == 2

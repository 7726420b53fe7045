"""The log on standard error: one line for one event, whatever strangers have put into it."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from tabiya.server.logs import JsonLines, PlainLines

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
def test_nothing_a_peer_sends_can_forge_a_line_of_the_log(text: str) -> None:
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

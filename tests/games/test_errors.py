"""Texts of others within error messages: readable, and neither invisible nor in control of a terminal."""

from __future__ import annotations

import pytest

from tabiya.games.errors import shown


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("J\u00fcrgen", "'J\u00fcrgen'"),
        ("\u0421\u0430\u0448\u0430", "'\u0421\u0430\u0448\u0430'"),
        ("\u0915\u0940", "'\u0915\u0940'"),  # a mark that belongs to a letter
        ("it's", '"it\'s"'),
        ("\u0301a", "'\\u0301a'"),  # one that belongs to none
        ("a\u3164b", "'a\\u3164b'"),  # a letter that shows nothing
        ("\x1b[31m\u202e\ud800", "'\\x1b[31m\\u202e\\ud800'"),
        ("\u00e9" * 90, "'" + "\u00e9" * 79 + "\u2026'"),
        ("", "''"),
        (None, "'None'"),
    ],
)
def test_letters_stay_as_they_are_and_all_else_is_escaped(text: object, written: str) -> None:
    assert shown(text) == written

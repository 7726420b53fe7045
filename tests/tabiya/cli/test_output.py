"""Tables for people, JSON and CSV for programs, and nothing in them that commands a terminal."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import pytest

from tabiya.cli.output import Format, note, note_if_slow, show, show_json, table
from tabiya.protocol.csv_text import csv_text
from tabiya.protocol.printable import printable
from tests.tabiya.cli.command_runner import Terminal

ROWS: list[dict[str, Any]] = [
    {"name": "ada", "score": 12.25, "share": "50.0%", "about": "first"},
    {"name": "Zoë \x1b[31m", "score": None, "share": "7.5%", "about": "=HYPERLINK()"},
]
COLUMNS = {"name": "bot", "score": "± score", "share": "share", "about": "about"}


def printed(work: Callable[[], None], encoding: str = "utf-8", columns: int = 0) -> str:
    """What is written to a standard output of that kind."""
    out = Terminal(encoding, columns)
    out.reconfigure(errors="replace")
    with contextlib.redirect_stdout(out), mock.patch.dict(os.environ, {"COLUMNS": str(columns)}):
        work()
    return out.text


def shown(form: Format, rows: Sequence[dict[str, Any]] = ROWS, encoding: str = "utf-8") -> str:
    return printed(lambda: show(rows, COLUMNS, form), encoding)


def test_a_table_has_headings_a_rule_and_rows_with_numbers_on_the_right() -> None:
    assert shown(Format.TABLE).splitlines() == [
        "bot           ± score  share  about",
        "──────────────────────────────────────────",
        "ada              12.2  50.0%  first",
        "Zoë \\x1b[31m            7.5%  =HYPERLINK()",
        "",
    ]


def test_json_has_every_key_and_can_be_read_back() -> None:
    text = shown(Format.JSON)
    assert json.loads(text) == ROWS
    assert "\x1b" not in text
    assert "Zoë" in text


def test_csv_has_the_columns_and_no_formula_for_a_spreadsheet() -> None:
    rows = list(csv.reader(io.StringIO(shown(Format.CSV))))
    assert rows == [
        ["name", "score", "share", "about"],
        ["ada", "12.25", "50.0%", "first"],
        ["Zoë \\x1b[31m", "", "7.5%", "'=HYPERLINK()"],
    ]


def test_a_negative_number_in_csv_is_no_formula() -> None:
    assert shown(Format.CSV, [{"name": "-3.5", "about": "-rm"}]).splitlines()[1] == "-3.5,,,'-rm"


def test_an_empty_list_is_valid_in_every_format() -> None:
    assert json.loads(shown(Format.JSON, [])) == []
    assert shown(Format.CSV, []).splitlines() == ["name,score,share,about"]
    assert shown(Format.TABLE, []).splitlines()[0].split() == ["bot", "±", "score", "share", "about"]


def test_a_terminal_that_has_no_such_signs_is_given_plain_ones() -> None:
    text = shown(Format.TABLE, encoding="ascii")
    assert text.splitlines()[0] == "bot           +- score  share  about"
    assert set(text.splitlines()[1]) == {"-"}


def test_a_letter_that_a_terminal_does_not_have_is_no_reason_to_fail() -> None:
    text = printed(lambda: show([{"name": "囲碁"}], {"name": "bot"}, Format.TABLE), "latin-1")
    assert "\n??\n" in text


@pytest.mark.parametrize("form", [Format.JSON, Format.CSV])
def test_programs_are_given_utf_8_whatever_the_terminal_speaks(form: Format) -> None:
    assert shown(form, encoding="latin-1") == shown(form)


def test_a_narrow_terminal_loses_the_spare_columns_and_is_told_which() -> None:
    err = Terminal()
    with contextlib.redirect_stderr(err):
        text = printed(lambda: table(ROWS, COLUMNS, spare=(("about",), ("share",), ("score",))), columns=30)
    assert text.splitlines()[0].split() == ["bot", "±", "score", "share"]
    assert err.text == "(left out on this narrow terminal: about)\n"


def test_a_table_that_cannot_be_narrow_is_not_broken_up() -> None:
    text = printed(lambda: table(ROWS, COLUMNS), columns=10)
    assert len(text.splitlines()) == len(ROWS) + 3


def test_nothing_is_left_out_for_a_file() -> None:
    wide = {f"column {number}": f"column {number}" for number in range(200)}
    text = printed(lambda: table([wide], wide, spare=[(key,) for key in wide]))
    assert text.splitlines()[0].endswith("column 199")


def test_the_title_stands_above() -> None:
    text = printed(lambda: table(ROWS, COLUMNS, title="reversi\n\n"))
    assert text.splitlines()[:3] == ["reversi", "", "bot           ± score  share  about"]


@pytest.mark.parametrize("sign", ["\x1b", "\x9b", "\n", "\r", "\x07", "\u202e", "\u200b", "\x7f", "\ud800"])
def test_what_commands_a_terminal_is_shown_as_an_escape(sign: str) -> None:
    assert printable(f"a{sign}b").isprintable()
    text = printed(lambda: show_json({"name": f"a{sign}b"}))
    assert text.replace("\n", "").isprintable()
    assert json.loads(text) == {"name": f"a{sign}b"}


def test_wide_letters_keep_the_columns_in_line() -> None:
    rows = [{"name": "囲碁", "about": "x"}, {"name": "go", "about": "x"}]
    lines = printed(lambda: table(rows, {"name": "bot", "about": "about"})).splitlines()
    assert lines[2:4] == ["囲碁  x", "go    x"]


def test_a_note_goes_to_standard_error() -> None:
    err = Terminal()
    with contextlib.redirect_stderr(err):
        note("done")
    assert err.text == "done\n"


def test_what_takes_long_says_why_and_what_is_quick_says_nothing() -> None:
    err = Terminal()
    with contextlib.redirect_stderr(err):
        with note_if_slow("quick", after_s=30.0):
            pass
        with note_if_slow("over before", after_s=30.0) as enough:
            enough()
        with note_if_slow("slow", after_s=0.0):
            while not err.text:
                pass
    assert err.text == "slow\n"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1+1", "'+1+1"),
        ("-2+3", "'-2+3"),
        ("@SUM(1)", "'@SUM(1)"),
        ("  =1+1", "'  =1+1"),  # some programs drop the spaces
        ("＝1+1", "'＝1+1"),  # noqa: RUF001 - for some a sign like the others
        ("a;=1+1", "a;'=1+1"),  # where the comma is a decimal point cells end at semicolons
        ("\t=1+1", "\\t=1+1"),
        ("\r=1+1", "\\r=1+1"),
        ("-12.5", "-12.5"),
        ("+31 ± 12", "'+31 ± 12"),
        ("Ada-Maria; 3 games", "Ada-Maria; 3 games"),
    ],
)
def test_no_cell_or_heading_is_a_formula_and_numbers_stay_numbers(text: str, cell: str) -> None:
    heading, row = csv.reader(csv_text([{text: text}], {text: text}).splitlines())
    assert (heading, row) == ([cell], [cell])

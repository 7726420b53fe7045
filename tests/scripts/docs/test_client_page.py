"""The reference of the client library says something of every name that an author imports."""

from __future__ import annotations

import re

import tabiya
from scripts.docs.client_page import PAGE, documents


def test_every_name_has_a_section_and_every_section_a_text() -> None:
    page = documents()[PAGE]
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    assert {section.splitlines()[0] for section in sections} == (
        set(tabiya.__all__) - {"__version__"} | {"Game", "Position", "Outcome"}
    )
    for section in sections:
        assert len(section.split()) > 5, section


def test_what_a_turn_and_a_bot_have_is_there_with_its_meaning() -> None:
    page = documents()[PAGE]
    for line in (
        "* `time_left`: Seconds until",
        "* `choose(turn: Turn) -> ",
        "* `stopped`: Whether",
        "`pv`: Principal",
        "* `legal_moves() -> ",
        "* `parse(text: str) -> Position`: ",
        "* `to_move`: Seat 0 or 1.",
    ):
        assert line in page

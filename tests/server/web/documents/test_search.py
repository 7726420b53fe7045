"""Search in the documents finds sections by all words asked for, those first whose heading has them."""

from __future__ import annotations

import pytest

from tabiya.server.web.documents.search import EXCERPT_CHARACTERS, LONGEST, MOST_HITS, search


def test_a_section_is_found_by_words_of_its_heading_first() -> None:
    best = search("LAG credit")[0]
    assert (best.address, best.heading.text) == ("/docs/reference/clock#lag-credit", "Lag credit")
    words = "".join(piece for piece, _ in best.excerpt)
    assert next(piece for piece, searched in best.excerpt if searched).casefold() in ("lag", "credit")
    assert len(words) <= 3 * EXCERPT_CHARACTERS + 4


def test_every_word_must_be_there() -> None:
    assert search("clock")
    assert search("clock zzyzx") == []


def test_code_is_searched_too_and_a_whole_document_is_found_by_its_title() -> None:
    assert "/docs/tutorial/your-first-bot#" in search("TABIYA_SERVER export")[0].address
    assert search("your first bot")[0].address == "/docs/tutorial/your-first-bot"


@pytest.mark.parametrize("asked", ["", "   ", "(((", "a" * 100_000, "\\", ".*"])
def test_whatever_is_asked_is_answered(asked: str) -> None:
    assert len(search(asked)) <= MOST_HITS


def test_no_more_is_read_of_what_is_asked_than_fits() -> None:
    assert search(f"clock{' ' * LONGEST}zzyzx") == search("clock")

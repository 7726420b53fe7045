"""What a Polyglot book says of a position, and the lines that it leads to."""

from __future__ import annotations

import pytest

from tabiya.games.chess.polyglot import POLYGLOT
from tabiya.games.polyglot import PolyglotBook
from tabiya.games.registry import load_game
from tests.games.polyglot_books import book_of

START = load_game("chess").start()


def test_moves_are_as_likely_as_they_weigh_and_those_without_weight_are_not_played() -> None:
    book = PolyglotBook(book_of({"e2e4": 3, "d2d4": 1, "a2a3": 0, "e7e5": 9}, {}), POLYGLOT)
    assert book.moves(START) == {"e2e4": 0.75, "d2d4": 0.25}
    assert book.moves(START.play("e2e4")) == {}


def test_a_position_that_two_lines_come_to_is_one_as_likely_as_both() -> None:
    book = PolyglotBook(
        book_of({"g1f3": 1, "b1c3": 1, "h2h4": 2}, {"g1f3": {"g8f6": 1}, "b1c3": {"g8f6": 1}})
        + book_of({}, {"g1f3 g8f6": {"b1c3": 1}, "b1c3 g8f6": {"g1f3": 1}}),
        POLYGLOT,
    )
    found = {" ".join(position.moves): likely for position, likely in book.lines(START, 3)}
    assert found == {"h2h4": 0.5, "g1f3 g8f6 b1c3": 0.5}


def test_what_is_no_book_is_refused() -> None:
    for content in (b"", b"x" * 15):
        with pytest.raises(ValueError, match="entries of 16 bytes"):
            PolyglotBook(content, POLYGLOT)

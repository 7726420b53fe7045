"""Search in the documents: every word asked for is in a section, its heading or the document's name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tabiya.server.web.documents.contents import Entry, in_order
from tabiya.server.web.documents.files import text_of
from tabiya.server.web.documents.markdown import Heading, headings_of, parse, plain_text

LONGEST = 100  # characters of what is searched
MOST_HITS = 30
EXCERPT_CHARACTERS = 90  # characters of the text shown on each side of the first word found
OF_HEADING, OF_LABEL, OF_TEXT = 8, 4, 1  # what a word counts where it is found


class Part(NamedTuple):
    """The text under one heading of a document."""

    entry: Entry
    heading: Heading
    text: str


class FoundSection(NamedTuple):
    """A section that was found.

    excerpt: its words around the first that was found, in pieces, each with whether it was searched.
    """

    entry: Entry
    heading: Heading
    excerpt: tuple[tuple[str, bool], ...]

    @property
    def address(self) -> str:
        """Of the section; of the document for its first."""
        return self.entry.address + (f"#{self.heading.anchor}" if self.heading.level > 1 else "")


def search(asked: str) -> list[FoundSection]:
    """The sections with all words asked for, the best first."""
    words = asked[:LONGEST].casefold().split()
    worth = [(_score(part, words), part) for part in _parts()] if words else []
    found = sorted((pair for pair in worth if pair[0]), key=lambda pair: -pair[0])
    return [FoundSection(part.entry, part.heading, _excerpt(part.text, words)) for _, part in found[:MOST_HITS]]


def _score(part: Part, words: list[str]) -> int:
    """How well a section fits; 0 if it does not."""
    heading, label, text = (text.casefold() for text in (part.heading.text, part.entry.label, part.text))
    each = [OF_HEADING * (word in heading) + OF_LABEL * (word in label) + OF_TEXT * (word in text) for word in words]
    in_section = any(word in heading or word in text for word in words)
    return sum(each) if all(each) and in_section else 0


def _excerpt(text: str, words: list[str]) -> tuple[tuple[str, bool], ...]:
    pattern = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    first = pattern.search(text)
    at = first.start() if first else 0
    begin = text.find(" ", at - EXCERPT_CHARACTERS) + 1 if at > EXCERPT_CHARACTERS else 0
    end = text.rfind(" ", at, at + 2 * EXCERPT_CHARACTERS) if len(text) > at + 2 * EXCERPT_CHARACTERS else len(text)
    shown = ("… " if begin else "") + text[begin:end] + (" …" if end < len(text) else "")
    pieces = re.split(f"({pattern.pattern})", shown, flags=re.IGNORECASE)
    return tuple((piece, place % 2 == 1) for place, piece in enumerate(pieces) if piece)


@cache
def _parts() -> tuple[Part, ...]:
    """All sections of all documents; reading them takes about half a second, once."""
    return tuple(part for entry in in_order() for part in _parts_of(entry))


def _parts_of(entry: Entry) -> Iterator[Part]:
    tokens = parse(text_of(entry.path))
    places = [place for place, token in enumerate(tokens) if token.type == "heading_open"]
    for heading, begin, end in zip(headings_of(tokens), places, [*places[1:], len(tokens)], strict=True):
        words = " ".join(plain_text(token) for token in tokens[begin + 3 : end])
        yield Part(entry, heading, " ".join(words.split()))

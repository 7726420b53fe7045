"""The order in which the documents are read, as docs/README.md writes it: headings, and links in lists below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tabiya.server.web.documents.files import CONTENTS, served_files, text_of
from tabiya.server.web.documents.markdown import Rendered, address_of, parse, render

if TYPE_CHECKING:
    from markdown_it.token import Token


class Entry(NamedTuple):
    """A document in the table of contents. path: below `docs`.  label: its short name."""

    path: str
    label: str

    @property
    def address(self) -> str:
        """Its page."""
        return f"/docs/{self.path.removesuffix('.md')}"


class Section(NamedTuple):
    """A part of the table of contents: the documents of one kind."""

    title: str
    entries: tuple[Entry, ...]


@cache
def contents() -> tuple[Section, ...]:
    """The table of contents; empty where no documents were installed."""
    if CONTENTS not in served_files():
        return ()
    sections: list[tuple[str, list[Entry]]] = []
    tokens = parse(text_of(CONTENTS))
    for before, token in pairwise(tokens):
        if before.type == "heading_open" and before.tag == "h2":
            sections.append((token.content, []))
        elif token.type == "inline" and token.level > 1 and sections:  # in a list
            sections[-1][1].extend(_entries(token.children or []))
    return tuple(Section(title, tuple(entries)) for title, entries in sections if entries)


def _entries(tokens: Sequence[Token]) -> Iterator[Entry]:
    """The links to documents, with their words."""
    for link, words in pairwise(tokens):
        path = str(link.attrGet("href")) if link.type == "link_open" else ""
        if path.endswith(".md") and address_of(path, CONTENTS):
            yield Entry(path, words.content)


@cache
def in_order() -> tuple[Entry, ...]:
    """All documents as they are read."""
    return tuple(entry for section in contents() for entry in section.entries)


def neighbours(path: str) -> tuple[Entry | None, Entry | None]:
    """The documents before and after one; none for what is not in the table of contents."""
    entries = (None, *in_order(), None)
    places = zip(entries, entries[1:], entries[2:], strict=False)
    return next(((before, after) for before, at, after in places if at and at.path == path), (None, None))


@cache
def rendered(path: str) -> Rendered:
    """A document as HTML, made once in a process: the longest takes a tenth of a second. Raises KeyError."""
    return render(text_of(path), path)

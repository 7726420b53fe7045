"""Parts of a page that change with time, and the differences between two states of them.

A part is an element with `data-part`; its rows are the elements and texts directly in it. Changes are given row by row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import SequenceMatcher

Rows = tuple[str, ...]
Parts = Mapping[str, Rows]
Splice = tuple[int, int, Rows]  # at this row, this many rows are replaced by these
Changes = Mapping[str, list[Splice]]

TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*)([^>]*)>")  # our templates escape a > within an attribute
PART = re.compile(r'\bdata-part="([^"]*)"')
VOID_ELEMENTS = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})


def parts_of(page: str) -> dict[str, Rows]:
    """The rows of every part of a page, in HTML. Raises ValueError where an element is not ended."""
    parts: dict[str, Rows] = {}
    open_elements: list[str] = []
    rows, depth, begin = _Rows(page, 0), 0, ""  # of the part that is open, if `begin` names one
    for tag in TAG.finditer(page):
        ends, name, rest = tag[1], tag[2].lower(), tag[3]
        if ends:
            if not open_elements or open_elements.pop() != name:
                raise ValueError(f"</{name}> ends no element, at {page[tag.start() - 80 : tag.end()]!r}")
            if begin and len(open_elements) == depth:
                parts[begin], begin = rows.ended(tag.start()), ""
            elif begin and len(open_elements) == depth + 1:
                rows.add(tag.end())
            continue
        if begin and len(open_elements) == depth + 1:
            rows.add_text(tag.start())
        is_whole = name in VOID_ELEMENTS or rest.endswith("/")
        if is_whole:
            if begin and len(open_elements) == depth + 1:
                rows.add(tag.end())
            continue
        if not begin and (named := PART.search(rest)):
            begin, depth, rows = named[1], len(open_elements), _Rows(page, tag.end())
        open_elements.append(name)
    if open_elements:
        raise ValueError(f"<{open_elements[-1]}> is not ended")
    return parts


class _Rows:
    """Cuts the inner HTML of a part into rows, each with the space before it."""

    def __init__(self, page: str, at: int) -> None:
        self._page, self._at = page, at
        self._rows: list[str] = []

    def add(self, end: int) -> None:
        self._rows.append(self._page[self._at : end])
        self._at = end

    def add_text(self, end: int) -> None:
        if self._page[self._at : end].strip():
            self.add(end)

    def ended(self, end: int) -> Rows:
        self.add_text(end)
        return tuple(self._rows)


def changes(old: Parts, new: Parts) -> Changes:
    """What turns the rows of the old parts into the new ones, last row first. Both have the same parts."""
    return {name: splices(old[name], rows) for name, rows in new.items() if old[name] != rows}


def splices(old: Rows, new: Rows) -> list[Splice]:
    """The same of one part."""
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(i, j - i, new[k:m]) for kind, i, j, k, m in reversed(steps) if kind != "equal"]

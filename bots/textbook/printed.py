"""A listing in the form of its book: C-like, functional or pseudo-code, with the book's names, told again in our lines.

    for line in printed(find("001-alphabetapvs")):
        print(line.text, line.ours)   # "    if (pvfound)" (20,)

The form stands beside the listing, in a .txt file of the same name. A line there ends with "@" and the numbers of the
listing's lines that do the same, if any: braces or `unmakeMove` have none.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tabiya.bots.textbook.catalogue import Listing


class PrintedLine(NamedTuple):
    """One line as the book has it. ours: the lines of the listing's file that do the same, from 1 on."""

    text: str
    ours: tuple[int, ...]


def printed(listing: Listing) -> tuple[PrintedLine, ...]:
    """The book's form of a listing. One that its text does not print begins with a comment that says so."""
    form = Path(str(listing.module.__file__)).with_suffix(".txt").read_text(encoding="utf-8")
    return tuple(map(_line, form.splitlines()))


def _line(line: str) -> PrintedLine:
    text, _, numbers = line.partition(" @ ")
    return PrintedLine(text.rstrip(), tuple(map(int, numbers.split())))

"""A listing as a page shows it."""

from __future__ import annotations

import inspect
from typing import Any

from tabiya.bots.textbook.catalogue import Listing
from tabiya.bots.textbook.printed import printed


def shown_listing(listing: Listing) -> dict[str, Any]:
    """Its facts and its lines, from the first function to the end of the file; `first_line` is that one's number.

    printed: the lines of its book, each with the numbers of ours that do the same.
    """
    lines = inspect.getsource(listing.module).rstrip().split("\n")
    first = min(getattr(listing.module, name).__code__.co_firstlineno for name in _functions(listing))
    return {
        "name": listing.name,
        "family": listing.family,
        "text": listing.source,
        "about": listing.about,
        "fail": listing.fail.value,
        "looks": listing.looks.value,
        "functions": listing.functions,
        "path": listing.path,
        "first_line": first,
        "lines": lines[first - 1 :],
        "printed": printed(listing),
    }


def _functions(listing: Listing) -> list[str]:
    found = inspect.getmembers(listing.module, inspect.isfunction)
    return [name for name, function in found if function.__module__ == listing.module.__name__]

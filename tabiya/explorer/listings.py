"""Listings and examples as a page shows them."""

from __future__ import annotations

import inspect
from typing import Any

from tabiya.bots.textbook.catalogue import Listing
from tabiya.bots.textbook.printed import printed
from tabiya.bots.textbook.recording.scenes import Scene


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


def shown_scene(scene: Scene) -> dict[str, Any]:
    """An example or a claim of the books, with the query that shows it on the page."""
    return {"name": scene.name, "text": scene.text, "says": scene.says, "address": scene.given()}


def _functions(listing: Listing) -> list[str]:
    found = inspect.getmembers(listing.module, inspect.isfunction)
    return [name for name, function in found if function.__module__ == listing.module.__name__]

"""Long tables in parts, and links to the same page with another query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

ROWS_SHOWN = 100  # of a long table, unless all are asked for
R = TypeVar("R")


class Part(NamedTuple, Generic[R]):
    """The rows of one page. start: how many come before.  total: of all pages."""

    rows: Sequence[R]
    start: int
    total: int
    page: int
    pages: int


def part_of(rows: Sequence[R], page: int, *, all_rows: bool = False, shown: int | None = None) -> Part[R]:
    """The requested part, or the last one if there are fewer pages. shown: rows of a page."""
    if all_rows:
        return Part(rows, 0, len(rows), 1, 1)
    shown = shown or ROWS_SHOWN
    pages = max(1, -(-len(rows) // shown))
    page = min(page, pages)
    start = (page - 1) * shown
    return Part(rows[start : start + shown], start, len(rows), page, pages)


class Links:
    """Addresses of this page with some fields of its query changed."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = {name: value for name, value in given.items() if value}

    def __call__(self, **changes: object) -> str:
        """The query with these changes; None removes a field. It always leads to the first page."""
        asked: dict[str, object] = {**self._given, "page": None, **changes}
        return "?" + urlencode(
            {name: value for name, value in asked.items() if value is not None and (name, value) != ("page", 1)}
        )

    def hidden(self, *apart: str) -> list[tuple[str, str]]:
        """Hidden fields that a form sends beside its own."""
        return [(name, value) for name, value in self._given.items() if name not in (*apart, "page")]

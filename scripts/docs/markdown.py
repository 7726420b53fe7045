"""Markdown for the generated pages: tables, links, docstrings as one line, generated parts between marks."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: int = 0) -> str:
    """A table, without a line break at its end. right: the first of the columns set to the right; 0 for none."""
    lines = [heads, ["---:" if 0 < right <= at else "---" for at in range(len(heads))], *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def link(name: str) -> str:
    """A link to the section of this name on the same page."""
    return f"[{name}](#{name.lower()})"


def marks(name: str) -> tuple[str, str]:
    """The marks before and after a generated part of a page."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def between_marks(page: str, name: str) -> tuple[str, str, str]:
    """The text of a page before, between and after the marks. Raises ValueError unless each is there once."""
    begin, end = marks(name)
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"the page has not one place of this kind: {begin} ... {end}")
    before, _, rest = page.partition(begin)
    inside, _, after = rest.partition(end)
    return before, inside, after


def put_between_marks(page: str, name: str, body: str) -> str:
    """The page with `body`, without line breaks around it, on lines of its own between the marks."""
    before, _, after = between_marks(page, name)
    begin, end = marks(name)
    return f"{before}{begin}\n{body}\n{end}{after}"


def one_line(text: str | None) -> str:
    """The text with every run of white space as one space."""
    return " ".join((text or "").split())


def docstring(value: Any) -> str:
    """The docstring of a class, function or property as one line."""
    return one_line(inspect.getdoc(value))


def field_description(hint: Any) -> str:
    """A field's description in `Annotated[..., Meta(description=...)]`; empty if there is none."""
    texts = (getattr(part, "description", None) for part in getattr(hint, "__metadata__", ()))
    return next((text for text in texts if text), "")

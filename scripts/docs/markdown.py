"""Markdown for the generated pages: tables, links, and docstrings as one line."""

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


def one_line(text: str | None) -> str:
    """The text with every run of white space as one space."""
    return " ".join((text or "").split())


def docstring(value: Any) -> str:
    """The docstring of a class, function or property as one line."""
    return one_line(inspect.getdoc(value))


def field_description(hint: Any) -> str:
    """What `Annotated[..., Meta(description=...)]` says of a field; empty if nothing."""
    texts = (getattr(part, "description", None) for part in getattr(hint, "__metadata__", ()))
    return next((text for text in texts if text), "")

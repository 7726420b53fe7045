"""What commands print: tables for people, JSON and CSV for programs; nothing of it lets a name write to a terminal."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec
import typer


class Format(StrEnum):
    """How lists are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


FORMAT_OPTION = typer.Option(Format.TABLE, "--format", help="How to print: table, json or csv.")


def printable(value: object) -> str:
    """`value` as one line that cannot command a terminal: control characters are shown as escapes."""
    if value is None:
        return ""
    text = f"{value:.1f}" if isinstance(value, float) else str(value)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def show(rows: Sequence[dict[str, Any]], columns: dict[str, str], form: Format) -> None:
    """Print rows. columns: key -> heading, in order; JSON has every key of a row, not only these."""
    if form is Format.JSON:
        typer.echo(msgspec.json.format(msgspec.json.encode(list(rows)), indent=2).decode())
    elif form is Format.CSV:
        typer.echo(_csv(rows, columns), nl=False)
    else:
        table(rows, columns)


def show_json(value: Any) -> None:
    """Print one value as JSON."""
    typer.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def _csv(rows: Sequence[dict[str, Any]], columns: dict[str, str]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_harmless(row.get(key)) for key in columns])
    return out.getvalue()


def _harmless(value: object) -> object:
    """A text that a spreadsheet would take for a formula gets a quote before it."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value


def table(rows: Sequence[dict[str, Any]], columns: dict[str, str], title: str | None = None) -> None:
    """Print a table for people; numbers stand right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    for key, heading in columns.items():
        numbers = all(isinstance(row.get(key), int | float | None) for row in rows) and bool(rows)
        drawn.add_column(heading, justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(printable(row.get(key))) for key in columns))
    console().print(drawn)


def console() -> Any:
    """The console for standard output; as wide as needed when it is no terminal, so that nothing is cut."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False, emoji=False)


def note(sentence: str) -> None:
    """Something for the person at the terminal, not part of the output."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()

"""What commands print: tables for people, JSON and CSV for programs. No name in it can control a terminal."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Any

import typer

from tabiya.protocol.csv_text import csv_text, is_number
from tabiya.protocol.printable import printable

NO_TERMINAL = 100_000  # columns: nothing is cut for a file or a pipe
SPACE = 2  # between columns
SLOW_S = 3.0
# Where a formula could begin: at the start of a cell, and behind the ";" that ends one where "," is the decimal point.
PLAIN = {"─": "-", "±": "+-", "½": "1/2", "…": "...", "·": "."}  # for what cannot show them


class Format(StrEnum):
    """How lists are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


FORMAT_OPTION = typer.Option(Format.TABLE, "--format", help="How to print: table, json or csv.")


def show(
    rows: Sequence[dict[str, Any]], columns: dict[str, str], form: Format, spare: Sequence[tuple[str, ...]] = ()
) -> None:
    """Print rows. columns: key -> heading, in order; JSON has every key of a row, not only these.

    spare: keys of columns that a table may leave out on a narrow terminal, in the order in which they go.
    """
    if form is Format.JSON:
        show_json(list(rows))
    elif form is Format.CSV:
        _for_programs(csv_text(rows, columns))
    else:
        table(rows, columns, spare=spare)


def show_json(value: Any) -> None:
    """Print one value as JSON, control characters escaped wherever they are."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=_builtins)
    # json escapes what is below a space; the control characters above 126 and marks of direction are left to us
    _for_programs("".join(c if c == "\n" or c.isprintable() else json.dumps(c)[1:-1] for c in text) + "\n")


def _builtins(value: Any) -> Any:
    import msgspec

    return msgspec.to_builtins(value)


def _for_programs(text: str) -> None:
    """Write UTF-8, whatever the encoding of the terminal."""
    sys.stdout.flush()  # what waits in the text layer comes before what goes past it
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None or _speaks_unicode():
        sys.stdout.write(text)
    else:
        binary.write(text.encode("utf-8", "replace"))
    sys.stdout.flush()


def table(
    rows: Sequence[dict[str, Any]],
    columns: dict[str, str],
    title: str | None = None,
    spare: Sequence[tuple[str, ...]] = (),
) -> None:
    """Print a table for people, with numbers aligned right. spare: as in `show`."""
    shown, width, left_out = dict(columns), terminal_width(), list[str]()
    lines = _lines(rows, shown)
    for keys in spare:
        if max(map(_cells, lines)) <= width:
            break
        left_out += [shown.pop(key) for key in keys if key in shown]
        lines = _lines(rows, shown)
    for line in (title or "").splitlines():
        typer.echo(_plain(line))
    for line in lines:
        typer.echo(_plain(line))
    typer.echo()
    if left_out:
        note(f"(left out on this narrow terminal: {', '.join(left_out)})")


def _lines(rows: Sequence[dict[str, Any]], columns: dict[str, str]) -> list[str]:
    """The lines of a table: headings, a rule, rows; without colours and without space at the end."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, SPACE - 1, 0, 0))
    for key, heading in columns.items():
        drawn.add_column(heading, justify="right" if _is_numeric(rows, key) else "left", no_wrap=True)
    for row in rows:
        drawn.add_row(*(Text(printable(row.get(key))) for key in columns))
    # wide enough for anything: rich would cut cells, where `table` leaves out columns
    console = Console(file=io.StringIO(), width=NO_TERMINAL, color_system=None)
    with console.capture() as captured:
        console.print(drawn)
    return [line.rstrip() for line in captured.get().splitlines()]


def _is_numeric(rows: Sequence[dict[str, Any]], key: str) -> bool:
    texts = [printable(row.get(key)) for row in rows]
    return any(texts) and all(not text or is_number(text.removesuffix("%")) for text in texts)


def _cells(line: str) -> int:
    from rich.cells import cell_len

    return cell_len(line)


def terminal_width() -> int:
    """Columns of the terminal; no bound when standard output is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else NO_TERMINAL


def _speaks_unicode() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")


def _plain(line: str) -> str:
    if _speaks_unicode():
        return line
    return "".join(PLAIN.get(c, c) for c in line)


def counted(number: int, word: str, more: str = "s") -> str:
    """A number with its word: `1 game`, `1,200 games`. more: what is added to the word for many."""
    return f"{number:,} {word}{'' if number == 1 else more}"


def note(sentence: str) -> None:
    """Something for the person at the terminal, not part of the output."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


@contextlib.contextmanager
def note_if_slow(sentence: str, after_s: float = SLOW_S) -> Iterator[Callable[[], None]]:
    """Print the reason if a step takes long. Call the yielded function when the step is over."""
    timer = threading.Timer(after_s, note, (sentence,))
    timer.daemon = True  # it does not hold up a command that ends meanwhile
    timer.start()
    try:
        yield timer.cancel
    finally:
        timer.cancel()

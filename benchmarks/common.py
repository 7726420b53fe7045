"""What the benchmarks share: the options that most of them take, and rows as a table or as JSON."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

from tabiya.games.registry import names

Row = TypeVar("Row")  # a dataclass
COLUMN = re.compile(r"(?P<align>[<>]?)\+?(?P<width>\d+)")
NOTHING = "-"


def parser(description: str, *, games: bool = False) -> argparse.ArgumentParser:
    """A command line with --format, and with --games if wanted."""
    found = argparse.ArgumentParser(description=description)
    found.add_argument("--format", choices=("table", "json"), default="table")
    if games:
        every = ",".join(names())
        found.add_argument("--games", type=_known, default=every, help="separated by commas; all by default")
    return found


def _known(games: str) -> str:
    for name in games.split(","):
        if name not in names():
            raise argparse.ArgumentTypeError(f"there is no game {name!r} (there are: {', '.join(names())})")
    return games


def print_rows(
    rows: Iterable[Row],
    columns: Mapping[str, tuple[str, str]],
    form: str,
    remark: Callable[[Row], str] = lambda row: "",
) -> list[Row]:
    """Print rows: in a table each as soon as it is known, as JSON all together; return them.

    columns: field -> heading and format of its values, such as `>9.2f`.  remark: the text after a row.
    """
    if form == "json":
        found = list(rows)
        json.dump([asdict(row) for row in found], sys.stdout, indent=2)  # type: ignore[call-overload]
        return found
    found = []
    print(" ".join(_text(heading, spec) for heading, spec in columns.values()))
    for row in rows:
        found.append(row)
        cells = (_cell(getattr(row, field), spec) for field, (_, spec) in columns.items())
        print(" ".join(cells) + remark(row), flush=True)
    return found


def _cell(value: Any, spec: str) -> str:
    return _text(NOTHING, spec) if value is None else format(value, spec)


def _text(text: str, spec: str) -> str:
    """A text as wide as values of this format."""
    column = COLUMN.match(spec)
    return format(text, f"{column['align'] or '>'}{column['width']}") if column else text

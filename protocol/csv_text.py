"""Tables as CSV, for spreadsheets."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

from tabiya.protocol.printable import printable

FORMULA = re.compile(r"(?:^|(?<=;))(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")


def csv_text(rows: Sequence[dict[str, Any]], columns: dict[str, str]) -> str:
    """Rows as CSV under the keys of the columns; no cell can be taken for a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(_cell, columns))
    for row in rows:
        writer.writerow([_cell(row.get(key)) for key in columns])
    return out.getvalue()


def _cell(value: object) -> object:
    """A value in CSV. What a spreadsheet would take for a formula gets a quote before it."""
    if isinstance(value, float):
        return round(value, 4)
    if not isinstance(value, str):
        return value
    text = printable(value)
    # a negative number begins with such a sign and is kept
    return text if is_number(text) else FORMULA.sub("'", text)


def is_number(text: str) -> bool:
    """Whether a text is a number as Python reads one."""
    try:
        float(text)
    except ValueError:
        return False
    return True

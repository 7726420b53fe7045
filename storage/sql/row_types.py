"""Whether the values of a row are of the kinds that their columns have. SQLite stores any value in any column.

trouble = MATCH_KINDS.trouble(row)            # "created_at is 'soon', which is no number"; None if all is well
row = MATCH_KINDS.mended(row)                 # the same row without what cannot be
"""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, SimpleNamespace
from typing import Any

from sqlalchemy import Boolean, Column, Double, Integer, Select, Table, Text

LONGEST_SHOWN = 40
KINDS: tuple[tuple[Any, tuple[type, ...], Any, str], ...] = (
    (Integer, (int,), 0, "a whole number"),  # BigInteger and SmallInteger are Integers
    (Double, (float, int), 0.0, "a number"),
    (Boolean, (bool, int), False, "yes or no"),
    (Text, (str,), "", "a text"),
)
"""SQLAlchemy's type, what Python has for it, a value that does no harm, and its name in a sentence."""


class Kinds:
    """The kinds of all columns of a question."""

    def __init__(self, query: Select[Any], outer: Table | None = None, **harmless: Any) -> None:
        """outer: a table of which a row may have nothing.  harmless: for these columns, instead of what cannot be."""
        self._names = tuple(str(column.key) for column in query.selected_columns)
        columns = [_kind(column, outer) for column in query.selected_columns]
        self._allowed = tuple(allowed for allowed, _, _ in columns)
        self._harmless = [harmless.get(name, value) for name, (_, value, _) in zip(self._names, columns, strict=True)]
        self._called = [called for _, _, called in columns]

    def trouble(self, row: Any) -> str | None:
        """What is wrong with a row, in words; None if nothing is."""
        if all(map(isinstance, row, self._allowed)):
            return None
        at = next(at for at, value in enumerate(row) if not isinstance(value, self._allowed[at]))
        return f"{self._names[at]} is {row[at]!r:.{LONGEST_SHOWN}}, which is not {self._called[at]}"

    def checked(self, row: Any) -> Any:
        """The row.  Raises ValueError if something is wrong with it."""
        if (trouble := self.trouble(row)) is not None:
            raise ValueError(trouble)
        return row

    def mended(self, row: Any) -> Any:
        """The row with something harmless in place of each value that cannot be."""
        if self.trouble(row) is None:
            return row
        fields: Mapping[str, Any] = {
            name: value if isinstance(value, allowed) else harmless
            for name, value, allowed, harmless in zip(self._names, row, self._allowed, self._harmless, strict=True)
        }
        return SimpleNamespace(**fields)


def _kind(column: Any, outer: Table | None) -> tuple[tuple[type, ...], Any, str]:
    """What a column may hold, a value that does no harm, and what is said of others."""
    for kind, allowed, harmless, called in KINDS:
        if isinstance(column.type, kind):
            base = next((base for base in column.base_columns if isinstance(base, Column)), None)
            if base is None or base.nullable:
                return (*allowed, NoneType), None, called
            return ((*allowed, NoneType) if base.table is outer else allowed), harmless, called
    raise TypeError(f"{column} has a type that is not known here: {column.type!r}")

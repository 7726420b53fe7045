"""Whether the values of a row have the types of their columns. SQLite stores any value in any column.

problem = MATCH_TYPES.problem(row)            # "created_at is 'soon', which is not a number"; None if all is well
row = MATCH_TYPES.repaired(row)               # each value of a wrong type replaced by its column's placeholder (0, "")
"""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, SimpleNamespace
from typing import Any

from sqlalchemy import Boolean, Column, Double, Integer, Select, Table, Text

LONGEST_SHOWN = 40
COLUMN_TYPES: tuple[tuple[Any, tuple[type, ...], Any, str], ...] = (
    (Integer, (int,), 0, "a whole number"),  # BigInteger and SmallInteger are Integers
    (Double, (float, int), 0.0, "a number"),
    (Boolean, (bool, int), False, "yes or no"),
    (Text, (str,), "", "a text"),
)
"""SQLAlchemy's type, what Python has for it, a placeholder, and its name in a sentence."""


class RowTypes:
    """The types of all columns of a query."""

    def __init__(self, query: Select[Any], outer: Table | None = None, **placeholder: Any) -> None:
        """outer: a table joined from outside.  placeholder: for these columns, in place of a wrong value."""
        self._names = tuple(str(column.key) for column in query.selected_columns)
        columns = [_type_of(column, outer) for column in query.selected_columns]
        self._allowed = tuple(allowed for allowed, _, _ in columns)
        self._placeholders = [
            placeholder.get(name, value) for name, (_, value, _) in zip(self._names, columns, strict=True)
        ]
        self._called = [called for _, _, called in columns]

    def problem(self, row: Any) -> str | None:
        """The fault of a row as text; None if there is none."""
        if all(map(isinstance, row, self._allowed)):
            return None
        at = next(at for at, value in enumerate(row) if not isinstance(value, self._allowed[at]))
        return f"{self._names[at]} is {row[at]!r:.{LONGEST_SHOWN}}, which is not {self._called[at]}"

    def checked(self, row: Any) -> Any:
        """The row.  Raises ValueError if something is wrong with it."""
        if (problem := self.problem(row)) is not None:
            raise ValueError(problem)
        return row

    def repaired(self, row: Any) -> Any:
        """The row with its column's placeholder in place of each value of a wrong type."""
        if self.problem(row) is None:
            return row
        fields: Mapping[str, Any] = {
            name: value if isinstance(value, allowed) else placeholder
            for name, value, allowed, placeholder in zip(
                self._names, row, self._allowed, self._placeholders, strict=True
            )
        }
        return SimpleNamespace(**fields)


def _type_of(column: Any, outer: Table | None) -> tuple[tuple[type, ...], Any, str]:
    """A column's Python type, its placeholder, and the text about values of other types."""
    for kind, allowed, placeholder, called in COLUMN_TYPES:
        if isinstance(column.type, kind):
            base = next((base for base in column.base_columns if isinstance(base, Column)), None)
            if base is None or base.nullable:  # computed values, such as plies, have no column
                return (*allowed, NoneType), None, called
            # of an outer join the whole row may be missing
            return ((*allowed, NoneType) if base.table is outer else allowed), placeholder, called
    raise TypeError(f"{column} has a type that is not known here: {column.type!r}")

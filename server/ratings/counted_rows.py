"""Counters for every two players that met, in one flat array: quick to fit, store and read."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

WRITTEN, BYTES = "<i4", 4  # how a number is written down, on every machine


class CountedRows:
    """`width` counters for each two players, by their numbers."""

    def __init__(self, width: int) -> None:
        self._width, self._row, self._flat = width, dict[int, int](), array("i")

    def add(self, first: int, second: int, column: int, number: int = 1) -> None:
        """Add to one column of two players."""
        key = first << 32 | second
        row = self._row.get(key)
        if row is None:
            row = self._row[key] = len(self._row)
            self._flat.extend((first, second, *[0] * self._width))
        self._flat[row * (2 + self._width) + 2 + column] += number

    def of(self, first: int, second: int) -> list[int]:
        """The counters of two players."""
        row = self._row.get(first << 32 | second)
        at = 0 if row is None else row * (2 + self._width) + 2
        return [0] * self._width if row is None else self._flat[at : at + self._width].tolist()

    def table(self) -> Any:
        """A copy as [row, number of the first, of the second, counters], by players, without what was taken back."""
        rows = np.array(self._flat, dtype=np.intc).reshape(-1, 2 + self._width)
        rows = rows[rows[:, 2:].any(axis=1)]
        return rows[np.lexsort((rows[:, 1], rows[:, 0]))]

    def written(self) -> bytes:
        """All of it, to be written down: column by column, of all numbers the lowest byte first, then the next.

        Equal bytes stand together so: compressed it is a third of what it would be row by row.
        """
        columns = np.ascontiguousarray(self.table().T, dtype=WRITTEN)
        return bytes(columns.view(np.uint8).reshape(-1, BYTES).T.tobytes())

    @classmethod
    def of_table(cls, width: int, table: Any) -> CountedRows:
        """Counters of what `table` gave, or of a table that has several rows of the same two players."""
        rows, keys = cls(width), table[:, 0].astype(np.int64) << 32 | table[:, 1]
        keys, row = np.unique(keys, return_inverse=True)
        counted = np.zeros((len(keys), 2 + width), dtype=np.intc)
        np.add.at(counted[:, 2:], row, table[:, 2:])
        counted[:, 0], counted[:, 1] = keys >> 32, keys & 0xFFFFFFFF
        rows._flat.frombytes(counted.tobytes())
        rows._row = {key: row for row, key in enumerate(keys.tolist())}
        return rows

    @classmethod
    def read(cls, width: int, written: bytes, players: int) -> CountedRows:
        """What `written` gave. Raises ValueError for anything else; players: how many there are."""
        numbers = np.ascontiguousarray(np.frombuffer(written, dtype=np.uint8).reshape(BYTES, -1).T).view(WRITTEN)
        table = numbers.reshape(2 + width, -1).T.astype(np.intc)
        if len(table) and not (table[:, :2].min() >= 0 and table[:, :2].max() < players):
            raise ValueError("it counts games of players that it does not name")
        return cls.of_table(width, table)

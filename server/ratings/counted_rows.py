"""Counters for every two players that met, in one flat array: quick to fit, to write down and to read."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

WRITTEN = "<i4"  # how a number is written down, on every machine


class CountedRows:
    """`width` counters for each two players, by their numbers."""

    def __init__(self, width: int) -> None:
        self._width, self._row, self._flat = width, dict[int, int](), array("i")

    def add(self, first: int, second: int, column: int, number: int = 1) -> None:
        """Count so many more in one column of two players."""
        key = first << 32 | second
        row = self._row.get(key)
        if row is None:
            row = self._row[key] = len(self._row)
            self._flat.extend((first, second, *[0] * self._width))
        self._flat[row * (2 + self._width) + 2 + column] += number

    def add_table(self, table: Any) -> None:
        """Count all that a table has, which may have several rows of the same two players."""
        for first, second, *counts in table.tolist():
            for column, number in enumerate(counts):
                if number:
                    self.add(first, second, column, number)

    def of(self, first: int, second: int) -> list[int]:
        """What is counted of two players."""
        row = self._row.get(first << 32 | second)
        at = 0 if row is None else row * (2 + self._width) + 2
        return [0] * self._width if row is None else self._flat[at : at + self._width].tolist()

    def table(self) -> Any:
        """A copy as [row, number of the first, of the second, counters], by players, without what was taken back."""
        rows = np.array(self._flat, dtype=np.intc).reshape(-1, 2 + self._width)
        rows = rows[rows[:, 2:].any(axis=1)]
        return rows[np.lexsort((rows[:, 1], rows[:, 0]))]

    def written(self) -> bytes:
        """All of it, to be written down."""
        return bytes(self.table().astype(WRITTEN).tobytes())

    @classmethod
    def read(cls, width: int, written: bytes, players: int) -> CountedRows:
        """What `written` gave. Raises ValueError for anything else; players: how many there are."""
        rows, table = cls(width), np.frombuffer(written, dtype=WRITTEN).astype(np.intc)
        pairs = table.reshape(-1, 2 + width)[:, :2].astype(np.int64)
        if len(pairs) and not (pairs.min() >= 0 and pairs.max() < players):
            raise ValueError("it counts games of players that it does not name")
        rows._flat.frombytes(table.tobytes())
        rows._row = {key: row for row, key in enumerate((pairs[:, 0] << 32 | pairs[:, 1]).tolist())}
        return rows

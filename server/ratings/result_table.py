"""Results as arrays, one row for two players that met, and sums over rows into a matrix over the parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

POINTS = np.array([1.0, 0.0, 0.5])
"""Of seat 0, by column of the result."""
DRAWN = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows of players by number, first[row] in seat 0 against second[row], and how often each result was seen.

    counts: [row, 3] for games; [row, 3, 3] for pairs: the first game's result, then the second's, in which second[row]
    has seat 0.
    """

    first: Any
    second: Any
    counts: Any
    number: Any = field(init=False)  # games, or pairs, in each row

    def __post_init__(self) -> None:
        object.__setattr__(self, "number", self.counts.sum(axis=tuple(range(1, self.counts.ndim))))

    def joined(self, *more: ResultTable) -> ResultTable:
        """With the rows of others below."""
        every = (self, *more)
        return ResultTable(
            np.concatenate([each.first for each in every]),
            np.concatenate([each.second for each in every]),
            np.concatenate([each.counts for each in every]),
        )


def result_table(rows: Any, shape: tuple[int, ...]) -> ResultTable:
    """A table of `CountedRows`. shape: of the counts of a row."""
    counts = rows[:, 2:].astype(np.float64).reshape(-1, *shape)
    return ResultTable(rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64), counts)


def information(
    first: Any,
    second: Any,
    size: int,
    *,
    strength: Any,
    first_mover: Any,
    both: Any,
    draw: Any,
    strength_draw: Any,
    first_mover_draw: Any,
) -> Any:
    """The sum over rows of the (co)variances of the evidence, over `size` strengths, first-mover advantage, draws.

    first, second: parameters of the two players in each row; what the first learns of its strength, the second loses.
    strength, first_mover, draw: variances in each row.  both: covariance of the first's strength and first_mover.
    """
    off = np.bincount(first * size + second, strength, size * size).reshape(size, size)
    matrix = np.zeros((size + 2, size + 2))
    matrix[:size, :size] = np.diag(off.sum(0) + off.sum(1)) - off - off.T
    matrix[:size, -2] = matrix[-2, :size] = _by_player(first, second, size, both)
    matrix[:size, -1] = matrix[-1, :size] = _by_player(first, second, size, strength_draw)
    matrix[-2, -2], matrix[-1, -1] = first_mover.sum(), draw.sum()
    matrix[-2, -1] = matrix[-1, -2] = first_mover_draw.sum()
    return matrix


def _by_player(first: Any, second: Any, size: int, value: Any) -> Any:
    return np.bincount(first, value, size) - np.bincount(second, value, size)

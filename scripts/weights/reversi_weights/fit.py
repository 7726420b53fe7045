"""The weights that come nearest to the results: least squares for each phase, with a pull towards zero.

Nearest means the least sum of squares of (sum of a position's weights - aim, see `Positions.aims`), and RIDGE times the
square of every weight: a way of occupying a shape that was seldom seen keeps a small weight. A phase takes positions of
its neighbours too, OVERLAP empty squares wide. Solved by conjugate gradients; the matrix, 51 entries a row, is never
written down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np

from scripts.weights.reversi_weights.play import Labelled
from tabiya.bots.evaluators.reversi.pattern_shapes import (
    NUMBERS,
    PHASE_ENDS,
    PHASES,
    SHAPE_WEIGHTS,
    SHAPES,
    STRIDE,
)
from tabiya.bots.evaluators.reversi.weights import representatives
from tabiya.bots.solvers.reversi.stable_discs import around
from tabiya.games.compiled.bits import popcount
from tabiya.games.reversi.discs import playable

RIDGE = 30.0
VALUES = 0.5
OVERLAP = 2
STEPS = 60  # of the conjugate gradients
HUNDREDTHS = 100


class Positions(NamedTuple):
    """Columns: sets of the side to move and of the other (uint64), result (int8) and value (int16) as in `Labelled`."""

    mine: Any
    theirs: Any
    result: Any
    value: Any

    @classmethod
    def of(cls, labelled: Sequence[Labelled]) -> Positions:
        """The columns of positions."""
        kinds = np.uint64, np.uint64, np.int8, np.int16
        return cls(*(np.array(column, kind) for column, kind in zip(zip(*labelled, strict=True), kinds, strict=True)))

    def only(self, chosen: Any) -> Positions:
        """Those where `chosen` is true."""
        return Positions(*(column[chosen] for column in self))

    def aims(self, values: float) -> Any:
        """The targets for the sums of weights, in discs. values: the share of the searches' values in them."""
        return (1 - values) * self.result.astype(np.float64) + values / HUNDREDTHS * self.value


class Fitted(NamedTuple):
    """One phase: its weights in hundredths of a disc, and how far off the results they are, in discs (RMS)."""

    weights: Any
    positions: int
    error: float
    held_out_error: float


def empty_squares(positions: Positions) -> Any:
    """How many squares are empty in each."""
    return 64 - np.bitwise_count(positions.mine | positions.theirs).astype(np.int64)


def places(positions: Positions) -> Any:
    """The places of the weights of each position, a column for each place on the board; mirrored ones are one."""
    columns, own = [], representatives()
    for shape in SHAPES:
        for squares in shape.lies:
            number = np.zeros(len(positions.mine), np.int64)
            for i, square in enumerate(squares):
                bit = np.uint64(square)
                mine, theirs = (positions.mine >> bit) & np.uint64(1), (positions.theirs >> bit) & np.uint64(1)
                number += (mine + np.uint64(2) * theirs).astype(np.int64) * 3**i
            columns.append(own[shape.start + number].astype(np.int32))
    return np.stack(columns, axis=1)


@numba.njit  # type: ignore[untyped-decorator]
def write_numbers(mine: Any, theirs: Any, out: Any) -> None:
    """The numbers of shapes.NUMBERS for each position, a row each."""
    for i in range(mine.size):
        own, other = mine[i], theirs[i]
        empty = ~(own | other)
        out[i, 0], out[i, 1] = popcount(playable(own, other)), popcount(playable(other, own))
        out[i, 2], out[i, 3] = popcount(around(other) & empty), popcount(around(own) & empty)
        out[i, 4] = 1


@numba.njit(fastmath=True, nogil=True)  # type: ignore[untyped-decorator]
def add_up(places: Any, weights: Any, out: Any) -> None:
    """For each row of places the sum of their weights."""
    for i in range(places.shape[0]):
        found = 0.0
        for j in range(places.shape[1]):
            found += weights[places[i, j]]
        out[i] = found


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def share_out(places: Any, values: Any, out: Any) -> None:
    """Add the value of each row to all its places."""
    for i in range(places.shape[0]):
        for j in range(places.shape[1]):
            out[places[i, j]] += values[i]


class Matrix:
    """Which weights a position adds up, as a linear map."""

    def __init__(self, positions: Positions) -> None:
        self.places, self.numbers = places(positions), np.zeros((len(positions.mine), len(NUMBERS)))
        write_numbers(positions.mine, positions.theirs, self.numbers)

    def times(self, weights: Any) -> Any:
        """The evaluation of each position."""
        found = np.empty(len(self.places))
        add_up(self.places, weights, found)
        return found + self.numbers @ weights[SHAPE_WEIGHTS:]

    def transposed_times(self, values: Any) -> Any:
        """For each weight the sum of the values of the positions that add it."""
        found = np.zeros(STRIDE)
        share_out(self.places, values, found)
        found[SHAPE_WEIGHTS:] += self.numbers.T @ values
        return found


def least_squares(matrix: Matrix, wanted: Any, ridge: float, steps: int) -> Any:
    """The weights; conjugate gradients with every weight scaled by how often it is added."""
    seen = matrix.transposed_times(np.ones(len(wanted)))
    scale = 1 / (np.abs(seen) + ridge)
    weights, rest = np.zeros(STRIDE), matrix.transposed_times(wanted)
    direction = scale * rest
    product = rest @ direction
    for _ in range(steps):
        change = matrix.transposed_times(matrix.times(direction)) + ridge * direction
        step = product / (direction @ change)
        weights += step * direction
        rest -= step * change
        scaled = scale * rest
        before, product = product, rest @ scaled
        direction = scaled + product / before * direction
    return weights


def fit(positions: Positions, values: float = VALUES, ridge: float = RIDGE) -> Iterator[Fitted]:
    """The phases in order. values: see `Positions.aims`.

    One position in twenty is held out of the fit, to see what the weights are worth.
    """
    empty = empty_squares(positions)
    tops = (64, *PHASE_ENDS)
    for phase in range(PHASES):
        near = (empty >= PHASE_ENDS[phase] - OVERLAP) & (empty < tops[phase] + OVERLAP)
        inside = (empty >= PHASE_ENDS[phase]) & (empty < tops[phase])
        held = np.arange(len(empty)) // 400 % 20 == 0
        learnt, tested = positions.only(near & ~held), positions.only(inside & held)
        matrix = Matrix(learnt)
        weights = least_squares(matrix, learnt.aims(values), ridge, STEPS)
        error = matrix.times(weights) - learnt.result
        away = Matrix(tested).times(weights) - tested.result
        found = (np.sqrt(np.mean(values**2)) for values in (error, away))
        yield Fitted(weights[representatives()] * HUNDREDTHS, len(learnt.mine), *(float(value) for value in found))

"""Stochastic gradients for the network of bots/evaluators/chess/network.py, in floating point.

A sum of 1 in the hidden layer is TOP there, a weight of 1 WEIGHT_UNIT, an output of 1 PAWNS pawns. An output predicts
the points of the side to move as 1 / (1 + exp(-scale * value)); minimised is the mean square of what is missing to the
aim, by Adam (Kingma and Ba 2015), its steps shrinking like half a cosine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from scripts.weights.chess_net.sample import Sample
from tabiya.bots.evaluators.chess.network import (
    GROUPS,
    HIDDEN,
    HUNDREDTHS,
    INPUTS,
    MORE,
    START,
    WEIGHING,
    WEIGHT_UNIT,
)
from tabiya.games.compiled.simd import MOST_WEIGHT, TOP

BATCH = 8192
FIRST_DECAY, SECOND_DECAY, TINY = 0.9, 0.999, 1e-8  # of Adam
MOST_INPUT, MOST_OUTPUT = 1.98, 0.99  # weights stay within, so that they fit into 16 bits, products too
assert MOST_OUTPUT * WEIGHT_UNIT <= MOST_WEIGHT


class Net(NamedTuple):
    """float32: inputs (INPUTS, HIDDEN), start (HIDDEN), outputs (GROUPS, 2 * HIDDEN), more (GROUPS)."""

    inputs: Any
    start: Any
    outputs: Any
    more: Any

    def rows(self) -> Any:
        """As TABLE of chess_net.py has it, rounded."""
        rows = np.zeros((int(MORE) + 1, HIDDEN))
        rows[:INPUTS], rows[START] = self.inputs * TOP, self.start * TOP
        rows[WEIGHING:MORE] = self.outputs.reshape(2 * GROUPS, HIDDEN) * WEIGHT_UNIT
        rows[MORE, :GROUPS] = self.more * HUNDREDTHS
        return np.rint(rows).astype(np.int16)


class Lesson(NamedTuple):
    """Positions, and the net's target for each."""

    sample: Sample
    aims: Any


def new_net(seed: int) -> Net:
    """Small random numbers, the outputs of all groups alike."""
    draw = np.random.default_rng(seed)
    inputs, outputs = 0.1 * draw.normal(size=(INPUTS, HIDDEN)), 0.1 * draw.normal(size=(1, 2 * HIDDEN))
    parts = inputs, np.full(HIDDEN, 0.3), np.tile(outputs, (GROUPS, 1)), np.zeros(GROUPS)
    return Net(*(part.astype(np.float32) for part in parts))


@njit(fastmath=True, cache=True, nogil=True)
def pass_over(chosen: Any, sample: Any, aims: Any, steep: Any, net: Any, slopes: Any, learns: Any) -> float:
    """The sum of the squared errors of the positions `chosen`; if `learns`, the gradient is added to `slopes`.

    sample: ours, theirs, men, group.  steep: what one unit of output adds to the exponent.
    """
    ours, theirs, men, group = sample
    inputs, start, outputs, more = net
    input_slopes, start_slopes, output_slopes, more_slopes = slopes
    size, error = start.size, 0.0
    mine, other = np.empty(size, np.float32), np.empty(size, np.float32)
    zero, one = np.float32(0), np.float32(1)
    for i in chosen:
        weights = outputs[group[i]]
        mine[:] = start
        other[:] = start
        for man in range(men[i]):
            first, second = inputs[ours[i, man]], inputs[theirs[i, man]]
            for j in range(size):
                mine[j] += first[j]
            for j in range(size):
                other[j] += second[j]
        found = more[group[i]]
        for j in range(size):
            x, y = min(max(mine[j], zero), one), min(max(other[j], zero), one)
            found += weights[j] * x * x + weights[size + j] * y * y
        expected = 1 / (1 + np.exp(-steep * found))
        missed = expected - aims[i]
        error += missed * missed
        if not learns:
            continue
        slope = np.float32(2 * missed * expected * (1 - expected) * steep)
        more_slopes[group[i]] += slope
        weight_slopes = output_slopes[group[i]]
        for j in range(size):
            x, y = min(max(mine[j], zero), one), min(max(other[j], zero), one)
            weight_slopes[j] += slope * x * x
            weight_slopes[size + j] += slope * y * y
            mine[j] = 2 * slope * weights[j] * x if x < one else zero
            other[j] = 2 * slope * weights[size + j] * y if y < one else zero
            start_slopes[j] += mine[j] + other[j]
        for man in range(men[i]):
            first, second = input_slopes[ours[i, man]], input_slopes[theirs[i, man]]
            for j in range(size):
                first[j] += mine[j]
            for j in range(size):
                second[j] += other[j]
    return error


@njit(fastmath=True, cache=True, nogil=True)
def descend(weights: Any, slopes: Any, means: Any, squares: Any, rate: Any, step: Any, most: Any) -> None:
    """One step of Adam, number `step` from 1, all arrays flat; the slopes are zero again afterwards."""
    first, second = 1 - FIRST_DECAY**step, 1 - SECOND_DECAY**step
    for i in range(weights.size):
        slope = slopes[i] / BATCH
        means[i] = FIRST_DECAY * means[i] + (1 - FIRST_DECAY) * slope
        squares[i] = SECOND_DECAY * squares[i] + (1 - SECOND_DECAY) * slope * slope
        weight = weights[i] - rate * (means[i] / first) / (np.sqrt(squares[i] / second) + TINY)
        weights[i] = min(max(weight, -most), most)
        slopes[i] = 0


def chances(values: Any, scale: float) -> Any:
    """The points that values in hundredths predict."""
    return (1 / (1 + np.exp(-scale * np.asarray(values, np.float64)))).astype(np.float32)


def error_of(net: Net, sample: Sample, aims: Any, scale: float) -> float:
    """The mean squared error of the net's predictions."""
    every, steep = np.arange(len(aims)), scale * float(HUNDREDTHS)
    slopes = tuple(np.zeros_like(part) for part in net)
    return float(pass_over(every, sample[:4], aims, steep, tuple(net), slopes, False)) / max(1, len(aims))


def learn(
    net: Net, lesson: Callable[[int], Lesson], scale: float, rounds: int, rate: float, seed: int
) -> Iterator[tuple[int, float]]:
    """Fit `net`, in place; after every round, how many positions there were and what was missed of them on the mean.

    lesson: what to learn from in a round, by its number from 0.
    """
    draw, steep, step = np.random.default_rng(seed), scale * float(HUNDREDTHS), 0
    slopes, means, squares = (tuple(np.zeros_like(part) for part in net) for _ in range(3))
    limits = MOST_INPUT, MOST_INPUT, MOST_OUTPUT, np.inf
    for number in range(rounds):
        sample, aims = lesson(number)
        size, batches = len(aims), max(1, len(aims) // BATCH)
        order, error = draw.permutation(size)[: batches * BATCH], 0.0
        for batch, chosen in enumerate(np.array_split(order, batches)):
            error += pass_over(chosen, sample[:4], aims, steep, tuple(net), slopes, True)
            slower = rate * 0.5 * (1 + np.cos(np.pi * (number + batch / batches) / rounds))
            step += 1
            for *arrays, most in zip(net, slopes, means, squares, limits, strict=True):
                descend(*(array.reshape(-1) for array in arrays), slower, step, most)
        del sample, aims  # the next lesson needs the memory
        yield size, error / len(order)

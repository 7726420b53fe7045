"""Weights that explain the results of games best: logistic regression (Texel's method), held near where they began.

A position's value v, White's view, in hundredths, predicts White's points as 1 / (1 + exp(-scale * v)). Minimised is
the cross-entropy against the points of the games, plus (w - start)^2 / (2 spread^2) for every weight, by Newton's
method with conjugate gradients. `scale` is fitted first, with the weights as they are, and stays: so the unit stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

NEWTON_STEPS, GRADIENT_STEPS, ENOUGH = 12, 60, 1e-3
Vector = np.ndarray[Any, np.dtype[np.float64]]


class Sample(NamedTuple):
    """features: of each position, for each number of the weights.  offset: what of its value is in none of them."""

    features: Any
    offset: Vector
    points: Vector


def values(sample: Sample, weights: Vector) -> Vector:
    """The values of the positions in hundredths, White's view."""
    return np.asarray(sample.features @ weights.astype(np.float32), np.float64) + sample.offset


def chances(values: Vector, scale: float) -> Vector:
    """White's expected points."""
    return np.asarray(1 / (1 + np.exp(-np.clip(scale * values, -30, 30))))


def loss(values: Vector, points: Vector, scale: float) -> float:
    """The mean cross-entropy, natural logarithm; drawn games cost log 2 at the least."""
    expected = np.clip(chances(values, scale), 1e-12, 1 - 1e-12)
    return float(-np.mean(points * np.log(expected) + (1 - points) * np.log(1 - expected)))


def best_scale(values: Vector, points: Vector) -> float:
    """The scale that explains the points best, by golden sections."""
    low, high, ratio = 1e-4, 2e-2, (5**0.5 - 1) / 2
    for _ in range(40):
        one, other = high - ratio * (high - low), low + ratio * (high - low)
        if loss(values, points, one) < loss(values, points, other):
            high = other
        else:
            low = one
    return (low + high) / 2


def solve(times: Callable[[Vector], Vector], right: Vector) -> Vector:
    """The x with times(x) = right, about; `times` a symmetric positive matrix, by conjugate gradients."""
    x, rest = np.zeros_like(right), right.copy()
    direction, size = rest.copy(), float(rest @ rest)
    begin = size
    for _ in range(GRADIENT_STEPS):
        if size <= ENOUGH**2 * begin:
            break
        image = times(direction)
        step = size / float(direction @ image)
        x += step * direction
        rest -= step * image
        size, before = float(rest @ rest), size
        direction = rest + size / before * direction
    return x


def fit(sample: Sample, start: Vector, spread: Vector, scale: float) -> Vector:
    """The weights. spread: how far each may go from its start, about; 0 keeps it."""
    weights, reach = start.copy(), spread  # solved in units of the spread, so that one step suits all
    for _ in range(NEWTON_STEPS):
        expected = chances(values(sample, weights), scale)
        slope = scale * (expected - sample.points)
        curve = (scale**2 * expected * (1 - expected)).astype(np.float32)
        away = np.divide(weights - start, reach, out=np.zeros_like(start), where=reach > 0)
        gradient = reach * np.asarray(sample.features.T @ slope.astype(np.float32), np.float64) + away

        def times(x: Vector, curve: Any = curve) -> Vector:
            image = sample.features @ (reach * x).astype(np.float32)
            return np.asarray(reach * (sample.features.T @ (curve * image)).astype(np.float64) + x)

        step = reach * solve(times, -gradient)
        weights += step
        if np.abs(step).max() < 0.1:
            break
    return weights

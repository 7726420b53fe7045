"""Simultaneous perturbation stochastic approximation (SPSA), with the gains as engine testers give them. Pure.

In iteration k (from 0) every parameter is moved by +c_k or -c_k, its sign drawn by the seed, and the player with these
values meets the player with the opposite ones. The lead L (games won less games lost) moves every value towards its
side of the perturbation:

    c_k = c / (k + 1)^gamma        a_k = a / (A + k + 1)^alpha        value += sign * a_k / c_k * L

c and a are given by what they are at the end of the run: c_N = C_END and a_N = R_END * C_END^2.
Source: docs/sources.md#spsa
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from msgspec import Struct

Values = tuple[float, ...]


class Parameter(Struct, frozen=True):
    """One number to be tuned. low, high: it stays between them.  whole: it is played as a whole number.

    c_end: how far it is moved to each side, at the end of the run.  r_end: how far a lead of one game then moves it, in
    units of c_end.
    """

    name: str
    start: float
    low: float
    high: float
    c_end: float
    r_end: float
    whole: bool = False

    def bounded(self, value: float) -> float:
        """The nearest value that is allowed."""
        return min(max(value, self.low), self.high)

    def played(self, value: float, chance: float) -> float:
        """What is played for `value`. A whole one is rounded up with the probability of its fraction.

        chance: 0 <= chance < 1. Drawn once for both sides, so that two values at least 1 apart never become the same.
        """
        return self.bounded(math.floor(value + chance)) if self.whole else self.bounded(value)

    def nearest(self, value: float) -> float:
        """The value to use in the end."""
        return self.played(value, 0.5)


class Gains(Struct, frozen=True):
    """The run's length in iterations, and the decrease of its steps. a_ratio: A as a part of the iterations."""

    iterations: int
    alpha: float = 0.602
    gamma: float = 0.101
    a_ratio: float = 0.1

    def reach(self, parameter: Parameter, iteration: int) -> float:
        """c_k: how far the parameter is moved to each side. iteration: from 0."""
        return parameter.c_end * math.pow(self.iterations / (iteration + 1), self.gamma)

    def step(self, parameter: Parameter, iteration: int) -> float:
        """a_k / c_k: how far a lead of one game moves the parameter."""
        stability = self.a_ratio * self.iterations
        end = parameter.r_end * parameter.c_end**2
        gain = end * math.pow((stability + self.iterations) / (stability + iteration + 1), self.alpha)
        return gain / self.reach(parameter, iteration)


class Perturbation(NamedTuple):
    """The two sides of an iteration. signs: +1 or -1 for each parameter.  plus, minus: the values that they play."""

    signs: tuple[int, ...]
    plus: Values
    minus: Values


def perturbation(
    parameters: Sequence[Parameter], gains: Gains, values: Sequence[float], iteration: int, seed: int
) -> Perturbation:
    """The two sides of an iteration around `values`; the same for the same seed and number."""
    random = Random(f"{seed} {iteration}")  # its own generator, so that a resumed run draws the same numbers
    signs, plus, minus = [], [], []
    for parameter, value in zip(parameters, values, strict=True):
        sign, chance = 1 if random.random() < 0.5 else -1, random.random()
        reach = sign * gains.reach(parameter, iteration)
        signs.append(sign)
        plus.append(parameter.played(value + reach, chance))
        minus.append(parameter.played(value - reach, chance))
    return Perturbation(tuple(signs), tuple(plus), tuple(minus))


def updated(
    parameters: Sequence[Parameter],
    gains: Gains,
    values: Sequence[float],
    iteration: int,
    signs: Sequence[int],
    lead: float,
) -> Values:
    """The values after an iteration. lead: games that the plus side has won, less those that it has lost."""
    return tuple(
        parameter.bounded(value + sign * lead * gains.step(parameter, iteration))
        for parameter, value, sign in zip(parameters, values, signs, strict=True)
    )

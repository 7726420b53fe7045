"""How far `tabiya tune` brings values back, in simulated games of known strength.

    python -m benchmarks.tuning [--seeds 20] [--pairs 200,1000,5000,25000] [--format table|json]

Every parameter begins at the lower end of its range, and its best value lies at 0.6 of it; the strength falls with the
square of the distance. Printed: what the start lacks, in Elo, and what the end lacks, in the mean of the seeds and in
the worst of them: with the usual R_END, and with fishtest's 0.002.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

from benchmarks.common import parser, print_rows
from tabiya.tuning.parameters import usual_r
from tabiya.tuning.spsa import Gains, Parameter, Values, perturbation, updated

PAIRS = 8  # of an iteration
BEST, WIDE = 0.6, 1.0
MOST_DRAWS = 0.3
FISHTEST_R = 0.002
LACKING = (20.0, 100.0, 400.0)  # Elo that the start lacks
COUNTS = (1, 10)  # of parameters
COLUMNS = {
    "parameters": ("parameters", ">10d"),
    "pairs": ("pairs", ">7d"),
    "start": ("start", ">7.0f"),
    "end": ("end", ">7.1f"),
    "worst": ("worst", ">7.1f"),
    "r_end": ("R_END", ">7.3f"),
    "end_fishtest": ("0.002", ">7.1f"),
}

Strength = Callable[[Values], float]
"""In Elo."""


@dataclass(frozen=True, slots=True)
class Row:
    """Runs of one length. start, end, worst: what is lacking, in Elo.  end_fishtest: with an R_END of 0.002."""

    parameters: int
    pairs: int
    start: float
    end: float
    worst: float
    r_end: float
    end_fishtest: float


def lead_in_games(random: Random, difference: float, games: int) -> int:
    """Games won less games lost by a player who is `difference` Elo stronger; three in ten are drawn at most."""
    score = 1 / (1 + 10 ** (-difference / 400))
    drawn = min(MOST_DRAWS, 2 * score, 2 - 2 * score)
    throws = (random.random() for _ in range(games))
    return sum((throw < score - drawn / 2) - (throw >= score + drawn / 2) for throw in throws)


def tuned(
    parameters: Sequence[Parameter], gains: Gains, seed: int, strength: Strength, lead: Callable[[float], float]
) -> Values:
    """The values at the end of a run. lead: of the plus side, by how much stronger it is."""
    values: Values = tuple(parameter.start for parameter in parameters)
    for iteration in range(gains.iterations):
        sides = perturbation(parameters, gains, values, iteration, seed)
        difference = strength(sides.plus) - strength(sides.minus)
        values = updated(parameters, gains, values, iteration, sides.signs, lead(difference))
    return values


def lacking(count: int, elo: float, pairs: int, r_end: float, seeds: int) -> list[float]:
    """By how much the ends of runs miss the optimum, in Elo. elo: the same for the start, spread over parameters."""
    parameters = [Parameter(str(number), 0.0, 0.0, WIDE, WIDE / 20, r_end) for number in range(count)]

    def strength(values: Values) -> float:
        return -elo / count * sum(((value - BEST) / BEST) ** 2 for value in values)

    def end(seed: int) -> float:
        random = Random(seed)
        values = tuned(
            parameters, Gains(pairs // PAIRS), seed, strength, lambda gap: lead_in_games(random, gap, 2 * PAIRS)
        )
        return -strength(values)

    return [end(seed) for seed in range(seeds)]


def measure(seeds: int, lengths: Sequence[int]) -> Iterator[Row]:
    """One row for each number of parameters, start and length of run."""
    for count in COUNTS:
        for elo in LACKING:
            for pairs in lengths:
                ends = lacking(count, elo, pairs, usual_r(pairs), seeds)
                other = lacking(count, elo, pairs, FISHTEST_R, seeds)
                yield Row(count, pairs, elo, fmean(ends), max(ends), usual_r(pairs), fmean(other))


def main() -> None:
    """Measure and print."""
    options = parser(__doc__.splitlines()[0])
    options.add_argument("--seeds", type=int, default=20)
    options.add_argument("--pairs", default="200,1000,5000,25000")
    given = options.parse_args()
    print_rows(measure(given.seeds, [int(pairs) for pairs in given.pairs.split(",")]), COLUMNS, given.format)


if __name__ == "__main__":
    main()

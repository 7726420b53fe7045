"""All players of a game at once: the strengths, the first-mover advantage and the draws that explain the results best.

    ratings = rate(Results(games, pairs), anchors={"random": 1000})

The model is Davidson's (davidson.py); its likelihood has one maximum, found by Newton's method. A normal prior on each
strength around the average of its pool keeps perfect scores finite; how wide it is, is estimated from the players
themselves, beginning with 350 Elo. Players not connected by games form pools, each with its own zero: 1500 for its
average, or what its anchors say.

Two players who met far more often than others of their pool count as if they had met less often (pair_cap.py).

Intervals. The covariance is a sandwich H^-1 (M + prior) H^-1: H is the curvature of the posterior, M how much the
evidence really varies: as the model says for single games, as the pairs themselves show for pairs (robust.py).
Why so, and how often the intervals hold the truth: docs/explanation/ratings.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tabiya.server.ratings.davidson import ExpectedOutcomes, chances_of, draw_rate_of, elo_per_unit
from tabiya.server.ratings.elo import Z95
from tabiya.server.ratings.pair_cap import pair_cap
from tabiya.server.ratings.performance import performances, wins_draws_losses
from tabiya.server.ratings.pools import pools_of
from tabiya.server.ratings.rating import CENTRE, BoundedPair, Rating, Ratings, draw_rate_interval
from tabiya.server.ratings.result_table import ResultTable, information
from tabiya.server.ratings.results import P, RatedGame, Results
from tabiya.server.ratings.robust import evidence

PRIOR_ELO = 350.0  # first belief about the spread of a pool ...
PRIOR_PLAYERS = 4  # ... with the weight of this many players
SHARED_PRIOR_SD = np.array([2.0, 3.0])  # of the first-mover and the draw parameter, in natural units
STEPS, TOLERANCE = 100, 1e-5  # what is left after a step of Newton's is about the square of its length
NEAR = 0.1  # near enough to a maximum that moves with the next width of the prior
ROUNDING = 1e-12  # of a value: at the maximum the last steps change it by less, and look worse as often as better
ROUNDS, CLOSE = 30, 0.002  # of estimating the width of the prior, and the scale with it


@dataclass(frozen=True, slots=True)
class Problem:
    """What is fitted. The parameters: strengths, then first-mover advantage and draw parameter.

    column[player]: its parameter; all anchors of a pool share one.  ahead[player]: of an anchor, how far it lies above
    the first anchor of its pool, in Elo.
    sd: of the prior on strengths, in natural units.  scale: Elo of a natural unit.
    """

    table: ResultTable
    pools: Sequence[Sequence[int]]
    column: Any
    ahead: Any
    size: int
    sd: float
    scale: float

    def strengths(self, at: Any) -> Any:
        """The strength of each player at these parameters."""
        return at[self.column] + self.ahead / self.scale

    def point(self, at: Any) -> Point:
        """All that the maximum is looked for by, at these parameters."""
        strengths, table = self.strengths(at), self.table
        difference = strengths[table.first] + at[-2] - strengths[table.second]
        chances = chances_of(difference, at[-1])
        won, lost, drawn = table.counts.T
        seen = (won - lost) @ (difference / 2) + drawn.sum() * at[-1] - table.number @ chances.log_total
        shared = (at[-2:] ** 2 / SHARED_PRIOR_SD**2).sum()
        return Point(at, strengths, chances, float(seen - ((strengths**2).sum() / self.sd**2 + shared) / 2))

    def summed(self, players: Any) -> Any:
        """A number for each player, added up to one for each strength parameter."""
        return np.bincount(self.column, players, self.size)

    @property
    def prior(self) -> Any:
        """The prior's precision of each parameter."""
        each = self.summed(np.full(len(self.column), self.sd**-2))
        return np.append(each, SHARED_PRIOR_SD**-2)


@dataclass(frozen=True, slots=True)
class Point:
    """Parameters, what they say of the players and of each meeting, and the logarithm of the posterior density there.

    The logarithm is up to a constant.
    """

    at: Any
    strengths: Any
    chances: ExpectedOutcomes
    value: float


@dataclass(frozen=True, slots=True)
class Fit:
    """The maximum, the curvature of the likelihood there, and the inverse of the posterior's curvature."""

    at: Any
    curvature: Any
    inverse: Any


def rate(results: Results[P] | Iterable[RatedGame[P]], anchors: Mapping[P, float] | None = None) -> Ratings[P]:
    """Fit everything at once. No games: no ratings.

    anchors: ratings that are given and do not move, in Elo; those of players without games say nothing.
    """
    known = results if isinstance(results, Results) else Results(results)
    numbers = dict(known.numbers)
    if not numbers:
        return Ratings()
    given = {numbers[player]: elo for player, elo in (anchors or {}).items() if player in numbers}
    played = known.games()
    problem = _problem(played, len(numbers), given)
    cap = pair_cap(played, problem.pools, len(numbers))
    problem, fit = _fitted(replace(problem, table=cap.applied(played)))
    half = float(problem.table.number.sum()) / 2
    spent = float((fit.inverse * fit.curvature).sum())  # how many parameters the games, not the prior, decided
    freedom = half / max(half - spent, half / 2)  # of the surprises, which are too small by as much; at most twofold
    strengths = problem.strengths(fit.at)
    pairs = cap.applied(known.pairs())
    more, pairing = evidence(pairs, strengths, fit.at[-2], fit.at[-1], freedom, problem.column, problem.size)
    covariance = fit.inverse @ (fit.curvature + more + np.diag(problem.prior)) @ fit.inverse
    players = list(numbers)
    bounded = tuple(BoundedPair(players[i], players[j], *counts) for i, j, *counts in cap.bounded())
    return replace(_ratings(numbers, problem, given, fit.at, covariance, pairing, played), bounded=bounded)


def _problem(table: ResultTable, players: int, anchors: Mapping[int, float]) -> Problem:
    pools = pools_of(players, table.first, table.second)
    column, ahead, size = np.zeros(players, dtype=np.int64), np.zeros(players), 0
    for pool in pools:
        anchored = [player for player in pool if player in anchors]
        for player in anchored:
            column[player] = size
            ahead[player] = anchors[player] - anchors[anchored[0]]
        size += bool(anchored)
        for player in pool:
            if player not in anchors:
                column[player] = size
                size += 1
    scale = elo_per_unit(0.0)
    return Problem(table, pools, column, ahead, size, PRIOR_ELO / scale, scale)


def _fitted(problem: Problem) -> tuple[Problem, Fit]:
    """The fit, with the prior as wide as the players found with it are spread, on the scale that its draws give."""
    point = _maximum(problem, _start(problem), NEAR)
    rounds = 0
    while True:  # the width of the prior depends on the strengths and their errors, and both on the width
        _, curvature = _derivatives(problem, point)
        fit = Fit(point.at, curvature, np.linalg.inv(curvature + np.diag(problem.prior)))
        variances = np.diag(fit.inverse)
        tried = _spread(problem, point.at, variances)
        if rounds == ROUNDS or (rounds and _is_close(tried, problem, CLOSE)):
            return problem, fit
        # Other widths are tried without another inversion: how the variances shrink with the prior is exact for players
        # who do not depend on one another, and nearly so for others.
        shrink = fit.inverse**2 @ np.append(problem.summed(np.ones(len(problem.column))), [0.0, 0.0]) / variances
        before = problem
        for _ in range(ROUNDS):
            point = _maximum(tried, point.at, NEAR)
            before, tried = tried, _spread(tried, point.at, variances / (1 + (tried.sd**-2 - problem.sd**-2) * shrink))
            if _is_close(tried, before, CLOSE / 4):
                break
        problem, rounds = tried, rounds + 1
        point = _maximum(problem, point.at)


def _start(problem: Problem) -> Any:
    """Parameters to begin with: each player as strong as its score would make it against its equals."""
    wins, draws, losses = wins_draws_losses(problem.table, len(problem.column))
    scores = np.log((wins + draws / 2 + 1) / (losses + draws / 2 + 1))
    return np.append(problem.summed(scores) / problem.summed(np.ones(len(scores))), [0.0, 0.0])


def _spread(problem: Problem, at: Any, variances: Any) -> Problem:
    """The same with the prior that these parameters and their variances suggest.

    Its standard deviation is that of strengths around their pool's average, drawn towards the first belief.
    """
    scale, strengths, variances = elo_per_unit(at[-1]), problem.strengths(at), variances[problem.column]
    squares, freedom = PRIOR_PLAYERS * (PRIOR_ELO / scale) ** 2, float(PRIOR_PLAYERS)
    for pool in map(np.array, problem.pools):
        # the variances belong to it: without them the prior would become narrower with every round
        squares += float(((strengths[pool] - strengths[pool].mean()) ** 2 + variances[pool]).sum())
        freedom += len(pool)
    return replace(problem, sd=math.sqrt(squares / freedom), scale=scale)


def _is_close(one: Problem, other: Problem, share: float) -> bool:
    return abs(one.sd / other.sd - 1) < share and abs(one.scale / other.scale - 1) < share


def _maximum(problem: Problem, at: Any, tolerance: float = TOLERANCE) -> Point:
    """The maximum of the posterior, from parameters near it."""
    prior, point = np.diag(problem.prior), problem.point(at)
    for _ in range(STEPS):
        gradient, curvature = _derivatives(problem, point)
        step = np.linalg.solve(curvature + prior, gradient)
        scale, least = 1.0, point.value - ROUNDING * abs(point.value)
        # a whole step of Newton's may go too far: it is halved until the value is no worse
        while (trial := problem.point(point.at + scale * step)).value < least and scale > 1e-6:
            scale /= 2
        point = trial
        if float(np.abs(scale * step).max()) < tolerance:
            break
    return point


def _derivatives(problem: Problem, point: Point) -> tuple[Any, Any]:
    """Gradient of the value, and the negative second derivative of the likelihood alone."""
    at, table, strengths, chances = point.at, problem.table, point.strengths, point.chances
    games, players = table.number, len(strengths)
    points = table.counts[:, 0] + table.counts[:, 2] / 2 - games * chances.points
    drawn = table.counts[:, 2] - games * chances.drawn
    scored = np.bincount(table.first, points, players) - np.bincount(table.second, points, players)
    shared = np.array([points.sum(), drawn.sum()]) - at[-2:] / SHARED_PRIOR_SD**2
    gradient = np.append(problem.summed(scored - strengths / problem.sd**2), shared)
    variance, covariance = games * chances.points_variance, games * chances.covariance
    return gradient, information(
        problem.column[table.first],
        problem.column[table.second],
        problem.size,
        strength=variance,
        first_mover=variance,
        both=variance,
        draw=games * chances.draw_variance,
        strength_draw=covariance,
        first_mover_draw=covariance,
    )


def _ratings(
    numbers: dict[P, int],
    problem: Problem,
    anchors: Mapping[int, float],
    at: Any,
    covariance: Any,
    pairing: float,
    played: ResultTable,
) -> Ratings[P]:
    """played: all games, also those that the fit has not counted."""
    strengths, players, draw = problem.strengths(at), len(numbers), float(at[-1])
    scale = elo_per_unit(draw)
    elos = scale * strengths
    between, first_mover_variance = _in_elo(problem, anchors, at, covariance)
    shown, spread, pool_of = np.zeros(players), np.zeros(players), np.zeros(players, dtype=np.int64)
    for number, pool in enumerate(problem.pools):
        shown[pool], spread[pool] = _on_elo_scale(np.array(pool), elos, between, anchors)
        pool_of[pool] = number
    performed = shown + scale * (performances(played, strengths, at[-2], draw) - strengths)
    wins, draws, losses = wins_draws_losses(played, players)
    rows = {
        player: Rating(
            float(anchors.get(i, shown[i])),
            0.0 if i in anchors else float(Z95 * spread[i]),
            int(wins[i]),
            int(draws[i]),
            int(losses[i]),
            pool=int(pool_of[i]),
            performance=float(performed[i]) if math.isfinite(performed[i]) else None,
            anchor=i in anchors,
        )
        for player, i in numbers.items()
    }
    return Ratings(
        by_player=dict(sorted(rows.items(), key=lambda row: (row[1].pool, -row[1].elo, str(row[0])))),
        first_mover=float(scale * at[-2]),
        first_mover_plus_minus=float(Z95 * math.sqrt(max(0.0, first_mover_variance))),
        draw_rate=draw_rate_of(draw),
        draw_rate_interval=draw_rate_interval(draw, float(covariance[-1, -1])),
        pairing=pairing,
        pools=len(problem.pools),
        spread=scale * problem.sd,
        scale=scale,
        numbers=numbers,
        elos=elos,
        covariance=between,
        draw=draw,
    )


def _in_elo(problem: Problem, anchors: Mapping[int, float], at: Any, covariance: Any) -> tuple[Any, float]:
    """The covariance of the strengths, and the variance of the first-mover advantage, in Elo.

    The scale is uncertain with the draw parameter; two anchors of a pool fix it for their pool.
    """
    draw_rate, scale = draw_rate_of(at[-1]), elo_per_unit(at[-1])
    slope = -scale * draw_rate  # of the scale by the draw parameter
    moved = slope * problem.strengths(at)
    for pool in problem.pools:
        if sum(player in anchors for player in pool) > 1:
            moved[pool] = 0.0
    with_draw = scale * np.outer(covariance[problem.column, -1], moved)
    between = scale**2 * covariance[np.ix_(problem.column, problem.column)]
    between = between + with_draw + with_draw.T + covariance[-1, -1] * np.outer(moved, moved)
    gradient = np.array([scale, slope * at[-2]])
    return between, float(gradient @ covariance[-2:, -2:] @ gradient)


def _on_elo_scale(pool: Any, elos: Any, covariance: Any, anchors: Mapping[int, float]) -> tuple[Any, Any]:
    """Elo, and its standard deviation, of the players of a pool around its zero."""
    anchored = [player for player in pool.tolist() if player in anchors]
    weights = np.isin(pool, anchored[:1]) * 1.0 if anchored else np.full(len(pool), 1 / len(pool))
    shown = (anchors[anchored[0]] if anchored else CENTRE) + elos[pool] - weights @ elos[pool]
    inside = covariance[np.ix_(pool, pool)]
    variance = np.diag(inside) - 2 * (inside @ weights) + weights @ inside @ weights
    return shown, np.sqrt(np.maximum(variance, 0.0))

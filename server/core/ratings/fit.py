"""Ratings: one joint fit of the Bradley-Terry model with draws and first-mover advantage over all games at once.

Model (Davidson 1970 for draws, Davidson and Beaver 1977 for the order of play): with strengths s (natural units),
first-mover advantage f and draw parameter d, a game of i (seat 0) against j (seat 1) has the weights

    seat 0 wins: exp(s_i + f)     seat 1 wins: exp(s_j)     draw: exp(d + (s_i + f + s_j) / 2)

and each result the probability weight / sum. The logarithm is linear in the parameters, so the likelihood is concave
and Newton's method finds its one maximum; a draw counts as half a win for both, exactly. A normal prior on each
strength (standard deviation 350 Elo) keeps perfect scores finite and unconnected groups comparable to the average only
as far as the prior says. Ratings are shown as 1500 + 400 / ln 10 * (s - mean s).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

ELO_PER_UNIT = 400 / math.log(10)
CENTRE = 1500.0
PRIOR_SD = 350 / ELO_PER_UNIT
SHARED_PRIOR_SD = 1.0  # of the first-mover and the draw parameter, in natural units
Z95 = 1.959964
STEPS, TOLERANCE = 100, 1e-9

P = TypeVar("P", bound=Hashable)


class RatedGame(NamedTuple, Generic[P]):
    """One finished game: who had which seat, and the winning seat (None for a draw)."""

    first: P
    second: P
    winner: int | None


class Rating(NamedTuple):
    """Elo around 1500, half the width of its 95 % interval, and what it rests on."""

    elo: float
    plus_minus: float
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many games were rated."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0..1."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0


class Ratings(NamedTuple, Generic[P]):
    """All ratings, best first, and what was fitted beside them.

    first_mover: advantage of seat 0 in Elo.  draw_rate: expected share of draws between equals, 0..1.
    """

    of: dict[P, Rating]
    first_mover: float
    draw_rate: float


def rate(games: Iterable[RatedGame[P]]) -> Ratings[P]:
    """Fit everything at once. No games: no ratings."""
    counts = Counter((game.first, game.second, game.winner) for game in games if game.first != game.second)
    players = sorted({player for first, second, _ in counts for player in (first, second)}, key=str)
    if not players:
        return Ratings({}, 0.0, 0.0)
    table = _table(counts, players)
    fitted, covariance = _fit(table, len(players))
    spread = _centred_sd(covariance, len(players))
    elo = CENTRE + ELO_PER_UNIT * (fitted[: len(players)] - fitted[: len(players)].mean())
    tally = _tally(counts)
    rows = {
        player: Rating(float(elo[i]), float(Z95 * ELO_PER_UNIT * spread[i]), *tally[player])
        for i, player in enumerate(players)
    }
    best_first = dict(sorted(rows.items(), key=lambda row: (-row[1].elo, str(row[0]))))
    draw = math.exp(float(fitted[-1]))
    return Ratings(best_first, float(ELO_PER_UNIT * fitted[-2]), draw / (2 + draw))


def _tally(counts: Counter[tuple[P, P, int | None]]) -> dict[P, list[int]]:
    """Wins, draws and losses of each player."""
    tally: dict[P, list[int]] = {}
    for (first, second, winner), number in counts.items():
        for seat, player in enumerate((first, second)):
            column = 1 if winner is None else 0 if winner == seat else 2
            tally.setdefault(player, [0, 0, 0])[column] += number
    return tally


def _table(counts: Counter[tuple[P, P, int | None]], players: Sequence[P]) -> Any:
    """Rows (first, second, wins of first, wins of second, draws), one for each ordered pair that met."""
    number = {player: i for i, player in enumerate(players)}
    pairs: dict[tuple[int, int], list[int]] = {}
    for (first, second, winner), count in counts.items():
        row = pairs.setdefault((number[first], number[second]), [0, 0, 0])
        row[2 if winner is None else winner] += count
    return np.array([[*pair, *row] for pair, row in sorted(pairs.items())], dtype=np.int64)


def _fit(table: Any, players: int) -> tuple[Any, Any]:
    """The parameters (strengths, first-mover advantage, draw parameter) at the maximum, and their covariance."""
    design = _design(table, players)
    seen = table[:, 2:].astype(np.float64)
    prior = np.full(players + 2, 1 / PRIOR_SD**2)
    prior[players:] = 1 / SHARED_PRIOR_SD**2
    at = np.zeros(players + 2)
    value = _value(design, seen, prior, at)
    hessian = np.diag(prior)
    for _ in range(STEPS):
        gradient, hessian = _derivatives(design, seen, prior, at)
        step = np.linalg.solve(hessian, gradient)
        scale = 1.0
        while (trial := _value(design, seen, prior, at + scale * step)) < value and scale > 1e-6:
            scale /= 2
        at, value = at + scale * step, trial
        if float(np.abs(scale * step).max()) < TOLERANCE:
            break
    _, hessian = _derivatives(design, seen, prior, at)
    return at, np.linalg.inv(hessian)


def _design(table: Any, players: int) -> Any:
    """design[row, result] is the vector of parameter weights in the logarithm of that result's weight."""
    rows = len(table)
    design = np.zeros((rows, 3, players + 2))
    row, first, second = np.arange(rows), table[:, 0], table[:, 1]
    design[row, 0, first] = 1
    design[row, 0, players] = 1
    design[row, 1, second] = 1
    design[row, 2, first] += 0.5
    design[row, 2, second] += 0.5
    design[row, 2, players] = 0.5
    design[row, 2, players + 1] = 1
    return design


def _chances(design: Any, at: Any) -> Any:
    """The probability of each result in each row."""
    weights = design @ at
    weights -= weights.max(axis=1, keepdims=True)
    chances = np.exp(weights)
    return chances / chances.sum(axis=1, keepdims=True)


def _value(design: Any, seen: Any, prior: Any, at: Any) -> float:
    """The logarithm of the posterior density, up to a constant."""
    return float((seen * np.log(_chances(design, at))).sum() - (prior * at * at).sum() / 2)


def _derivatives(design: Any, seen: Any, prior: Any, at: Any) -> tuple[Any, Any]:
    """Gradient, and the negative Hessian (positive definite), of `_value`."""
    chances, games = _chances(design, at), seen.sum(axis=1)
    expected = games[:, None] * chances
    gradient = np.einsum("rk,rkp->p", seen - expected, design) - prior * at
    mean = np.einsum("rk,rkp->rp", chances, design)
    square = np.einsum("rk,rkp,rkq->pq", expected, design, design, optimize=True)
    hessian = square - np.einsum("r,rp,rq->pq", games, mean, mean, optimize=True) + np.diag(prior)
    return gradient, hessian


def _centred_sd(covariance: Any, players: int) -> Any:
    """Standard deviation of each strength's distance from the mean strength."""
    centre = np.eye(players) - 1 / players
    centred = centre @ covariance[:players, :players] @ centre
    return np.sqrt(np.maximum(np.diag(centred), 0.0))

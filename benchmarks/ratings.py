"""How far ratings and the sequential test can be trusted, measured on simulated games with fresh seeds.

python -m benchmarks.ratings coverage [--seeds 1000]    how often 95 % intervals hold the true strengths
python -m benchmarks.ratings pairs [--seeds 20000]      the same for the intervals of one match
python -m benchmarks.ratings bounds [--seeds 20000]     how often an interval with one side only claims too much
python -m benchmarks.ratings sprt [--seeds 1000]        how often the sequential test errs, and its length
python -m benchmarks.ratings speed                      500 and 1,000 bots, a million games
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from scripts.docs import markdown
from tabiya.server.ratings.davidson import chances_of, elo_per_unit
from tabiya.server.ratings.elo import NORMALISED_ELO, score_of
from tabiya.server.ratings.fit import rate
from tabiya.server.ratings.pairs import SCORES, Pairs, mean_and_variance
from tabiya.server.ratings.rating import Ratings
from tabiya.server.ratings.results import RatedGame, RatedPair, Results
from tabiya.server.ratings.sprt import Model, Sprt
from tabiya.server.standings.counters import CountedResults
from tabiya.storage.records import GameResult, MatchId, TournamentId

WINNER = (0, 1, None)
EXACT = 10**7  # games that stand for infinitely many


class Pool(NamedTuple):
    """A model from which games are simulated.

    sd: of the strengths, in Elo.  pairs: of games between any two.  advantage, draw: in natural units.
    opening: standard deviation of what an opening gives to seat 0 in both games of its pair, in natural units.
    style: standard deviation of what an opening gives to one of the players in both.  single: games without pairs.
    rao_kupper: draws by the other model, as a threshold in natural units.
    """

    name: str
    players: int
    pairs: int
    sd: float = 200.0
    advantage: float = 0.2
    draw: float = 0.0
    opening: float = 0.0
    style: float = 0.0
    single: bool = False
    rao_kupper: float = 0.0
    ring: bool = False

    def meetings(self) -> list[tuple[int, int]]:
        """The pairings: all against all, or each against the two next to it."""
        if self.ring:
            return [(i, (i + 1) % self.players) for i in range(self.players)]
        return list(combinations(range(self.players), 2))

    def chances(self, difference: Any) -> Any:
        """Probabilities [..., (seat 0 wins, seat 1 wins, draw)]."""
        flat = np.ravel(difference)
        if self.rao_kupper:
            won, lost = 1 / (1 + np.exp(self.rao_kupper - flat)), 1 / (1 + np.exp(self.rao_kupper + flat))
            results = np.stack([won, lost, 1 - won - lost], axis=1)
        else:
            found = chances_of(flat, self.draw)
            results = np.stack([found.won, 1 - found.won - found.drawn, found.drawn], axis=1)
        return results.reshape(*np.shape(difference), 3)


POOLS = (
    Pool("independent games, 6 players, 10 games each way", 6, 10, single=True),
    Pool("few: 6 players, 2 pairs each", 6, 2),
    Pool("8 players, 10 pairs each", 8, 10),
    Pool("2 players, 30 pairs", 2, 30),
    Pool("2 players, 5 pairs", 2, 5),
    Pool("wide: 8 players, strengths 500 Elo apart, 10 pairs", 8, 10, sd=500.0),
    Pool("unbalanced openings, 6 players, 10 pairs each", 6, 10, opening=2.0),
    Pool("unbalanced openings, 2 players, 50 pairs", 2, 50, opening=2.0),
    Pool("openings that suit one player, 6 players, 20 pairs each", 6, 20, style=1.5),
    Pool("openings that suit one player, 2 players, 50 pairs", 2, 50, style=1.5),
    Pool("many draws, 6 players, 20 pairs each", 6, 20, draw=3.0),
    Pool("no draws, 6 players, 20 pairs each", 6, 20, draw=-8.0),
    Pool("draws by Rao and Kupper, 6 players, 20 pairs each", 6, 20, rao_kupper=0.8),
    Pool("a ring of 12 players, 10 pairs each", 12, 10, ring=True),
    Pool("a class: 40 players in a ring, 9 pairs each", 40, 9, ring=True),
)


def simulated(pool: Pool, strengths: Any, draw: np.random.Generator) -> Results[int]:
    """The games of one pool."""
    results: Results[int] = Results()
    for one, two in pool.meetings():
        gap = strengths[one] - strengths[two]
        gives, suits = draw.normal(0, 1, (2, pool.pairs)) * [[pool.opening], [pool.style]]
        first = _drawn(pool.chances(gap + suits + pool.advantage + gives), draw)
        second = _drawn(pool.chances(-gap - suits + pool.advantage + gives), draw)
        for a, b in zip(first, second, strict=True):
            pair = RatedPair(one, two, (WINNER[a], WINNER[b]))
            if pool.single:
                for game in pair.games:
                    results.add(game)
            else:
                results.add_pair(pair)
    return results


def _drawn(chances: Any, draw: np.random.Generator) -> Any:
    return (draw.random((len(chances), 1)) > np.cumsum(chances[:, :2], axis=1)).sum(axis=1)


def truth(pool: Pool, strengths: Any) -> Ratings[int]:
    """The ratings from infinitely many games of this pool: the mean over openings, fitted by the same model."""
    if not (pool.opening or pool.style or pool.rao_kupper):
        return _plain(pool, strengths)
    openings, weights = np.polynomial.hermite_e.hermegauss(41)
    weights /= weights.sum()
    results: Results[int] = Results()
    for one, two in pool.meetings():
        gap = strengths[one] - strengths[two]
        spread = math.hypot(pool.opening, pool.style) * openings
        for first, second, ahead in ((one, two, gap), (two, one, -gap)):
            mean = weights @ pool.chances(ahead + pool.advantage + spread)
            for column, winner in enumerate(WINNER):
                results.add(RatedGame(first, second, winner), round(EXACT * float(mean[column])))
    return rate(results)


def _plain(pool: Pool, strengths: Any) -> Ratings[int]:
    numbers = {player: player for player in range(pool.players)}
    scale = elo_per_unit(pool.draw)
    return Ratings(first_mover=pool.advantage * scale, elos=scale * strengths, numbers=numbers)


class Held(NamedTuple):
    """Shares of the intervals that held the truth: of ratings, of all differences, of the first-mover advantage."""

    ratings: float
    differences: float
    first_mover: float
    width: float


def coverage(pool: Pool, seeds: int) -> Held:
    """How often the intervals hold the truth over so many seeds, each with other strengths. width: mean, in Elo."""
    counts = np.zeros((3, 2))
    widths = []
    for seed in range(seeds):
        draw = np.random.default_rng(seed)
        strengths = draw.normal(0, pool.sd / elo_per_unit(pool.draw), pool.players)
        true, found = truth(pool, strengths), rate(simulated(pool, strengths, draw))
        at = np.array([true.elos[true.numbers[player]] for player in range(pool.players)])
        at = at - at.mean() + 1500
        for player, rating in found.by_player.items():
            counts[0] += abs(rating.elo - at[player]) <= rating.plus_minus, 1
            widths.append(rating.plus_minus)
        for one, two in combinations(range(pool.players), 2):
            compared = found.compare(one, two)
            if compared is not None:
                counts[1] += abs(compared.difference - at[one] + at[two]) <= compared.plus_minus, 1
        counts[2] += abs(found.first_mover - true.first_mover) <= found.first_mover_plus_minus, 1
    shares = counts[:, 0] / counts[:, 1]
    ratings, differences, first_mover = map(float, shares)
    return Held(ratings, differences, first_mover, float(np.mean(widths)))


def print_heads(*heads: str, right: int = 1) -> None:
    """The first two lines of a table, the columns from `right` on set to the right."""
    print(markdown.table(heads, (), right))


def print_coverage(seeds: int) -> None:
    """The table of docs/explanation/ratings.md."""
    print(f"95 % intervals that hold the truth, over {seeds} seeds each, in %")
    print_heads("pool", "ratings", "differences", "first-mover advantage", "mean ± Elo")
    for pool in POOLS:
        held = coverage(pool, seeds)
        shares = " | ".join(f"{100 * share:.1f}" for share in held[:3])
        print(f"| {pool.name} | {shares} | {held.width:.0f} |", flush=True)


# --- one match


def tilted(model: Model, elo: float, ordinary: tuple[float, ...]) -> list[float]:
    """A distribution of the points of a pair: an ordinary one, tilted until the strength is `elo`."""

    def strength(shares: list[float]) -> float:
        mean, variance = mean_and_variance(shares)
        if model == "logistic":
            return mean - score_of(elo)
        return mean - 0.5 - math.sqrt(2 * variance) * elo / NORMALISED_ELO

    def at(by: float) -> list[float]:
        weights = [share * math.exp(by * score) for share, score in zip(ordinary, SCORES, strict=True)]
        return [weight / sum(weights) for weight in weights]

    low, high = -30.0, 30.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if strength(at(middle)) < 0 else (low, middle)
    return at(low)


ORDINARY = {
    "chess programs": (1.0, 23.0, 51.0, 24.0, 1.0),
    "few draws": (20.0, 8.0, 44.0, 8.0, 20.0),
    "openings decide": (2.0, 4.0, 88.0, 4.0, 2.0),
}


def print_pairs(seeds: int) -> None:
    """How often both intervals of a match hold the truth."""
    print(f"95 % intervals of one match that hold the truth, over {seeds} seeds each, in %: Elo, normalised Elo")
    lengths = (5, 10, 20, 50, 200, 1_000)
    print_heads("results", "Elo", *(f"{pairs} pairs" for pairs in lengths))
    for name, ordinary in ORDINARY.items():
        for elo in (0, 50, 200):
            shares = tilted("logistic", elo, ordinary)
            cells = [_pairs_held(shares, pairs, seeds) for pairs in lengths]
            print(f"| {name} | {elo} |" + "".join(f" {a:.1f}, {b:.1f} |" for a, b in cells), flush=True)


def _pairs_held(shares: list[float], pairs: int, seeds: int) -> tuple[float, float]:
    draw = np.random.default_rng(pairs)
    exact = _pairs([round(10**12 * share) for share in shares])
    held = np.zeros(2)
    for counts in draw.multinomial(pairs, shares, size=seeds).tolist():
        found = _pairs(counts)
        low, high = found.elo_interval
        off = abs(found.normalised_elo - exact.normalised_elo)
        held += low <= exact.elo <= high, off <= found.normalised_plus_minus
    return float(100 * held[0] / seeds), float(100 * held[1] / seeds)


def print_bounds(seeds: int) -> None:
    """How often the interval of a match has a lower end only, and how often that lies above the truth."""
    print(f"matches with a lower bound only, and those whose bound is above the truth, in % of {seeds} matches")
    lengths = (5, 10, 20, 50, 200)
    print_heads("results", "Elo", *(f"{pairs} pairs" for pairs in lengths))
    for name, ordinary in (ORDINARY | {"both games alike": (50.0, 0.01, 0.01, 0.01, 50.0)}).items():
        for elo in (100, 200, 400, 800):
            shares = tilted("logistic", elo, ordinary)
            cells = [bounds_wrong(shares, pairs, elo, seeds) for pairs in lengths]
            print(f"| {name} | {elo} |" + "".join(f" {a:.0f}, {b:.1f} |" for a, b in cells), flush=True)


def bounds_wrong(shares: list[float], pairs: int, elo: float, seeds: int) -> tuple[float, float]:
    """The share of matches, in %, with a lower bound only, and of those in which it lies above `elo`, the truth."""
    draw, shown, wrong = np.random.default_rng(pairs), 0, 0
    for counts in draw.multinomial(pairs, shares, size=seeds).tolist():
        low, high = _pairs(counts).elo_interval
        one_sided = math.isinf(high) and math.isfinite(low)
        shown, wrong = shown + one_sided, wrong + (one_sided and low > elo)
    return 100 * shown / seeds, 100 * wrong / seeds


def _pairs(counts: list[int]) -> Pairs:
    a, b, c, d, e = counts
    return Pairs((a, b, c, d, e))


# --- the sequential test


def print_sprt(seeds: int) -> None:
    """How often the test errs, and how long it takes."""
    print(f"errors of the sequential test with alpha = beta = 5 %, over {seeds} runs each")
    print_heads("model", "results", "H0, H1", "true Elo", "accepted H0", "accepted H1", "mean pairs", right=3)
    for model, bounds, name in _tests():
        test = Sprt(*bounds, model=model)
        for elo in (bounds[0], bounds[1]):
            shares = tilted(model, elo, ORDINARY[name])
            runs = [_run(test, shares, np.random.default_rng(seed), bounds) for seed in range(seeds)]
            won = 100 * sum(verdict == "accept H1" for verdict, _ in runs) / seeds
            mean = np.mean([pairs for _, pairs in runs])
            row = f"| {model} | {name} | {bounds[0]:g}, {bounds[1]:g} | {elo:g} |"
            print(f"{row} {100 - won:.1f} % | {won:.1f} % | {mean:.0f} |", flush=True)


def _tests() -> Iterator[tuple[Model, tuple[float, float], str]]:
    for name in ORDINARY:
        yield "normalized", (0, 20), name
        yield "logistic", (0, 20), name
    yield "normalized", (-10, 10), "chess programs"
    yield "normalized", (0, 80), "chess programs"
    yield "logistic", (0, 80), "few draws"


def _run(test: Sprt, shares: list[float], draw: np.random.Generator, bounds: tuple[float, float]) -> tuple[str, int]:
    """One test: a short one looked at after each pair, a long one after every 20."""
    every = 1 if bounds[1] - bounds[0] >= 80 else 20
    counts, pairs = np.zeros(5, dtype=np.int64), 0
    while True:
        counts += draw.multinomial(every, shares)
        pairs += every
        verdict = test.verdict(_pairs(counts.tolist()))
        if verdict != "go on":
            return verdict, pairs


# --- speed


def print_speed() -> None:
    """500 and 1,000 bots, all against all, a million games in pairs."""
    for players, pairs in (500, 4), (1_000, 1):
        pool, draw = Pool("speed", players, pairs, sd=300.0), np.random.default_rng(1)
        results = simulated(pool, draw.normal(0, pool.sd / elo_per_unit(pool.draw), pool.players), draw)
        games = int(results.games().number.sum())
        began, spent = time.perf_counter(), time.process_time()
        found = rate(results)
        took, spent = time.perf_counter() - began, time.process_time() - spent
        print(f"{players} bots, {games:,} games: ratings and intervals in {took:.2f} s ({spent:.2f} s of processor)")
        began = time.perf_counter()
        found.superiorities(list(found.by_player)[:100])
        print(f"likelihoods of superiority, 100 x 100: {time.perf_counter() - began:.2f} s")
    print(f"counting what is new: {counting_us(100_000):.1f} µs of processor a game")


def _seated(number: int) -> tuple[str, str]:
    """Two bots, in their second game on changed seats."""
    one, other = f"bot{number // 2 % 500}", f"bot{number // 2 % 499}"
    return (other, one) if number % 2 else (one, other)


def counting_us(games: int) -> float:
    """Processor time for counting one stored result of a tournament, in microseconds."""
    stored = [
        GameResult(
            number=number + 1,
            match_id=MatchId(number + 1),
            key="",
            game="speed",
            bots=_seated(number),
            versions=("1", "1"),
            time_control="60+0.5",
            rated=True,
            winner=(0, 1, None)[number % 3],
            ending="resignation",
            tournament_id=TournamentId(1),
            pairing=number // 2,
            game_index=number % 2,
            ended_at=0.0,
        )
        for number in range(games)
    ]
    tally, began = CountedResults(), time.process_time()
    tally.add_all(stored)
    return (time.process_time() - began) / games * 1e6


def main() -> None:
    """Run one campaign."""
    campaigns: dict[str, tuple[Callable[..., None], int]] = {
        "coverage": (print_coverage, 1_000),
        "pairs": (print_pairs, 20_000),
        "bounds": (print_bounds, 20_000),
        "sprt": (print_sprt, 1_000),
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("campaign", choices=[*campaigns, "speed"])
    parser.add_argument("--seeds", type=int, default=0)
    given = parser.parse_args()
    if given.campaign == "speed":
        print_speed()
    else:
        run, usual = campaigns[given.campaign]
        run(given.seeds or usual)


if __name__ == "__main__":
    main()

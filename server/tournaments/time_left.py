"""Estimates how long a tournament will still take, as a range, by simulating the open games many times.

Each time, a game under way gets a whole duration from those of the games so far that took longer than it has taken by
now (and no more than its clocks allow), and a game to come one from all of these; games start as places become free.
The range leaves out a fiftieth at either end. docs/reference/tournaments.md says how often the truth lies in it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tabiya.server.pairing.open_games import Chain, Stage
from tabiya.server.pairing.state import GAMES_PER_MEETING

SAMPLES = 200
MIN_ENDED = 4  # with fewer games nothing is said, nor with fewer than run: the first to end are the short ones
MOST_DRAWN, MOST_DURATIONS = 400, 400  # games to come beyond these are taken as the mean; older durations are forgotten
MAX_ESTIMATE_S = 31 * 86_400.0  # a longer estimate means that a game or the server hangs; nothing can be said then
QUANTILES = (0.02, 0.98)
FIRST_SPREAD = 0.5  # how far the games to come may differ from those so far, as the spread of a factor, after one game
Samples = NDArray[np.float64]
NOTHING: Samples = np.zeros(SAMPLES)


class PlayedGame(NamedTuple):
    """A game with its times in seconds. ended: None while it runs.  most_s: what its clocks still allow at most."""

    entrants: tuple[int, int]
    began: float
    ended: float | None = None
    most_s: float | None = None


class OpenGames(NamedTuple):
    """What is to be played. by_entrant: games that each has to play, where one bot's games can be what lasts longest.

    at_once: games at the same time, at most.  per_bot: those of one bot.
    """

    stages: Sequence[Stage]
    by_entrant: Mapping[int, int]
    at_once: int
    per_bot: int


class TimeLeft(NamedTuple):
    """Seconds, from and to, and the middle: as likely to be longer as shorter."""

    from_s: float
    to_s: float
    middle_s: float


def time_left(games: Mapping[int, PlayedGame], to_play: OpenGames, now: float) -> TimeLeft | None:
    """The range in which the rest lies; None as long as it cannot be told, or beyond a month.

    games: by number, those under way too.
    """
    ended = [game for game in games.values() if game.ended is not None]
    running = {number: game for number, game in games.items() if game.ended is None}
    if len(ended) < max(MIN_ENDED, len(running)) or not any(to_play.stages):
        return None
    ended.sort(key=lambda game: game.began)
    took = np.array([max(0.001, (game.ended or 0) - game.began) for game in ended[-MOST_DURATIONS:]])
    draw = _Draw(took, running, now)
    spans = [(game.began, now if game.ended is None else game.ended) for game in (*ended, *running.values())]
    usual, most = _places(spans[-MOST_DURATIONS:])
    # where rounds wait for their last game places stand empty, as they will in the rounds played out here
    places = min(to_play.at_once, usual if to_play.by_entrant else most)
    at = np.zeros(SAMPLES)
    for stage in to_play.stages:
        at += _stage(draw, stage, places, to_play.per_bot, at)
    row = _longest_row(draw, ended, to_play)
    if np.median(row) > np.median(at):
        at = row
    low, middle, high = (float(each) for each in np.quantile(at, [QUANTILES[0], 0.5, QUANTILES[1]]))
    return TimeLeft(low, high, middle) if high <= MAX_ESTIMATE_S else None


class _Draw:
    """Durations by chance, one row a sample. Always the same for the same games, so that a page does not flicker."""

    def __init__(self, took: NDArray[np.float64], running: Mapping[int, PlayedGame], now: float) -> None:
        self._random = np.random.default_rng(7)
        ordered = np.sort(took)
        self.rest: dict[int, Samples] = {}  # of the games under way
        whole = []
        for number, game in running.items():
            age = max(0.0, now - game.began)
            longer = ordered[np.searchsorted(ordered, age, side="right") :]
            beyond = age * (1 + self._random.exponential(0.5, SAMPLES))
            # one more game, longer than all so far, represents durations not seen yet
            at = self._random.integers(0, len(longer) + 1, SAMPLES)
            drawn = np.where(at < len(longer), np.append(longer, 0.0)[at], np.maximum(beyond, ordered[-1]))
            rest = drawn - age
            self.rest[number] = rest if game.most_s is None else np.minimum(rest, game.most_s)
            whole.append(age + self.rest[number])
        pool = np.broadcast_to(ordered, (SAMPLES, len(ordered)))
        self._pool = np.column_stack([pool, *whole]) if whole else pool
        # the games so far are themselves a sample: in each row some count more, and all are a little off
        shares = self._random.exponential(1.0, self._pool.shape)
        self._cumulated = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1)
        self._factor = np.exp(self._random.normal(0, FIRST_SPREAD / math.sqrt(len(ordered)), SAMPLES))
        self.mean: Samples = (self._pool * shares / shares.sum(axis=1, keepdims=True)).sum(axis=1) * self._factor

    def durations(self, count: int) -> Samples:
        """Drawn durations of `count` games, for each sample."""
        chosen = self._random.random((SAMPLES, count))
        at = np.array([np.searchsorted(row, pick) for row, pick in zip(self._cumulated, chosen, strict=True)])
        at = np.minimum(at, self._pool.shape[1] - 1)
        return np.take_along_axis(self._pool, at, axis=1) * self._factor[:, None]

    def happens(self, chance: float) -> NDArray[np.bool_]:
        """In which samples something of this probability happens."""
        return self._random.random(SAMPLES) < chance


def _stage(draw: _Draw, stage: Stage, places: float, per_bot: int, since: Samples) -> Samples:
    """How long a stage takes. since: how long after now it begins, which its games under way do not wait for."""
    if not stage:
        return np.zeros(SAMPLES)
    begun = [chain for chain in stage if chain.running]
    fresh = [chain for chain in stage if not chain.running]
    count = max(1, min(round(places), len(stage)))
    slower = max(1.0, count / places)  # places that are not always taken
    free = np.zeros((SAMPLES, count))
    rows = _rows(draw, [*begun, *fresh[:MOST_DRAWN]], per_bot)
    for at, chain in enumerate(begun):
        # state and matches are not read at the same moment: a game may have ended meanwhile, or not begun yet
        rest = np.max([draw.rest.get(number, NOTHING) for number in chain.running], axis=0) - since
        rows[:, at] += np.maximum(0, rest)
    rows[:, len(begun) :] *= slower
    free += rows[:, :count]
    for at in range(count, rows.shape[1]):
        free[np.arange(SAMPLES), np.argmin(free, axis=1)] += rows[:, at]
    later = sum(chain.pending for chain in fresh[MOST_DRAWN:])
    return np.asarray(free.max(axis=1) + later * draw.mean * slower / count)


def _rows(draw: _Draw, chains: Sequence[Chain], per_bot: int) -> Samples:
    """For each chain, a column, its games to come: one after the other, or at once where bots play several games."""
    together = np.add if per_bot == 1 else np.maximum
    rows = np.zeros((SAMPLES, len(chains)))
    open_ones = [at for at, chain in enumerate(chains) if chain.pending]
    if open_ones:
        begins = np.cumsum([0, *(chains[at].pending for at in open_ones)])
        rows[:, open_ones] = together.reduceat(draw.durations(int(begins[-1])), begins[:-1], axis=1)
    for at, chain in enumerate(chains):
        if chain.again:
            rows[:, at] += together.reduce(draw.durations(GAMES_PER_MEETING), axis=1) * draw.happens(chain.again)
    return rows


def _longest_row(draw: _Draw, ended: Sequence[PlayedGame], to_play: OpenGames) -> Samples:
    """The games of the bot that has most to play, one after the other and as slow as it is."""
    own: dict[int, list[float]] = {}
    for game in ended:
        for entrant in game.entrants:
            own.setdefault(entrant, []).append((game.ended or 0) - game.began)
    usual = sum(map(sum, own.values())) / max(1, sum(map(len, own.values())))

    def pace(entrant: int) -> float:
        took = own.get(entrant, [])
        return (sum(took) + 2 * usual) / ((len(took) + 2) * usual)  # as if two usual games had been played

    left = {entrant: games / to_play.per_bot for entrant, games in to_play.by_entrant.items()}
    most = max((games * pace(entrant) for entrant, games in left.items() if games > 1), default=0.0)
    if not most:
        return np.zeros(SAMPLES)
    # a game that runs has half of its time behind it
    drawn = draw.durations(max(1, min(round(most), MOST_DRAWN)))
    return np.asarray(drawn.mean(axis=1) * max(0.0, most - 0.5))


def _places(spans: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """How many games have run at the same time: on the average of the time in which any ran, and at most."""
    changes = sorted([*((began, 1) for began, _ in spans), *((over, -1) for _, over in spans)])
    running, most, busy, any_ran = 0, 1, 0.0, 0.0
    for (at, change), (then, _) in pairwise(changes):
        running += change
        most = max(most, running)
        busy += running * (then - at)
        any_ran += (then - at) * (running > 0)
    return max(1.0, busy / any_ran) if any_ran else 1.0, float(most)

"""The openings of a match: those given, or drawn by its seed; one for each pair, or one for each game."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import cycle, islice
from typing import Any

import msgspec

from tabiya.games.openings import Opening, distinct_openings
from tabiya.games.registry import load_game
from tabiya.match.plan import MatchPlan
from tabiya.server.tournaments.openings import given_openings

MATCHES = 16  # whose openings are remembered


class MatchOpenings:
    """In their order, distinct until there are no more; drawn when they are needed."""

    def __init__(self, game: str, options: dict[str, Any], seed: int, given: tuple[str, ...]) -> None:
        rules = load_game(game)
        draws: Iterable[Opening] = given_openings(rules, options, given) or distinct_openings(rules, seed, options)
        self._draws, self._drawn = cycle(draws), list[Opening]()

    def of(self, place: int) -> Opening:
        """The opening in this place, from 0."""
        self._drawn += islice(self._draws, max(0, place + 1 - len(self._drawn)))
        return self._drawn[place]


def opening_of(plan: MatchPlan, number: int) -> Opening:
    """The opening of a game, from 0; the next of its pair has the same one, or the next one. Raises GameError."""
    return openings_of(plan).of(number // 2 if plan.paired else number)


def openings_of(plan: MatchPlan) -> MatchOpenings:
    """The openings of a match; matches with the same ones share one object. Raises GameError."""
    return _openings(plan.game, msgspec.json.encode(sorted(plan.options.items())), plan.seed, plan.openings)


@lru_cache(maxsize=MATCHES)
def _openings(game: str, options: bytes, seed: int, given: tuple[str, ...]) -> MatchOpenings:
    return MatchOpenings(game, dict(msgspec.json.decode(options)), seed, given)

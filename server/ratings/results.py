"""The games that are rated, counted: a million of them between 500 players are at most a million small numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

from tabiya.server.ratings.pairs import Pairs
from tabiya.server.ratings.result_table import ResultTable, result_table

P = TypeVar("P", bound=Hashable)
Q = TypeVar("Q", bound=Hashable)

PLACE: dict[int | None, int] = {0: 0, 1: 1, None: 2}
"""Column of a result: seat 0 won, seat 1 won, draw."""
POINTS = (1.0, 0.0, 0.5)
"""Of seat 0, by column."""
Rows = list[tuple[int, int, list[int]]]
"""Numbers of two players, and how often each result was seen."""
NO_GAMES, NO_PAIRS = [0] * 3, [0] * 9


class RatedGame(NamedTuple, Generic[P]):
    """One finished game: who had which seat, and the winning seat (None for a draw)."""

    first: P
    second: P
    winner: int | None


class RatedPair(NamedTuple, Generic[P]):
    """Two games from one opening with seats changed. first: had seat 0 in the first game.

    winners: the winning seat of each game (None for a draw).
    """

    first: P
    second: P
    winners: tuple[int | None, int | None]

    @property
    def games(self) -> tuple[RatedGame[P], RatedGame[P]]:
        """Both games."""
        return RatedGame(self.first, self.second, self.winners[0]), RatedGame(self.second, self.first, self.winners[1])


class Between(NamedTuple):
    """What two players made of their games against each other, seen by the first. pairs: those of them that are."""

    wins: int
    draws: int
    losses: int
    pairs: Pairs


class Results(Generic[P]):
    """How often each game and each pair occurred. Games of a player against itself say nothing and are left out.

    numbers: of the players, in the order in which they came.
    """

    def __init__(self, games: Iterable[RatedGame[P]] = (), pairs: Iterable[RatedPair[P]] = ()) -> None:
        """games: those without a pair."""
        self.numbers: dict[P, int] = {}
        self._games: dict[tuple[int, int], list[int]] = {}
        self._pairs: dict[tuple[int, int], list[int]] = {}
        for game in games:
            self.add(game)
        for pair in pairs:
            self.add_pair(pair)

    def add(self, game: RatedGame[P], number: int = 1) -> None:
        """Count a game without a pair so often; a negative number takes it back."""
        if game.first != game.second:
            key = self._number(game.first), self._number(game.second)
            self._games.setdefault(key, [*NO_GAMES])[PLACE[game.winner]] += number

    def add_pair(self, pair: RatedPair[P], number: int = 1) -> None:
        """Count both games of a pair so often."""
        if pair.first != pair.second:
            one, two = map(PLACE.__getitem__, pair.winners)
            self._count_pair(self._number(pair.first), self._number(pair.second), one, two, number)

    def _count_pair(self, first: int, second: int, one: int, two: int, number: int) -> None:
        """Count a pair, turned so that the player with the lower number is the first: one row for two players."""
        if first > second:
            first, second, one, two = second, first, two, one
        self._pairs.setdefault((first, second), [*NO_PAIRS])[3 * one + two] += number

    def _number(self, player: P) -> int:
        return self.numbers.setdefault(player, len(self.numbers))

    def rows(self) -> tuple[list[P], Rows, Rows]:
        """The players in the order of their numbers, and what is counted of games and of pairs between two of them."""
        games, pairs = ([(*key, counts) for key, counts in each.items()] for each in (self._games, self._pairs))
        return list(self.numbers), games, pairs

    @classmethod
    def from_rows(cls, players: Iterable[P], games: Rows, pairs: Rows) -> Results[P]:
        """The same again of what `rows` gave."""
        results = cls()
        results.numbers = {player: number for number, player in enumerate(players)}
        results._games = {(first, second): list(counts) for first, second, counts in games}
        results._pairs = {(first, second): list(counts) for first, second, counts in pairs}
        return results

    def renamed(self, rename: Callable[[P], Q]) -> Results[Q]:
        """The same between players called otherwise, such as all versions of a bot by one name."""
        renamed: Results[Q] = Results()
        to = [rename(player) for player in self.numbers]
        for (first, second), counts in self._games.items():
            if to[first] != to[second]:
                row = renamed._games.setdefault((renamed._number(to[first]), renamed._number(to[second])), [*NO_GAMES])
                row[:] = map(sum, zip(row, counts, strict=True))
        for (first, second), counts in self._pairs.items():
            if to[first] != to[second]:
                i, j = renamed._number(to[first]), renamed._number(to[second])
                for place, count in enumerate(counts):
                    renamed._count_pair(i, j, *divmod(place, 3), count)
        return renamed

    def games(self) -> ResultTable:
        """Every game, those of pairs too; players that met in pairs and singly have two rows."""
        single, pairs = result_table(self._games, (3,)), self.pairs()
        return single.joined(
            ResultTable(pairs.first, pairs.second, pairs.counts.sum(axis=2)),
            ResultTable(pairs.second, pairs.first, pairs.counts.sum(axis=1)),
        )

    def pairs(self) -> ResultTable:
        """Every pair, once for each two players."""
        return result_table(self._pairs, (3, 3))

    def between(self, one: P, other: P) -> Between:
        """The games of two players against each other."""
        if one == other or one not in self.numbers or other not in self.numbers:
            return Between(0, 0, 0, Pairs())
        i, j = self.numbers[one], self.numbers[other]
        pairs, points = Pairs(), Counter[float]()
        for place, number in enumerate(self._pairs.get((min(i, j), max(i, j)), NO_PAIRS)):
            scores = POINTS[place // 3], 1 - POINTS[place % 3]  # of the player with the lower number
            scores = scores if i < j else (1 - scores[0], 1 - scores[1])
            pairs = pairs.plus(*scores, number)
            for score in scores:
                points[score] += number
        for key, of_first in (((i, j), POINTS), ((j, i), [1 - score for score in POINTS])):
            for score, number in zip(of_first, self._games.get(key, NO_GAMES), strict=True):
                points[score] += number
        return Between(points[1], points[0.5], points[0], pairs)

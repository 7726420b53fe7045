"""Counts of rated games: a million games between 500 players are at most a million small numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from tabiya.server.ratings.counted_rows import CountedRows
from tabiya.server.ratings.pairs import Pairs
from tabiya.server.ratings.result_table import ResultTable, result_table

P = TypeVar("P", bound=Hashable)
Q = TypeVar("Q", bound=Hashable)

PLACE: dict[int | None, int] = {0: 0, 1: 1, None: 2}
"""Column of a result: seat 0 won, seat 1 won, draw."""
POINTS = (1.0, 0.0, 0.5)
"""Of seat 0, by column."""
NOBODY = -1
"""Number of a player that is left out."""
OF_GAMES, OF_PAIRS = 3, 9
"""Columns: of a game's results; of those of a pair, the first game's times three and the second's."""


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
        return RatedGame(self.first, self.second, self.winners[0]), RatedGame(self.second, self.first, self.winners[1])


class GamesBetween(NamedTuple):
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
        self._games, self._pairs = CountedRows(OF_GAMES), CountedRows(OF_PAIRS)
        for game in games:
            self.add(game)
        for pair in pairs:
            self.add_pair(pair)

    def add(self, game: RatedGame[P], number: int = 1) -> None:
        """Count a game without a pair so often; a negative number takes it back."""
        if game.first != game.second:
            self._games.add(self._number(game.first), self._number(game.second), PLACE[game.winner], number)

    def add_pair(self, pair: RatedPair[P], number: int = 1) -> None:
        """Count both games of a pair so often."""
        if pair.first != pair.second:
            one, two = map(PLACE.__getitem__, pair.winners)
            first, second = self._number(pair.first), self._number(pair.second)
            if first > second:  # turned so that the player with the lower number is the first: one row for two players
                first, second, one, two = second, first, two, one
            self._pairs.add(first, second, 3 * one + two, number)

    def _number(self, player: P) -> int:
        return self.numbers.setdefault(player, len(self.numbers))

    def written(self) -> tuple[list[P], bytes, bytes]:
        """The players in the order of their numbers, and what is counted of games and of pairs, to be written down."""
        return list(self.numbers), self._games.written(), self._pairs.written()

    @classmethod
    def read(cls, players: Iterable[P], games: bytes, pairs: bytes) -> Results[P]:
        """The same again of what `written` gave. Raises ValueError for anything else."""
        results = cls()
        results.numbers = {player: number for number, player in enumerate(players)}
        results._games = CountedRows.read(OF_GAMES, games, len(results.numbers))
        results._pairs = CountedRows.read(OF_PAIRS, pairs, len(results.numbers))
        return results

    def renamed(self, rename: Callable[[P], Q | None]) -> Results[Q]:
        """The same between players called otherwise, such as all versions of a bot by one name; None leaves one out."""
        new = [rename(player) for player in self.numbers]
        names = {name: number for number, name in enumerate(dict.fromkeys(name for name in new if name is not None))}
        to = np.array([NOBODY if name is None else names[name] for name in new], dtype=np.int64)
        games, pairs = _between_others(self._games.table(), to), _between_others(self._pairs.table(), to)
        turned = pairs[:, 0] > pairs[:, 1]
        pairs[turned] = pairs[turned][:, [1, 0, *(2 + 3 * two + one for one in range(3) for two in range(3))]]
        played = np.unique(np.concatenate([games[:, :2].ravel(), pairs[:, :2].ravel()]))
        renamed: Results[Q] = Results()
        called = list(names)
        renamed.numbers = {called[player]: number for number, player in enumerate(played.tolist())}
        for table in (games, pairs):
            table[:, :2] = np.searchsorted(played, table[:, :2])
        renamed._games, renamed._pairs = CountedRows.of_table(OF_GAMES, games), CountedRows.of_table(OF_PAIRS, pairs)
        return renamed

    def games(self) -> ResultTable:
        """Every game, those of pairs too; players that met in pairs and singly have two rows."""
        single, pairs = result_table(self._games.table(), (3,)), self.pairs()
        return single.joined(
            ResultTable(pairs.first, pairs.second, pairs.counts.sum(axis=2)),
            ResultTable(pairs.second, pairs.first, pairs.counts.sum(axis=1)),
        )

    def pairs(self) -> ResultTable:
        """Every pair, once for each two players."""
        return result_table(self._pairs.table(), (3, 3))

    def between(self, one: P, other: P) -> GamesBetween:
        """The games of two players against each other."""
        if one == other or one not in self.numbers or other not in self.numbers:
            return GamesBetween(0, 0, 0, Pairs())
        i, j = self.numbers[one], self.numbers[other]
        pairs, points = Pairs(), Counter[float]()
        for place, number in enumerate(self._pairs.of(min(i, j), max(i, j))):
            scores = POINTS[place // 3], 1 - POINTS[place % 3]  # of the player with the lower number
            scores = scores if i < j else (1 - scores[0], 1 - scores[1])
            pairs = pairs.plus(*scores, number)
            for score in scores:
                points[score] += number
        for seats, of_first in (((i, j), POINTS), ((j, i), [1 - score for score in POINTS])):
            for score, number in zip(of_first, self._games.of(*seats), strict=True):
                points[score] += number
        return GamesBetween(points[1], points[0.5], points[0], pairs)


def _between_others(table: Any, to: Any) -> Any:
    """The rows of a table with other player numbers, without unnumbered players and games against oneself."""
    table = table.astype(np.int64)
    table[:, :2] = to[table[:, :2]]
    return table[(table[:, 0] != table[:, 1]) & (table[:, :2] != NOBODY).all(axis=1)]

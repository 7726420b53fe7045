"""Counters of the results so far: all that the standings need of them, and the text in which they are kept."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from tabiya.server.matches.pair_keys import place_in_run
from tabiya.server.ratings.results import RatedGame, RatedPair, Results
from tabiya.storage.records import GameResult

COUNTED_AS = 2
"""Rises when the same results are counted otherwise; what was kept before is then counted anew."""
FAST = 1  # of zlib's levels: the tables are mostly zeros, and become a tenth at any level
Place = tuple[int | str, int, int]  # tournament, mini-match, game of it; or run of pairs, 0, game of it


class Player(NamedTuple):
    """One version of a bot, or with an empty version all of them."""

    bot: str
    version: str


class View(NamedTuple):
    """Options of the standings. pooled: rate all versions of a bot as one.  anchors: (bot, rating) in any order."""

    pooled: bool = False
    anchors: tuple[tuple[str, float], ...] = ()

    @property
    def rename(self) -> Callable[[Player], Player]:
        """Maps a version of a bot to the player it counts for in this view."""
        return (lambda player: Player(player.bot, "")) if self.pooled else (lambda player: player)


class Endings(NamedTuple):
    """How often a player won, drew and lost by each ending."""

    won: Counter[str]
    drawn: Counter[str]
    lost: Counter[str]


def no_endings() -> Endings:
    """Empty counters."""
    return Endings(Counter(), Counter(), Counter())


class ResultCounters:
    """Results counted one by one; `last_result` is the highest number of them.

    Games 2k and 2k + 1 of a mini-match of a tournament, or of a run outside tournaments (`tabiya match`, two bots that
    meet in the lobby), are a pair, if the seats are changed.
    """

    def __init__(self, game: str) -> None:
        self.game, self.last_result = game, 0
        self.results: Results[Player] = Results()
        self.endings: defaultdict[Player, Endings] = defaultdict(no_endings)
        self._halves: dict[Place, tuple[int, RatedGame[Player]]] = {}  # by the place of a pair's first game

    def add(self, result: GameResult) -> None:
        """Count one more finished game."""
        first, second = map(Player, result.bots, result.versions)
        self.last_result = max(self.last_result, result.number)  # read, whether it counts or not
        if first == second:  # of a bot against itself: it says nothing of its strength
            return
        self._count(result, RatedGame(first, second, result.winner))
        for seat, player in enumerate((first, second)):
            self.endings[player][_endings_index(seat, result.winner)][result.ending] += 1

    def _count(self, result: GameResult, game: RatedGame[Player]) -> None:
        place = _place(result)
        if place is None:
            self.results.add(game)
            return
        number = place[2]
        pair = (*place[:2], number - number % 2)
        index, other = self._halves.pop(pair, (None, None))
        if other is None or index is None:
            self._halves[pair] = number, game
            self.results.add(game)
        elif (other.first, other.second) == (game.second, game.first) and index != number:
            self.results.add(other, -1)  # it has counted singly until its partner came
            self.results.add_pair(RatedPair(other.first, other.second, (other.winner, game.winner)))
        else:
            self.results.add(game)

    def endings_of(self, view: View) -> dict[Player, Endings]:
        """How games ended for each player of a view."""
        found: defaultdict[Player, Endings] = defaultdict(no_endings)
        for player, endings in self.endings.items():
            for total, more in zip(found[view.rename(player)], endings, strict=True):
                total.update(more)
        return found

    def kept(self) -> KeptCounters:
        """All of it, to be written down."""
        players, games, pairs = self.results.written()
        numbers = self.results.numbers
        halves = [
            (place, number, numbers[game.first], numbers[game.second], game.winner)
            for place, (number, game) in self._halves.items()
        ]
        endings = [
            (numbers[player], (dict(found.won), dict(found.drawn), dict(found.lost)))
            for player, found in self.endings.items()
        ]
        return KeptCounters(
            self.last_result, players, zlib.compress(games, FAST), zlib.compress(pairs, FAST), endings, halves
        )

    @classmethod
    def of(cls, game: str, kept: KeptCounters) -> ResultCounters:
        """What was written down. Raises ValueError, IndexError or zlib's error for anything else."""
        counters, players = cls(game), kept.players
        counters.last_result = kept.last_result
        counters.results = Results.read(players, zlib.decompress(kept.games), zlib.decompress(kept.pairs))
        for player, found in kept.endings:
            won, drawn, lost = map(Counter, found)
            counters.endings[players[player]] = Endings(won, drawn, lost)
        for place, number, first, second, winner in kept.halves:
            counters._halves[place] = number, RatedGame(players[first], players[second], winner)
        return counters


class KeptCounters(Struct, frozen=True, array_like=True):
    """The counters of one game, players by their numbers in `players`.  games, pairs: `CountedRows`, compressed."""

    last_result: int
    players: list[Player]
    games: bytes
    pairs: bytes
    endings: list[tuple[int, tuple[dict[str, int], dict[str, int], dict[str, int]]]]
    halves: list[tuple[Place, int, int, int, int | None]]


class KeptResults(Struct, frozen=True):
    """All games, as `CountedResults.text` has them. games: a `KeptCounters` each, read one by one for other threads."""

    counted_as: int
    seen: int
    games: dict[str, msgspec.Raw]


class CountedResults:
    """The counters of all games. seen: number of the last result that was looked at, whether it counts or not."""

    def __init__(self) -> None:
        self.seen = 0
        self.games: dict[str, ResultCounters] = {}

    def of(self, game: str) -> ResultCounters:
        """The counters of a game."""
        return self.games.get(game) or self.games.setdefault(game, ResultCounters(game))

    def add_all(self, results: Iterable[GameResult]) -> None:
        """Count more results, in the order of their numbers."""
        for result in results:
            if result.rated:
                self.of(result.game).add(result)
            self.seen = result.number

    def text(self) -> str:
        """All of it as text; the same results in the same order give the same text."""
        played = sorted((name, each) for name, each in self.games.items() if each.last_result)  # others were asked for
        games = {name: msgspec.Raw(msgspec.json.encode(each.kept())) for name, each in played}
        return msgspec.json.encode(KeptResults(COUNTED_AS, self.seen, games)).decode()

    @classmethod
    def from_text(cls, text: str) -> CountedResults:
        """What `text` has written. Raises ValueError for anything else, also for what was counted otherwise."""
        try:
            kept = msgspec.json.decode(text, type=KeptResults)
            if kept.counted_as != COUNTED_AS:
                raise ValueError(f"it was counted as {kept.counted_as}, not as {COUNTED_AS}")
            counted = cls()
            for name, raw in kept.games.items():
                counted.games[name] = ResultCounters.of(name, msgspec.json.decode(raw, type=KeptCounters))
        except (msgspec.MsgspecError, LookupError, zlib.error) as error:
            raise ValueError(str(error)) from None
        counted.seen = kept.seen
        return counted


def _place(result: GameResult) -> Place | None:
    """The place of a game in its tournament or run; None for a single game."""
    if result.tournament_id is not None and result.pairing is not None and result.game_index is not None:
        return result.tournament_id, result.pairing, result.game_index
    in_run = place_in_run(result.key)
    return None if in_run is None else (in_run[0], 0, in_run[1])


def _endings_index(seat: int, winner: int | None) -> Literal[0, 1, 2]:
    """The place in `Endings`."""
    return 1 if winner is None else 0 if winner == seat else 2

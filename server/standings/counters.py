"""Counters of all results that the standings need, and their stored form."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import repeat
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from tabiya.server.matches.pair_keys import place_in_run
from tabiya.server.ratings.results import RatedGame, RatedPair, Results
from tabiya.server.standings.selection import ALL_GAMES, Selection
from tabiya.storage.records import GameResult

COUNTED_AS = 3
"""Increased when counting changes; kept counts of another version are counted again."""
FAST = 1  # of zlib's levels: the tables are mostly zeros, and become a tenth at any level
Place = tuple[int | str, int, int]  # tournament, mini-match, game of it; or run of pairs, 0, game of it


class Player(NamedTuple):
    """One version of a bot, or with an empty version all of them."""

    bot: str
    version: str


class TimedPlayer(NamedTuple):
    """One version of a bot with one time control: its games with others are counted apart."""

    bot: str
    version: str
    time: str


class View(NamedTuple):
    """Options of the standings.

    pooled: rate all versions of a bot as one.  anchors: (bot, rating) in any order.  time: only games with this time
    control; None for all games.  selection: of which games.
    """

    pooled: bool = False
    anchors: tuple[tuple[str, float], ...] = ()
    time: str | None = None
    selection: Selection = ALL_GAMES

    def player(self, counted: TimedPlayer) -> Player | None:
        """The player whose games these are in this view; None if they do not count."""
        if self.time not in (None, counted.time):
            return None
        return Player(counted.bot, "" if self.pooled else counted.version)


ALL_VERSIONS = View(pooled=True)


class Endings(NamedTuple):
    """How often a player won, drew and lost by each ending."""

    won: Counter[str]
    drawn: Counter[str]
    lost: Counter[str]


def no_endings() -> Endings:
    """Empty counters."""
    return Endings(Counter(), Counter(), Counter())


class ResultCounters:
    """Results counted one by one; `last_result` is the highest number of them. by_time: games with each time control.

    Games 2k and 2k + 1 of a mini-match of a tournament, or of a run outside tournaments (`tabiya match`, two bots that
    meet in the lobby), are a pair, if the seats are changed.
    """

    def __init__(self, game: str) -> None:
        self.game, self.last_result = game, 0
        self.by_time: Counter[str] = Counter()
        self.results: Results[TimedPlayer] = Results()
        self.endings: defaultdict[TimedPlayer, Endings] = defaultdict(no_endings)
        self._halves: dict[Place, tuple[int, RatedGame[TimedPlayer]]] = {}  # by the place of a pair's first game

    def add(self, result: GameResult) -> None:
        """Count one more finished game."""
        first, second = map(TimedPlayer, result.bots, result.versions, repeat(result.time_control))
        self.last_result = max(self.last_result, result.number)  # read, whether it counts or not
        if first == second:  # of a bot against itself: it says nothing of its strength
            return
        self.by_time[result.time_control] += 1
        self._count(result, RatedGame(first, second, result.winner))
        for seat, player in enumerate((first, second)):
            self.endings[player][_endings_index(seat, result.winner)][result.ending] += 1

    def _count(self, result: GameResult, game: RatedGame[TimedPlayer]) -> None:
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

    def has(self, view: View) -> bool:
        """Whether a game has been played with the time control of this view."""
        return view.time is None or view.time in self.by_time

    def results_of(self, view: View) -> Results[Player]:
        """The games between the players of a view."""
        return self.results.renamed(view.player) if self.has(view) else Results()

    def endings_of(self, view: View) -> dict[Player, Endings]:
        """How games ended for each player of a view."""
        found: defaultdict[Player, Endings] = defaultdict(no_endings)
        for counted, endings in self.endings.items():
            if player := view.player(counted):
                for total, more in zip(found[player], endings, strict=True):
                    total.update(more)
        return found

    def kept(self) -> KeptCounters:
        """All counters, to be stored."""
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
        return KeptCounters(self.last_result, dict(self.by_time), players, games, pairs, endings, halves)

    @classmethod
    def of(cls, game: str, kept: KeptCounters) -> ResultCounters:
        """Restored from `kept`. Raises ValueError or IndexError for anything else."""
        counters, players = cls(game), kept.players
        counters.last_result, counters.by_time = kept.last_result, Counter(kept.by_time)
        counters.results = Results.read(players, kept.games, kept.pairs)
        for player, found in kept.endings:
            won, drawn, lost = map(Counter, found)
            counters.endings[players[player]] = Endings(won, drawn, lost)
        for place, number, first, second, winner in kept.halves:
            counters._halves[place] = number, RatedGame(players[first], players[second], winner)
        return counters


class KeptCounters(Struct, frozen=True, array_like=True):
    """The counters of one game, players by their numbers in `players`.  games, pairs: `CountedRows`."""

    last_result: int
    by_time: dict[str, int]
    players: list[TimedPlayer]
    games: bytes
    pairs: bytes
    endings: list[tuple[int, tuple[dict[str, int], dict[str, int], dict[str, int]]]]
    halves: list[tuple[Place, int, int, int, int | None]]


class KeptResults(Struct, frozen=True):
    """All games, as `CountedResults.text` has them. games: a `KeptCounters` each, compressed."""

    counted_as: int
    seen: int
    games: dict[str, bytes]


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
        games = {name: zlib.compress(msgspec.msgpack.encode(each.kept()), FAST) for name, each in played}
        return msgspec.json.encode(KeptResults(COUNTED_AS, self.seen, games)).decode()

    @classmethod
    def from_text(cls, text: str) -> CountedResults:
        """What `text` has written. Raises ValueError for anything else, also for what was counted otherwise."""
        try:
            kept = msgspec.json.decode(text, type=KeptResults)
            if kept.counted_as != COUNTED_AS:
                raise ValueError(f"it was counted as {kept.counted_as}, not as {COUNTED_AS}")
            counted = cls()
            for name, written in kept.games.items():
                of_game = msgspec.msgpack.decode(zlib.decompress(written), type=KeptCounters)
                counted.games[name] = ResultCounters.of(name, of_game)
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

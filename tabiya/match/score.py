"""The running score of a match: results, pairs, endings, times, repetitions."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tabiya.games.endings import PROGRAM_FAILED, Ending
from tabiya.protocol.messages.parts import NOT_ITS_OWN
from tabiya.server.grading.move_times import MoveTimes
from tabiya.server.ratings.elo import elo_of
from tabiya.server.ratings.pairs import Pairs
from tabiya.storage.records import MoveRecord


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """One game that is over. number: from 0; two of a pair follow each other.  first_seat: that of the first player.

    plies: those of the opening left out.  moves_digest: equal for games of the same moves from the same start.
    """

    number: int
    match: int
    first_seat: int
    winner: int | None
    ending: str
    reason: str
    plies: int = 0
    moves_digest: bytes = b""

    @property
    def score(self) -> float | None:
        """The first player's: 1, 0.5 or 0; None without a result."""
        if self.ending == Ending.ABORTED:
            return None
        return 0.5 if self.winner is None else float(self.winner == self.first_seat)


@dataclass(slots=True)
class MatchScore:
    """The match so far. names: of the players on the server.  deaths: of their programs, in mid-thought.

    emergency_moves: that were played in place of a player that had none.
    endings: how often by the first player's score, the ending, and whether a program had failed.
    verdict: of the sequential test, empty while there is none.  resumed: games that an earlier run had finished.
    """

    names: tuple[str, str] = ("", "")
    games: dict[int, FinishedGame] = field(default_factory=dict)
    pairs: Pairs = field(default_factory=Pairs)
    wins: int = 0
    draws: int = 0
    losses: int = 0
    seat_points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    endings: Counter[tuple[float | None, str, bool]] = field(default_factory=Counter)
    times: tuple[MoveTimes, MoveTimes] = field(default_factory=lambda: (MoveTimes(), MoveTimes()))
    deaths: list[int] = field(default_factory=lambda: [0, 0])
    emergency_moves: list[int] = field(default_factory=lambda: [0, 0])
    verdict: str = ""
    resumed: int = 0
    _openings: set[bytes] = field(default_factory=set)

    def add(self, game: FinishedGame, moves: Sequence[MoveRecord] = ()) -> None:
        """Count a game that is over, with its moves."""
        self.games[game.number] = game
        self._openings.add(game.moves_digest)
        for move in moves:
            if not move.opening:
                player = move.seat != game.first_seat  # False is 0, the first player
                self.times[player].add(move.think_us)
                self.emergency_moves[player] += str((move.info or {}).get("text", "")).startswith(NOT_ITS_OWN)
        score = game.score
        self.endings[score, game.ending, game.reason.endswith(PROGRAM_FAILED)] += 1
        if score is None:
            return
        self.wins += score == 1
        self.draws += score == 0.5
        self.losses += score == 0
        self.seat_points[game.first_seat] += score
        self.seat_points[1 - game.first_seat] += 1 - score
        other = self.games.get(game.number ^ 1)  # a pair is 2k and 2k + 1
        if other is not None and other.score is not None:
            self.pairs = self.pairs.plus(score, other.score)

    @property
    def scored(self) -> int:
        """Games that have a result."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The first player's: a win is one, a draw half a point."""
        return self.wins + self.draws / 2

    @property
    def repeated(self) -> int:
        """Games that repeat another one move by move."""
        return len(self.games) - len(self._openings)

    @property
    def first_mover(self) -> tuple[float, float] | None:
        """Mean score of the first seat, 0..1, and the Elo difference it corresponds to; None without games."""
        if not self.scored:
            return None
        mean = self.seat_points[0] / self.scored
        return mean, elo_of(mean)

    @property
    def half_pairs(self) -> int:
        """Games with a result whose partner game has none: they count as games, but not for the difference."""
        return self.scored - 2 * self.pairs.number


def digest_of(start_text: str, moves: Sequence[MoveRecord]) -> bytes:
    """Equal for games of the same moves from the same start."""
    text = " ".join([start_text, *(move.text for move in moves)])
    return hashlib.blake2b(text.encode(), digest_size=8).digest()

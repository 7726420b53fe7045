"""Crosstables: points, tie-breaks and ranks.

A tie-break is applied among entrants that are equal in everything before it; those equal in all of them share a rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from tabiya.server.pairing.state import PLAYED, POINTS, Meeting, PairingState, game_of

TIE_BREAKS = {
    "buchholz_cut_1": "Buchholz cut 1: points of all opponents but the weakest",
    "buchholz": "Buchholz: points of all opponents",
    "sonneborn_berger": "Sonneborn-Berger: points of those beaten, half of those drawn with",
    "direct_encounter": "direct encounter: points among those who are equal so far, if all of them have met",
    "wins": "wins: games won (in a Swiss: rounds won)",
    "game_points": "game points: points over the single games",
    "score": "score: points per game",
    "rating": "rating: from the results here, everybody beginning with 1500",
}
"""Name -> what it means, in words for people."""


class Term(NamedTuple):
    """One summand of a tie-break: `times` the `points` of an opponent; of nobody where no game was played."""

    opponent: int | None
    times: float
    points: float


def sum_of(terms: Iterable[Term]) -> float:
    """The value of a tie-break."""
    return sum(term.times * term.points for term in terms)


class CrosstableRow(NamedTuple):
    """One entrant's line of the table.

    points: in what the format counts (games, or mini-matches).  played, wins, draws, losses: games with a result,
    forfeits included.  tie_breaks: by name; one that says nothing about this line is left out.  against: points and
    games against each other entrant.  note: what else there is to say, such as how far it came.  terms: what the
    tie-breaks that are sums over opponents are the sums of.
    """

    entrant: int
    points: float
    played: int
    wins: int
    draws: int
    losses: int
    against: dict[int, tuple[float, int]]
    tie_breaks: dict[str, float]
    rank: int = 0
    note: str = ""
    terms: dict[str, tuple[Term, ...]] = {}  # noqa: RUF012 (never changed)

    def with_sums(self, terms: dict[str, tuple[Term, ...]], **counted: float) -> CrosstableRow:
        """The row with tie-breaks that are sums, and others."""
        sums = {name: sum_of(summands) for name, summands in terms.items()}
        return self._replace(tie_breaks=self.tie_breaks | sums | counted, terms=self.terms | terms)


class ScoredGame(NamedTuple):
    """One game with a result, as one of its two entrants sees it. played: not a forfeit."""

    opponent: int
    score: float
    played: bool


def scored_games(entrants: int, meetings: Sequence[Meeting], state: PairingState) -> list[list[ScoredGame]]:
    """For each entrant the games that have a result, in order."""
    games: list[list[ScoredGame]] = [[] for _ in range(entrants)]
    for number, mark in enumerate(state.marks):
        score = POINTS.get(mark)
        if score is not None:
            game = game_of(number, meetings[number // 2])
            games[game.first].append(ScoredGame(game.second, score[0], mark in PLAYED))
            games[game.second].append(ScoredGame(game.first, score[1], mark in PLAYED))
    return games


def crosstable_rows(entrants: int, meetings: Sequence[Meeting], state: PairingState) -> list[CrosstableRow]:
    """A line for each entrant, in their order, without tie-breaks and ranks; points are those of the games."""
    return [_line(number, games) for number, games in enumerate(scored_games(entrants, meetings, state))]


def _line(entrant: int, games: Sequence[ScoredGame]) -> CrosstableRow:
    against: dict[int, tuple[float, int]] = {}
    for game in games:
        total, count = against.get(game.opponent, (0.0, 0))
        against[game.opponent] = (total + game.score, count + 1)
    scores = [game.score for game in games]
    wins, draws, losses = scores.count(1), scores.count(0.5), scores.count(0)
    return CrosstableRow(entrant, sum(scores), len(games), wins, draws, losses, against, {})


def sonneborn_berger(lines: Sequence[CrosstableRow]) -> list[tuple[Term, ...]]:
    """For each line, what is summed: for each opponent the score against it times its points."""
    points = {line.entrant: line.points for line in lines}
    return [
        tuple(Term(opponent, score, points[opponent]) for opponent, (score, _) in line.against.items())
        for line in lines
    ]


def ranked(
    lines: Iterable[CrosstableRow],
    tie_breaks: Sequence[str],
    key: Callable[[CrosstableRow], float] = lambda line: line.points,
) -> tuple[CrosstableRow, ...]:
    """The lines, best first, with their ranks. key: what counts most, the larger the better.

    A tie-break that a line lacks counts as zero.  `direct_encounter` is worked out here.
    """
    groups = _split(list(lines), key)
    for name in tie_breaks:
        if name == "direct_encounter":
            groups = [_with_direct_encounter(group) for group in groups]
        # the lambda is called at once, before `name` changes
        groups = [part for group in groups for part in _split(group, lambda line: line.tie_breaks.get(name, 0.0))]  # noqa: B023
    placed: list[CrosstableRow] = []
    for group in groups:
        rank = len(placed) + 1
        placed += [line._replace(rank=rank) for line in sorted(group, key=lambda line: line.entrant)]
    return tuple(placed)


def _split(group: list[CrosstableRow], key: Callable[[CrosstableRow], float]) -> list[list[CrosstableRow]]:
    """The group in parts of equal value, the largest value first."""
    parts: dict[float, list[CrosstableRow]] = {}
    for line in group:
        parts.setdefault(round(key(line), 9), []).append(line)  # points per game are quotients: equal but for rounding
    return [parts[value] for value in sorted(parts, reverse=True)]


def _with_direct_encounter(group: list[CrosstableRow]) -> list[CrosstableRow]:
    """The group with the points that each has made against the others, if every two of them have met."""
    # quick test: with fewer opponents than there are others here it has not met all
    if len(group) < 2 or any(len(group) - 1 > len(line.against) for line in group):
        return group
    others = [[other.entrant for other in group if other is not line] for line in group]
    if any(other not in line.against for line, those in zip(group, others, strict=True) for other in those):
        return group
    return [
        line.with_sums({"direct_encounter": tuple(Term(other, 1, line.against[other][0]) for other in those)})
        for line, those in zip(group, others, strict=True)
    ]

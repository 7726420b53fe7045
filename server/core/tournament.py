"""A tournament as a value: results in, games to start out. No clock, no store, no chance but the seed.

A round robin of mini-matches: every two entrants meet `rounds` times, each time for two games from the same opening
with seats changed. The games are numbered by the schedule, which follows from the numbers of entrants and rounds alone
(circle method), so the state is one character a game and survives anything that keeps its text.

    plan = Plan(entrants=5, rounds=1)
    state = begin(plan)
    for game in startable(plan, state, available={0, 1, 2}, slots=2): state = started(state, game)
    state = finished(state, game, winner=0)
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

GAMES_PER_MEETING = 2


class Mark(StrEnum):
    """What has become of a game. Forfeits count like results but were never played."""

    PENDING = "."
    RUNNING = "r"
    FIRST_WON = "1"
    SECOND_WON = "0"
    DRAWN = "="
    FIRST_BY_FORFEIT = "+"
    SECOND_BY_FORFEIT = "-"
    BOTH_FORFEIT = "x"


POINTS: dict[str, tuple[float, float]] = {
    Mark.FIRST_WON: (1, 0),
    Mark.SECOND_WON: (0, 1),
    Mark.DRAWN: (0.5, 0.5),
    Mark.FIRST_BY_FORFEIT: (1, 0),
    Mark.SECOND_BY_FORFEIT: (0, 1),
    Mark.BOTH_FORFEIT: (0, 0),
}


class ScheduledGame(NamedTuple):
    """One game of the schedule.

    number: its place.  meeting: the mini-match, which is also the number of its opening.  leg: 0 or 1 within it.
    first, second: the entrants in seat 0 and seat 1.
    """

    number: int
    meeting: int
    leg: int
    first: int
    second: int


class Plan(Struct, frozen=True):
    """What the schedule follows from: how many entrants (2 or more) and how often every two of them meet."""

    entrants: int
    rounds: int = 1


class State(Struct, frozen=True):
    """Where the tournament stands: one `Mark` a game, and who has withdrawn."""

    marks: str
    withdrawn: tuple[int, ...] = ()

    @property
    def over(self) -> bool:
        """Whether every game has its result."""
        return Mark.PENDING not in self.marks and Mark.RUNNING not in self.marks


@lru_cache(maxsize=64)
def schedule(plan: Plan) -> tuple[ScheduledGame, ...]:
    """All games in the order in which they are to be played: each meeting's two games together, round by round."""
    games: list[ScheduledGame] = []
    for number in range(plan.rounds):
        for one, two in _circle(plan.entrants):
            first, second = (one, two) if number % 2 == 0 else (two, one)
            meeting = len(games) // GAMES_PER_MEETING
            games.append(ScheduledGame(len(games), meeting, 0, first, second))
            games.append(ScheduledGame(len(games), meeting, 1, second, first))
    return tuple(games)


def _circle(entrants: int) -> Iterable[tuple[int, int]]:
    """Every two of them once, in rounds in which everybody plays at most once (the circle method)."""
    seats = [*range(entrants), *([None] if entrants % 2 else [])]
    half = len(seats) // 2
    for number in range(len(seats) - 1):
        for one, two in zip(seats[:half], reversed(seats[half:]), strict=True):
            if one is not None and two is not None:
                yield (one, two) if number % 2 == 0 else (two, one)
        seats.insert(1, seats.pop())


def begin(plan: Plan) -> State:
    """Nothing is played yet."""
    return State(Mark.PENDING * len(schedule(plan)))


def startable(plan: Plan, state: State, available: AbstractSet[int], slots: int) -> tuple[ScheduledGame, ...]:
    """The next games to start: in the order of the schedule, every entrant in at most one, at most `slots`.

    available: entrants that are present and free.  No game waits for a slower one unless it needs the same entrant.
    """
    free = set(available)
    chosen: list[ScheduledGame] = []
    for game in schedule(plan):
        if len(chosen) >= slots or len(free) < 2:
            break
        if state.marks[game.number] == Mark.PENDING and game.first in free and game.second in free:
            chosen.append(game)
            free -= {game.first, game.second}
    return tuple(chosen)


def started(state: State, number: int) -> State:
    """The game has a match."""
    return _marked(state, number, Mark.RUNNING)


def finished(state: State, number: int, winner: int | None) -> State:
    """The game's match has its result. winner: the winning seat, None for a draw."""
    return _marked(state, number, Mark.DRAWN if winner is None else (Mark.FIRST_WON, Mark.SECOND_WON)[winner])


def replay(state: State, number: int) -> State:
    """The game's match came to nothing (aborted, or frozen by our fault): it is to be played again."""
    return _marked(state, number, Mark.PENDING)


def withdraw(plan: Plan, state: State, entrant: int) -> State:
    """The entrant plays no more: its games not yet started are lost by forfeit; running ones go on to their end."""
    gone = set(state.withdrawn) | {entrant}
    marks = list(state.marks)
    for game in schedule(plan):
        if marks[game.number] == Mark.PENDING and (game.first in gone or game.second in gone):
            marks[game.number] = _forfeit(game, gone)
    return State("".join(marks), tuple(sorted(gone)))


def settle_withdrawn(plan: Plan, state: State) -> State:
    """Forfeits for games that became pending again (`replay`) after an entrant had withdrawn."""
    for entrant in state.withdrawn:
        state = withdraw(plan, state, entrant)
    return state


def _forfeit(game: ScheduledGame, gone: AbstractSet[int]) -> Mark:
    if game.first in gone and game.second in gone:
        return Mark.BOTH_FORFEIT
    return Mark.SECOND_BY_FORFEIT if game.first in gone else Mark.FIRST_BY_FORFEIT


def _marked(state: State, number: int, mark: Mark) -> State:
    return State(state.marks[:number] + mark + state.marks[number + 1 :], state.withdrawn)


class Line(NamedTuple):
    """One entrant's line of the crosstable.

    points, played: over all games with a result.  against: points and games against each other entrant.
    wins, draws, losses: forfeits counted.  sonneborn_berger: sum of the points of those beaten, half of those drawn
    with.
    """

    rank: int
    entrant: int
    points: float
    played: int
    wins: int
    draws: int
    losses: int
    sonneborn_berger: float
    against: dict[int, tuple[float, int]]


def crosstable(plan: Plan, state: State) -> tuple[Line, ...]:
    """The lines in order of points, then Sonneborn-Berger, then wins; equal in all three share a rank."""
    scored = _scored_games(plan, state)
    points = [0.0] * plan.entrants
    for entrant, _, score in scored:
        points[entrant] += score
    lines = [_line(entrant, points, [row for row in scored if row[0] == entrant]) for entrant in range(plan.entrants)]
    lines.sort(key=lambda line: (*_order(line), line.entrant))
    ranks: dict[tuple[float, ...], int] = {}
    for place, line in enumerate(lines, 1):
        ranks.setdefault(_order(line), place)
    return tuple(line._replace(rank=ranks[_order(line)]) for line in lines)


def _scored_games(plan: Plan, state: State) -> list[tuple[int, int, float]]:
    """(entrant, opponent, score) twice for every game that has a result."""
    rows = []
    for game in schedule(plan):
        score = POINTS.get(state.marks[game.number])
        if score is not None:
            rows.append((game.first, game.second, score[0]))
            rows.append((game.second, game.first, score[1]))
    return rows


def _line(entrant: int, points: list[float], games: list[tuple[int, int, float]]) -> Line:
    against: dict[int, tuple[float, int]] = {}
    for _, opponent, score in games:
        total, count = against.get(opponent, (0.0, 0))
        against[opponent] = (total + score, count + 1)
    scores = [score for _, _, score in games]
    return Line(
        rank=0,
        entrant=entrant,
        points=points[entrant],
        played=len(games),
        wins=scores.count(1),
        draws=scores.count(0.5),
        losses=scores.count(0),
        sonneborn_berger=sum(score * points[opponent] for _, opponent, score in games),
        against=against,
    )


def _order(line: Line) -> tuple[float, ...]:
    return (-line.points, -line.sonneborn_berger, -line.wins)

"""The data of all formats: plan, meetings, and one mark a game.

A *meeting* is a mini-match of two games from one opening with seats changed. The games of meeting m always have the
numbers 2 m and 2 m + 1, and their results are stored as a string with one character (`Mark`) a game. Everything else
follows from plan and state.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

GAMES_PER_MEETING = 2


class Mark(StrEnum):
    """The status or result of a game. Forfeits count like results but were never played."""

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
PLAYED = frozenset({Mark.FIRST_WON, Mark.SECOND_WON, Mark.DRAWN})
FORFEITS = frozenset({Mark.FIRST_BY_FORFEIT, Mark.SECOND_BY_FORFEIT, Mark.BOTH_FORFEIT})


class Meeting(Struct, frozen=True, array_like=True):
    """Two entrants and their two games: `first` has seat 0 in the first of them.

    round, slot: where it stands, from 0 (in a knockout the place in the bracket; several meetings there are one tie).
    """

    first: int
    second: int
    round: int = 0
    slot: int = 0


class Bye(Struct, frozen=True, array_like=True):
    """An entrant without an opponent in a round. points: what it is worth; requested: the entrant asked for it."""

    round: int
    entrant: int
    points: float
    requested: bool = False


class ScheduledGame(NamedTuple):
    """One game. number: 2 * meeting + leg.  first, second: the entrants in seat 0 and seat 1."""

    number: int
    meeting: int
    leg: int
    first: int
    second: int


class FormatTerms(Struct, frozen=True, kw_only=True):
    """The settings that pairings depend on.

    rounds: of a Swiss; how often two entrants meet elsewhere.  challengers: of a gauntlet, the first entrants.
    tie_breaks, third_place: of a knockout.  games: of a ladder (0: until it is closed) or at most in an SPRT.
    elo0, elo1, alpha, beta, normalised: of an SPRT.
    """

    rounds: int = 1
    challengers: int = 1
    tie_breaks: int = 2
    third_place: bool = True
    games: int = 0
    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    normalised: bool = True


class Plan(FormatTerms, frozen=True, kw_only=True):
    """The settings, and how many have entered so far."""

    entrants: int


class PairingState(Struct, frozen=True, omit_defaults=True):
    """The state of a tournament, as it is stored.

    marks: one `Mark` a game.  withdrawn: entrants that play no more.  starters: how many took part from the beginning
    (0: all).  seeds: entrants, the strongest first (empty: as they entered).  meetings: in the formats that pair as
    they go.  rounds_paired: of a Swiss.  byes: given or asked for.  closed: no new meetings.  decision: of an SPRT.
    returned: entrants that had withdrawn and came back, and when, in seconds since 1970.
    """

    marks: str = ""
    withdrawn: tuple[int, ...] = ()
    starters: int = 0
    seeds: tuple[int, ...] = ()
    meetings: tuple[Meeting, ...] = ()
    rounds_paired: int = 0
    byes: tuple[Bye, ...] = ()
    closed: bool = False
    decision: str = ""
    returned: tuple[tuple[int, float], ...] = ()

    @property
    def all_games_over(self) -> bool:
        """Whether every game known so far has its result."""
        return Mark.PENDING not in self.marks and Mark.RUNNING not in self.marks

    @property
    def games_played(self) -> int:
        """How many games have a result, forfeits included."""
        return len(self.marks) - self.marks.count(Mark.PENDING) - self.marks.count(Mark.RUNNING)


def game_of(number: int, meeting: Meeting) -> ScheduledGame:
    """The game with a number, which is one of the two of this meeting."""
    leg = number % GAMES_PER_MEETING
    first, second = (meeting.second, meeting.first) if leg else (meeting.first, meeting.second)
    return ScheduledGame(number, number // GAMES_PER_MEETING, leg, first, second)

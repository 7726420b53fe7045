"""Results of whole meetings, and pairings as they are shown round by round."""

from __future__ import annotations

from typing import NamedTuple

from tabiya.server.pairing.state import GAMES_PER_MEETING, PLAYED, POINTS, Meeting, PairingState


class MeetingResult:
    """The result of a meeting. points: of its two games, the first entrant's first; played: not all forfeits."""

    __slots__ = ("played", "points")

    def __init__(self, points: tuple[float, float], played: bool) -> None:
        self.points, self.played = points, played

    @property
    def scores(self) -> tuple[float, float]:
        """1, ½ or 0 for each of the two; both have 0 if both have forfeited everything."""
        one, two = self.points
        if one == two:
            return (0.5, 0.5) if one else (0.0, 0.0)
        return (1.0, 0.0) if one > two else (0.0, 1.0)


def meeting_result(state: PairingState, number: int) -> MeetingResult | None:
    """The result of the meeting with a number; None before both games have one."""
    one = two = 0.0
    marks = state.marks[GAMES_PER_MEETING * number : GAMES_PER_MEETING * (number + 1)]
    for leg, mark in enumerate(marks):
        score = POINTS.get(mark)
        if score is None:
            return None
        one, two = one + score[leg], two + score[1 - leg]
    return MeetingResult((one, two), any(mark in PLAYED for mark in marks))


class Pairing(NamedTuple):
    """A pairing of a round with its score, for people.

    first, second: None where it is not known yet.  points: over the games so far.  meetings: their numbers.
    note: what has to be said beside the points, such as who goes through.  before: the points of the two before the
    round, in formats that pair by points.
    """

    round: int
    slot: int
    first: int | None
    second: int | None
    points: tuple[float, float]
    meetings: tuple[int, ...]
    winner: int | None = None
    note: str = ""
    before: tuple[float, float] | None = None


def points_in_meeting(state: PairingState, number: int) -> tuple[float, float]:
    """Points so far in the meeting with a number, its first entrant first."""
    one = two = 0.0
    for leg in range(GAMES_PER_MEETING):
        score = POINTS.get(state.marks[GAMES_PER_MEETING * number + leg], (0.0, 0.0))
        one, two = one + score[leg], two + score[1 - leg]
    return one, two


def pairing_of(state: PairingState, number: int, meeting: Meeting) -> Pairing:
    """The pairing of a single meeting."""
    points, result = points_in_meeting(state, number), meeting_result(state, number)
    decided = result is not None and result.scores[0] != result.scores[1]
    winner = (meeting.first if points[0] > points[1] else meeting.second) if decided else None
    return Pairing(meeting.round, meeting.slot, meeting.first, meeting.second, points, (number,), winner)

"""Ladder: free entrants of similar ratings are paired continuously until it is closed.

A free entrant is paired with the free entrant of the nearest rating; recent opponents count as farther away, and
after three meetings in a row two entrants must change opponents. It ends after a number of games, or when it is closed
(after its duration); a meeting that has begun is played to its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from tabiya.server.pairing.crosstable import CrosstableRow, crosstable_rows, ranked
from tabiya.server.pairing.format import Format
from tabiya.server.pairing.games import startable, with_meetings
from tabiya.server.pairing.meeting_results import meeting_result
from tabiya.server.pairing.state import GAMES_PER_MEETING, Mark, Meeting, PairingState, Plan

START_RATING, K_FACTOR = 1500.0, 32.0
REMATCH_PENALTY = (100.0, 50.0, 25.0)
"""Elo added to the distance of the last opponent, the one before and the one before that; chosen, not measured."""

MOST_IN_A_ROW = 3
MEETINGS_PER_CHUNK = 128  # a chunk whose games are over never changes, so only the last ones are counted again


class Ladder(Format):
    """Pairs entrants as they become free."""

    name = "ladder"
    title = "ladder"
    has_winner = False
    late_entry = True
    tie_breaks = ("rating", "score", "wins")

    def begin(self, plan: Plan, seeds: Sequence[int] = ()) -> PairingState:
        """No meeting yet and equal ratings; seeds are not used."""
        return PairingState(starters=plan.entrants)

    def with_late_entrant(self, plan: Plan, state: PairingState) -> PairingState:
        """The newcomer gets the rating with which all entrants began."""
        return state

    def accepts_entries(self, plan: Plan, state: PairingState) -> bool:
        """Until no more pairings are made."""
        return self._is_pairing(plan, state)

    def rounds(self, plan: Plan, state: PairingState) -> int:
        """0: a ladder has no rounds."""
        return 0

    def max_games(self, plan: Plan, state: PairingState) -> int:
        """The games asked for, in whole meetings, 0 if it ends with its time; when pairing is over, those there are."""
        if self._is_pairing(plan, state):
            return plan.games + plan.games % GAMES_PER_MEETING
        return len(state.marks)

    def _is_pairing(self, plan: Plan, state: PairingState) -> bool:
        enough = plan.games and len(state.marks) >= plan.games
        return not state.closed and not enough and len(self.active(plan, state)) >= 2

    def is_over(self, plan: Plan, state: PairingState) -> bool:
        """Whether no new meeting may begin and all those begun are played."""
        return state.all_games_over and not self._is_pairing(plan, state)

    def entrants_to_play(self, plan: Plan, state: PairingState) -> frozenset[int]:
        """All active entrants as long as new meetings begin."""
        return self.active(plan, state) if self._is_pairing(plan, state) else super().entrants_to_play(plan, state)

    def pair_free(self, plan: Plan, state: PairingState, free: Mapping[int, int], slots: int) -> PairingState:
        """New meetings for entrants that are free and have no game to play."""
        active = self.active(plan, state)
        engaged = _busy_entrants(state)
        waiting = {entrant for entrant, games in free.items() if games > 0 and entrant in active} - engaged
        room = slots - len(startable(state.meetings, state, free, slots))
        if plan.games:
            room = min(room, -(-(plan.games - len(state.marks)) // GAMES_PER_MEETING))
        if not self._is_pairing(plan, state) or room <= 0 or len(waiting) < 2:
            return state
        climb = _after_all(plan.entrants, state)
        new: list[Meeting] = []
        while room > 0 and len(waiting) > 1:
            one = min(waiting, key=lambda entrant: (climb.met[entrant], entrant))
            # with no other players, the same two may meet again
            others = [
                two for two in waiting if two != one and (not engaged or not climb.must_change_opponent(one, two))
            ]
            waiting.discard(one)
            if others:
                two = min(others, key=lambda other: (climb.distance(one, other), other))
                waiting.discard(two)
                first, second = (one, two) if (len(state.meetings) + len(new)) % 2 == 0 else (two, one)
                new.append(Meeting(first, second))
                room -= 1
        return with_meetings(state, new)

    def ratings(self, plan: Plan, state: PairingState) -> list[float]:
        """Elo by the meetings in their order: each moves both by up to 32 points; forfeits move nothing."""
        return list(_after_all(plan.entrants, state).ratings)

    def standings(self, plan: Plan, state: PairingState) -> tuple[CrosstableRow, ...]:
        """By rating."""
        ratings = self.ratings(plan, state)
        lines = [
            line._replace(
                tie_breaks={
                    "rating": round(ratings[line.entrant], 1),
                    "score": line.points / max(1, line.played),
                    "wins": float(line.wins),
                }
            )
            for line in crosstable_rows(plan.entrants, state.meetings, state)
        ]
        return ranked(lines, self.tie_breaks, key=lambda line: line.tie_breaks["rating"])


def _busy_entrants(state: PairingState) -> set[int]:
    """Entrants whose meeting is not over."""
    engaged = set[int]()
    for mark in (Mark.PENDING, Mark.RUNNING):
        number = state.marks.find(mark)
        while number >= 0:
            meeting = state.meetings[number // GAMES_PER_MEETING]
            engaged |= {meeting.first, meeting.second}
            number = state.marks.find(mark, number + 1)
    return engaged


class _LadderState(NamedTuple):
    """Ratings after some meetings. met: meetings of each entrant.  last: its latest opponents."""

    ratings: tuple[float, ...]
    met: tuple[int, ...]
    last: tuple[tuple[int, ...], ...]

    def must_change_opponent(self, one: int, two: int) -> bool:
        """Whether the last three meetings of `one` were all with `two`."""
        return self.last[one] == (two,) * MOST_IN_A_ROW

    def distance(self, one: int, two: int) -> float:
        """The difference of the two ratings, plus a penalty for recent meetings of the two."""
        far = abs(self.ratings[one] - self.ratings[two])
        for back, extra in enumerate(REMATCH_PENALTY, 1):
            far += extra * (self.last[one][-back:][:1] == (two,)) + extra * (self.last[two][-back:][:1] == (one,))
        return far


def _after_all(entrants: int, state: PairingState) -> _LadderState:
    """The state after all meetings; finished chunks are cached."""
    climb = _LadderState((START_RATING,) * entrants, (0,) * entrants, ((),) * entrants)
    for start in range(0, len(state.meetings), MEETINGS_PER_CHUNK):
        marks = state.marks[GAMES_PER_MEETING * start : GAMES_PER_MEETING * (start + MEETINGS_PER_CHUNK)]
        climb = _after_chunk(climb, state.meetings[start : start + MEETINGS_PER_CHUNK], marks)
    return climb


@lru_cache(maxsize=4_096)
def _after_chunk(before: _LadderState, meetings: tuple[Meeting, ...], marks: str) -> _LadderState:
    ratings, met, last = list(before.ratings), list(before.met), list(before.last)
    state = PairingState(marks=marks)
    for number, meeting in enumerate(meetings):
        for one, two in ((meeting.first, meeting.second), (meeting.second, meeting.first)):
            met[one] += 1
            last[one] = (*last[one], two)[-MOST_IN_A_ROW:]
        result = meeting_result(state, number)
        if result is not None and result.played and any(result.points):
            ahead = ratings[meeting.first] - ratings[meeting.second]
            change = K_FACTOR * (result.points[0] / sum(result.points) - 1 / (1 + 10 ** (-ahead / 400)))
            ratings[meeting.first] += change
            ratings[meeting.second] -= change
    return _LadderState(tuple(ratings), tuple(met), tuple(last))

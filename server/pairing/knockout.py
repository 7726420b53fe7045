"""Knockout: the loser of a tie is out; byes for the first seeds, tie-break meetings, match for the third place.

A tie is a meeting, and up to `tie_breaks` more as long as it stands level; if it is level after all of them, the
higher seed goes through. No tie waits for another: the next one begins as soon as both its entrants are known.
"""

from __future__ import annotations

from typing import NamedTuple

from tabiya.server.pairing.crosstable import CrosstableRow, crosstable_rows, ranked
from tabiya.server.pairing.format import Format
from tabiya.server.pairing.games import with_meetings
from tabiya.server.pairing.meeting_results import Pairing, meeting_result, points_in_meeting
from tabiya.server.pairing.open_games import Chain, Stage, of_meetings
from tabiya.server.pairing.state import GAMES_PER_MEETING, Meeting, PairingState, Plan

NOBODY = -1
"""The winner of a tie in which both have withdrawn, and the empty places of the bracket."""


class Tie(NamedTuple):
    """One place of the bracket. first, second: None as long as they are not known; `NOBODY` where nobody will come.

    meetings: their numbers.  winner, loser: None before it is decided.  note: how, where the points do not say.
    """

    round: int
    slot: int
    first: int | None
    second: int | None
    meetings: tuple[int, ...]
    winner: int | None = None
    loser: int | None = None
    note: str = ""

    @property
    def is_played(self) -> bool:
        """Whether two entrants meet here, or have met."""
        return self.first is not None and self.second is not None and NOBODY not in (self.first, self.second)


class Knockout(Format):
    """The bracket is computed from seeds, meetings and marks; it is not stored."""

    name = "knockout"
    title = "knockout"
    has_rounds = True

    def min_games(self, entrants: int, rounds: int) -> int:
        """One meeting for every entrant except the champion."""
        return GAMES_PER_MEETING * (entrants - 1)

    def rounds(self, plan: Plan, state: PairingState) -> int:
        """log2 of the entrants, rounded up."""
        return max(1, (max(1, plan.entrants) - 1).bit_length())

    def round_titles(self, plan: Plan, state: PairingState) -> tuple[str, ...]:
        """From the first round to the final."""
        rounds = self.rounds(plan, state)
        names = {1: "Final", 2: "Semi-finals", 3: "Quarter-finals"}
        return tuple(names.get(rounds - number, f"Round {number + 1}") for number in range(rounds))

    def has_third_place(self, plan: Plan) -> bool:
        """Whether the losers of the semi-finals meet."""
        return plan.third_place and plan.entrants >= 4

    # --- the bracket

    def ties(self, plan: Plan, state: PairingState) -> tuple[Tie, ...]:
        """All ties, round by round; the one for the third place is the last."""
        by_place: dict[tuple[int, int], list[int]] = {}
        for number, meeting in enumerate(state.meetings):
            by_place.setdefault((meeting.round, meeting.slot), []).append(number)
        rounds = self.rounds(plan, state)
        seeds = state.seeds or tuple(range(plan.entrants))
        seats: list[int | None] = [seeds[place] if place < len(seeds) else NOBODY for place in seed_order(rounds)]
        rank = {entrant: place for place, entrant in enumerate(seeds)}
        found: list[Tie] = []
        losers: list[int | None] = [NOBODY, NOBODY]
        for number in range(rounds):
            here = []
            for slot in range(len(seats) // 2):
                meetings = tuple(by_place.get((number, slot), ()))
                tie = Tie(number, slot, seats[2 * slot], seats[2 * slot + 1], meetings)
                here.append(_decided(tie, plan, state, rank))
            found += here
            if number == rounds - 2:
                losers = [tie.loser for tie in here]
            seats = [tie.winner for tie in here]
        if self.has_third_place(plan):
            meetings = tuple(by_place.get((rounds - 1, 1), ()))
            found.append(_decided(Tie(rounds - 1, 1, losers[0], losers[1], meetings), plan, state, rank))
        return tuple(found)

    def can_advance(self, plan: Plan, state: PairingState) -> bool:
        """Whether a tie can go on and has no open meeting."""
        return any(self._is_next(tie, state) for tie in self.ties(plan, state))

    @staticmethod
    def _is_next(tie: Tie, state: PairingState) -> bool:
        if not tie.is_played or tie.winner is not None:
            return False
        return not tie.meetings or meeting_result(state, tie.meetings[-1]) is not None

    def advance(self, plan: Plan, state: PairingState) -> PairingState:
        """A new meeting for each tie that can go on; the first seat alternates between its meetings."""
        new = []
        for tie in self.ties(plan, state):
            if self._is_next(tie, state):
                assert tie.first is not None
                assert tie.second is not None
                one, two = (tie.first, tie.second) if len(tie.meetings) % 2 == 0 else (tie.second, tie.first)
                new.append(Meeting(one, two, tie.round, tie.slot))
        return self.with_forfeits(plan, with_meetings(state, new))

    def is_over(self, plan: Plan, state: PairingState) -> bool:
        """Whether every tie is decided and no game runs."""
        return state.all_games_over and all(tie.winner is not None for tie in self.ties(plan, state))

    def entrants_to_play(self, plan: Plan, state: PairingState) -> frozenset[int]:
        """The entrants of ties that are not decided."""
        seats = [seat for tie in self.ties(plan, state) if tie.winner is None for seat in (tie.first, tie.second)]
        return frozenset(seat for seat in seats if seat is not None and seat != NOBODY)

    def max_games(self, plan: Plan, state: PairingState) -> int:
        """The games drawn up so far, and one meeting for each tie to come."""
        to_come = sum(
            not tie.meetings and tie.winner is None and NOBODY not in (tie.first, tie.second)
            for tie in self.ties(plan, state)
        )
        return len(state.marks) + GAMES_PER_MEETING * to_come

    def open_stages(self, plan: Plan, state: PairingState) -> tuple[Stage, ...]:
        """What is open of each round. A tie to come is a meeting, and one more as often as meetings were level here."""
        level, over = self._level_meetings(state)
        again = (level + 1) / (over + 3) if plan.tie_breaks else 0.0
        stages: list[list[Chain]] = [[] for _ in range(self.rounds(plan, state))]
        for tie in self.ties(plan, state):
            if tie.winner is None and NOBODY not in (tie.first, tie.second):
                begun = of_meetings(state, tie.meetings[-1:], again)
                stages[tie.round] += begun or (Chain((), GAMES_PER_MEETING, again),)
        return tuple(tuple(stage) for stage in stages if stage)

    @staticmethod
    def _level_meetings(state: PairingState) -> tuple[int, int]:
        """How many meetings were level, of how many that are over."""
        results = [meeting_result(state, number) for number in range(len(state.meetings))]
        over = [result for result in results if result is not None]
        return sum(result.scores[0] == result.scores[1] for result in over), len(over)

    # --- showing

    def pairings(self, plan: Plan, state: PairingState) -> tuple[Pairing, ...]:
        """The ties, without those that have no entrants."""
        shown = []
        for tie in self.ties(plan, state):
            if tie.first == NOBODY and tie.second == NOBODY:
                continue
            one = two = 0.0
            for number in tie.meetings:
                points = points_in_meeting(state, number)
                swapped = state.meetings[number].first != tie.first
                one, two = one + points[swapped], two + points[not swapped]
            first, second = (None if seat == NOBODY else seat for seat in (tie.first, tie.second))
            is_third = tie.slot == 1 and tie.round == self.rounds(plan, state) - 1
            note = "; ".join(filter(None, ("third place" if is_third else "", tie.note)))
            winner = None if tie.winner == NOBODY else tie.winner
            shown.append(Pairing(tie.round, tie.slot, first, second, (one, two), tie.meetings, winner, note))
        return tuple(shown)

    def standings(self, plan: Plan, state: PairingState) -> tuple[CrosstableRow, ...]:
        """Ranked by the round reached; entrants that lose in the same round share a rank."""
        # Rounds are numbers; third and fourth stand between those out in the semi-final and the second. Their tie comes
        # last: its note replaces that of the semi-final.
        reached: dict[int, tuple[float, str]] = dict.fromkeys(range(plan.entrants), (0.0, ""))
        rounds = self.rounds(plan, state)
        for tie in self.ties(plan, state):
            final, is_third = tie.round == rounds - 1, tie.round == rounds - 1 and tie.slot == 1
            title = title_of_round(tie.round, rounds)
            for entrant in (tie.first, tie.second):
                if entrant is None or entrant == NOBODY:
                    continue
                if tie.winner is None:
                    here = "for the third place" if is_third else f"in {title}"
                    reached[entrant] = (tie.round - 0.5 * is_third, here)
                elif entrant == tie.winner:
                    place = (rounds + 1.0, "champion") if final else (tie.round + 1.0, f"won {title}")
                    reached[entrant] = (rounds - 1 + 0.5, "third") if is_third else place
                else:
                    place = (float(rounds), "second") if final else (float(tie.round), f"out in {title}")
                    reached[entrant] = (rounds - 1 + 0.25, "fourth") if is_third else place
        lines = [
            line._replace(note=reached[line.entrant][1])
            for line in crosstable_rows(plan.entrants, state.meetings, state)
        ]
        return ranked(lines, (), key=lambda line: reached[line.entrant][0])


def title_of_round(number: int, rounds: int) -> str:
    """The name of a round in a sentence, counted from the final."""
    return {1: "the final", 2: "the semi-final", 3: "the quarter-final"}.get(rounds - number, f"round {number + 1}")


def seed_order(rounds: int) -> list[int]:
    """Places in the seeding by seat of the first round, so that the first two can only meet in the final."""
    order = [0]
    for _ in range(rounds):
        size = 2 * len(order)
        order = [place for seed in order for place in (seed, size - 1 - seed)]
    return order


def _decided(tie: Tie, plan: Plan, state: PairingState, rank: dict[int, int]) -> Tie:
    """The tie with its winner and loser, as far as they are decided."""
    one, two = tie.first, tie.second
    if one is None or two is None:
        return tie
    if NOBODY in (one, two):
        return tie._replace(winner=two if one == NOBODY else one, loser=NOBODY, note="" if tie.round else "bye")
    # results come before withdrawals: the winner of a tie that leaves afterwards has won it
    level = 0
    for number in tie.meetings:
        result = meeting_result(state, number)
        if result is None:
            return tie
        ahead = result.scores[0] - result.scores[1]
        if ahead:
            meeting = state.meetings[number]
            first_won = (ahead > 0) == (meeting.first == one)
            note = f"after {level} level meeting{'s' if level > 1 else ''}" if level else ""
            return _won(tie, one if first_won else two, note)
        level += 1
    gone = [entrant in state.withdrawn for entrant in (one, two)]
    if all(gone):
        return tie._replace(winner=NOBODY, loser=NOBODY, note="both have withdrawn")
    if any(gone):
        return _won(tie, two if gone[0] else one, "the other has withdrawn")
    if level > plan.tie_breaks:
        return _won(tie, min(one, two, key=lambda entrant: rank[entrant]), "level; the higher seed goes through")
    return tie


def _won(tie: Tie, winner: int, note: str) -> Tie:
    return tie._replace(winner=winner, loser=tie.second if winner == tie.first else tie.first, note=note)

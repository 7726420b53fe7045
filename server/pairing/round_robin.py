"""Formats whose games are all known from the beginning: round robin and gauntlet.

The schedule follows from numbers alone, so the state is one character a game and survives anything that keeps its text.
Who enters late is appended: its meetings have the highest numbers, and those of the others stay what they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace

from tabiya.server.pairing.crosstable import CrosstableRow, crosstable_rows, ranked, sonneborn_berger
from tabiya.server.pairing.format import Format
from tabiya.server.pairing.state import FORFEITS, GAMES_PER_MEETING, Mark, Meeting, PairingState, Plan, game_of


class FixedSchedule(Format):
    """Base of the two: `_meetings` is the whole schedule."""

    late_entry = True

    def begin(self, plan: Plan, seeds: Sequence[int] = ()) -> PairingState:
        """All games pending; seeds are not used."""
        state = PairingState(starters=plan.entrants)
        return replace(state, marks=Mark.PENDING * (GAMES_PER_MEETING * len(self.meetings(plan, state))))

    def meetings(self, plan: Plan, state: PairingState) -> Sequence[Meeting]:
        """All meetings in the order in which they are to be played."""
        return _schedule(self, state.starters or plan.entrants, plan)

    def _meetings(self, starters: int, plan: Plan) -> Iterator[Meeting]:
        raise NotImplementedError

    def max_games(self, plan: Plan, state: PairingState) -> int:
        """The number of games in the schedule."""
        return GAMES_PER_MEETING * len(self.meetings(plan, state))

    def with_late_entrant(self, plan: Plan, state: PairingState) -> PairingState:
        """The schedule with the meetings that the newcomer would have had from the beginning."""
        state = replace(state, starters=state.starters or plan.entrants - 1)
        more = self.max_games(plan, state) - len(state.marks)
        return self.with_forfeits(plan, replace(state, marks=state.marks + Mark.PENDING * more))

    def with_return(self, plan: Plan, state: PairingState, entrant: int) -> PairingState:
        """Its games that were forfeited are played after all, but for those against entrants that are still away."""
        marks, meetings = list(state.marks), self.meetings(plan, state)
        for number, mark in enumerate(marks):
            if mark in FORFEITS and entrant in game_of(number, meetings[number // GAMES_PER_MEETING])[3:]:
                marks[number] = Mark.PENDING
        return self.with_forfeits(plan, super().with_return(plan, replace(state, marks="".join(marks)), entrant))


@lru_cache(maxsize=64)
def _schedule(of: FixedSchedule, starters: int, plan: Plan) -> tuple[Meeting, ...]:
    return tuple(of._meetings(starters, plan))


class RoundRobin(FixedSchedule):
    """Every two entrants meet `rounds` times."""

    name = "round_robin"
    title = "round robin"
    tie_breaks = ("sonneborn_berger", "direct_encounter", "wins")

    def min_games(self, entrants: int, rounds: int) -> int:
        """The games of the whole schedule."""
        return entrants * (entrants - 1) * rounds

    def _meetings(self, starters: int, plan: Plan) -> Iterator[Meeting]:
        circle = list(_circle(starters))
        rounds = 1 + max((at for at, _, _ in circle), default=0)
        for cycle in range(plan.rounds):
            for at, one, two in circle:
                first, second = (one, two) if cycle % 2 == 0 else (two, one)
                yield Meeting(first, second, cycle * rounds + at)
        for newcomer in range(starters, plan.entrants):
            for cycle in range(plan.rounds):
                for other in range(newcomer):
                    first, second = (newcomer, other) if (cycle + other) % 2 == 0 else (other, newcomer)
                    yield Meeting(first, second, plan.rounds * rounds)

    def standings(self, plan: Plan, state: PairingState) -> tuple[CrosstableRow, ...]:
        """By points, then Sonneborn-Berger, direct encounter, wins."""
        lines = crosstable_rows(plan.entrants, self.meetings(plan, state), state)
        lines = [
            line.with_sums({"sonneborn_berger": berger}, wins=float(line.wins))
            for line, berger in zip(lines, sonneborn_berger(lines), strict=True)
        ]
        return ranked(lines, self.tie_breaks)


def _circle(entrants: int) -> Iterator[tuple[int, int, int]]:
    """(round, one, two): each pair once, in rounds in which each entrant plays at most once (the circle method)."""
    seats = [*range(entrants), *([None] if entrants % 2 else [])]
    half = len(seats) // 2
    for number in range(len(seats) - 1):
        for one, two in zip(seats[:half], reversed(seats[half:]), strict=True):
            if one is not None and two is not None:
                yield (number, one, two) if number % 2 == 0 else (number, two, one)
        seats.insert(1, seats.pop())  # the first stays, all others move on by one place


class Gauntlet(FixedSchedule):
    """Each challenger (the first `challengers` entrants) meets every other entrant `rounds` times."""

    name = "gauntlet"
    title = "gauntlet"
    tie_breaks = ("direct_encounter", "wins")

    def min_games(self, entrants: int, rounds: int) -> int:
        """The games of one challenger."""
        return GAMES_PER_MEETING * (entrants - 1) * rounds

    def start_error(self, plan: Plan) -> str:
        """At least one challenger and one opponent."""
        if plan.challengers < 1:
            return f"a gauntlet has 1 challenger or more, not {plan.challengers}"
        if plan.entrants <= plan.challengers:
            return f"a gauntlet needs a field: {plan.challengers} of {plan.entrants} bots are challengers"
        return ""

    def _meetings(self, starters: int, plan: Plan) -> Iterator[Meeting]:
        challengers, field = min(plan.challengers, starters), list(range(plan.challengers, starters))
        for cycle in range(plan.rounds):
            for shift in range(len(field)):
                for challenger in range(challengers):
                    other = field[(challenger + shift) % len(field)]
                    yield _alternating(challenger, other, cycle + shift + challenger, cycle * len(field) + shift)
        for newcomer in range(starters, plan.entrants):
            for cycle in range(plan.rounds):
                for challenger in range(challengers):
                    yield _alternating(challenger, newcomer, cycle, plan.rounds * len(field))

    def standings(self, plan: Plan, state: PairingState) -> tuple[CrosstableRow, ...]:
        """By points per game, since challengers and field play different numbers of them."""
        lines = [
            line._replace(
                tie_breaks={"score": line.points / max(1, line.played), "wins": float(line.wins)},
                note="challenger" if line.entrant < plan.challengers else "",
            )
            for line in crosstable_rows(plan.entrants, self.meetings(plan, state), state)
        ]
        return ranked(lines, self.tie_breaks, key=lambda line: line.tie_breaks["score"])


def _alternating(one: int, two: int, turn: int, number: int) -> Meeting:
    return Meeting(*((one, two) if turn % 2 == 0 else (two, one)), number)

"""SPRT: two entrants meet until the games decide between two differences, or until a maximum.

The test itself is `server/ratings/sprt.py`; it looks at whole meetings only. Once it has decided, no meeting is
begun any more; those under way are played to their end and shown, and the decision stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from tabiya.server.pairing.crosstable import CrosstableRow, crosstable_rows, ranked
from tabiya.server.pairing.format import Format
from tabiya.server.pairing.open_games import Stage
from tabiya.server.pairing.state import GAMES_PER_MEETING, PLAYED, POINTS, Mark, Meeting, PairingState, Plan
from tabiya.server.ratings.pairs import Pairs
from tabiya.server.ratings.sprt import Sprt as Test

USUAL_GAMES = 20_000
DECISIONS = {"accept H0": "H0 is accepted", "accept H1": "H1 is accepted"}


class Sprt(Format):
    """The first entrant against the second."""

    name = "sprt"
    title = "SPRT"
    has_winner = False
    tie_breaks = ("wins",)

    def terms_error(self, plan: Plan) -> str:
        """Why the test cannot be held with these bounds and error rates, as a sentence; empty if it can."""
        try:
            _test(plan)
        except ValueError as error:
            return str(error)
        return ""

    def start_error(self, plan: Plan) -> str:
        """Exactly two."""
        return "" if plan.entrants == 2 else f"an SPRT has 2 bots, not {plan.entrants}"

    def begin(self, plan: Plan, seeds: Sequence[int] = ()) -> PairingState:
        """The state before the first game; seeds are not used."""
        return PairingState(starters=plan.entrants)

    def meetings(self, plan: Plan, state: PairingState) -> Sequence[Meeting]:
        """Meetings of the same two entrants; the first seat alternates."""
        count = len(state.marks) // GAMES_PER_MEETING
        return [_MEETINGS[number % 2] for number in range(count)]

    def rounds(self, plan: Plan, state: PairingState) -> int:
        """0: a test has no rounds."""
        return 0

    def max_games(self, plan: Plan, state: PairingState) -> int:
        """The limit of games; the number played once it is over."""
        return len(state.marks) if state.decision or state.withdrawn else self._most(plan)

    @staticmethod
    def _most(plan: Plan) -> int:
        return max(GAMES_PER_MEETING, (plan.games or USUAL_GAMES) // GAMES_PER_MEETING * GAMES_PER_MEETING)

    def _is_enough(self, plan: Plan, state: PairingState) -> bool:
        return state.all_games_over and len(state.marks) >= self._most(plan)

    def can_advance(self, plan: Plan, state: PairingState) -> bool:
        """When the test has come to its decision, or cannot any more."""
        if state.decision:
            return False
        return bool(state.withdrawn) or self._is_enough(plan, state) or self.verdict(plan, state) != "go on"

    def advance(self, plan: Plan, state: PairingState) -> PairingState:
        """Record the decision; running games do not change it."""
        verdict = self.verdict(plan, state)
        if verdict == "go on":
            verdict = "withdrawn" if state.withdrawn else "too few games"
        marks = state.marks
        while marks.endswith(Mark.PENDING * GAMES_PER_MEETING):  # a meeting that has not begun
            marks = marks[:-GAMES_PER_MEETING]
        return replace(state, marks=marks, decision=verdict, closed=True)

    def pair_free(self, plan: Plan, state: PairingState, free: Mapping[int, int], slots: int) -> PairingState:
        """A new meeting for every free slot."""
        wanted = min(slots, free.get(0, 0), free.get(1, 0)) - state.marks.count(Mark.PENDING)
        left = (self._most(plan) - len(state.marks)) // GAMES_PER_MEETING
        number = 0 if state.decision or state.withdrawn else min(-(-wanted // GAMES_PER_MEETING), left)
        return replace(state, marks=state.marks + Mark.PENDING * (GAMES_PER_MEETING * max(0, number)))

    def open_stages(self, plan: Plan, state: PairingState) -> tuple[Stage, ...]:
        """Empty: it is not known when the test decides."""
        return ()

    def is_over(self, plan: Plan, state: PairingState) -> bool:
        """When it is decided and the last game is played."""
        return bool(state.decision) and state.all_games_over

    def entrants_to_play(self, plan: Plan, state: PairingState) -> frozenset[int]:
        """Both, until it is decided."""
        return super().entrants_to_play(plan, state) if state.decision else self.active(plan, state)

    # --- the test

    def pairs(self, state: PairingState) -> Pairs:
        """The meetings that were played to their end, as the first entrant sees them."""
        counts = [0] * 5
        # equal meetings are counted together first: this is asked at every step, and there may be ten thousand
        halves = zip(state.marks[0::2], state.marks[1::2], strict=True)
        for (number, (one, two)), times in Counter((at % 2, both) for at, both in enumerate(halves)).items():
            if one in PLAYED and two in PLAYED:
                points = POINTS[one][0] + POINTS[two][1]
                counts[round(2 * (2 - points if number else points))] += times
        return Pairs((counts[0], counts[1], counts[2], counts[3], counts[4]))

    def verdict(self, plan: Plan, state: PairingState) -> str:
        """The verdict of the test on the meetings so far."""
        return _test(plan).verdict(self.pairs(state))

    def decision_text(self, plan: Plan, state: PairingState) -> str:
        """The log-likelihood ratio with its bounds, and what is decided."""
        test, pairs = _test(plan), self.pairs(state)
        low, high = test.bounds
        words = DECISIONS.get(state.decision) or {
            "withdrawn": "No decision, one has withdrawn",
            "too few games": "No decision in this many games",
        }.get(state.decision, "Undecided")
        kind = "normalised " if plan.normalised else ""
        return (
            f"{words}: LLR {test.llr(pairs):.2f} ({low:.2f}, {high:.2f}) over {pairs.number:,} pairs, "
            f"{kind}Elo {plan.elo0:g} against {plan.elo1:g}"
        )

    def standings(self, plan: Plan, state: PairingState) -> tuple[CrosstableRow, ...]:
        """By points."""
        lines = crosstable_rows(plan.entrants, self.meetings(plan, state), state)
        return ranked([line._replace(tie_breaks={"wins": float(line.wins)}) for line in lines], self.tie_breaks)


_MEETINGS = (Meeting(0, 1), Meeting(1, 0))


def _test(plan: Plan) -> Test:
    return Test(plan.elo0, plan.elo1, plan.alpha, plan.beta, "normalized" if plan.normalised else "logistic")

"""Swiss system: in each round entrants with equal or similar points meet, and no two meet twice.

A round is one meeting (two games from one opening with seats changed), reported as 1, ½ or 0. It is paired when every
game of the round before has its result: the only format that has to wait for the slowest game. If no pairing is
possible any more (too few have stayed), the tournament ends with the rounds that were played.
"""

from __future__ import annotations

from math import ceil, log2

from msgspec.structs import replace

from tabiya.server.pairing.crosstable import CrosstableRow, Term, crosstable_rows, ranked
from tabiya.server.pairing.fide_dutch import RoundEntry, RoundOutcome, pair_round
from tabiya.server.pairing.format import Format
from tabiya.server.pairing.games import with_meetings
from tabiya.server.pairing.meeting_results import Pairing, meeting_result
from tabiya.server.pairing.open_games import Chain, Stage, of_meetings
from tabiya.server.pairing.state import GAMES_PER_MEETING, Bye, Meeting, PairingState, Plan

BYE_POINTS, REQUESTED_POINTS = 1.0, 0.5


class Swiss(Format):
    """Rounds by the FIDE (Dutch) system."""

    name = "swiss"
    title = "Swiss"
    late_entry = True
    has_rounds = True
    tie_breaks = ("buchholz_cut_1", "buchholz", "sonneborn_berger", "direct_encounter", "wins", "game_points")
    default_rounds = 0

    def rounds(self, plan: Plan, state: PairingState) -> int:
        """The configured number, at most one for each opponent at the start; default: log2 of the entrants + 2."""
        starters = state.starters or plan.entrants
        most = starters if starters % 2 else starters - 1
        usual = min(starters - 1, 2 + ceil(log2(max(2, starters))))
        return max(1, min(most, plan.rounds or usual))

    def rounds_error(self, plan: Plan, state: PairingState) -> str:
        """Rounds that are paired cannot be taken back."""
        if plan.rounds < state.rounds_paired:
            return f"round {state.rounds_paired} is paired already, so there are {state.rounds_paired} rounds or more"
        return ""

    def min_games(self, entrants: int, rounds: int) -> int:
        """The games of all rounds."""
        return entrants // 2 * GAMES_PER_MEETING * rounds

    def with_late_entrant(self, plan: Plan, state: PairingState) -> PairingState:
        """The newcomer is paired from the next round on and has nothing from those before."""
        newcomer = plan.entrants - 1
        return replace(state, seeds=(*state.seeds, newcomer) if state.seeds else ())

    def accepts_entries(self, plan: Plan, state: PairingState) -> bool:
        """Whether a round is still to be paired."""
        return self._is_pairing(plan, state)

    def with_bye(self, plan: Plan, state: PairingState, entrant: int) -> PairingState:
        """The entrant sits out the next round for half a point; not the last one, and once for a round."""
        asked = Bye(state.rounds_paired, entrant, REQUESTED_POINTS, requested=True)
        return state if asked in state.byes else replace(state, byes=(*state.byes, asked))

    def bye_error(self, plan: Plan, state: PairingState, entrant: int) -> str:
        """Half-point byes are for rounds that are not paired, the last one excepted."""
        if state.rounds_paired >= self.rounds(plan, state) - 1:
            return "no bye can be asked for any more: the last round is next, or paired"
        return ""

    def _is_pairing(self, plan: Plan, state: PairingState) -> bool:
        return state.rounds_paired < self.rounds(plan, state) and not state.closed

    def max_games(self, plan: Plan, state: PairingState) -> int:
        """The games paired so far, plus those that the remaining entrants can play in future rounds."""
        to_come = self.rounds(plan, state) - state.rounds_paired if self._is_pairing(plan, state) else 0
        return len(state.marks) + to_come * (len(self.active(plan, state)) // 2) * GAMES_PER_MEETING

    def can_advance(self, plan: Plan, state: PairingState) -> bool:
        """Whether the round is over and another is to come."""
        return state.all_games_over and self._is_pairing(plan, state)

    def advance(self, plan: Plan, state: PairingState) -> PairingState:
        """Pair the next round."""
        active, number = self.active(plan, state), state.rounds_paired
        # the requested bye of an entrant that has withdrawn since is worth nothing
        kept = tuple(bye for bye in state.byes if bye.round < number or bye.entrant in active)
        state = replace(state, byes=kept)
        resting = {bye.entrant for bye in kept if bye.round == number}
        seeds = self.seeds(plan, state)
        out = frozenset(place for place, entrant in enumerate(seeds, 1) if entrant in resting or entrant not in active)
        pairs = None
        if len(active) >= 2:
            pairs = pair_round(number, self._history(plan, state), out, self.rounds(plan, state))
        if pairs is None:
            return replace(state, closed=True)
        meetings, byes = list[Meeting](), list[Bye]()
        for one, two in pairs:
            if two:
                # from board to board and round to round, so that the stronger one does not always begin with seat 0
                first, second = (one, two) if (number + len(meetings)) % 2 == 0 else (two, one)
                meetings.append(Meeting(seeds[first - 1], seeds[second - 1], number, len(meetings)))
            else:
                byes.append(Bye(number, seeds[one - 1], BYE_POINTS))
        state = replace(state, rounds_paired=number + 1, byes=(*state.byes, *byes))
        return self.with_forfeits(plan, with_meetings(state, meetings))

    def seeds(self, plan: Plan, state: PairingState) -> tuple[int, ...]:
        """Entrants by pairing number."""
        return state.seeds or tuple(range(plan.entrants))

    def _history(self, plan: Plan, state: PairingState) -> list[list[RoundEntry]]:
        """For each pairing number, its rounds so far."""
        seeds = self.seeds(plan, state)
        place = {entrant: number for number, entrant in enumerate(seeds, 1)}
        history = {entrant: [RoundEntry(RoundOutcome.ABSENT)] * state.rounds_paired for entrant in seeds}
        for bye in state.byes:
            if bye.round < state.rounds_paired:
                history[bye.entrant][bye.round] = RoundEntry(
                    RoundOutcome.HALF_BYE if bye.requested else RoundOutcome.BYE
                )
        for number, meeting in enumerate(state.meetings):
            result = meeting_result(state, number)
            assert result is not None, "a round is paired when the one before is over"
            for leg, entrant in enumerate((meeting.first, meeting.second)):
                other = meeting.second if leg == 0 else meeting.first
                kind = _kind(result.scores[leg], result.played)
                history[entrant][meeting.round] = RoundEntry(kind, place[other], leg == 0)
        return [history[entrant] for entrant in seeds]

    def is_over(self, plan: Plan, state: PairingState) -> bool:
        """When all rounds are played."""
        return state.all_games_over and not self._is_pairing(plan, state)

    def entrants_to_play(self, plan: Plan, state: PairingState) -> frozenset[int]:
        """Every entrant that has not withdrawn, until the last round is paired."""
        return self.active(plan, state) if self._is_pairing(plan, state) else super().entrants_to_play(plan, state)

    def open_stages(self, plan: Plan, state: PairingState) -> tuple[Stage, ...]:
        """Open games of this round, and the future rounds."""
        to_come = self.rounds(plan, state) - state.rounds_paired if self._is_pairing(plan, state) else 0
        a_round = (Chain((), GAMES_PER_MEETING),) * (len(self.active(plan, state)) // 2)
        return (of_meetings(state, range(len(state.meetings))), *[a_round] * to_come)

    def pairings(self, plan: Plan, state: PairingState) -> tuple[Pairing, ...]:
        """The pairings, each with the points of its two before the round."""
        # every round but the last is over, so that a card has one entry for each of them
        cards = [[score for _, score in card] for card in self._cards(plan, state)]

        def before(pairing: Pairing) -> tuple[float, float]:
            one, two = (sum(cards[seat or 0][: pairing.round]) for seat in (pairing.first, pairing.second))
            return one, two

        return tuple(each._replace(before=before(each)) for each in super().pairings(plan, state))

    def standings(self, plan: Plan, state: PairingState) -> tuple[CrosstableRow, ...]:
        """By points over the rounds, then by the tie-breaks."""
        cards = self._cards(plan, state)
        points = [sum(score for _, score in card) for card in cards]
        lines = crosstable_rows(plan.entrants, state.meetings, state)
        full = []
        for line, card in zip(lines, cards, strict=True):
            own = points[line.entrant]
            strengths = tuple(Term(met, 1, own if met is None else points[met]) for met, _ in card)
            weakest = min(range(len(card)), key=lambda at: strengths[at].points, default=0)
            sums = {
                "buchholz_cut_1": strengths[:weakest] + strengths[weakest + 1 :],
                "buchholz": strengths,
                "sonneborn_berger": tuple(
                    term._replace(times=score) for term, (_, score) in zip(strengths, card, strict=True)
                ),
            }
            wins = float(sum(score == 1 and opponent is not None for opponent, score in card))
            full.append(line._replace(points=own).with_sums(sums, wins=wins, game_points=line.points))
        return ranked(full, self.tie_breaks)

    def _cards(self, plan: Plan, state: PairingState) -> list[list[tuple[int | None, float]]]:
        """For each entrant (opponent, score) by round; no opponent where nothing was played.

        A round without a game (a bye, a forfeit, a round missed) counts as one against an opponent who has as many
        points as the entrant itself.
        """
        rounds: list[dict[int, tuple[int | None, float]]] = [{} for _ in range(plan.entrants)]
        for bye in state.byes:
            if bye.round < state.rounds_paired:
                rounds[bye.entrant][bye.round] = (None, bye.points)
        unfinished: dict[int, set[int]] = {}
        for number, meeting in enumerate(state.meetings):
            result = meeting_result(state, number)
            if result is None:
                unfinished.setdefault(meeting.round, set()).update((meeting.first, meeting.second))
                continue
            one, two = result.scores
            rounds[meeting.first][meeting.round] = (meeting.second if result.played else None, one)
            rounds[meeting.second][meeting.round] = (meeting.first if result.played else None, two)
        return [
            [
                card.get(number, (None, 0.0))
                for number in range(state.rounds_paired)
                if entrant not in unfinished.get(number, ())
            ]
            for entrant, card in enumerate(rounds)
        ]


def _kind(score: float, played: bool) -> RoundOutcome:
    if not played:
        return RoundOutcome.WON_BY_FORFEIT if score == 1 else RoundOutcome.LOST_BY_FORFEIT
    return {1.0: RoundOutcome.WON, 0.5: RoundOutcome.DREW}.get(score, RoundOutcome.LOST)

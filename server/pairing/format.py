"""The interface of a tournament format: pure functions from plan and state to a new state.

A format adds meetings (`begin`, `with_late_entrant`, `advance`, `pair_free`); the marks of single games change in the
same way in every format (`games.py`). The director knows no format: it saves the state and starts the games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec.structs import replace

from tabiya.server.pairing import games
from tabiya.server.pairing.crosstable import CrosstableRow
from tabiya.server.pairing.meeting_results import Pairing, meeting_result, pairing_of
from tabiya.server.pairing.open_games import Stage, single_games
from tabiya.server.pairing.state import Mark, Meeting, PairingState, Plan, ScheduledGame, game_of


class Format:
    """One way to hold a tournament. Every method is a function of its arguments.

    has_winner: whether who is first at the end has won it; in the others games compare bots only.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    late_entry: ClassVar[bool] = False
    has_rounds: ClassVar[bool] = False
    has_winner: ClassVar[bool] = True
    tie_breaks: ClassVar[tuple[str, ...]] = ()
    default_rounds: ClassVar[int] = 1

    def min_games(self, entrants: int, rounds: int) -> int:
        """How many games that many entrants and rounds mean; 0 if it cannot be told from these."""
        return 0

    def terms_error(self, plan: Plan) -> str:
        """Why no match is possible with these terms, as a sentence; empty if one is."""
        return ""

    def start_error(self, plan: Plan) -> str:
        """Why these entrants cannot begin, as a sentence; empty if they can. Most formats need two."""
        return "" if plan.entrants >= 2 else f"a {self.title} has 2 bots or more, not {plan.entrants}"

    def begin(self, plan: Plan, seeds: Sequence[int] = ()) -> PairingState:
        """The state before the first game. seeds: entrants, the strongest first; empty: as they entered."""
        return PairingState(starters=plan.entrants, seeds=tuple(seeds))

    def meetings(self, plan: Plan, state: PairingState) -> Sequence[Meeting]:
        """All meetings known so far; those of the state's marks, in their order."""
        return state.meetings

    def max_games(self, plan: Plan, state: PairingState) -> int:
        """The number of games as far as it is known; 0 if unknown."""
        raise NotImplementedError

    def can_advance(self, plan: Plan, state: PairingState) -> bool:
        """Whether `advance` has meetings to add."""
        return False

    def advance(self, plan: Plan, state: PairingState) -> PairingState:
        """The state with what follows from the results so far. May take a second: called off the event loop."""
        return state

    def pair_free(self, plan: Plan, state: PairingState, free: Mapping[int, int], slots: int) -> PairingState:
        """The state with new meetings for entrants that are free now, in formats that match as they go."""
        return state

    def with_late_entrant(self, plan: Plan, state: PairingState) -> PairingState:
        """The state after one more entrant, the last of the plan's, has come while the tournament runs."""
        raise NotImplementedError

    def accepts_entries(self, plan: Plan, state: PairingState) -> bool:
        """Whether bots can enter after the start."""
        return self.late_entry

    def bye_error(self, plan: Plan, state: PairingState, entrant: int) -> str:
        """Why no bye can be asked for, as a sentence; empty if it can."""
        return f"a {self.title} gives no byes on request"

    def with_bye(self, plan: Plan, state: PairingState, entrant: int) -> PairingState:
        """The entrant sits out the next round that is not paired yet."""
        return state

    def with_withdrawal(self, plan: Plan, state: PairingState, entrant: int) -> PairingState:
        """Withdraw an entrant: its games not yet started are forfeited; running ones are finished."""
        state = replace(state, withdrawn=tuple(sorted({*state.withdrawn, entrant})))
        return self.with_forfeits(plan, state)

    def with_return(self, plan: Plan, state: PairingState, entrant: int) -> PairingState:
        """An entrant that had withdrawn plays again from now on; games missed keep their results."""
        return replace(state, withdrawn=tuple(one for one in state.withdrawn if one != entrant))

    def with_forfeits(self, plan: Plan, state: PairingState) -> PairingState:
        """Forfeits for games that have become pending although an entrant has withdrawn."""
        return games.forfeited(self.meetings(plan, state), state)

    def rounds(self, plan: Plan, state: PairingState) -> int:
        """The number of rounds; in round robin and gauntlet, how often two entrants meet; else 0."""
        return plan.rounds

    def rounds_error(self, plan: Plan, state: PairingState) -> str:
        """Why a tournament that has begun cannot go on with the rounds of this plan, as a sentence; empty if it can."""
        return f"a {self.title} keeps its number of rounds once it has begun"

    def decision_text(self, plan: Plan, state: PairingState) -> str:
        """What the tournament has decided, as a sentence, in formats that decide something."""
        return ""

    def is_over(self, plan: Plan, state: PairingState) -> bool:
        """Whether nothing more is to come."""
        return state.all_games_over

    def entrants_to_play(self, plan: Plan, state: PairingState) -> frozenset[int]:
        """Entrants that may have to play again."""
        meetings, waiting = self.meetings(plan, state), set[int]()
        # found by the text search of Python: there may be 40,000 marks, and this is asked at every step
        number = state.marks.find(Mark.PENDING)
        while number >= 0 and len(waiting) < plan.entrants:
            waiting |= {meetings[number // 2].first, meetings[number // 2].second}
            number = state.marks.find(Mark.PENDING, number + 1)
        return frozenset(waiting)

    def open_stages(self, plan: Plan, state: PairingState) -> tuple[Stage, ...]:
        """The open games, stage by stage; empty where they are not known."""
        total = self.max_games(plan, state)
        return (single_games(state, max(0, total - len(state.marks))),) if total else ()

    def standings(self, plan: Plan, state: PairingState) -> tuple[CrosstableRow, ...]:
        """The table, best first."""
        raise NotImplementedError

    # --- for all formats alike

    def round_titles(self, plan: Plan, state: PairingState) -> tuple[str, ...]:
        """Names of all rounds, also future ones; empty in formats without rounds."""
        if not self.has_rounds:
            return ()
        return tuple(f"Round {number}" for number in range(1, self.rounds(plan, state) + 1))

    def round_title(self, plan: Plan, state: PairingState) -> str:
        """The first round with games to play, else the last that is paired: `round 3 of 8`; empty if there is none."""
        titles = self.round_titles(plan, state)
        if not titles or not state.meetings:
            return ""
        playing = [each.round for at, each in enumerate(state.meetings) if meeting_result(state, at) is None]
        number = min(playing) if playing else max(meeting.round for meeting in state.meetings)
        title = titles[number].lower()
        return f"{title} of {len(titles)}" if title == f"round {number + 1}" else title

    def pairings(self, plan: Plan, state: PairingState) -> tuple[Pairing, ...]:
        """The pairings, round by round."""
        return tuple(pairing_of(state, number, meeting) for number, meeting in enumerate(self.meetings(plan, state)))

    def games(self, plan: Plan, state: PairingState) -> tuple[ScheduledGame, ...]:
        """All games known so far."""
        return games.games_of(self.meetings(plan, state))

    def game(self, plan: Plan, state: PairingState, number: int) -> ScheduledGame:
        return game_of(number, self.meetings(plan, state)[number // 2])

    def startable(
        self, plan: Plan, state: PairingState, free: Mapping[int, int], slots: int
    ) -> tuple[ScheduledGame, ...]:
        """The next games to start; see `games.startable`."""
        return games.startable(self.meetings(plan, state), state, free, slots)

    def active(self, plan: Plan, state: PairingState) -> frozenset[int]:
        """Entrants that have not withdrawn."""
        return frozenset(range(plan.entrants)) - frozenset(state.withdrawn)

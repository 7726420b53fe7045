"""Swiss tournaments: the criteria of the FIDE (Dutch) system, checked against every pairing there could have been."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tabiya.server.pairing import FORMATS, Plan
from tabiya.server.pairing.fide_dutch import TENTHS_OF_POINT, RoundEntry, RoundOutcome, pair_round
from tabiya.server.pairing.meeting_results import meeting_result
from tabiya.server.pairing.state import Bye, Mark, Meeting, PairingState, ScheduledGame
from tabiya.server.pairing.swiss import Swiss
from tests.present import present
from tests.server.pairing.play import Played

SWISS = FORMATS["swiss"]
Pairs = frozenset[frozenset[int]]


def by_strength(seed: int, entrants: int) -> tuple[Random, dict[int, float]]:
    draw = Random(seed)
    return draw, {entrant: draw.gauss(0, 1.0) for entrant in range(entrants + 8)}


def played(seed: int, entrants: int, rounds: int, **options: float) -> Played:
    draw, strength = by_strength(seed, entrants)

    def result(game: ScheduledGame) -> int | None:
        if draw.random() < 0.3:
            return None
        return 0 if draw.random() < 1 / (1 + 10 ** (strength[game.second] - strength[game.first])) else 1

    plan = Plan(entrants=entrants, rounds=rounds)
    return Played(SWISS, plan, seed, result=result, **options).out()  # type: ignore[arg-type]


class Round:
    """One round as it was paired: who could play, with how many points, and what came out."""

    def __init__(self, before: PairingState, after: PairingState, entrants: int) -> None:
        self.number = before.rounds_paired
        self.active = frozenset(range(entrants)) - frozenset(before.withdrawn)
        self.active -= {bye.entrant for bye in after.byes if bye.round == self.number and bye.requested}
        self.points = points_of(before, entrants)
        self.met = met_of(before)
        self.pairs = frozenset(frozenset((m.first, m.second)) for m in after.meetings if m.round == self.number)
        self.byes = [bye.entrant for bye in after.byes if bye.round == self.number and not bye.requested]
        self.no_bye = {bye.entrant for bye in before.byes if not bye.requested} | forfeit_winners(before)


def points_of(state: PairingState, entrants: int) -> list[float]:
    """Counted here by hand."""
    points = [0.0] * entrants
    for bye in state.byes:
        points[bye.entrant] += bye.points if bye.round < state.rounds_paired else 0
    for number, meeting in enumerate(state.meetings):
        value = {"1": 1.0, "+": 1.0, "0": 0.0, "-": 0.0, "=": 0.5, "x": 0.0}
        one, two = state.marks[2 * number], state.marks[2 * number + 1]
        first = value[one] + (0.0 if two == "x" else 1 - value[two])
        second = (0.0 if one == "x" else 1 - value[one]) + value[two]
        points[meeting.first] += 1.0 if first > second else 0.5 if first == second > 0 else 0.0
        points[meeting.second] += 1.0 if second > first else 0.5 if first == second > 0 else 0.0
    return points


def met_of(state: PairingState) -> Pairs:
    """Who has really played whom."""
    return frozenset(
        frozenset((meeting.first, meeting.second))
        for number, meeting in enumerate(state.meetings)
        if set(state.marks[2 * number : 2 * number + 2]) & set("10=")
    )


def forfeit_winners(state: PairingState) -> set[int]:
    """Who has a whole meeting by forfeit."""
    winners = set()
    for number, meeting in enumerate(state.meetings):
        result = meeting_result(state, number)
        if result is not None and not result.played and 1.0 in result.scores:
            winners.add((meeting.first, meeting.second)[result.scores.index(1.0)])
    return winners


def rounds_of(tournament: Played) -> list[Round]:
    befores = [PairingState(starters=tournament.plan.entrants), *tournament.after_advance]
    return [
        Round(_finished_as(tournament.state, before), after, tournament.plan.entrants)
        for before, after in zip(befores, tournament.after_advance, strict=False)
    ]


def _finished_as(end: PairingState, state: PairingState) -> PairingState:
    """The state when its last round was over, with the results that its games had in the end."""
    return PairingState(
        marks=end.marks[: len(state.marks)],
        meetings=state.meetings,
        rounds_paired=state.rounds_paired,
        byes=state.byes,
    )


def pairings(players: list[int], met: Pairs) -> Iterator[list[tuple[int, int]]]:
    """Every way to pair all of these without a second meeting."""
    if not players:
        yield []
        return
    one, *others = players
    for at, two in enumerate(others):
        if frozenset((one, two)) not in met:
            for rest in pairings(others[:at] + others[at + 1 :], met):
                yield [(one, two), *rest]


def all_rounds(this: Round) -> Iterator[tuple[int | None, list[tuple[int, int]]]]:
    """Every round that obeys the absolute criteria: who has the bye, and the pairs."""
    players = sorted(this.active)
    if len(players) % 2 == 0:
        yield from ((None, pairs) for pairs in pairings(players, this.met))
        return
    for bye in players:
        if bye not in this.no_bye:
            yield from ((bye, pairs) for pairs in pairings([p for p in players if p != bye], this.met))


def floats_from_the_top(points: list[float], bye: int | None, pairs: list[tuple[int, int]]) -> list[int]:
    """For each score, the highest first, how many of those who have it do not play one with the same or more."""
    partner: dict[int, int] = {}
    for one, two in pairs:
        partner[one], partner[two] = two, one
    scores = sorted(
        {points[player] for player in partner} | ({points[bye]} if bye is not None else set()), reverse=True
    )
    return [
        sum(points[player] == score and points[other] < score for player, other in partner.items())
        + (bye is not None and points[bye] == score)
        for score in scores
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_ten_simulated_tournaments_obey_the_absolute_the_bye_and_the_float_criteria(seed: int) -> None:
    entrants = (7, 8, 9, 10)[seed % 4]
    for this in rounds_of(played(seed, entrants, 5)):
        assert this.pairs.isdisjoint(this.met), "C.1: nobody meets the same entrant twice"
        assert {player for pair in this.pairs for player in pair} | set(this.byes) == this.active
        assert 2 * len(this.pairs) + len(this.byes) == len(this.active), "everybody once"
        assert len(this.byes) == len(this.active) % 2
        assert not set(this.byes) & this.no_bye, "C.2: no second bye"
        could_be = list(all_rounds(this))
        bye = this.byes[0] if this.byes else None
        if bye is not None:
            assert this.points[bye] == min(this.points[b] for b, _ in could_be if b is not None), (
                "C.5: the lowest score"
            )
            could_be = [(b, pairs) for b, pairs in could_be if b is not None and this.points[b] == this.points[bye]]
        ours = floats_from_the_top(this.points, bye, [tuple(sorted(pair)) for pair in this.pairs])  # type: ignore[misc]
        fewest = min(floats_from_the_top(this.points, b, pairs)[0] for b, pairs in could_be)
        assert ours[0] == fewest, "C.6: as few as possible float down from the top"


@pytest.mark.slow
def test_twenty_four_entrants_have_no_second_meeting_and_no_second_bye_in_nine_rounds() -> None:
    for entrants in (24, 25):
        tournament = played(entrants, entrants, 9)
        assert tournament.state.rounds_paired == 9
        pairs = [frozenset((m.first, m.second)) for m in tournament.state.meetings]
        assert len(set(pairs)) == len(pairs) == 9 * (entrants // 2)
        byes = [bye.entrant for bye in tournament.state.byes]
        assert len(set(byes)) == len(byes) == 9 * (entrants % 2)
        tournament.check()


def test_a_bot_that_has_just_floated_down_does_not_float_again() -> None:
    """Over six tournaments, fewer than one in five of those who float down has done so in the round before."""
    floated = []
    for seed in range(6):
        tournament = played(seed, 10, 4)
        states = rounds_of(tournament)
        down = [
            {max(pair, key=lambda p: this.points[p]) for pair in this.pairs if len({this.points[p] for p in pair}) == 2}
            for this in states
        ]
        floated += [len(one & two) / max(1, len(two)) for one, two in pairwise(down)]
    assert sum(floated) / len(floated) < 0.2


def random_round(history: list[list[RoundEntry]], draw: Random, number: int) -> tuple[float, float] | None:
    """Pair and play one round. Returns the score of who got the bye, and the lowest score that could have got it."""
    had_bye = {RoundOutcome.BYE, RoundOutcome.WON_BY_FORFEIT}
    won, drew, lost = RoundOutcome.WON, RoundOutcome.DREW, RoundOutcome.LOST
    points = [sum(TENTHS_OF_POINT.get(entry.kind, 0) for entry in entries) for entries in history]
    met = frozenset(
        frozenset((one, entry.opponent))
        for one, entries in enumerate(history, 1)
        for entry in entries
        if entry.kind in (won, drew, lost)
    )
    out = frozenset(player for player in range(1, len(history) + 1) if draw.random() < 0.15)
    active = [player for player in range(1, len(history) + 1) if player not in out]
    pairs = pair_round(number, history, out, len(history)) if len(active) > 1 else None
    if pairs is None:
        return None
    played = {player: RoundEntry(RoundOutcome.ABSENT) for player in out}
    outcomes = [(won, lost), (lost, won), (drew, drew), (RoundOutcome.WON_BY_FORFEIT, RoundOutcome.LOST_BY_FORFEIT)]
    for one, two in pairs:
        first, second = draw.choice(outcomes) if two else (RoundOutcome.BYE, None)
        played[one] = RoundEntry(first, two, True)
        if second is not None:
            played[two] = RoundEntry(second, one, False)
    could_have_it = [
        points[player - 1]
        for player in active
        if not had_bye & {entry.kind for entry in history[player - 1]}
        and next(pairings([other for other in active if other != player], met), None) is not None
    ]
    byes = [points[one - 1] for one, two in pairs if not two]
    for player, entries in enumerate(history, 1):
        entries.append(played[player])
    return (byes[0], min(could_have_it)) if byes else None


@pytest.mark.slow
def test_the_bye_goes_to_the_lowest_score_that_lets_the_others_be_paired() -> None:
    byes = []
    for seed in range(150):
        draw = Random(seed)
        history: list[list[RoundEntry]] = [[] for _ in range(draw.randint(3, 9))]
        for number in range(draw.randint(2, len(history))):
            if any(len(entries) < number for entries in history):
                break
            byes.append(random_round(history, draw, number))
    given = [bye for bye in byes if bye is not None]
    assert len(given) > 200
    assert [bye for bye in given if bye[0] != bye[1]] == []


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 11), st.integers(0, 2**32))
def test_whatever_happens_a_swiss_ends_with_every_game_once(entrants: int, seed: int) -> None:
    options = {"gone": 0.02, "late": 1, "crash": 0.05}
    tournament = Played(SWISS, Plan(entrants=entrants, rounds=min(4, entrants - 1)), seed, **options).out()  # type: ignore[arg-type]
    tournament.check()
    lines = SWISS.standings(tournament.plan, tournament.state)
    assert [line.points for line in lines] == sorted((line.points for line in lines), reverse=True)
    assert points_of(tournament.state, tournament.plan.entrants) == [
        line.points for line in sorted(lines, key=lambda line: line.entrant)
    ]


def test_the_first_round_pairs_the_upper_half_with_the_lower_half_by_seeds() -> None:
    plan = Plan(entrants=6, rounds=3)
    state = SWISS.advance(plan, SWISS.begin(plan, seeds=(5, 4, 3, 2, 1, 0)))
    assert {frozenset((m.first, m.second)) for m in state.meetings} == {
        frozenset((5, 2)),
        frozenset((4, 1)),
        frozenset((3, 0)),
    }


def test_a_bye_on_request_is_half_a_point_and_neither_for_the_last_round_nor_twice() -> None:
    plan = Plan(entrants=5, rounds=2)
    state = SWISS.with_bye(plan, SWISS.with_bye(plan, SWISS.begin(plan), 0), 0)
    assert state.byes == (Bye(0, 0, 0.5, True),)
    state = SWISS.advance(plan, state)
    assert (len(state.meetings), len(state.byes)) == (2, 1)
    assert 0 not in {player for m in state.meetings for player in (m.first, m.second)}
    assert "last round" in SWISS.bye_error(plan, state, 1)
    assert next(line.points for line in SWISS.standings(plan, state) if line.entrant == 0) == 0.5


def test_a_bye_on_request_is_half_a_point_for_the_pairing_too_and_a_real_bye_can_still_follow() -> None:
    half, whole = [RoundEntry(RoundOutcome.HALF_BYE)], [RoundEntry(RoundOutcome.BYE)]
    assert pair_round(1, [half, whole, whole], frozenset(), 5) == [(2, 3), (1, 0)]
    plan = Plan(entrants=3, rounds=3)
    state = SWISS.advance(plan, SWISS.with_bye(plan, SWISS.begin(plan), 2))
    assert isinstance(SWISS, Swiss)
    assert SWISS._history(plan, replace(state, marks="=="))[2] == [RoundEntry(RoundOutcome.HALF_BYE)]


def test_a_withdrawn_bot_keeps_the_bye_of_a_paired_round_and_loses_the_next() -> None:
    plan = Plan(entrants=5, rounds=3)
    state = SWISS.advance(plan, SWISS.with_bye(plan, SWISS.begin(plan), 0))
    state = SWISS.with_withdrawal(plan, SWISS.with_bye(plan, state, 0), 0)
    state = SWISS.advance(plan, replace(state, marks=state.marks.replace(".", "1")))
    assert state.byes == (Bye(0, 0, 0.5, True),)


@pytest.mark.parametrize("seeds", [(), (3, 2, 1, 0)])
def test_a_late_bot_is_paired_from_the_next_round_and_a_withdrawn_one_no_more(seeds: tuple[int, ...]) -> None:
    plan = Plan(entrants=4, rounds=3)
    state = SWISS.advance(plan, SWISS.begin(plan, seeds))
    assert not SWISS.can_advance(plan, state)
    plan = Plan(entrants=5, rounds=3)
    state = SWISS.with_late_entrant(plan, state)
    state = SWISS.with_withdrawal(plan, state, 0)
    state = replace(state, marks=state.marks.replace(".", "1"))
    assert SWISS.entrants_to_play(plan, state) == {1, 2, 3, 4}
    state = SWISS.advance(plan, state)
    last = {player for m in state.meetings if m.round == 1 for player in (m.first, m.second)}
    assert last == {1, 2, 3, 4}


def test_a_returning_bot_is_paired_from_the_next_round_without_points_for_missed_ones() -> None:
    plan = Plan(entrants=6, rounds=4)
    state = SWISS.with_withdrawal(plan, SWISS.advance(plan, SWISS.begin(plan)), 0)
    for _ in range(2):
        state = replace(state, marks=state.marks.replace(".", "1"))
        state = SWISS.advance(plan, state)
    assert [m for m in state.meetings if 0 in (m.first, m.second)] == [state.meetings[0]]
    assert SWISS.accepts_entries(plan, state)
    state = SWISS.with_return(plan, state, 0)
    state = SWISS.advance(plan, replace(state, marks=state.marks.replace(".", "1")))
    last = [player for m in state.meetings if m.round == 3 for player in (m.first, m.second)]
    assert sorted(last) == [0, 1, 2, 3, 4, 5]
    assert next(line.points for line in SWISS.standings(plan, state) if line.entrant == 0) == 0
    assert not SWISS.accepts_entries(plan, state)


def test_when_nobody_is_left_to_be_met_it_ends_with_the_rounds_that_were_played() -> None:
    plan = Plan(entrants=4, rounds=3)
    state = SWISS.advance(plan, SWISS.begin(plan))
    for gone in (0, 1):
        state = SWISS.with_withdrawal(plan, state, gone)
    state = replace(state, marks=state.marks.replace(".", "1"))
    rounds = 0
    while SWISS.can_advance(plan, state):
        state, rounds = SWISS.advance(plan, state), rounds + 1
        state = replace(state, marks=state.marks.replace(".", "1"))
    assert SWISS.is_over(plan, state)
    assert rounds <= 2
    assert SWISS.max_games(plan, state) == len(state.marks)


def test_the_tie_breaks_by_hand() -> None:
    # round 1: 0 beats 1, 2 draws 3; round 2: 0 draws 2, 1 beats 3; a bye for 4 in both is impossible, so none is here
    plan = Plan(entrants=4, rounds=2)
    meetings = (Meeting(0, 1, 0, 0), Meeting(2, 3, 0, 1), Meeting(0, 2, 1, 0), Meeting(1, 3, 1, 1))
    state = PairingState(marks="1010" + "1=" + "1=", meetings=meetings, rounds_paired=2, starters=4)
    # legs: seat 0 of the second game is the other one, so "10" is 2-0 and "1=" is 1.5-0.5 for the first
    lines = {line.entrant: line for line in SWISS.standings(plan, state)}
    assert [lines[n].points for n in range(4)] == [2.0, 1.0, 1.0, 0.0]
    assert [lines[n].tie_breaks["buchholz"] for n in range(4)] == [2.0, 2.0, 2.0, 2.0]
    assert [lines[n].tie_breaks["buchholz_cut_1"] for n in range(4)] == [1.0, 2.0, 2.0, 1.0]
    assert [lines[n].tie_breaks["sonneborn_berger"] for n in range(4)] == [2.0, 0.0, 0.0, 0.0]
    assert [lines[n].tie_breaks["game_points"] for n in range(4)] == [3.5, 1.5, 2.5, 0.5]
    assert [line.entrant for line in SWISS.standings(plan, state)] == [0, 2, 1, 3]


def test_a_round_without_a_game_counts_as_one_against_somebody_as_strong() -> None:
    plan = Plan(entrants=3, rounds=1)
    state = PairingState(
        marks="10", meetings=(Meeting(0, 1, 0, 0),), rounds_paired=1, byes=(Bye(0, 2, 1.0),), starters=3
    )
    line = next(line for line in SWISS.standings(plan, state) if line.entrant == 2)
    assert (line.points, line.tie_breaks["buchholz"], line.tie_breaks["wins"]) == (1.0, 1.0, 0.0)


def test_a_meeting_won_by_forfeit_counts_as_one_against_somebody_as_strong() -> None:
    plan = Plan(entrants=4, rounds=1)
    state = PairingState(marks="-+" + "10", meetings=(Meeting(0, 1), Meeting(2, 3)), rounds_paired=1, starters=4)
    line = next(line for line in SWISS.standings(plan, state) if line.entrant == 1)
    assert (line.points, line.tie_breaks["buchholz"], line.tie_breaks["wins"]) == (1.0, 1.0, 0.0)


def test_a_meeting_both_have_forfeited_is_a_point_for_nobody() -> None:
    state = PairingState(marks=str(Mark.BOTH_FORFEIT) * 2, meetings=(Meeting(0, 1),), rounds_paired=1)
    result = present(meeting_result(state, 0))
    assert (result.scores, result.played) == ((0.0, 0.0), False)


def test_there_are_no_more_rounds_than_opponents_and_untold_as_many_as_it_takes_to_find_the_first() -> None:
    assert [SWISS.rounds(Plan(entrants=n, rounds=9), PairingState()) for n in (4, 5, 10, 11)] == [3, 5, 9, 9]
    assert [SWISS.rounds(Plan(entrants=n, rounds=0), PairingState()) for n in (2, 3, 8, 40, 200)] == [1, 2, 5, 8, 10]


def test_the_latest_round_that_is_paired_has_a_title_and_cannot_be_taken_back() -> None:
    plan = Plan(entrants=4, rounds=3)
    begun = SWISS.begin(plan)
    paired = SWISS.advance(plan, begun)
    assert (SWISS.round_title(plan, begun), SWISS.round_title(plan, paired)) == ("", "round 1 of 3")
    assert SWISS.rounds_error(replace(plan, rounds=1), paired) == ""
    later = replace(paired, rounds_paired=2)
    assert SWISS.rounds_error(replace(plan, rounds=1), later).startswith("round 2 is paired already")
    knockout = FORMATS["knockout"]
    assert knockout.round_title(plan, knockout.advance(plan, knockout.begin(plan))) == "semi-finals"
    of_six = Plan(entrants=6)
    begun = knockout.advance(of_six, knockout.begin(of_six))
    ahead = knockout.advance(of_six, replace(begun, marks="11" + begun.marks[2:]))
    assert (len(ahead.meetings), knockout.round_title(of_six, ahead)) == (3, "quarter-finals")
    assert FORMATS["ladder"].round_title(plan, paired) == ""


def test_all_games_of_the_rounds_to_come_are_counted_in() -> None:
    plan = Plan(entrants=4, rounds=3)
    state = SWISS.begin(plan)
    assert SWISS.max_games(plan, state) == SWISS.max_games(plan, SWISS.advance(plan, state)) == 3 * 2 * 2

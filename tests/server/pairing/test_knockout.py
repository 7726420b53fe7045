"""Knockouts: the bracket, byes, tie-breaks, the decider, the third place, withdrawals."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tabiya.server.pairing import Plan
from tabiya.server.pairing.games import finished
from tabiya.server.pairing.knockout import NOBODY, Knockout, seed_order
from tabiya.server.pairing.state import PairingState
from tests.server.pairing.play import Played

KNOCKOUT = Knockout()


def strongest_wins(seed: int = 0, draws: float = 0.0) -> Played:
    draw = Random(seed)
    plan = Plan(entrants=8)
    return Played(
        KNOCKOUT,
        plan,
        seed,
        result=lambda game: None if draw.random() < draws else int(game.first > game.second),
    )


def places(plan: Plan, state: PairingState) -> dict[int, tuple[int, str]]:
    return {line.entrant: (line.rank, line.note) for line in KNOCKOUT.standings(plan, state)}


def with_points(plan: Plan, state: PairingState, *results: int | None) -> PairingState:
    """The pending games end so, in order."""
    for winner in results:
        state = finished(state, state.marks.index("."), winner)
    while KNOCKOUT.can_advance(plan, state):
        state = KNOCKOUT.advance(plan, state)
    return state


def test_the_first_two_seeds_can_only_meet_in_the_final() -> None:
    assert seed_order(3) == [0, 7, 3, 4, 1, 6, 2, 5]
    for rounds in range(1, 8):
        order = seed_order(rounds)
        assert sorted(order) == list(range(2**rounds))
        assert all(one + two == 2**rounds - 1 for one, two in zip(order[::2], order[1::2], strict=True))
        assert {order.index(0) < len(order) // 2, order.index(1) < len(order) // 2} == {True, False}


def test_if_the_stronger_always_wins_the_places_are_the_seeds() -> None:
    tournament = strongest_wins().out()
    tournament.check()
    shown = places(tournament.plan, tournament.state)
    assert [shown[entrant] for entrant in range(4)] == [(1, "champion"), (2, "second"), (3, "third"), (4, "fourth")]
    assert {shown[entrant] for entrant in range(4, 8)} == {(5, "out in the quarter-final")}
    assert len(tournament.state.meetings) == 8


def test_without_the_match_for_it_both_losers_of_the_semi_finals_are_third() -> None:
    tournament = Played(
        KNOCKOUT, Plan(entrants=4, third_place=False), 1, result=lambda game: int(game.first > game.second)
    ).out()
    shown = places(tournament.plan, tournament.state)
    assert [shown[entrant][0] for entrant in range(4)] == [1, 2, 3, 3]
    assert len(tournament.state.meetings) == 3


def test_byes_go_to_the_first_seeds() -> None:
    plan = Plan(entrants=5)
    state = KNOCKOUT.advance(plan, KNOCKOUT.begin(plan, seeds=(4, 3, 2, 1, 0)))
    # seeds 1, 2 and 3 (entrants 4, 3 and 2) have byes; 2 and 3 are known for the semi-final at once
    assert {frozenset((m.first, m.second)) for m in state.meetings} == {frozenset((0, 1)), frozenset((3, 2))}
    assert [(m.round, m.slot) for m in state.meetings] == [(0, 1), (1, 1)]


def test_the_next_tie_begins_when_its_two_are_known_and_waits_for_no_other() -> None:
    plan = Plan(entrants=8)
    state = KNOCKOUT.advance(plan, KNOCKOUT.begin(plan))
    for number in range(4):
        state = finished(state, number, number % 2)  # the first two ties of the quarter-final: 0 and 3 win
    assert KNOCKOUT.can_advance(plan, state)
    state = KNOCKOUT.advance(plan, state)
    assert (state.meetings[-1].round, {state.meetings[-1].first, state.meetings[-1].second}) == (1, {0, 3})
    assert not KNOCKOUT.can_advance(plan, state)


def test_a_level_tie_is_played_on_with_the_other_one_first_and_then_the_higher_seed_goes_through() -> None:
    plan = Plan(entrants=2, tie_breaks=2)
    state = KNOCKOUT.advance(plan, KNOCKOUT.begin(plan, seeds=(1, 0)))
    assert (state.meetings[0].first, state.meetings[0].second) == (1, 0)
    state = with_points(plan, state, 0, 0)
    assert (state.meetings[1].first, state.meetings[1].second) == (0, 1)
    state = with_points(plan, state, None, None)
    assert len(state.meetings) == 3
    state = with_points(plan, state, 1, 1)
    assert (len(state.meetings), KNOCKOUT.is_over(plan, state)) == (3, True)
    assert places(plan, state) == {1: (1, "champion"), 0: (2, "second")}
    assert KNOCKOUT.pairings(plan, state)[0].note == "level; the higher seed goes through"


def test_a_tie_break_that_is_won_decides_the_tie() -> None:
    plan = Plan(entrants=2)
    state = KNOCKOUT.advance(plan, KNOCKOUT.begin(plan))
    state = with_points(plan, state, 0, 0)
    state = with_points(plan, state, 0, None)  # entrant 1 has seat 0 first
    assert places(plan, state)[1] == (1, "champion")
    assert KNOCKOUT.pairings(plan, state)[0].note == "after 1 level meeting"
    assert KNOCKOUT.pairings(plan, state)[0].points == (1.5, 2.5)


def test_the_opponent_of_a_withdrawn_bot_advances_and_if_both_withdraw_nobody_does() -> None:
    plan = Plan(entrants=4)
    state = KNOCKOUT.with_withdrawal(plan, KNOCKOUT.begin(plan), 0)
    state = with_points(plan, state)
    assert {m.round for m in state.meetings} == {0}
    state = with_points(plan, state, 0, 1)  # 1 beats 2
    assert {state.meetings[-1].first, state.meetings[-1].second} == {3, 1}
    state = KNOCKOUT.with_withdrawal(plan, KNOCKOUT.with_withdrawal(plan, state, 3), 1)
    assert KNOCKOUT.is_over(plan, state)
    assert KNOCKOUT.ties(plan, state)[2].winner == 1  # it had the final by forfeit before it withdrew
    both = replace(KNOCKOUT.begin(plan), withdrawn=(0, 3))
    assert KNOCKOUT.ties(plan, both)[0].winner == NOBODY


@settings(max_examples=40, deadline=None)
@given(
    st.builds(Plan, entrants=st.integers(2, 13), tie_breaks=st.integers(0, 2), third_place=st.booleans()),
    st.integers(0, 2**32),
    st.sampled_from([0.0, 0.03]),
)
def test_whatever_happens_a_knockout_has_one_champion_and_every_game_once(plan: Plan, seed: int, gone: float) -> None:
    tournament = Played(KNOCKOUT, plan, seed, gone=gone, crash=0.05, most_gone=plan.entrants - 1).out()
    tournament.check()
    shown = places(plan, tournament.state)
    assert sum(note == "champion" for _, note in shown.values()) <= 1
    if not gone:
        assert sum(note == "champion" for _, note in shown.values()) == 1
        losers = [tie.loser for tie in KNOCKOUT.ties(plan, tournament.state) if tie.loser != NOBODY and tie.slot == 0]
        assert len(set(losers)) == len(losers)


@pytest.mark.parametrize("seed", range(5))
def test_draws_only_make_it_longer(seed: int) -> None:
    tournament = strongest_wins(seed, draws=0.7).out()
    tournament.check()
    assert len(tournament.state.meetings) > 8

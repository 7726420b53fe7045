"""SPRT as a tournament: it decides on whole meetings, stops, and its decision stands."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabiya.server.pairing import Plan
from tabiya.server.pairing.games import finished, started
from tabiya.server.pairing.sprt import Sprt
from tabiya.server.pairing.state import PairingState, ScheduledGame
from tabiya.server.ratings.sprt import Sprt as Sequential
from tests.server.pairing.play import Played

SPRT = Sprt()
PLAN = Plan(entrants=2, elo0=0, elo1=200, normalised=False, games=2_000)


def stronger_by(elo: float, seed: int, plan: Plan = PLAN) -> Played:
    draw = Random(seed)

    def result(game: ScheduledGame) -> int:
        ahead = elo if game.first == 0 else -elo
        return int(draw.random() >= 1 / (1 + 10 ** (-ahead / 400)))

    return Played(SPRT, plan, seed, result=result, slots=1, absent=0.0, crash=0.02)


@pytest.mark.parametrize(("elo", "decision"), [(-100, "accept H0"), (400, "accept H1")])
def test_it_decides_for_the_hypothesis_that_is_true_and_stops(elo: float, decision: str) -> None:
    tournament = stronger_by(elo, 1).out()
    tournament.check()
    assert tournament.state.decision == decision
    assert len(tournament.state.marks) < 300
    assert SPRT.max_games(PLAN, tournament.state) == len(tournament.state.marks)
    words = "H1 is accepted" if decision == "accept H1" else "H0 is accepted"
    assert SPRT.decision_text(PLAN, tournament.state).startswith(f"{words}: LLR ")


def test_the_pairs_are_seen_by_the_first_entrant_whoever_begins() -> None:
    # meeting 0: entrant 0 first, wins both; meeting 1: entrant 1 first, wins the first and draws; meeting 2 is open
    state = PairingState(marks="10" + "1=" + "1.", starters=2)
    assert SPRT.pairs(state).counts == (0, 1, 0, 0, 1)
    assert SPRT.pairs(PairingState(marks="+-")).number == 0


def test_a_decision_drops_meetings_that_have_not_begun_and_stands_whatever_the_last_games_bring() -> None:
    state = PairingState(marks="10" + "01" * 1 + "10" * 0, starters=2)
    plan = Plan(entrants=2, elo0=0, elo1=400, normalised=False, alpha=0.4, beta=0.4)
    assert Sequential(0, 400, 0.4, 0.4, "logistic").verdict(SPRT.pairs(state)) == "accept H1"
    state = PairingState(marks=state.marks + "r." + "..", starters=2)
    assert SPRT.can_advance(plan, state)
    state = SPRT.advance(plan, state)
    assert (state.marks, state.decision) == ("1001r.", "accept H1")
    state = finished(finished(started(state, 5), 4, 1), 5, 0)
    assert SPRT.is_over(plan, state)
    assert not SPRT.can_advance(plan, state)


def test_it_ends_undecided_after_the_most_games_or_when_one_withdraws() -> None:
    plan = Plan(entrants=2, elo0=0, elo1=5, games=6)
    tournament = stronger_by(0, 2, plan).out()
    tournament.check()
    assert (len(tournament.state.marks), tournament.state.decision) == (6, "too few games")
    assert SPRT.decision_text(plan, tournament.state).startswith("No decision in this many games: ")
    state = SPRT.with_withdrawal(plan, PairingState(marks="1.", starters=2), 1)
    assert SPRT.can_advance(plan, state)
    state = SPRT.advance(plan, state)
    assert SPRT.is_over(plan, state)
    assert "has withdrawn" in SPRT.decision_text(plan, state)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.02]))
def test_whatever_happens_every_game_counts_once(seed: int, gone: float) -> None:
    tournament = Played(SPRT, Plan(entrants=2, elo0=0, elo1=50, games=80), seed, gone=gone, slots=2, crash=0.1).out()
    tournament.check()
    assert tournament.state.decision


def test_as_many_meetings_are_open_as_the_two_can_play() -> None:
    state = SPRT.pair_free(PLAN, SPRT.begin(PLAN), {0: 4, 1: 4}, 3)
    assert len(SPRT.startable(PLAN, state, {0: 4, 1: 4}, 3)) == 3
    assert SPRT.pair_free(PLAN, SPRT.begin(PLAN), {0: 4, 1: 0}, 3).marks == ""


def test_terms_that_are_no_test_and_a_third_bot_are_refused() -> None:
    assert "elo0 must be less than elo1" in SPRT.terms_error(Plan(entrants=2, elo0=5, elo1=5))
    assert SPRT.terms_error(PLAN) == ""
    assert "2 bots, not 3" in SPRT.start_error(Plan(entrants=3))

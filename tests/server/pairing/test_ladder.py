"""Ladders: nearby ratings meet, nobody waits for a slow game, and it ends when it is told to."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tabiya.server.pairing import Plan
from tabiya.server.pairing.games import finished, started
from tabiya.server.pairing.ladder import Ladder
from tabiya.server.pairing.state import Meeting, PairingState, ScheduledGame
from tests.server.pairing.play import Played

LADDER = Ladder()


def by_number(draw: Random) -> Played:
    """Entrant 0 is the strongest, 150 Elo between neighbours."""

    def result(game: ScheduledGame) -> int:
        return int(draw.random() >= 1 / (1 + 10 ** ((game.first - game.second) * 150 / 400)))

    return Played(LADDER, Plan(entrants=10, games=600), 3, result=result, absent=0.0, slots=2)


def test_a_ladder_finds_the_order_and_pairs_neighbours() -> None:
    tournament = by_number(Random(4)).out()
    tournament.check()
    order = [line.entrant for line in LADDER.standings(tournament.plan, tournament.state)]
    assert sum(abs(place - entrant) for place, entrant in enumerate(order)) <= 10
    apart = [abs(m.first - m.second) for m in tournament.state.meetings[150:]]
    assert sum(apart) / len(apart) < 2.4  # by chance it would be 3.7
    counts = [sum(e in (m.first, m.second) for m in tournament.state.meetings) for e in range(10)]
    assert max(counts) - min(counts) <= 12


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 8), st.integers(1, 60), st.integers(0, 2**32))
def test_whatever_happens_a_ladder_ends_with_as_many_games_as_it_was_told(entrants: int, games: int, seed: int) -> None:
    tournament = Played(LADDER, Plan(entrants=entrants, games=games), seed, late=1, crash=0.05).out()
    tournament.check()
    assert len(tournament.state.marks) == games + games % 2


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 8), st.integers(0, 2**32))
def test_a_ladder_ends_when_all_but_one_have_withdrawn_and_every_game_is_counted(entrants: int, seed: int) -> None:
    tournament = Played(LADDER, Plan(entrants=entrants, games=400), seed, gone=0.05, back=0.05, crash=0.05).out()
    tournament.check()


def test_a_closed_ladder_begins_no_meeting_and_plays_the_begun_ones_to_their_end() -> None:
    plan = Plan(entrants=4)
    state = LADDER.pair_free(plan, LADDER.begin(plan), dict.fromkeys(range(4), 1), 1)
    assert len(state.meetings) == 1
    state = replace(started(state, 0), closed=True)
    assert LADDER.pair_free(plan, state, {2: 1, 3: 1}, 3) == state
    assert not LADDER.is_over(plan, state)
    state = finished(state, 0, 0)
    both = dict.fromkeys((state.meetings[0].first, state.meetings[0].second), 1)
    assert [game.number for game in LADDER.startable(plan, state, both, 3)] == [1]
    assert LADDER.is_over(plan, finished(state, 1, None))
    assert LADDER.max_games(plan, state) == 2


def test_two_who_are_free_are_paired_while_a_slow_game_runs_and_after_three_meetings_wait_for_others() -> None:
    plan, slow = Plan(entrants=4), Meeting(2, 3)
    for met, paired in ((0, True), (2, True), (3, False)):
        state = PairingState(marks="rr" + "10" * met, meetings=(slow, *([Meeting(0, 1)] * met)), starters=4)
        filled = LADDER.pair_free(plan, state, {0: 1, 1: 1}, 1)
        assert (len(filled.meetings) > len(state.meetings)) == paired
    alone = PairingState(marks="10" * 5, meetings=tuple([Meeting(0, 1)] * 5), starters=4)
    assert len(LADDER.pair_free(plan, alone, {0: 1, 1: 1}, 1).meetings) == 6


def test_an_absent_entrant_with_an_open_game_takes_no_slot_from_the_others() -> None:
    plan = Plan(entrants=4)
    state = PairingState(marks="1.", meetings=(Meeting(0, 1),), starters=4)
    filled = LADDER.pair_free(plan, state, {1: 1, 2: 1, 3: 1}, 1)
    assert {filled.meetings[-1].first, filled.meetings[-1].second} == {2, 3}


def test_ratings_move_by_results_and_forfeits_move_nothing() -> None:
    plan = Plan(entrants=4)
    state = PairingState(marks="10" + "=." + "+-", meetings=(Meeting(0, 1), Meeting(0, 2), Meeting(2, 3)), starters=4)
    assert LADDER.ratings(plan, state) == [1516.0, 1484.0, 1500.0, 1500.0]
    assert [line.entrant for line in LADDER.standings(plan, state)] == [0, 2, 3, 1]


def test_ratings_do_not_depend_on_how_much_of_them_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    draw, plan = Random(6), Plan(entrants=6)
    meetings = tuple(Meeting(*draw.sample(range(6), 2)) for _ in range(500))
    state = PairingState(marks="".join(draw.choice("10=+x.") for _ in range(1_000)), meetings=meetings, starters=6)
    ratings = LADDER.ratings(plan, state)
    assert len(set(ratings)) == 6
    monkeypatch.setattr("tabiya.server.pairing.ladder.MEETINGS_PER_CHUNK", 10_000)
    assert LADDER.ratings(plan, state) == ratings

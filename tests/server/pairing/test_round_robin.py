"""Round robin and gauntlet: the schedule, what may start, forfeits and the table."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert, to_builtins

from tabiya.server.pairing import FORMATS, Plan
from tabiya.server.pairing.crosstable import CrosstableRow
from tabiya.server.pairing.games import finished, replayed, started
from tabiya.server.pairing.state import Mark, PairingState, ScheduledGame
from tests.server.pairing.play import Played

ROBIN, GAUNTLET = FORMATS["round_robin"], FORMATS["gauntlet"]


def schedule(plan: Plan) -> tuple[ScheduledGame, ...]:
    return ROBIN.games(plan, ROBIN.begin(plan))


def begin(plan: Plan) -> PairingState:
    return ROBIN.begin(plan)


def withdraw(plan: Plan, state: PairingState, entrant: int) -> PairingState:
    return ROBIN.with_withdrawal(plan, state, entrant)


def crosstable(plan: Plan, state: PairingState) -> tuple[CrosstableRow, ...]:
    return ROBIN.standings(plan, state)


def startable(plan: Plan, state: PairingState, free: set[int], slots: int) -> tuple[ScheduledGame, ...]:
    return ROBIN.startable(plan, state, dict.fromkeys(free, 1), slots)


plans = st.builds(Plan, entrants=st.integers(2, 20), rounds=st.integers(1, 3))


@given(plans)
def test_every_two_meet_once_a_round_in_both_seats_nobody_twice_at_once_and_who_begins_is_balanced(plan: Plan) -> None:
    games = schedule(plan)
    everybody = range(plan.entrants)
    pairs = [(one, two) for one in everybody for two in everybody if one != two]
    assert Counter((game.first, game.second) for game in games) == dict.fromkeys(pairs, plan.rounds)
    assert [game.number for game in games] == list(range(ROBIN.min_games(plan.entrants, plan.rounds)))
    for first, second in zip(games[0::2], games[1::2], strict=True):
        assert (first.meeting, second.meeting) == (first.number // 2, first.number // 2)
        assert (first.leg, second.leg) == (0, 1)
        assert (first.first, first.second) == (second.second, second.first)
    in_a_round = plan.entrants // 2
    meetings = [(game.first, game.second) for game in games if game.leg == 0]
    for start in range(0, len(meetings), in_a_round):
        players = [entrant for meeting in meetings[start : start + in_a_round] for entrant in meeting]
        assert len(set(players)) == len(players)
    opens = Counter(first for first, _ in meetings)
    share = (plan.entrants - 1) * plan.rounds / 2
    assert all(abs(opens[entrant] - share) <= plan.entrants / 2 for entrant in everybody)


@settings(max_examples=40, deadline=None)
@given(st.builds(Plan, entrants=st.integers(2, 9), rounds=st.integers(1, 2)), st.integers(0, 2**32), st.integers(1, 5))
def test_whatever_happens_nobody_is_booked_twice_and_every_game_is_played_once(
    plan: Plan, seed: int, slots: int
) -> None:
    played = Played(ROBIN, plan, seed, slots=slots, crash=0.1).out()
    assert played.results == dict.fromkeys(range(len(schedule(plan))), 1)


def test_games_start_in_the_order_of_the_schedule_and_none_waits_for_a_slower_one() -> None:
    plan = Plan(entrants=4)
    state = begin(plan)
    first = startable(plan, state, {0, 1, 2, 3}, 9)
    assert [game.number for game in first] == [0, 2]
    state = started(started(state, 0), 2)
    state = finished(state, 0, 0)
    assert [game.number for game in startable(plan, state, {first[0].first, first[0].second}, 9)] == [1]
    assert startable(plan, begin(plan), {0, 1, 2, 3}, 0) == startable(plan, begin(plan), {0, 1, 2, 3}, -3) == ()
    assert startable(plan, begin(plan), {2}, 5) == ()


def test_a_withdrawn_bot_forfeits_games_that_have_not_begun() -> None:
    plan = Plan(entrants=3)
    state = begin(plan)
    mine = [game for game in schedule(plan) if 0 in (game.first, game.second)]
    state = started(finished(state, mine[0].number, 0), mine[1].number)
    state = withdraw(plan, state, 0)
    assert state.withdrawn == (0,)
    assert state.marks[mine[0].number] == Mark.FIRST_WON
    assert state.marks[mine[1].number] == Mark.RUNNING
    for game in mine[2:]:
        assert state.marks[game.number] == (Mark.SECOND_BY_FORFEIT if game.first == 0 else Mark.FIRST_BY_FORFEIT)
    others = [game for game in schedule(plan) if 0 not in (game.first, game.second)]
    assert {state.marks[game.number] for game in others} == {Mark.PENDING}


def test_two_who_withdraw_both_forfeit_their_games_and_the_tournament_is_over() -> None:
    plan = Plan(entrants=2, rounds=2)
    state = withdraw(plan, begin(plan), 1)
    assert state.all_games_over
    assert [line.points for line in crosstable(plan, state)] == [4, 0]
    plan = Plan(entrants=3)
    state = withdraw(plan, begin(plan), 0)
    pending = [game for game in schedule(plan) if state.marks[game.number] == Mark.PENDING]
    state = withdraw(plan, state, 1)
    assert state.all_games_over
    assert {state.marks[game.number] for game in pending} == {Mark.SECOND_BY_FORFEIT, Mark.FIRST_BY_FORFEIT}


def test_a_game_that_comes_to_nothing_is_played_again_or_forfeited_if_a_player_has_gone() -> None:
    plan = Plan(entrants=3)
    state = started(begin(plan), 0)
    assert replayed(state, 0) == begin(plan)
    gone = schedule(plan)[0].first
    state = withdraw(plan, state, gone)
    assert replayed(state, 0).marks[0] == Mark.PENDING
    assert ROBIN.with_forfeits(plan, replayed(state, 0)).marks[0] == Mark.SECOND_BY_FORFEIT
    both = withdraw(plan, state, schedule(plan)[0].second)
    assert ROBIN.with_forfeits(plan, replayed(both, 0)).marks[0] == Mark.BOTH_FORFEIT


def test_a_game_that_both_forfeit_gives_nobody_a_point() -> None:
    plan = Plan(entrants=2)
    state = PairingState(marks=str(Mark.BOTH_FORFEIT) * 2, withdrawn=(0, 1))
    assert [(line.points, line.played, line.losses, line.rank) for line in crosstable(plan, state)] == [
        (0, 2, 2, 1)
    ] * 2


def results(plan: Plan, by_pair: dict[tuple[int, int], str]) -> PairingState:
    """A state from results of seat 0 (`1`, `0`, `=`) by (first, second)."""
    return PairingState(marks="".join(by_pair[game.first, game.second] for game in schedule(plan)))


def test_points_and_sonneborn_berger_by_hand() -> None:
    # 0 beats 1 twice, draws 2 twice; 1 beats 2 once and loses once
    plan = Plan(entrants=3)
    marks = {(0, 1): "1", (1, 0): "0", (0, 2): "=", (2, 0): "=", (1, 2): "1", (2, 1): "1"}
    lines = crosstable(plan, results(plan, marks))
    assert [(line.entrant, line.points) for line in lines] == [(0, 3.0), (2, 2.0), (1, 1.0)]
    # 0: 2 * 1 + (0.5 + 0.5) * 2 = 4;  2: 1 * 3 + 1 * 1 = 4;  1: 1 * 2 = 2
    assert [line.tie_breaks["sonneborn_berger"] for line in lines] == [4.0, 4.0, 2.0]
    assert [(line.wins, line.draws, line.losses) for line in lines] == [(2, 2, 0), (1, 2, 1), (1, 0, 3)]
    assert lines[0].against == {1: (2.0, 2), 2: (1.0, 2)}


def test_equal_points_are_parted_by_sonneborn_berger() -> None:
    # 0 and 1 have three points each; 0 has them from stronger opponents
    plan = Plan(entrants=4)
    marks = {(one, two): "=" for one in range(4) for two in range(4) if one != two}
    marks |= {(0, 2): "1", (3, 0): "1", (1, 3): "1", (2, 1): "1", (2, 3): "1"}
    lines = crosstable(plan, results(plan, marks))
    by_entrant = {line.entrant: line for line in lines}
    assert by_entrant[0].points == by_entrant[1].points
    assert by_entrant[0].tie_breaks["sonneborn_berger"] > by_entrant[1].tie_breaks["sonneborn_berger"]
    assert by_entrant[0].rank < by_entrant[1].rank


def test_bots_equal_in_everything_share_the_rank_and_the_next_rank_is_left_out() -> None:
    plan = Plan(entrants=3)
    marks = {(0, 1): "=", (1, 0): "=", (0, 2): "1", (2, 0): "0", (1, 2): "1", (2, 1): "0"}
    lines = crosstable(plan, results(plan, marks))
    assert [(line.rank, line.entrant) for line in lines] == [(1, 0), (1, 1), (3, 2)]
    assert [line.rank for line in crosstable(plan, begin(plan))] == [1, 1, 1]


@given(st.builds(Plan, entrants=st.integers(2, 8), rounds=st.integers(1, 2)), st.integers(0, 2**32))
def test_the_sums_of_a_crosstable_agree_with_its_games(plan: Plan, seed: int) -> None:
    draw = Random(seed)
    state = PairingState(marks="".join(draw.choice(".r10=+-x") for _ in schedule(plan)))
    lines = crosstable(plan, state)
    scored = [mark for mark in state.marks if mark not in ".r"]
    assert sum(line.points for line in lines) == sum(mark != "x" for mark in scored)
    assert sum(line.played for line in lines) == 2 * len(scored)
    for line in lines:
        assert line.played == line.wins + line.draws + line.losses
        assert line.points == line.wins + line.draws / 2
        assert sum(points for points, _ in line.against.values()) == line.points
        assert sum(games for _, games in line.against.values()) == line.played
    assert _against_agree(lines)


def _against_agree(lines: tuple[CrosstableRow, ...]) -> bool:
    """What two have played is the same number of games from both sides."""
    by_entrant = {line.entrant: line for line in lines}
    return all(
        by_entrant[other].against[line.entrant][1] == games
        for line in lines
        for other, (_, games) in line.against.items()
    )


def test_a_state_survives_its_text_and_those_of_the_first_version_are_read() -> None:
    plan = Plan(entrants=3)
    state = withdraw(plan, finished(started(begin(plan), 0), 0, None), 2)
    assert convert(to_builtins(state), PairingState) == state
    old = convert({"marks": state.marks, "withdrawn": [2]}, PairingState)
    assert ROBIN.games(plan, old) == schedule(plan)
    assert crosstable(plan, old) == crosstable(plan, state)
    assert set(state.marks) <= {str(mark) for mark in Mark}


@given(plans, st.integers(1, 3))
def test_a_late_bot_meets_everybody_and_other_games_keep_their_numbers(plan: Plan, late: int) -> None:
    before = schedule(plan)
    state, larger = begin(plan), plan
    for _ in range(late):
        larger = Plan(entrants=larger.entrants + 1, rounds=plan.rounds)
        state = ROBIN.with_late_entrant(larger, state)
    games = ROBIN.games(larger, state)
    assert games[: len(before)] == before
    assert len(games) == len(state.marks)
    pairs = [(one, two) for one in range(larger.entrants) for two in range(larger.entrants) if one != two]
    assert Counter((game.first, game.second) for game in games) == dict.fromkeys(pairs, plan.rounds)


def test_a_late_bot_gets_the_points_against_withdrawn_bots() -> None:
    plan = Plan(entrants=2)
    state = withdraw(plan, begin(plan), 0)
    state = ROBIN.with_late_entrant(Plan(entrants=3), state)
    lines = {line.entrant: line for line in crosstable(Plan(entrants=3), state)}
    assert (lines[2].against[0], lines[1].against[0]) == ((2.0, 2), (2.0, 2))


@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 2), st.integers(0, 2))
def test_in_a_gauntlet_every_challenger_meets_the_field_and_nobody_else(
    challengers: int, field: int, rounds: int, late: int
) -> None:
    plan = Plan(entrants=challengers + field, challengers=challengers, rounds=rounds)
    state = GAUNTLET.begin(plan)
    for _ in range(late):
        plan = Plan(entrants=plan.entrants + 1, challengers=challengers, rounds=rounds)
        state = GAUNTLET.with_late_entrant(plan, state)
    met = Counter((game.first, game.second) for game in GAUNTLET.games(plan, state))
    front, back = range(challengers), range(challengers, plan.entrants)
    assert len(GAUNTLET.games(plan, state)) >= GAUNTLET.min_games(len(back) + 1, rounds) == 2 * len(back) * rounds
    assert met == {pair: rounds for one in front for two in back for pair in ((one, two), (two, one))}


@given(st.integers(0, 2**32))
def test_a_gauntlet_is_played_out_and_ranked_by_points_per_game(seed: int) -> None:
    plan = Plan(entrants=5, challengers=2)
    played = Played(GAUNTLET, plan, seed, gone=0.02, back=0.02, crash=0.1, late=1).out()
    played.check()
    lines = GAUNTLET.standings(played.plan, played.state)
    shares = [line.points / max(1, line.played) for line in lines]
    assert shares == sorted(shares, reverse=True)
    assert {line.entrant for line in lines if line.note == "challenger"} == {0, 1}


def test_a_returning_bot_plays_its_forfeited_games_except_against_withdrawn_bots() -> None:
    plan = Plan(entrants=3)
    state = finished(begin(plan), 0, 0)  # between 1 and 2
    for entrant in (0, 1):
        state = withdraw(plan, state, entrant)
    games = schedule(plan)
    state = ROBIN.with_return(plan, state, 0)
    assert state.withdrawn == (1,)
    shown = {(game.first, game.second): mark for game, mark in zip(games, state.marks, strict=True)}
    assert (shown[0, 2], shown[2, 0]) == (Mark.PENDING, Mark.PENDING)
    assert (shown[0, 1], shown[1, 0]) == (Mark.FIRST_BY_FORFEIT, Mark.SECOND_BY_FORFEIT)
    assert state.marks[0] == Mark.FIRST_WON


def test_one_bot_and_a_gauntlet_without_a_field_are_no_tournament() -> None:
    assert "needs a field" in GAUNTLET.start_error(Plan(entrants=2, challengers=2))
    assert "1 challenger" in GAUNTLET.start_error(Plan(entrants=2, challengers=0))
    for name, form in FORMATS.items():
        if name not in ("gauntlet", "sprt"):
            assert form.start_error(Plan(entrants=1)) == f"a {form.title} has 2 bots or more, not 1"


@pytest.mark.parametrize(("winner", "mark"), [(0, Mark.FIRST_WON), (1, Mark.SECOND_WON), (None, Mark.DRAWN)])
def test_a_result_is_marked_by_the_seat_that_won(winner: int | None, mark: Mark) -> None:
    assert finished(started(begin(Plan(entrants=2)), 1), 1, winner).marks == f".{mark}"

"""How a player divides its time. Time is numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tabiya.bots.players.time_plan import HURRIED_S, SHORTEST_S, TimePlan, plan_time
from tests.bots.requests import request

POSITION = "3x3x3 --------- X"


def plan(**fields: Any) -> TimePlan:
    return plan_time(request("tictactoe", position=POSITION, **fields))


def test_no_plan_goes_beyond_the_budget() -> None:
    for budget_s in (0.0, 0.001, 0.02, 0.5, 60.0):
        for fields in ({}, {"remaining_ms": 10_000}, {"remaining_ms": 10_000, "time_control": "10/move"}):
            planned = plan(budget_s=budget_s, **fields)
            assert 0 < planned.hard_s <= max(0.001, budget_s)
            assert planned.soft_s <= planned.hard_s


def test_what_is_left_of_a_plan_is_used_even_if_all_its_soft_time_is_gone() -> None:
    assert TimePlan(0.5, 2.0).after(0.0) == TimePlan(0.5, 2.0)
    assert TimePlan(0.5, 2.0).after(1.0).hard_s == 1.0
    assert 0.5 < TimePlan(0.5, 2.0).after(1.0).soft_s < 1.0
    assert TimePlan(0.5, 2.0).after(5.0).hard_s == SHORTEST_S
    assert TimePlan(0.0, HURRIED_S).after(5.0).hard_s == HURRIED_S, "a plan in a hurry stays in a hurry"
    assert 0 < TimePlan(0.5, 2.0).after(9.0).hard_s < 0.01


def test_a_fixed_time_is_used_whole() -> None:
    assert plan_time(request("tictactoe", position=POSITION, budget_s=9.0), 2.0) == TimePlan(2.0, 2.0)
    assert plan_time(request("tictactoe", position=POSITION, budget_s=1.0), 2.0).hard_s == 0.98


def test_without_a_clock_a_move_takes_about_a_second() -> None:
    assert plan(budget_s=30.0).hard_s == 1.0


def test_time_for_one_move_alone_is_used_up_to_the_budget() -> None:
    assert plan(budget_s=1.7, remaining_ms=2_000, time_control="2/move").hard_s == 1.68


def test_a_minute_is_divided_among_the_moves_to_come() -> None:
    planned = plan(budget_s=30.0, remaining_ms=60_000, time_control="60+0")
    assert 0.5 < planned.soft_s < 2.5
    assert planned.hard_s < 6.5


def test_the_last_move_of_a_period_may_use_what_is_left_of_it() -> None:
    last = plan(budget_s=30.0, remaining_ms=10_000, moves_to_go=1, time_control="40/60")
    first = plan(budget_s=30.0, remaining_ms=10_000, moves_to_go=40, time_control="40/60")
    assert last.hard_s > 9.0
    assert first.hard_s < 1.0


def test_a_game_with_a_small_increment_never_runs_out_of_time() -> None:
    clock_ms, increment_ms, lost_ms = 1_000.0, 10, 3.0  # each move loses 3 ms on the way
    for ply in range(0, 600, 2):
        request_fields = {"ply": ply, "remaining_ms": int(clock_ms), "increment_ms": increment_ms}
        planned = plan(budget_s=clock_ms / 2000, time_control="1+0.01", **request_fields)
        clock_ms -= 1000 * planned.hard_s + lost_ms  # every move takes all it may
        assert clock_ms > 0, ply
        clock_ms += increment_ms


def test_a_bullet_game_survives_stalls_of_the_machine_as_long_as_its_first_reserve() -> None:
    clock_ms, lost_ms = 200.0, 2.5
    for ply in range(0, 60, 2):
        fields = {"ply": ply, "remaining_ms": int(clock_ms), "increment_ms": 2, "overhead_s": lost_ms / 1000}
        planned = plan(budget_s=clock_ms / 2000, time_control="0.2+0.002", **fields)
        stall_ms = 90.0 if ply == 30 else 0.0
        clock_ms -= 1000 * planned.hard_s + lost_ms + stall_ms  # every move takes all it may
        assert clock_ms > 0, ply
        clock_ms += 2


@pytest.mark.parametrize(("control", "base_ms", "lost_ms"), [("3+0", 3_000.0, 20.0), ("1+0", 1_000.0, 6.0)])
def test_a_game_of_eighty_moves_lasts_where_a_move_costs_more_than_it_gains(
    control: str, base_ms: float, lost_ms: float
) -> None:
    clock_ms = base_ms
    for ply in range(0, 160, 2):
        fields = {"ply": ply, "remaining_ms": int(clock_ms), "overhead_s": lost_ms / 1000}
        planned = plan(budget_s=clock_ms / 2000, time_control=control, **fields)
        clock_ms -= 1000 * (planned.soft_s + planned.hard_s) / 2 + lost_ms
        assert clock_ms > 25, ply


@pytest.mark.parametrize(("base_s", "lost_s"), [(60, 1.0), (5, 0.1), (40, 0.8), (1, 0.015)])
def test_however_much_a_move_costs_some_time_is_for_thinking_at_first(base_s: int, lost_s: float) -> None:
    fields = {"remaining_ms": 1000 * base_s, "time_control": f"{base_s}+0", "overhead_s": lost_s}
    planned = plan(budget_s=base_s / 2, **fields)
    assert planned.soft_s > 0
    assert plan(budget_s=base_s / 2, **fields, increment_ms=1000 * base_s).soft_s > planned.soft_s


def test_a_game_that_is_over_soon_keeps_nothing_for_a_long_one() -> None:
    asked = request(
        "tictactoe", position=POSITION, budget_s=0.5, remaining_ms=1_000, time_control="1+0", overhead_s=0.01
    )
    assert plan_time(asked, most_plies=9) == plan_time(asked, most_plies=60)
    assert plan_time(asked, most_plies=9).soft_s > 2 * plan_time(asked, most_plies=200).soft_s


def test_overhead_of_a_move_is_not_used_for_thinking() -> None:
    quick, slow = (
        plan(budget_s=5.0, remaining_ms=10_000, time_control="10+0.1", increment_ms=100, overhead_s=overhead_s)
        for overhead_s in (0.0, 0.05)
    )
    assert slow.soft_s < quick.soft_s - 0.02
    assert plan(budget_s=5.0, remaining_ms=10_000, time_control="10+0", overhead_s=2.0).soft_s == 0


def test_the_reserve_is_not_spent_however_little_is_left() -> None:
    for remaining_ms in (100, 50, 10, 1):
        for increment_ms, control, hard_s in ((0, "60+0", HURRIED_S), (2, "60+0.002", SHORTEST_S)):
            fields = {"remaining_ms": remaining_ms, "increment_ms": increment_ms, "time_control": control}
            assert plan(budget_s=0.05, **fields) == TimePlan(0.0, hard_s)


def test_an_increment_that_hardly_covers_what_a_move_costs_leaves_no_time_to_think() -> None:
    fields = {"remaining_ms": 50, "increment_ms": 2, "time_control": "0.2+0.002"}
    planned = [plan(budget_s=0.05, overhead_s=cost_ms / 1000, **fields).hard_s for cost_ms in (0.0, 1.0, 1.7, 5.0)]
    assert planned == [SHORTEST_S, pytest.approx(0.0005), HURRIED_S, HURRIED_S]


def test_the_increment_is_spent_only_when_there_is_time_in_hand() -> None:
    rich = plan(budget_s=30.0, remaining_ms=60_000, increment_ms=1_000, time_control="60+1")
    poor = plan(budget_s=1.0, remaining_ms=1_000, increment_ms=1_000, time_control="60+1")
    assert rich.hard_s > 2.0
    assert poor.hard_s < 0.3

from __future__ import annotations

import pytest

from tabiya.bots.pool.time_limits import is_bank, move_time_limits


@pytest.mark.parametrize("control", ["60+0.5", "40/60", "2/move", "none", "of the future"])
@pytest.mark.parametrize("limit_s", [-1.0, 0.0, 0.01, 0.2, 1.0, 60.0, 3600.0])
def test_stop_and_answer_come_in_this_order_before_the_limit(control: str, limit_s: float) -> None:
    limits = move_time_limits(limit_s, control, network_s=0.05)
    assert 0 <= limits.think_s <= limits.answer_s <= max(limit_s, 0)
    if limit_s >= 0.2:
        assert limits.think_s < limits.answer_s < limit_s


@pytest.mark.parametrize("limit_s", [0.01, 0.2, 60.0])
def test_no_worker_is_killed_for_being_as_late_as_a_busy_machine_makes_it(limit_s: float) -> None:
    assert move_time_limits(limit_s, "60+0").grace_s >= 1.0


def test_no_thought_takes_more_than_half_of_a_bank_that_later_moves_need() -> None:
    assert move_time_limits(60.0, "60+0").think_s < 30.0


def test_time_that_is_not_kept_is_used() -> None:
    assert move_time_limits(2.0, "2/move").think_s > 1.6


def test_a_slow_network_costs_thinking_time() -> None:
    assert move_time_limits(1.0, "1/move", network_s=0.1).answer_s == pytest.approx(
        move_time_limits(1.0, "1/move").answer_s - 0.1
    )


@pytest.mark.parametrize(("control", "kept"), [("60+0", True), ("40/60", True), ("2/move", False), ("none", False)])
def test_which_time_is_kept(control: str, kept: bool) -> None:
    assert is_bank(control) is kept

"""The arithmetic of the clocks, for every control, and of lag credit with its two bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabiya.protocol.time_control import parse
from tabiya.server.core.clock import (
    after_move_us,
    available_us,
    move_limit_us,
    moves_to_go,
    opening_clocks_us,
    quota_after_us,
    shown_us,
)
from tabiya.server.core.policy import NO_CREDIT, LagPolicy

S_US = 1_000_000
STALL_US = 600 * S_US


def played(control: str, spent_us: list[int]) -> list[int]:
    """What the clock shows after each of these moves of one player; each is first bounded by what is left."""
    rules, shown = parse(control), []
    left_us = opening_clocks_us((rules, rules))[0]
    for number, spent in enumerate(spent_us, 1):
        left_us = after_move_us(rules, left_us, min(spent, move_limit_us(rules, left_us, STALL_US)), number)
        shown.append(left_us)
    return shown


@pytest.mark.parametrize(
    ("control", "spent_s", "shown_s"),
    [
        ("60+0.5", [10, 0.25, 0], [50.5, 50.75, 51.25]),
        ("3/60", [10] * 7, [50, 40, 90, 80, 70, 120, 110]),  # after the last move of a period; what is left is kept
        ("2/10+1", [1] * 4, [10, 20, 20, 30]),
        ("1/5", [2] * 3, [8, 11, 14]),
        ("2/move", [0, 1.999_999, 2], [2, 2, 2]),
    ],
)
def test_what_the_clock_shows_after_each_move(control: str, spent_s: list[float], shown_s: list[float]) -> None:
    assert played(control, [round(s * S_US) for s in spent_s]) == [round(s * S_US) for s in shown_s]


def test_without_a_clock_nothing_is_counted_and_the_stall_limit_holds() -> None:
    control = parse("none")
    assert played("none", [5 * S_US, 500 * S_US]) == [0, 0]
    assert move_limit_us(control, 0, STALL_US) == STALL_US
    assert shown_us(control, 0, 5 * S_US) == 0


def test_a_shown_clock_never_goes_below_zero() -> None:
    assert shown_us(parse("1+0"), S_US, 400_000) == 600_000
    assert shown_us(parse("1+0"), S_US, 3 * S_US) == 0


def test_the_moves_to_the_next_period_count_the_coming_one() -> None:
    control = parse("40/60")
    assert [moves_to_go(control, made) for made in (0, 1, 39, 40, 79, 80)] == [40, 39, 1, 40, 1, 40]
    assert moves_to_go(parse("60+1"), 3) is None


@given(
    st.integers(10, 100_000),
    st.integers(0, 5_000),
    st.integers(1, 50),
    st.lists(st.integers(0, 10**8), max_size=120),
)
def test_time_given_equals_time_spent_plus_time_left(base_ms: int, inc_ms: int, length: int, wishes: list[int]) -> None:
    for text, periods in (
        (f"{base_ms / 1000:g}+{inc_ms / 1000:g}", 1),
        (f"{length}/{base_ms / 1000:g}+{inc_ms / 1000:g}", None),
    ):
        rules = parse(text)
        left_us, spent_total = opening_clocks_us((rules, rules))[0], 0
        for number, wish in enumerate(wishes, 1):
            spent = min(wish, left_us)
            spent_total += spent
            left_us = after_move_us(rules, left_us, spent, number)
            assert left_us >= 0
        given_us = base_ms * 1000 * (periods or 1 + len(wishes) // length) + inc_ms * 1000 * len(wishes)
        assert given_us == spent_total + left_us


# --- lag credit

POLICY = LagPolicy(per_move_ms=200, quota_ms=2_000, refill_ms=50)
MS_US = 1_000


def test_the_credit_is_bounded_by_measurement_move_and_quota() -> None:
    assert available_us(POLICY, 40 * MS_US, 2_000 * MS_US) == 40 * MS_US
    assert available_us(POLICY, 900 * MS_US, 2_000 * MS_US) == 200 * MS_US
    assert available_us(POLICY, 900 * MS_US, 70 * MS_US) == 70 * MS_US
    assert available_us(POLICY, 0, 2_000 * MS_US) == 0
    assert available_us(NO_CREDIT, 900 * MS_US, 2_000 * MS_US) == 0


def test_each_own_move_refills_the_quota_up_to_its_start() -> None:
    assert quota_after_us(POLICY, 2_000 * MS_US, 0) == 2_000 * MS_US
    assert quota_after_us(POLICY, 2_000 * MS_US, 200 * MS_US) == 1_850 * MS_US
    assert quota_after_us(POLICY, 0, 0) == 50 * MS_US


@given(st.lists(st.integers(0, 10**6), max_size=200))
def test_pretended_delay_gains_no_more_than_quota_and_refill(network: list[int]) -> None:
    quota_us, total_us = 2_000 * MS_US, 0
    for network_us in network:
        credit_us = available_us(POLICY, network_us, quota_us)
        assert 0 <= credit_us <= min(network_us, 200 * MS_US)
        quota_us = quota_after_us(POLICY, quota_us, credit_us)
        total_us += credit_us
        assert 0 <= quota_us <= 2_000 * MS_US
    assert total_us <= (2_000 + 50 * len(network)) * MS_US

"""Lag credit: the measurement and the two bounds on what is given."""

from hypothesis import given
from hypothesis import strategies as st

from tabiya.server.core.lag import (
    NO_CREDIT,
    LagPolicy,
    available_us,
    opening_quota_us,
    quota_after_us,
    trip_ns,
)

POLICY = LagPolicy(per_move_ms=200, quota_ms=2_000, refill_ms=50)
MS_US = 1_000


def test_nothing_measured_is_no_credit() -> None:
    assert available_us(POLICY, 0, 2_000 * MS_US) == 0


def test_the_credit_is_bounded_by_measurement_move_and_quota() -> None:
    assert available_us(POLICY, 40 * MS_US, 2_000 * MS_US) == 40 * MS_US
    assert available_us(POLICY, 900 * MS_US, 2_000 * MS_US) == 200 * MS_US
    assert available_us(POLICY, 900 * MS_US, 70 * MS_US) == 70 * MS_US
    assert available_us(NO_CREDIT, 900 * MS_US, 2_000 * MS_US) == 0


def test_each_own_move_refills_the_quota_up_to_its_start() -> None:
    assert quota_after_us(POLICY, 2_000 * MS_US, 0) == 2_000 * MS_US
    assert quota_after_us(POLICY, 2_000 * MS_US, 200 * MS_US) == 1_850 * MS_US
    assert quota_after_us(POLICY, 0, 0) == 50 * MS_US


def test_a_pong_counts_as_no_longer_than_what_the_kernel_has_measured() -> None:
    assert trip_ns(5_000_000_000, 40_000_000) == 40_000_000
    assert trip_ns(30_000_000, 40_000_000) == 30_000_000
    assert trip_ns(5_000_000_000, None) == 5_000_000_000
    assert trip_ns(-3, None) == 0


@given(st.lists(st.tuples(st.integers(0, 10**10), st.integers(0, 10**10)), min_size=1, max_size=8))
def test_delayed_pongs_never_gain_more_than_the_line_takes(trips: list[tuple[int, int]]) -> None:
    """Each pair: what the line takes, and by how much the bot delays its answer."""
    measured_ns = min(trip_ns(line_ns + delay_ns, line_ns) for line_ns, delay_ns in trips)
    assert measured_ns == min(line_ns for line_ns, _ in trips)


@given(st.lists(st.integers(0, 10**6), max_size=200))
def test_pretended_delay_gains_no_more_than_quota_and_refill(network: list[int]) -> None:
    quota_us, total_us = opening_quota_us(POLICY), 0
    for network_us in network:
        credit_us = available_us(POLICY, network_us, quota_us)
        assert 0 <= credit_us <= min(network_us, 200 * MS_US)
        quota_us = quota_after_us(POLICY, quota_us, credit_us)
        total_us += credit_us
        assert 0 <= quota_us <= 2_000 * MS_US
    assert total_us <= (2_000 + 50 * len(network)) * MS_US

"""Lag credit: what is measured, and the two bounds on what is given."""

from hypothesis import given
from hypothesis import strategies as st

from server.core.lag import NO_CREDIT, LagPolicy, RoundTrips, available_us, opening_quota_us, quota_after_us

POLICY = LagPolicy(per_move_ms=200, quota_ms=2_000, refill_ms=50)
MS_US = 1_000


def trips(*samples_ms: int) -> RoundTrips:
    """A connection that was measured so, oldest first."""
    made = RoundTrips()
    for sample in samples_ms:
        made = made.add(sample * 1_000_000)
    return made


def test_the_shortest_of_the_last_eight_round_trips_counts() -> None:
    assert trips(30, 90, 40, 80, 50, 70, 60, 65).shortest_us == 30 * MS_US
    assert trips(30, 90, 40, 80, 50, 70, 60, 65, 66).shortest_us == 40 * MS_US


def test_one_delayed_answer_to_a_ping_changes_nothing() -> None:
    assert trips(30, 30, 900, 30).shortest_us == trips(30, 30, 30, 30).shortest_us


def test_nothing_measured_is_no_delay() -> None:
    assert RoundTrips().shortest_ns == 0
    assert available_us(POLICY, 0, 2_000 * MS_US) == 0


def test_a_measurement_below_zero_counts_as_zero() -> None:
    assert trips(-5, 10).shortest_ns == 0


def test_the_credit_is_bounded_by_measurement_move_and_quota() -> None:
    assert available_us(POLICY, 40 * MS_US, 2_000 * MS_US) == 40 * MS_US
    assert available_us(POLICY, 900 * MS_US, 2_000 * MS_US) == 200 * MS_US
    assert available_us(POLICY, 900 * MS_US, 70 * MS_US) == 70 * MS_US
    assert available_us(NO_CREDIT, 900 * MS_US, 2_000 * MS_US) == 0


def test_each_own_move_refills_the_quota_up_to_its_start() -> None:
    assert quota_after_us(POLICY, 2_000 * MS_US, 0) == 2_000 * MS_US
    assert quota_after_us(POLICY, 2_000 * MS_US, 200 * MS_US) == 1_850 * MS_US
    assert quota_after_us(POLICY, 0, 0) == 50 * MS_US


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

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from tabiya.bots.client.backoff import backoff_delays, busy_delay


@pytest.mark.parametrize("seed", range(20))
def test_delays_double_up_to_the_longest_and_keep_a_random_half(seed: int) -> None:
    delays = list(islice(backoff_delays(Random(seed), first_s=0.5, longest_s=8.0), 10))
    ceilings = [0.5, 1, 2, 4, 8, 8, 8, 8, 8, 8]
    assert all(ceiling / 2 <= delay <= ceiling for delay, ceiling in zip(delays, ceilings, strict=True))


def test_the_same_chance_gives_the_same_delays_and_another_gives_others() -> None:
    first, same, other = (list(islice(backoff_delays(Random(seed)), 8)) for seed in (1, 1, 2))
    assert first == same != other


@pytest.mark.parametrize("seed", range(20))
def test_a_busy_server_is_given_at_least_the_time_it_asks_for(seed: int) -> None:
    assert 2.0 <= busy_delay(Random(seed), 2_000) <= 4.0

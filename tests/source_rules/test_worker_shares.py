"""The tests are shares_of_workers to the workers: none is lost, and nobody is left with a long one at the end."""

from __future__ import annotations

import pytest

from tests.worker_shares import shares_of_workers, workers_for


@pytest.mark.parametrize("hands", [1, 2, 3, 4])
@pytest.mark.parametrize("count", [40, 41, 43])
def test_every_part_begins_with_the_slow_ones_of_its_files_and_all_are_there(hands: int, count: int) -> None:
    slow, quick = [[0, 1, 2], [3], [4], [5, 6]], list(range(100, 93 + count))
    found = shares_of_workers(slow, quick, hands)
    assert sorted(found) == [*range(7), *quick]
    for hand in range(hands):
        size = len(found) // (hands - hand)  # as pytest-xdist cuts what is left
        part, found = found[:size], found[size:]
        first = [test for test in part if test < 100]
        assert part[: len(first)] == first == [test for file in slow[hand::hands] for test in file]


def test_where_nearly_all_are_slow_none_is_lost() -> None:
    assert sorted(shares_of_workers([[0, 1, 2, 3, 4], [5]], [6], 2)) == list(range(7))


def test_there_are_two_workers_for_a_core() -> None:
    assert (workers_for(2), workers_for(None)) == (4, 2)

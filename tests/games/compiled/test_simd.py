"""Compiled rows of numbers say what their interpreted form and plain Python say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from tabiya.games.compiled.external_arrays import ExternalArray
from tabiya.games.compiled.jit import njit
from tabiya.games.compiled.simd import MOST_WEIGHT, TOP, Table

ROWS = 40
LOW, HIGH = -(2**15), 2**15 - 1
TABLES = {count: Table(f"tabiya_test_lanes_{count}", ROWS, count) for count in (16, 64)}
NUMBERS = ExternalArray("tabiya_test_linked_numbers", (5, 7))
SMALL = TABLES[16]
row, added, weighed = SMALL.row, SMALL.added, SMALL.weighed
number, small_number = NUMBERS.number, SMALL.number


def weigher(table: Table) -> Any:
    """Compiled for Python: the sum of the rows at some places, weighed by the one at `weights`."""
    row, added, weighed = table.row, table.added, table.weighed

    @numba.njit  # type: ignore[untyped-decorator]
    def worth(places: Any, weights: Any) -> Any:
        lanes = row(places[0])
        for place in places[1:]:
            lanes = added(lanes, place)
        return weighed(lanes, weights)

    return worth


WORTH = {count: weigher(table) for count, table in TABLES.items()}


def plain_worth(table: Table, places: list[int], weights: int) -> int:
    """The same of plain integers."""
    total = 0
    for weight, lane in zip(table.numbers[weights].tolist(), table.numbers[places].T.tolist(), strict=True):
        total += max(0, min(TOP, sum(lane))) ** 2 * weight
    return total


def assert_all_forms_agree(count: int, places: list[int], weights: int) -> None:
    expected, array = plain_worth(TABLES[count], places, weights), np.array(places, np.int64)
    assert int(WORTH[count](array, weights)) == expected
    assert int(WORTH[count].py_func(array, weights)) == expected


@njit
def first_two(place: Any) -> Any:
    """Lanes, for another function."""
    return added(row(place), place + 1)


@numba.njit  # type: ignore[untyped-decorator]
def of_two_pairs(place: Any, weights: Any) -> Any:
    return weighed(first_two(place), weights) - weighed(first_two(place + 2), weights)


@numba.njit  # type: ignore[untyped-decorator]
def number_of_linked(place: Any) -> Any:
    return number(place)


@numba.njit  # type: ignore[untyped-decorator]
def number_of_small(place: Any) -> Any:
    return small_number(place)


@pytest.mark.parametrize("count", TABLES)
@pytest.mark.parametrize("seed", range(8))
def test_sums_of_random_rows_weigh_the_same_compiled_interpreted_and_in_plain_integers(count: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    most = (30, 200, 1000, 3000)[seed % 4]  # of a few numbers most are within the limits, of large ones hardly any
    TABLES[count].numbers[:] = draw.integers(-most, most + 1, (ROWS, count))
    TABLES[count].numbers[-8:] = draw.integers(-MOST_WEIGHT, MOST_WEIGHT + 1, (8, count))
    for size in (1, 2, 3, 10):
        places = draw.integers(0, ROWS - 8, size).tolist()
        for weights in range(ROWS - 8, ROWS):
            assert_all_forms_agree(count, places, weights)


@pytest.mark.parametrize("count", TABLES)
@pytest.mark.parametrize("weight", [MOST_WEIGHT, -MOST_WEIGHT])
@pytest.mark.parametrize("lane", [LOW, -TOP, -1, 0, 1, TOP - 1, TOP, TOP + 1, HIGH])
def test_the_largest_lanes_and_weights_do_not_overflow(count: int, weight: int, lane: int) -> None:
    TABLES[count].numbers[:2] = [[lane] * count, [weight] * count]
    assert plain_worth(TABLES[count], [0], 1) == max(0, min(TOP, lane)) ** 2 * weight * count
    assert_all_forms_agree(count, [0], 1)


@pytest.mark.parametrize("count", TABLES)
def test_sums_may_come_as_near_to_the_ends_of_sixteen_bits_as_they_can(count: int) -> None:
    TABLES[count].numbers[:3] = [[HIGH - 1] * count, [LOW + 1] * count, [1] * count]
    for places in ([0, 2], [1, 0, 2], [0, 1], [1]):
        assert_all_forms_agree(count, places, 2)


@pytest.mark.parametrize("count", TABLES)
def test_every_lane_has_its_own_sum_and_its_own_weight(count: int) -> None:
    table = TABLES[count]
    table.numbers[0], table.numbers[1] = np.arange(count), 3 * np.arange(count)[::-1]
    for lane in range(count):
        table.numbers[2] = np.arange(count) == lane
        assert int(WORTH[count](np.array([0, 1]), 2)) == (lane + 3 * (count - 1 - lane)) ** 2


@pytest.mark.parametrize("count", TABLES)
def test_compiled_code_sees_changed_numbers_without_compiling_again(count: int) -> None:
    worth, table = WORTH[count], TABLES[count]
    places = np.array([0, 1], np.int64)
    table.numbers[:3] = 1
    assert int(worth(places, 2)) == 4 * count
    compiled = list(worth.overloads.values())
    table.numbers[1] = 2
    assert int(worth(places, 2)) == 9 * count
    table.numbers[2] = -MOST_WEIGHT
    assert int(worth(places, 2)) == -9 * MOST_WEIGHT * count
    assert list(worth.overloads.values()) == compiled


def test_lanes_go_from_one_compiled_function_to_another() -> None:
    SMALL.numbers[:] = np.random.default_rng(9).integers(-MOST_WEIGHT, MOST_WEIGHT + 1, (ROWS, 16))
    for place in range(ROWS - 4):
        expected = plain_worth(SMALL, [place, place + 1], 7) - plain_worth(SMALL, [place + 2, place + 3], 7)
        assert int(of_two_pairs(place, 7)) == expected


@pytest.mark.parametrize(
    ("linked", "compiled"), [(NUMBERS, number_of_linked), (SMALL, number_of_small)], ids=["of five rows", "of a table"]
)
def test_a_number_is_read_at_any_place_of_all_rows(linked: ExternalArray, compiled: Callable[[int], int]) -> None:
    for seed in range(2):  # the second time they have changed
        linked.numbers[:] = np.random.default_rng(seed).integers(LOW, HIGH + 1, linked.numbers.shape)
        linked.numbers.flat[0], linked.numbers.flat[-1] = LOW, HIGH
        expected = linked.numbers.reshape(-1).tolist()
        assert [int(compiled(place)) for place in range(len(expected))] == expected
        assert [linked.number(place) for place in range(len(expected))] == expected


@pytest.mark.parametrize("count", [0, 12, 512])
def test_rows_of_another_length_are_refused(count: int) -> None:
    with pytest.raises(ValueError, match=f"a row has {count} numbers"):
        Table("tabiya_test_refused", 2, count)

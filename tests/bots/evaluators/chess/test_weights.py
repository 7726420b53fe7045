"""The weights are one record with named fields, written and read as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tabiya.bots.evaluators.chess.weight_values import NUMBERS
from tabiya.bots.evaluators.chess.weights import (
    DANGER,
    EARLY,
    LATE,
    PAIRS,
    WEIGHTS,
    early_of,
    late_of,
    read,
    record_of,
    write,
)


def plain(function: Any) -> Any:
    """As written, not compiled."""
    return getattr(function, "py_func", function)


def test_what_is_written_is_read_again() -> None:
    assert write(read(NUMBERS)).split() == NUMBERS.split()


def test_boards_are_written_as_white_sees_them() -> None:
    numbers = read(NUMBERS)
    first = [int(word) for word in NUMBERS.split()[1:9]]
    assert numbers["squares"][EARLY, 0, 56:].tolist() == first


def test_a_sum_of_packed_weights_is_the_sum_of_each_half() -> None:
    numbers = read(NUMBERS)
    numbers["squares"][EARLY, 1, 7], numbers["squares"][LATE, 1, 7] = -90, 20
    numbers["squares"][EARLY, 1, 8], numbers["squares"][LATE, 1, 8] = 5, -300
    squares = record_of(numbers)[0].squares
    both = 3 * squares[1, 7] + squares[1, 8]
    assert (int(plain(early_of)(both)), int(plain(late_of)(both))) == (-265, -240)


def test_a_field_that_is_missing_or_too_long_is_told() -> None:
    with pytest.raises(ValueError, match="needed are"):
        read(NUMBERS.replace("tempo", "temper"))
    with pytest.raises(ValueError, match="reshape"):
        read(NUMBERS + " 5")


def test_every_field_has_its_place_in_the_record() -> None:
    assert set(WEIGHTS.dtype.names or ()) == {*PAIRS, *DANGER}
    assert np.any(WEIGHTS[0].squares != 0)

"""What counts as an evaluation, the same in Python and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from tabiya.bots.custom_evaluation.clamp import NOTHING, clamp


def asked(value: Any) -> Any:
    return clamp(value)


compiled = njit(asked)


@pytest.mark.parametrize(
    ("value", "counts_as"),
    [
        (5, 5),
        (-12.7, -12),
        (19_999, 19_999),
        (20_000, 19_999),
        (-(2**62), -19_999),
        (1e19, 19_999),
        (-1e19, -19_999),
        (1e300, 19_999),
        (float("inf"), 19_999),
        (float("-inf"), -19_999),
        (float("nan"), 0),
        (True, 1),
        (np.float32(3e38), 19_999),
        (np.uint64(7), 7),
        (np.bool_(True), 1),
    ],
)
def test_a_number_counts_as_the_nearest_within_bounds_compiled_and_not(value: Any, counts_as: int) -> None:
    assert (clamp(value), compiled(value)) == (counts_as, counts_as)


def test_what_is_no_number_is_refused_compiled_and_not() -> None:
    for value, python, machine in (
        (
            "hello",
            "evaluate returns 'hello', which is not a number",
            "evaluate returns unicode_type, which is not a number",
        ),
        (None, "evaluate returns nothing", NOTHING),
        ((1, 2), r"evaluate returns \(1, 2\), which is not a number", "evaluate returns UniTuple"),
    ):
        with pytest.raises(TypeError, match=python):
            clamp(value)
        with pytest.raises(Exception, match=machine):
            compiled(value)

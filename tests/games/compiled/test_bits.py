from typing import Any

import numpy as np
import pytest
from numba import njit

from tabiya.games.compiled.bits import ONE, U, bit, lsb, mix, msb, popcount


@njit  # type: ignore[untyped-decorator]
def all_of(b: Any) -> Any:
    """What the compiled forms say."""
    return popcount(b), lsb(b), msb(b)


@pytest.mark.parametrize("b", [1, 2, 3, 1 << 63, (1 << 63) | 1, 0xFFFFFFFFFFFFFFFF, 0x0F0F, 1 << 31, 1 << 32])
def test_compiled_and_plain_forms_agree(b: int) -> None:
    ones = [i for i in range(64) if b >> i & 1]
    assert (popcount(U(b)), lsb(U(b)), msb(U(b))) == (len(ones), ones[0], ones[-1])
    assert all_of(U(b)) == (len(ones), ones[0], ones[-1])


@njit  # type: ignore[untyped-decorator]
def bit_and_mix(square: Any, h: Any) -> Any:
    return bit(square), mix(h)


def test_a_bit_of_each_square() -> None:
    assert [int(bit_and_mix(square, ONE)[0]) for square in range(64)] == [1 << square for square in range(64)]


def test_mix_is_the_finaliser_of_splitmix64() -> None:
    with np.errstate(over="ignore"):
        state = U((1234567 + 0x9E3779B97F4A7C15) % 2**64)
        assert int(bit_and_mix(0, state)[1]) == int(mix.py_func(state)) == 6457827717110365317

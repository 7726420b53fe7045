"""What arrays are for the compiler."""

import sys

import numpy as np
import pytest
from numba import typeof
from numba.core.errors import NumbaTypeError, NumbaValueError
from numpy.typing import NDArray

from tabiya.games.compiled.jit import in_python, njit, numbas_type_of_array, type_of_array

PLANE = np.zeros((4, 6), np.int32)
FROZEN = PLANE.copy()
FROZEN.flags.writeable = False
RECORDS = np.zeros(3, [("discs", np.uint64, 2), ("seat", np.int8)])


@pytest.mark.parametrize(
    "array", [PLANE, PLANE.T, PLANE[::2, ::3], PLANE[0, 0:0], FROZEN, RECORDS, RECORDS.view(np.recarray)]
)
def test_an_array_has_the_type_that_numba_gives_it(array: NDArray[np.generic], monkeypatch: pytest.MonkeyPatch) -> None:
    numbas = numbas_type_of_array(array, None)  # loads numpy.ma
    monkeypatch.delitem(sys.modules, "numpy.ma")
    assert typeof(array) == type_of_array(array, None) == numbas


def test_what_numba_refuses_is_refused_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NumbaTypeError, match="MaskedArray"):
        type_of_array(np.ma.masked_array([1]), None)
    monkeypatch.delitem(sys.modules, "numpy.ma")
    with pytest.raises(NumbaValueError, match="Unsupported array dtype"):
        type_of_array(np.zeros(1, np.longdouble), None)


@njit
def stones(heap, *, taken=2, left=1):  # type: ignore[no-untyped-def]
    return heap - taken + left


def test_a_function_called_from_python_has_all_its_defaults() -> None:
    assert (in_python(stones)(9), in_python(stones)(9, taken=3)) == (8, 7)

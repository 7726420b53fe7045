"""What an author's `evaluate` returns, as the search takes it: a whole number within bounds, in Python and compiled.

A float is compared before it is converted: beyond 64 bits machine code makes any number of it. `nan` counts as 0.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import overload

from tabiya.bots.evaluators.base import EVALUATION_LIMIT

LIMIT = np.int64(EVALUATION_LIMIT)
NOTHING = "some way through it ends without `return` and a number"


def clamp(value: Any) -> int:
    """The evaluation that a returned value counts as. Raises TypeError for what is no number."""
    if value is None:
        raise TypeError("evaluate returns nothing; does it end without `return`?")
    if not _is_number(value):
        raise TypeError(f"evaluate returns {repr(value)[:60]}, which is not a number")
    if -EVALUATION_LIMIT < value < EVALUATION_LIMIT:
        return int(value)
    return 0 if value != value else EVALUATION_LIMIT if value > 0 else -EVALUATION_LIMIT


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real | np.bool_)


def _float_within_bounds(value: Any) -> Any:
    if value != value:
        return np.int64(0)
    return np.int64(max(-LIMIT, min(LIMIT, value)))


def _whole_within_bounds(value: Any) -> Any:
    return max(-LIMIT, min(LIMIT, np.int64(value)))


@overload(clamp)
def _compiled(value: Any) -> Any:
    if isinstance(value, types.Float):
        return _float_within_bounds
    if isinstance(value, types.Integer | types.Boolean):
        return _whole_within_bounds
    nothing = isinstance(value, types.NoneType | types.Optional)
    raise TypingError(f"evaluate: {NOTHING}" if nothing else f"evaluate returns {value}, which is not a number")
